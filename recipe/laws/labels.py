"""Laws of labels: 0 or 1, and 0, 1, ..., K - 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sympy import Add, Expr, Integer, exp, log

from recipe.language.blocks import Vector
from recipe.language.data import ScalarData, one_hot
from recipe.language.domain import on_simplex
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand, Indicator, LogDensity
from recipe.language.symbols import generic
from recipe.language.total import total
from recipe.laws.counts import probability_demands, whole_data
from recipe.laws.law import argument, named_law, positive_demands


def bernoulli(y: Any, p: Any) -> LogDensity:
    """Return the log probability of a label that is 1 with probability ``p``, else 0.

    Args:
        y: a ``Data`` symbol with the labels 0 and 1, or False and True.
        p: the probability of 1, in (0, 1).

    Raises:
        RecipeError: where y is no ``Data`` symbol, or p may lie outside of its range.
    """
    p = argument(p, "the p of bernoulli")
    demands = (*_binary("bernoulli", y), *probability_demands(p, "the p of bernoulli"))
    e = y * log(p) + (1 - y) * log(1 - p)
    return LogDensity(e, demands, laws=named_law("bernoulli", y, e, p=p))


def bernoulli_logit(y: Any, logit: Any) -> LogDensity:
    """Return the log probability of a label: 1 has ``1/(1 + exp(-logit))``, 0 has the rest.

    Args:
        y: as for ``bernoulli``.
        logit: the log odds of 1.

    Raises: as ``bernoulli``.
    """
    demands = _binary("bernoulli_logit", y)
    a = argument(logit, "the logit of bernoulli_logit")
    e = y * a - log(1 + exp(a))
    return LogDensity(e, demands, laws=named_law("bernoulli_logit", y, e, logit=a))


def categorical(y: Any, p: Any) -> LogDensity:
    """Return the log probability of a label k: ``log(p[k])``.

    Args:
        y: a ``Data`` symbol with the labels 0, 1, ..., K - 1.
        p: a ``Vector`` with ``domain=Simplex()``, whose last probability is ``1 - total(p)``, or a
            list of K expressions that sum to 1, which is not checked.

    Raises:
        RecipeError: where y is no ``Data`` symbol of one number, or p is neither a block on a
            simplex nor such a list.
    """
    if on_simplex(p):
        return _categorical_on_simplex(y, p)
    if isinstance(p, Vector):
        raise RecipeError(
            f"categorical({y}, {p}): {p} lives on {p.domain}; declare {p} = Vector({p.name!r},"
            " domain=Simplex())"
        )
    chances = _scores("categorical", "p", p, 2)
    of_data = [d for e in chances for d in positive_demands(e, "a probability of categorical")]
    demand, indicators = _labels("categorical", y, len(chances))
    e = Add(*(i.data * log(a) for i, a in zip(indicators, chances, strict=True)))
    named = named_law("categorical", y, e, p=tuple(chances))
    return LogDensity(e, (demand, *of_data), indicators, laws=named)


def _categorical_on_simplex(y: Any, p: Vector) -> LogDensity:
    y = _one_label("categorical", y, "the labels 0 to K - 1")
    last = ScalarData(f"{y.name}_is_last_of_{p.length}")
    z = one_hot(f"{y.name}_but_last_in_{p.length}", p, y, but_last=True)
    e = (1 - last) * log(total(z * p)) + last * log(1 - total(p))
    demand = Demand(y, "a label of categorical", Integer(0), whole=True)
    named = named_law("categorical", y, e, p=p)
    return LogDensity(e, (demand,), (Indicator(last, y, p.length),), laws=named)


def categorical_logit(y: Any, logits: Sequence[Any]) -> LogDensity:
    """Return the log probability of a label k: ``exp(logits[k])/sum(exp(logits))``.

    Args:
        y: a ``Data`` symbol with the labels 0, 1, ..., K - 1.
        logits: K expressions, of which one may be 0 (the reference).

    Raises:
        RecipeError: where y is no ``Data`` symbol of one number, or there are less than two logits.
    """
    scores = _scores("categorical_logit", "logits", logits, 2)
    demand, indicators = _labels("categorical_logit", y, len(scores))
    chosen = Add(*(i.data * a for i, a in zip(indicators, scores, strict=True)))
    e = chosen - log(Add(*(exp(a) for a in scores)))
    used = tuple(i for i in indicators if i.data in e.free_symbols)
    named = named_law("categorical_logit", y, e, logits=tuple(scores))
    return LogDensity(e, (demand,), used, laws=named)


def ordered_logistic(y: Any, location: Any, cutpoints: Sequence[Any]) -> LogDensity:
    """Return the log probability of a label of an ordered logistic law.

    ``P(label <= k)`` is ``1/(1 + exp(location - cutpoints[k]))``.

    Args:
        y: a ``Data`` symbol with the labels 0, 1, ..., K - 1.
        location: the predictor; larger values make larger labels likely.
        cutpoints: K - 1 expressions that increase. With ``gap = Scalar("gap",
            domain=Interval.open(0, oo))``, ``[c, c + gap]`` does.

    Raises:
        RecipeError: where y is no ``Data`` symbol of one number, there is no cutpoint, or
            cutpoints are not seen to increase.
    """
    cuts = _scores("ordered_logistic", "cutpoints", cutpoints, 1)
    a = argument(location, "the location of ordered_logistic")
    for low, high in pairwise(cuts):
        if not (high - low).is_positive:
            raise RecipeError(
                f"ordered_logistic: the cutpoint {high} is not seen to be above {low}; write it as"
                f" {low} + gap with gap = Scalar('gap', domain=Interval.open(0, oo))"
            )
    demand, indicators = _labels("ordered_logistic", y, len(cuts) + 1)
    e = Add(*(i.data * _between(a, cuts, i.value) for i in indicators))
    named = named_law("ordered_logistic", y, e, location=a, cutpoints=tuple(cuts))
    return LogDensity(e, (demand,), indicators, laws=named)


def _between(a: Expr, cuts: Sequence[Expr], k: int) -> Expr:
    """The log probability of label k: with ``s`` the logistic function, ``s(c_k - a) - s(c_(k-1) -
    a)`` is ``s(c_k - a) s(a - c_(k-1)) (1 - exp(c_(k-1) - c_k))``, of which no digit is lost.
    """
    above = -log(1 + exp(cuts[k - 1] - a)) if k > 0 else Integer(0)
    below = -log(1 + exp(a - cuts[k])) if k < len(cuts) else Integer(0)
    both = log(1 - exp(cuts[k - 1] - cuts[k])) if 0 < k < len(cuts) else Integer(0)
    return above + below + both


def _binary(name: str, y: Any) -> tuple[Demand, ...]:
    y = whole_data(name, y, "the labels 0 and 1")
    return (Demand(generic(y), f"a label of {name}", Integer(0), Integer(1), whole=True),)


def _one_label(name: str, y: Any, kind: str) -> ScalarData:
    y = whole_data(name, y, kind)
    if not isinstance(y, ScalarData):
        raise RecipeError(f"{name}({y}): each datum brings one label; leave out like= of {y}")
    return y


def _labels(name: str, y: Any, count: int) -> tuple[Demand, tuple[Indicator, ...]]:
    y = _one_label(name, y, f"the labels 0 to {count - 1}")
    demand = Demand(y, f"a label of {name}", Integer(0), Integer(count - 1), whole=True)
    names = (ScalarData(f"{y.name}_is_{k}") for k in range(count))
    return demand, tuple(Indicator(s, y, k) for k, s in enumerate(names))


def _scores(name: str, called: str, given: Any, least: int) -> list[Expr]:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) < least:
        raise RecipeError(
            f"{name}: {called}={given!r} must be a list of at least {least} expressions"
        )
    return [argument(e, f"{called}[{k}] of {name}") for k, e in enumerate(given)]
