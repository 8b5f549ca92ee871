"""What went wrong, as one sentence that a terminal can show, and the exit status that goes
with it.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from recipe import RecipeError
from recipe.language.plain_text import without_codes
from recipe_cli.shortage import shortage_of
from verify.verdict import Verdict

BAD_INPUT_STATUS, UNDECIDED_STATUS, FAULT_STATUS = 2, 3, 70
MAX_MESSAGE_CHARACTERS = 1000  # of what a file or an exception says
TOO_DEEP = "an expression is nested too deeply; write it with fewer levels"
TOO_MANY_DIGITS = (
    "a number comes up that has more digits than Python prints; put a parameter in its place"
)


@dataclass(frozen=True)
class Mistake:
    """One sentence, and whose mistake it is: status 2 for the user's, 70 for one of this program,
    which is no verdict.
    """

    sentence: str
    status: int


def mistake_of(error: BaseException) -> Mistake:
    """The mistake behind an exception."""
    if isinstance(error, RecipeError):
        return Mistake(one_line(error), BAD_INPUT_STATUS)
    verdict = getattr(
        error, "verdict", None
    )  # of a module that is not proved to be what it was made from
    if isinstance(verdict, Verdict):
        return Mistake(
            one_line(error), UNDECIDED_STATUS if verdict is Verdict.UNDECIDED else FAULT_STATUS
        )
    if isinstance(error, RecursionError):
        return Mistake(TOO_DEEP, BAD_INPUT_STATUS)
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return Mistake(TOO_MANY_DIGITS, BAD_INPUT_STATUS)
    missing = shortage_of(error) or _refused_by_the_system(error)
    if missing is not None:
        return Mistake(missing, BAD_INPUT_STATUS)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return Mistake(
        f"internal error{place}: {type(error).__name__}: {one_line(error)}; please report it",
        FAULT_STATUS,
    )


def _refused_by_the_system(error: BaseException) -> str | None:
    """What the operating system says of a path, or of the place where it is; it is no fault of this
    program.
    """
    if not isinstance(error, OSError) or not error.strerror:
        return None
    where = f"{printable(str(error.filename))}: " if error.filename is not None else ""
    return f"{where}{printable(error.strerror)}; choose another path or make room for it"


def one_line(error: BaseException) -> str:
    """The text of an exception in one line; an exception of a user's own class may fail even at
    that.
    """
    try:
        text = str(error)
    except Exception:
        text = ""
    return printable(" ".join(text.split())) or "no message"


def printable(text: str) -> str:
    """What stands in a file must neither send codes to the terminal nor fill it."""
    shown = without_codes(text[:MAX_MESSAGE_CHARACTERS])
    return shown if len(text) <= MAX_MESSAGE_CHARACTERS else f"{shown} ..."
