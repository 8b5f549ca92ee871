"""Mistakes: an exception as one sentence that a terminal can show, and its exit status."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from recipe import RecipeError
from recipe.printing.plain_text import without_codes
from recipe_cli.shortage import shortage_of

BAD_INPUT_STATUS, UNDECIDED_STATUS, FAULT_STATUS = 2, 3, 70
MAX_MESSAGE_CHARACTERS = 1000  # of a text that comes from a file or an exception
TOO_DEEP = "an expression is nested too deeply; write it with fewer levels"
TOO_MANY_DIGITS = (
    "a computed number has more digits than Python prints; put a parameter in its place"
)


@dataclass(frozen=True)
class Mistake:
    """A mistake in one sentence, and the exit status that it leads to.

    Attributes:
        sentence: the mistake and its repair, in one line.
        status: 2 for a mistake of the user, 3 for a question that stayed undecided, 70 for a fault
            of this program.
    """

    sentence: str
    status: int


class FailedError(Exception):
    """An exception of a child process.

    Args:
        mistake: the mistake that the exception stands for.
    """

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake)
        self.mistake = mistake


def mistake_of(error: BaseException) -> Mistake:
    """Return the mistake that an exception stands for."""
    if isinstance(error, FailedError):
        return error.mistake
    if isinstance(error, RecipeError):
        undecided = getattr(error, "undecided", False)  # no mistake: nothing could be predicted
        status = UNDECIDED_STATUS if undecided else BAD_INPUT_STATUS
        return Mistake(as_typed(one_line(error)), status)
    # A module whose text is not proved to be the declared step raises an error with a verdict.
    if hasattr(error, "verdict"):
        from verify.verdict import Verdict  # it imports sympy, which may be what is missing

        undecided = error.verdict is Verdict.UNDECIDED
        return Mistake(one_line(error), UNDECIDED_STATUS if undecided else FAULT_STATUS)
    if isinstance(error, RecursionError):
        return Mistake(TOO_DEEP, BAD_INPUT_STATUS)
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return Mistake(TOO_MANY_DIGITS, BAD_INPUT_STATUS)
    missing = shortage_of(error) or _missing_library(error) or _refused_by_the_system(error)
    if missing is not None:
        return Mistake(missing, BAD_INPUT_STATUS)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return Mistake(
        f"internal error{place}: {type(error).__name__}: {one_line(error)}; please report it",
        FAULT_STATUS,
    )


def _missing_library(error: BaseException) -> str | None:
    """Return which library the command needs; None if the error is of another kind.

    Proofs need few libraries, and an environment for proofs may have no others.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    return (
        f"this command needs {printable(error.name)}, which is not installed here: pip install"
        " recipe-sampler"
    )


def _refused_by_the_system(error: BaseException) -> str | None:
    """Return what the operating system reports about a path; None if the error is of another
    kind.
    """
    if not isinstance(error, OSError) or not error.strerror:
        return None
    where = f"{printable(str(error.filename))}: " if error.filename is not None else ""
    return f"{where}{printable(error.strerror)}; choose another path or make room for it"


def one_line(error: BaseException) -> str:
    """Return the message of an exception in one line.

    A class of the user may raise even while it makes its message: then the line is "no message".
    """
    try:
        text = str(error)
    except Exception:
        text = ""
    return printable(" ".join(text.split())) or "no message"


def as_typed(sentence: str) -> str:
    """Return a sentence with the option in the place of the argument ``initial=``."""
    return sentence.replace("(initial=)", "(--initial)")


def without_nearer(sentence: str) -> str:
    """Return a sentence without the advice to start nearer: `recipe labels` has no such option."""
    return sentence.replace(", or start nearer (initial=)", "")


def printable(text: str) -> str:
    """Return a text from a file so that it neither sends codes to the terminal nor fills it."""
    shown = without_codes(text[:MAX_MESSAGE_CHARACTERS])
    return shown if len(text) <= MAX_MESSAGE_CHARACTERS else f"{shown} ..."
