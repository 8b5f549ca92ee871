"""Changes of a discrete step: the order of updates, the time that each runs, c1 and c2, signs,
noises.

A rule is a list of assignments and each of these a sum; the operators know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Add, Expr, Integer, Pow, Rational, S, exp, sqrt

from mutation.mutant import SCHEME, Change, Mutant, mutants_of
from recipe import Discretisation, Noise, Scalar, Update
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import generic, name_of

Pairs = list[tuple[Block, Expr]]
HALF = Rational(1, 2)


def step_mutants(name: str, step: Discretisation) -> Iterator[Mutant]:
    """All mutants of one discrete step; what its rule was made from stays, so that it is known what
    it should be.
    """
    changes = (
        (o, words, partial(_with_rule, step, make)) for o, words, make in rule_changes(step.update)
    )
    yield from mutants_of(SCHEME, name, step, changes)


def _with_rule(step: Discretisation, make: Any) -> Discretisation:
    return replace(step, update=make())


def rule_changes(update: Update) -> Iterator[Change]:
    """The changes of a rule, one after another."""
    rule = list(update.rule)
    yield from _orders(update, rule)
    for k, (block, _) in enumerate(rule):
        where = _place(rule, k)
        for kind in (_terms, _times, _exponents, _numbers, _noises):
            for operator, words, changed in kind(update, rule, k):
                yield (
                    operator,
                    f"{words} in {where}",
                    partial(_rebuilt, update, _put(rule, k, block, changed)),
                )
        if len(rule) > 1:
            yield (
                "assignment dropped",
                f"{where} dropped",
                partial(_rebuilt, update, _put(rule, k, block, block)),
            )
            yield (
                "assignment twice",
                f"{where} twice",
                partial(_rebuilt, update, [*rule[: k + 1], *rule[k:]]),
            )


def _put(rule: Pairs, k: int, block: Block, e: Expr) -> Pairs:
    return [*rule[:k], (block, e), *rule[k + 1 :]]


def _rebuilt(update: Update, rule: Pairs, sequential: bool | None = None) -> Update:
    pairs = rule if (update.sequential if sequential is None else sequential) else dict(rule)
    observe = dict(update.observe)
    return Update(
        update.step, pairs, update.target, observe=observe, name=update.name, source=update.source
    )


def _place(rule: Pairs, k: int) -> str:
    """The assignment by its block, and by its number where the block has several."""
    block = rule[k][0]
    same = [j for j, (b, _) in enumerate(rule) if b == block]
    return (
        str(block) if len(same) == 1 else f"{block} (assignment {same.index(k) + 1} of {len(same)})"
    )


def _orders(update: Update, rule: Pairs) -> Iterator[Change]:
    if not update.sequential:
        if len(rule) > 1:
            for words, pairs in (("as listed", rule), ("in reverse", rule[::-1])):
                yield "order", f"one after another, {words}", partial(_rebuilt, update, pairs, True)
        return
    for k in range(len(rule) - 1):
        swapped = [*rule[:k], rule[k + 1], rule[k], *rule[k + 2 :]]
        yield (
            "order",
            f"assignments {k + 1} and {k + 2} exchanged",
            partial(_rebuilt, update, swapped),
        )
    if len({b for b, _ in rule}) == len(rule):
        yield "order", "all blocks from the old state", partial(_rebuilt, update, rule, False)


Changed = Iterator[tuple[str, str, Expr]]


def _terms(update: Update, rule: Pairs, k: int) -> Changed:
    """Summand by summand: its sign, and whether it is there."""
    block, e = rule[k]
    terms = [t for t in Add.make_args(e.expand(deep=False)) if t != block]
    for t in terms if len(terms) > 1 or block in Add.make_args(e) else ():
        yield "sign", f"{t} negated", e - 2 * t
        yield "term dropped", f"{t} dropped", e - t
    whole = [t for t in terms if update.step in t.free_symbols and not t.has(Noise, ScalarNoise)]
    for t in whole:
        yield "constant", f"{t} halved", e - t / 2
    if block in Add.make_args(e):
        yield "constant", f"{block} times 1 + {update.step}", e + update.step * block


def _times(update: Update, rule: Pairs, k: int) -> Changed:
    """The assignment runs for another time: half steps made whole, whole ones halved."""
    _, e = rule[k]
    for words, factor in (("half the time", HALF), ("twice the time", Integer(2))):
        yield "time", words, e.xreplace({update.step: factor * update.step})


def _exponents(update: Update, rule: Pairs, k: int) -> Changed:
    """c1 and c2 of an exact flow: exponents, one occurrence by another, and what stands under a
    root.
    """
    _, e = rule[k]
    for t in Add.make_args(e):
        roots = [r for r in t.atoms(Pow) if r.exp == HALF and r.base.has(exp)]
        inside = {f for r in roots for f in r.atoms(exp)}
        for f in sorted(t.atoms(exp) - inside, key=str):
            for words, factor in (
                ("halved", HALF),
                ("doubled", Integer(2)),
                ("negated", Integer(-1)),
            ):
                yield (
                    "c1",
                    f"the exponent of {f} {words}",
                    e - t + t.xreplace({f: exp(factor * f.args[0])}),
                )
            yield "c1", f"{f} to first order", e - t + t.xreplace({f: 1 + f.args[0]})
        for r in sorted(roots, key=str):
            for f in sorted(r.atoms(exp), key=str):
                yield (
                    "c2",
                    f"the exponent of {f} halved under the root",
                    e - t + t.xreplace({r: r.xreplace({f: exp(f.args[0] / 2)})}),
                )
            yield "c2", f"no root of {r.base}", e - t + t.xreplace({r: r.base})
            flipped = sqrt(Add(*(-s if s.has(exp) else s for s in Add.make_args(r.base))))
            yield "c2", f"a sign under the root of {r.base}", e - t + t.xreplace({r: flipped})


def _numbers(update: Update, rule: Pairs, k: int) -> Changed:
    """The arguments of draws that are not normal."""
    _, e = rule[k]
    for x in sorted(e.atoms(NoncentralChiSquared), key=str):
        for words, df, nonc in (
            ("degrees of freedom halved", x.df / 2, x.nonc),
            ("degrees of freedom plus 1", x.df + 1, x.nonc),
            ("noncentrality halved", x.df, x.nonc / 2),
            ("noncentrality doubled", x.df, 2 * x.nonc),
            ("noncentrality dropped", x.df, S.Zero),
        ):
            yield "constant", words, e.xreplace({x: NoncentralChiSquared(x.noise, df, nonc)})


def _noises(update: Update, rule: Pairs, k: int) -> Changed:
    """Factors of a noise; a noise that another assignment has; one that all coordinates share."""
    _, e = rule[k]
    if e.has(NoncentralChiSquared):
        return
    own = sorted({generic(w) for w in e.atoms(Noise, ScalarNoise)}, key=str)
    others = sorted(
        {
            generic(w)
            for j, (_, f) in enumerate(rule)
            if j != k
            for w in f.atoms(Noise, ScalarNoise)
        },
        key=str,
    )
    for w in own:
        for words, factor in (
            ("times sqrt(2)", sqrt(2)),
            ("divided by sqrt(2)", 1 / sqrt(2)),
            ("times 11/10", Rational(11, 10)),
        ):
            yield "noise scaled", f"{w} {words}", e.xreplace({w: factor * w})
        for other in others:
            if other != w and type(other) is type(w) and other.length == w.length:
                yield "noise reused", f"{other} in place of {w}", e.xreplace({w: other})
        if isinstance(w, Noise) and w.covariance is None:
            shared = Noise(f"{name_of(w)}_shared", like=Scalar("one"))
            yield "noise shared", f"one {w} for all coordinates", e.xreplace({w: shared})
