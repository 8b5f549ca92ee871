"""Reports: all outcomes about one declaration, shown as text, as Markdown or as plain data.

Imports ``verify.verdict`` alone of ``verify``.
"""

from verify.report.data import ReportLine
from verify.report.report import Report

__all__ = ["Report", "ReportLine"]
