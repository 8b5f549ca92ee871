"""The verdict on a sampler before Python runs it, by the rule of the command.

This file alone of ``codegen`` asks ``verify``, and on first use: the proofs know nothing of what is
compiled, so that they stay independent of it. A verdict is found once for each declaration in a
process. Recipes and kernels of the catalog are taken as proved, as the tests prove each of them.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from codegen.system.stopped_after import TimeIsUp, stopped_after
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.errors import RecipeError
from recipe.printing.plain_text import without_codes

if TYPE_CHECKING:
    from verify.report import Report

MAX_SECONDS = 10.0  # after which no further obligation is begun
MAX_KNOWN = 64  # verdicts that are remembered
STOP_SECONDS = 30.0  # after which the obligation that is being discharged is stopped
TOO_LONG = f"it was not begun within {MAX_SECONDS:.0f} seconds"
STOPPED = f"it was stopped after {STOP_SECONDS:.0f} seconds"
HOW_TO_GO_ON = (
    "recipe verify takes its time, `recipe verify FILE --timeout SECONDS`, and verify(...) all that"
    " it needs"
)
CATALOG = "catalog"

_known: dict[int, tuple[Any, Report]] = {}  # with the declaration: no other one gets its id
_changing = threading.Lock()  # two threads that leave out the first one at once would fail


@dataclass(frozen=True)
class SaidBefore:
    """What is said of draws before they are made.

    Attributes:
        note: the verdict on a sampler that is not proved, a warning; None where it is proved.
        proved: what is proved of a printed rule, with the order of its step-size error; None for
            all others.
        refuted: whether it runs although it is refuted.
    """

    note: str | None = None
    proved: str | None = None
    refuted: bool = False


NOTHING_SAID = SaidBefore()


def verdict_before(what: Recipe | Update | Kernel, name: str | None, unproved: bool) -> SaidBefore:
    """Verify a sampler that is about to run.

    Args:
        what: the sampler, as it was declared: before a posterior is bound to it.
        name: its name, where it has none of its own.
        unproved: whether it runs even if it is refuted, or cannot be judged.

    Returns:
        What its draws say.

    Raises:
        RecipeError: where it is refuted, with the obligation, what it leaves stationary, and the
            repair; where nothing can be asked of it, such as a rule without a limit.
    """
    if _is_of_the_catalog(what):
        return NOTHING_SAID
    from verify.report.before_a_run import before_a_run

    called = what.name or name or "this sampler"
    try:
        report = _report(what)
    except RecipeError as error:
        why = f"{called} is not judged: {without_codes(str(error))}"
        if unproved:
            return SaidBefore(note=why)
        raise RecipeError(f"{why}; unproved=True samples it all the same") from None
    said = before_a_run(report, called, unproved)
    if said.why is None:
        return SaidBefore(proved=_step_error(what, called))
    shown = said.why + (f"; {HOW_TO_GO_ON}" if _is_cut_short(report) else "")
    if said.refusal is not None:
        raise RecipeError(
            f"{said.refusal}: {shown}; print(verify(...)) shows the whole report, and unproved=True"
            " samples it all the same"
        )
    return SaidBefore(note=f"{said.note}: {shown}", refuted=_is_refuted(report))


def _is_refuted(report: Report) -> bool:
    from verify.verdict import Verdict

    return report.verdict is Verdict.REFUTED


def _step_error(what: Recipe | Update | Kernel, name: str) -> str | None:
    """Return what is proved of a printed rule; None for all others, whose scheme the user chose,
    and where it takes too long.
    """
    if not isinstance(what, Update):
        return None
    from verify.discrete.weak_order.words import step_error_in_words

    try:
        with stopped_after(STOP_SECONDS):
            return without_codes(step_error_in_words(what, name))
    except TimeIsUp:
        return None


def _report(what: Recipe | Update | Kernel) -> Report:
    """Return the report on a sampler; one whose time was over is not remembered, as a later call
    may find more.
    """
    known = _known.get(id(what))  # in one step, as another thread may leave it out
    if known is not None:
        return known[1]
    from verify.engine import unanswered, verify

    try:
        with stopped_after(STOP_SECONDS):
            report = verify(what, discharge=partial(_in_time, monotonic()))
    except TimeIsUp:  # between two obligations
        report = _of_the_time(unanswered(what))
    if not _is_cut_short(report):
        with _changing:
            if len(_known) >= MAX_KNOWN:
                _known.pop(next(iter(_known)))
            _known[id(what)] = what, report
    return report


def _in_time(began: float, obligation: Any, subject: Any, outcomes: Any) -> Any:
    """Discharge an obligation, unless the time is over, or until it is: a refutation whose repair
    is still searched for stays one.
    """
    from verify.engine import decided, repaired
    from verify.verdict import undecided

    if monotonic() - began >= MAX_SECONDS:
        return undecided(TOO_LONG)
    outcome = undecided(STOPPED)
    with suppress(TimeIsUp):
        outcome = decided(obligation, subject, outcomes)
        outcome = repaired(obligation, subject, outcome)
    return outcome


def _of_the_time(report: Report) -> Report:
    """Return a report on nothing that says why."""
    from verify.verdict import undecided

    lines = (replace(line, outcome=undecided(STOPPED)) for line in report.lines)
    return replace(report, lines=tuple(lines))


def _is_cut_short(report: Report) -> bool:
    """Return True if a report would say more with more time."""
    return any(said in line.outcome.by for line in report.lines for said in (TOO_LONG, STOPPED))


def _is_of_the_catalog(what: Recipe | Update | Kernel) -> bool:
    """Whether a recipe or a kernel is the very object that a file of the catalog declares, and no
    flow, which is stationary and no sampler. Its updates are what somebody printed, which may be
    wrong, and so may what is in its folders.
    """
    if isinstance(what, Recipe) and not what.D.nonzero:
        return False
    if isinstance(what, Update):
        return False
    files = [m for n, m in sys.modules.items() if n.rpartition(".")[0] == CATALOG]
    return any(value is what for file in files for value in vars(file).values())
