"""Laws of counts: 0, 1, 2, ..."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, exp, log, loggamma

from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand, LogDensity
from recipe.language.symbols import generic
from recipe.laws.law import BLOCKS, DATA, argument, named_law, positive_demands


def binomial(y: Any, n: Any, p: Any) -> LogDensity:
    """Return the log probability of ``y`` successes among ``n`` trials.

    Args:
        y: a ``Data`` symbol with whole numbers from 0 to n.
        n: the number of trials, a whole number or a ``Data`` symbol.
        p: the probability of a success, in (0, 1).

    Raises:
        RecipeError: where y is no ``Data`` symbol, or an argument may lie outside of its range.
    """
    y, n, demands = _trials("binomial", y, n)
    p = argument(p, "the p of binomial")
    demands += probability_demands(p, "the p of binomial")
    e = _log_choices(n, y) + y * log(p) + (n - y) * log(1 - p)
    return LogDensity(e, tuple(demands), laws=named_law("binomial", y, e, n=n, p=p))


def binomial_logit(y: Any, n: Any, logit: Any) -> LogDensity:
    """Return the log probability of ``y`` successes, each with ``1/(1 + exp(-logit))``.

    Args:
        y, n: as for ``binomial``.
        logit: the log odds of a success.

    Raises: as ``binomial``.
    """
    y, n, demands = _trials("binomial_logit", y, n)
    a = argument(logit, "the logit of binomial_logit")
    e = _log_choices(n, y) + y * a - n * log(1 + exp(a))
    return LogDensity(e, tuple(demands), laws=named_law("binomial_logit", y, e, n=n, logit=a))


def poisson(y: Any, rate: Any) -> LogDensity:
    """Return the log probability of a count under the Poisson law.

    Args:
        y: a ``Data`` symbol with counts.
        rate: the mean, above 0.

    Raises: as ``binomial``.
    """
    y, demands = _counted("poisson", y)
    rate = argument(rate, "the rate of poisson")
    demands += positive_demands(rate, "the rate of poisson")
    e = y * log(rate) - rate - loggamma(y + 1)
    return LogDensity(e, tuple(demands), laws=named_law("poisson", y, e, rate=rate))


def poisson_log(y: Any, log_rate: Any) -> LogDensity:
    """Return the log probability of a count under the Poisson law with mean ``exp(log_rate)``.

    Args:
        y: a ``Data`` symbol with counts.
        log_rate: the logarithm of the mean.

    Raises: as ``binomial``.
    """
    y, demands = _counted("poisson_log", y)
    a = argument(log_rate, "the log_rate of poisson_log")
    e = y * a - exp(a) - loggamma(y + 1)
    return LogDensity(e, tuple(demands), laws=named_law("poisson", y, e, rate=exp(a)))


def negative_binomial(y: Any, mean: Any, concentration: Any) -> LogDensity:
    """Return the log probability of a count under the negative binomial law.

    Its variance is ``mean + mean^2/concentration``.

    Args:
        y: a ``Data`` symbol with counts.
        mean: the mean, above 0.
        concentration: the shape of the gamma law that the rate of a Poisson law has, above 0.

    Raises: as ``binomial``.
    """
    y, demands = _counted("negative_binomial", y)
    mean = argument(mean, "the mean of negative_binomial")
    demands += positive_demands(mean, "the mean of negative_binomial")
    return _negative_binomial("negative_binomial", y, mean, log(mean), concentration, demands)


def negative_binomial_log(y: Any, log_mean: Any, concentration: Any) -> LogDensity:
    """Return the log probability of a count, negative binomial with mean ``exp(log_mean)``.

    Args:
        y: a ``Data`` symbol with counts.
        log_mean: the logarithm of the mean.
        concentration: as for ``negative_binomial``.

    Raises: as ``binomial``.
    """
    y, demands = _counted("negative_binomial_log", y)
    a = argument(log_mean, "the log_mean of negative_binomial_log")
    return _negative_binomial("negative_binomial_log", y, exp(a), a, concentration, demands)


def probability_demands(p: Expr, where: str) -> list[Demand]:
    """Return the demand that ``p`` lies in (0, 1), where it is a number of the data.

    Raises:
        RecipeError: for a number outside of (0, 1), or a block on another domain.
    """
    if isinstance(p, DATA):
        return [Demand(generic(p), where, Integer(0), Integer(1), open=True)]
    demands = positive_demands(p, where)
    positive_demands_of_complement(p, where)
    if not isinstance(p, BLOCKS) and not p.is_Symbol and not p.is_number:
        demands += positive_demands(1 - p, f"1 less {where}")
    return demands


def positive_demands_of_complement(p: Expr, where: str) -> None:
    """Require that a probability is not known to be 1 or above."""
    domain = getattr(p, "domain", None)
    too_large = (p.is_number and bool(p >= 1)) or (
        domain is not None and getattr(domain, "sup", 1) > 1
    )
    if too_large:
        said = p if domain is None else f"{p}, which lives on {domain}"
        raise RecipeError(f"{where} is {said}, and it must lie between 0 and 1")


def whole_data(name: str, y: Any, kind: str) -> Any:
    """Return the variable of a law of whole numbers.

    Raises:
        RecipeError: where it is no ``Data`` symbol.
    """
    if isinstance(y, DATA):
        return y
    raise RecipeError(
        f"{name}({y}) is a law of {kind} in the data, and {y} is {type(y).__name__}: write"
        " y = Data('y')"
    )


def _counted(name: str, y: Any) -> tuple[Any, list[Demand]]:
    y = whole_data(name, y, "counts")
    return y, [Demand(generic(y), f"a count of {name}", lower=Integer(0), whole=True)]


def _trials(name: str, y: Any, n: Any) -> tuple[Any, Any, list[Demand]]:
    y, n = whole_data(name, y, "counts"), argument(n, f"the n of {name}")
    demands = [Demand(generic(y), f"a count of {name}", Integer(0), generic(n), whole=True)]
    if isinstance(n, DATA):
        demands.append(Demand(generic(n), f"the n of {name}", Integer(0), whole=True))
    elif not (n.is_Integer and n > 0):
        raise RecipeError(
            f"the n of {name} is {n}; it must be a whole number above 0, or a Data symbol"
        )
    return y, n, demands


def _log_choices(n: Expr, y: Expr) -> Expr:
    return loggamma(n + 1) - loggamma(y + 1) - loggamma(n - y + 1)


def _negative_binomial(
    name: str, y: Any, mean: Expr, log_mean: Expr, concentration: Any, demands: list[Demand]
) -> LogDensity:
    c = argument(concentration, f"the concentration of {name}")
    demands += positive_demands(c, f"the concentration of {name}")
    both = log(c + mean)
    e = loggamma(y + c) - loggamma(y + 1) - loggamma(c) + c * (log(c) - both)
    e += y * (log_mean - both)
    named = named_law("negative_binomial", y, e, mean=mean, concentration=c)
    return LogDensity(e, tuple(demands), laws=named)
