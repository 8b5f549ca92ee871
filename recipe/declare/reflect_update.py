"""Put reflections into an update rule, and read them back.

``folded`` puts a ``Fold`` right after every assignment to a reflected block, together with the
change of sign of its momentum. ``unfolded`` is the way back. Inside of the domain the folded and
the free rule have one limit: from a fixed inner point, a step reaches the edge with a probability
that vanishes faster than every power of the step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, Mul

from recipe.declare.reflection import Reflection, checked_reflections
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.fold import FOLDS, Fold, FoldSign, ends_of
from recipe.language.free_symbols import blocks_in
from recipe.language.text import listed

Rule = list[tuple[Block, Expr]]


def folded(update: Update, reflections: tuple[Reflection, ...]) -> Update:
    """The rule with these reflections put in."""
    if not reflections:
        return update
    rule = (
        _folded_one_by_one(update, reflections)
        if update.sequential
        else _folded_at_once(update, reflections)
    )
    return _with_rule(update, rule)


def _folded_at_once(update: Update, reflections: tuple[Reflection, ...]) -> Rule:
    """Put the reflections into a simultaneous rule."""
    moved = dict(update.rule)
    new = dict(moved)
    for reflection in reflections:
        free, ends = moved[reflection.block], _ends(reflection.block)
        new[reflection.block] = Fold(free, *ends)
        for b in reflection.flips:
            new[b] = FoldSign(free, *ends) * moved[b]
    return list(new.items())


def _folded_one_by_one(update: Update, reflections: tuple[Reflection, ...]) -> Rule:
    """Put the reflections into a sequential rule, after each assignment that moves a reflected
    block.
    """
    rule: Rule = []
    by_block = {r.block: r for r in reflections}
    for block, e in update.rule:
        rule.append((block, e))
        if block in by_block and e != block:
            rule += _fold_rules(by_block[block])
    return rule


def _fold_rules(reflection: Reflection) -> Rule:
    """The assignments of one reflection; the momenta come first, as they read the position before
    it is folded.
    """
    block, ends = reflection.block, _ends(reflection.block)
    return [
        *((b, FoldSign(block, *ends) * b) for b in reflection.flips),
        (block, Fold(block, *ends)),
    ]


def _ends(block: Block) -> tuple[Expr, Expr]:
    ends = ends_of(block)
    assert ends is not None  # its Reflection was checked
    return ends


def _with_rule(update: Update, rule: Rule) -> Update:
    """A copy of the update with other assignments."""
    return Update(
        update.step,
        rule if update.sequential else dict(rule),
        update.target,
        observe=dict(update.observe),
        name=update.name,
        source=update.source,
        expect=update.expect,
        where=update.where,
    )


def has_folds(update: Update) -> bool:
    """Return True if the rule reflects a block."""
    return any(e.has(*FOLDS) for _, e in update.rule)


@dataclass(frozen=True)
class Unfolded:
    """A rule without folds, and the reflections that its folds meant."""

    update: Update
    reflections: tuple[Reflection, ...]


def unfolded(update: Update) -> Unfolded:
    """Read the reflections out of a rule.

    Raises:
        RecipeError: where a fold is not a reflection right after its block has moved.
    """
    if not has_folds(update):
        return Unfolded(update, ())
    reading = _read_one_by_one(update) if update.sequential else _read_at_once(update)
    for block, e in reading.rule:
        if e.has(*FOLDS):
            raise _unknown_fold(block, e)
    found = checked_reflections(
        (Reflection(b, flips) for b, flips in reading.flips.items()), update.state
    )
    return Unfolded(_with_rule(update, reading.rule), found)


@dataclass
class _Reading:
    """The state while a rule is read.

    Attributes:
        rule: the assignments without folds so far.
        flips: the momenta that change their sign with each folded block.
    """

    rule: Rule = field(default_factory=list)
    flips: dict[Block, tuple[Block, ...]] = field(default_factory=dict)


def _read_at_once(update: Update) -> _Reading:
    """Read the folds of a simultaneous rule."""
    reading = _Reading()
    free = {b: e.args[0] for b, e in update.rule if _is_fold_of(e, b)}
    reading.flips = dict.fromkeys(free, ())
    for block, e in update.rule:
        turning = next((b for b in free if e.has(FoldSign(free[b], *_ends(b)))), None)
        if block in free or turning is None:
            reading.rule.append((block, free.get(block, e)))
            continue
        reading.rule.append((block, _without_sign(e, FoldSign(free[turning], *_ends(turning)))))
        reading.flips[turning] += (block,)
    return reading


def _read_one_by_one(update: Update) -> _Reading:
    """Read the folds of a sequential rule, in which a block that has moved is folded before any
    other rule reads it.
    """
    reading = _Reading()
    folding = {b for b, e in update.rule if _is_fold_of(e, b)}
    # the blocks that have moved and are not folded yet, with the momenta that turned since
    outside: dict[Block, tuple[Block, ...]] = {}
    for block, e in update.rule:
        turning = next((b for b in outside if e == FoldSign(b, *_ends(b)) * block), None)
        if turning is not None:
            outside[turning] += (block,)
        elif block in outside and e == Fold(block, *_ends(block)):
            _note_flips(reading, block, outside.pop(block))
        elif blocks_in(e, tuple(outside)) or block in outside:
            raise RecipeError(
                f"{listed(outside)} has moved and is not folded yet where the rule of {block} reads"
                " or moves it: fold it first"
            )
        elif block in folding and _is_fold_of(e, block) and e.args[0] != block:
            # moved and folded in one assignment: no momentum turns
            reading.rule.append((block, e.args[0]))
            _note_flips(reading, block, ())
        else:
            reading.rule.append((block, e))
            outside |= {block: ()} if block in folding and e != block else {}
    if outside:
        raise RecipeError(
            f"{listed(outside)} moves and is not folded afterwards, and elsewhere it is; fold it"
            " each time"
        )
    return reading


def _note_flips(reading: _Reading, block: Block, flips: tuple[Block, ...]) -> None:
    """Note that a block is folded together with these momenta, each time the same ones."""
    if set(reading.flips.setdefault(block, flips)) != set(flips):
        raise RecipeError(
            f"{block} is folded twice, and not with the same momenta; a reflection is one map"
        )


def _is_fold_of(e: Expr, block: Block) -> bool:
    return isinstance(e, Fold) and ends_of(block) == e.args[1:]


def _without_sign(e: Expr, sign: Expr) -> Expr:
    """The product without the factor ``sign``."""
    factors = list(Mul.make_args(e))
    if sign in factors:
        factors.remove(sign)
    return Mul(*factors)


def _unknown_fold(block: Block, e: Expr) -> RecipeError:
    """The error for a fold that is no reflection."""
    return RecipeError(
        f"the rule of {block}, {e}, has a fold that is no reflection known here: a block is folded"
        " into its own domain, Fold(e, lower, upper), and a momentum is multiplied with"
        " FoldSign(e, lower, upper) of the same e"
    )
