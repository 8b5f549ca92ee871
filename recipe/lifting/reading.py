"""What was read out of code, as a person checks it: each term with its source line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr

from recipe.declare.update import Update
from recipe.language.blocks import Block, Vector
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic
from recipe.language.text import text
from recipe.lifting.tree.place import Place, shown_path
from recipe.printing.latex import latex, latex_of_name


@dataclass(frozen=True)
class Term:
    """A term of the new value of a block.

    Attributes:
        block: the block.
        assignment: the number of the assignment in the rule, from 0.
        expression: the term.
        place: the line of the code that computes it; None where it is a block or a number.
    """

    block: Block
    assignment: int
    expression: Expr
    place: Place | None


@dataclass(frozen=True)
class Reading:
    """How an update was read out of code.

    Attributes:
        function: the name of the function.
        place: where it begins; None for one that is not written in Python.
        library: the library whose arrays it works on, with its version.
        terms: the terms of the rule, with their lines.
        draws: the name of each noise, with the line that draws it.
        notes: what was assumed, one sentence each.
        compared: how many values of the rule were compared with those of the function.
        slips: rules that may have been meant, each with what must be mended for it.
    """

    function: str
    place: Place | None
    library: str
    terms: tuple[Term, ...]
    draws: tuple[tuple[str, Place | None], ...]
    notes: tuple[str, ...]
    compared: int
    slips: tuple[tuple[str, Update], ...] = ()

    def line_of(self, block: Block) -> Place | None:
        """The last line that computes a term of a block."""
        places = [t.place for t in self.terms if generic(t.block) == generic(block) and t.place]
        return places[-1] if places else self.place


class Lifted(Update):
    """An update that was read out of code: an ``Update``, and what was read.

    Attributes:
        step, rule, sequential, target, observe, units, limit_only, name, source, expect, where: as
            those of an ``Update``.
        posteriors: likewise.
        reading: how it was read, with the source line of each term.
    """

    _reading: Reading

    @property
    def reading(self) -> Reading:
        """How it was read, with the source line of each term."""
        return self._reading

    @property
    def meant(self) -> tuple[tuple[str, Update], ...]:
        """The slips of the reading."""
        return self._reading.slips

    @classmethod
    def of(cls, reading: Reading, step: Any, rule: Any, target: Any, **options: Any) -> Lifted:
        """Return the update of a rule, with what was read."""
        lifted = cls(step, rule, target, **options)
        object.__setattr__(lifted, "_reading", reading)
        return lifted

    @property
    def text(self) -> str:
        """The rule, each term with its source line, and what was assumed."""
        return reading_text(self, self.name or self.reading.function)

    @property
    def latex(self) -> str:
        """The rule as a LaTeX ``align*`` environment, each term with its source line."""
        return reading_latex(self)


def reading_text(lifted: Lifted, name: str) -> str:
    """Return the rule, each term with its source line, and what was assumed."""
    reading = lifted.reading
    at = "" if reading.place is None else f", {reading.place}"
    lines = [f"{name}: read from {reading.function}{at} ({reading.library})"]
    order = "one after another" if lifted.sequential else "at once"
    if len(lifted.rule) > 1:
        lines.append(f"  {order}:")
    for k, (block, e) in enumerate(lifted.rule):
        lines.append(f"  {block} <- {text(e)}")
        found = [t for t in reading.terms if t.assignment == k]
        width = max((len(text(t.expression)) for t in found), default=0)
        for t in found:
            if t.place is not None:
                lines.append(f"      {text(t.expression).ljust(min(width, 70))}  {t.place}")
    for noise, place in reading.draws:
        law = "one standard normal number for all coordinates"
        law = law if noise in _shared(lifted) else "standard normal"
        lines.append(f"  {noise}: {law}" + ("" if place is None else f", {place}"))
    lines += [f"  {note}" for note in reading.notes]
    lines.append(f"  compared with the function at random states: {reading.compared} values agree")
    return "\n".join(lines)


def _shared(lifted: Lifted) -> set[str]:
    """The names of noises of one number that move every coordinate of a vector."""
    vectors = [e for b, e in lifted.rule if isinstance(b, Vector)]
    return {str(w) for e in vectors for w in e.atoms(ScalarNoise)}


def reading_latex(lifted: Lifted) -> str:
    """Return the rule as LaTeX, each term with its source line."""
    rows = []
    for k, (block, _) in enumerate(lifted.rule):
        found = [t for t in lifted.reading.terms if t.assignment == k]
        for n, t in enumerate(found):
            left = f"{latex_of_name(block)} &\\leftarrow" if n == 0 else "&\\quad {}"
            shown = latex(t.expression)
            sign = "" if n == 0 or shown.startswith("-") else "+ "
            at = "" if t.place is None else f" && \\text{{{_escaped(t.place)}}}"
            rows.append(f"{left} {sign}{shown}{at}")
    return "\\begin{align*}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align*}"


def _escaped(place: Place) -> str:
    return f"{shown_path(place.file)}:{place.line}".replace("_", "\\_")


def code_lines(reading: Reading) -> list[tuple[str, str, bool, str, int]]:
    """Return block, term, whether it is noise, file and line of each term; the function itself
    first.
    """
    found = []
    if reading.place is not None:
        found.append(("", "", False, shown_path(reading.place.file), reading.place.line))
    for t in reading.terms:
        if t.place is not None:
            noise = bool(t.expression.atoms(Noise, ScalarNoise))
            file, line = shown_path(t.place.file), t.place.line
            found.append((str(t.block), str(t.expression), noise, file, line))
    return found


def reading_data(lifted: Lifted, name: str) -> dict[str, Any]:
    """Return what was read as plain data."""
    reading, shared = lifted.reading, _shared(lifted)
    return {
        "name": name,
        "function": reading.function,
        "file": None if reading.place is None else shown_path(reading.place.file),
        "line": None if reading.place is None else reading.place.line,
        "library": reading.library,
        "sequential": lifted.sequential,
        "rule": [{"block": str(b), "value": str(e)} for b, e in lifted.rule],
        "terms": [
            {
                "block": str(t.block),
                "assignment": t.assignment,
                "term": str(t.expression),
                "file": None if t.place is None else shown_path(t.place.file),
                "line": None if t.place is None else t.place.line,
            }
            for t in reading.terms
        ],
        "noise": [
            {
                "name": w,
                "line": None if place is None else place.line,
                "one_number_for_all_coordinates": w in shared,
            }
            for w, place in reading.draws
        ],
        "notes": list(reading.notes),
        "compared": reading.compared,
    }
