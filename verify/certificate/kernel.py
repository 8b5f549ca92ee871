"""Kernels in a certificate: the parts of a sweep, and the precisions and variances that a checker
must see to be positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Expr

from recipe import RecipeError
from recipe.declare.update import Update
from recipe.kernel.conditional import Conditional
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
    leaves_of,
)
from recipe.language.expectation import NOISE
from verify.decide.nonnegative.syntactic_forms import readable_form
from verify.encode import Data, Encoder
from verify.evidence import SignStep
from verify.kernels.assignment import law_given_rest
from verify.kernels.hastings import laws_of
from verify.subject import KernelSubject


def encoded_kernel(subject: KernelSubject, to: Encoder) -> Data:
    """The state, the target and the parts of a kernel, with the conditions of its scope.

    Raises:
        RecipeError: where a block stands for another one.
    """
    moved = next((b for b in subject.state if b.image is not None), None)
    if moved is not None:
        raise RecipeError(
            f"{moved} stands for {moved.image}, and there are no certificates of kernels in other"
            " coordinates yet"
        )
    kernel = subject.declared
    return {
        "kind": "kernel",
        "state": [to.declare(b) for b in subject.state],
        "H": to.node(subject.H),
        "conditions": [{"e": to.node(c.e), "sign": c.sign} for c in subject.conditions],
        "parts": [_encoded_part(part, to) for part in kernel.parts],
    }


def _encoded_part(part: Part, to: Encoder) -> Data:
    match part:
        case Move(update=update):
            return {"kind": "move", **_rule(update, to)}
        case MetropolisedMap(map=update, times=times, flips=flips, flip_on_rejection=turn):
            more = {"times": _range(times), "flips": [b.name for b in flips], "turn": turn}
            return {"kind": "map", **_rule(update, to), **more}
        case MetropolisHastings(proposal=update, partners=partners, cost=cost):
            return {
                "kind": "hastings",
                "rule": _rule(update, to)["rule"],
                "cost": to.node(cost),
                "partners": [[x.name, to.declare(y)] for x, y in partners],
            }
        case MetropolisedPath(around=around, test=test):
            return {
                "kind": "path",
                "around": _encoded_part(around, to),
                "test": _encoded_part(test, to),
            }
        case Repeat(parts=parts, times=times):
            inner = [_encoded_part(p, to) for p in parts]
            return {"kind": "repeat", "times": _range(times), "parts": inner}


def _rule(update: Update, to: Encoder) -> Data:
    rule = [[b.name, to.node(e)] for b, e in update.rule]
    return {"sequential": update.sequential, "rule": rule}


def _range(times: Any) -> list[int]:
    return list(times) if isinstance(times, tuple) else [times, times]


def signs_of_kernel(subject: KernelSubject) -> Iterator[SignStep]:
    """The precision of every block that is redrawn, and the variance of every proposal: they are
    positive.
    """
    for e in dict.fromkeys(_positive_numbers(subject)):
        yield SignStep(e, "> 0", readable_form(e))


def _positive_numbers(subject: KernelSubject) -> Iterator[Expr]:
    for leaf in (leaf for part in subject.declared.parts for leaf in leaves_of(part)):
        if isinstance(leaf, MetropolisHastings):
            laws = laws_of(leaf.proposal)
            yield from (law.variance for law in laws.values()) if isinstance(laws, dict) else ()
        redraw = leaf.around if isinstance(leaf, MetropolisedPath) else leaf
        if isinstance(redraw, Move):
            for block, e in redraw.update.rule:
                law = law_given_rest(subject.H, block) if e.has(*NOISE) else None
                if isinstance(law, Conditional):
                    yield law.precision


__all__ = ["encoded_kernel", "signs_of_kernel"]
