"""Every obligation of a recipe or a claim in one report, and the ways to show it."""

from verify.report.report import Line, Report, discharged, unanswered, verify

__all__ = ["Line", "Report", "discharged", "unanswered", "verify"]
