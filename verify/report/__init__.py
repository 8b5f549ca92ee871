"""Every obligation of a recipe or a claim in one report, and the ways to show it."""

from verify.report.report import Report, ReportLine, discharged, unanswered, verify

__all__ = ["Report", "ReportLine", "discharged", "unanswered", "verify"]
