"""All outcomes about one declaration as one report, and the ways to show it: as text, as Markdown
and as plain data.

Imports ``verify.verdict`` alone of ``verify``.
"""

from verify.report.data import ReportLine
from verify.report.report import Report

__all__ = ["Report", "ReportLine"]
