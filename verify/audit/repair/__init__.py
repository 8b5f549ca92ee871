"""Proposals for a refuted rule: the smallest edit for which stationarity is proved."""

from verify.audit.repair.find import find_repair

__all__ = ["find_repair"]
