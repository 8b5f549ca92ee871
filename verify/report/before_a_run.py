"""The rule about a sampler that is about to run, which the command and ``codegen.sample`` share: a
refuted one does not run unless the user insists, and one that is not proved runs with a note.
"""

from __future__ import annotations

from dataclasses import dataclass

from recipe.printing.plain_text import without_codes
from verify.report.data import ReportData, ReportLine
from verify.verdict import Verdict

LAW = "stationary-law"  # the obligation that says what a refuted rule keeps instead

UNIQUENESS = "uniqueness"
NOT_ALONE = "add noise, or draw the momenta anew, as hmc_kernel of the catalog does"
MAX_SHOWN = 700  # characters of the reasons


@dataclass(frozen=True)
class BeforeARun:
    """What is to be said before a sampler runs.

    Attributes:
        refusal: why it does not run; None where it may.
        note: what is said beside its draws; None where it is proved, and is not known to keep
            other laws as well.
        why: the reasons for either, in one line: what the obligations that decide found, what a
            refuted rule keeps in the place of its target, and the repair.
    """

    refusal: str | None = None
    note: str | None = None
    why: str | None = None


def before_a_run(report: ReportData, name: str, unproved: bool) -> BeforeARun:
    """Return what is to be said before a sampler runs.

    Args:
        report: its report.
        name: its name.
        unproved: whether it runs even if it is refuted.
    """
    if report.verdict is Verdict.PROVED:
        return _of_other_laws(report, name, unproved)
    sentence, why = verdict_sentence(report, name), _reasons(report)
    if report.verdict is Verdict.REFUTED and not unproved:
        return BeforeARun(refusal=sentence, why=why)
    return BeforeARun(note=sentence, why=why)


def _of_other_laws(report: ReportData, name: str, unproved: bool) -> BeforeARun:
    """Refuse a process that keeps laws beside its target, where this is known: its draws are of the
    law that it begins with. A kernel may do so at some step sizes alone: that is said of it.
    """
    for line in report.lines:
        if line.name == UNIQUENESS and line.outcome.verdict is Verdict.REFUTED:
            sentence = (
                f"{name} leaves its target stationary, and other laws, too, so that its draws need"
                " not come from the target"
            )
            why = f"{line.outcome.by}; {NOT_ALONE}"
            if unproved or report.kind == "kernel":
                return BeforeARun(note=sentence, why=why)
            return BeforeARun(refusal=sentence, why=why)
    return BeforeARun()


def verdict_sentence(report: ReportData, name: str) -> str:
    """Return the verdict with the names of the obligations that decide it."""
    named = ", ".join(line.name for line in _deciding(report))
    return f"{name} is {report.verdict.value} ({named})"


def _reasons(report: ReportData) -> str:
    deciding = _deciding(report)
    alone = len(deciding) == 1  # its name stands in the sentence before
    said = [o.outcome.by if alone else f"{o.name}: {o.outcome.by}" for o in deciding]
    if report.verdict is Verdict.REFUTED:
        said += [
            line.outcome.by
            for line in report.lines
            if line.name == LAW and line.outcome.verdict is Verdict.PROVED
        ]
        repairs = (line.outcome.repair for line in deciding)
        said += [f"repair: {repair}" for repair in repairs if repair is not None]
    shown = without_codes(" ".join("; ".join(said).split()))
    return shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]} ..."


def _deciding(report: ReportData) -> list[ReportLine]:
    return [
        line for line in report.lines if line.required and line.outcome.verdict is report.verdict
    ]
