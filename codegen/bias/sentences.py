"""A prediction in words."""

from __future__ import annotations

from codegen.bias.prediction import LARGEST_FACTOR, Part, Prediction

HEAVY = 0.2  # of the noise of minibatches: a row with more is named
MANY_ROWS = 50  # of fewer rows each has much of the noise
REFUTED = (
    "that is against the law of the sampler itself, which is refuted, and not against the posterior"
)
NOTEWORTHY = 0.5  # of the budget: below, a cause is not named beside another one


def sentence(found: Prediction) -> str | None:
    """Return what a user should read about a prediction; None where all is within the budget, or
    where nothing can be predicted about a run without minibatches.
    """
    if found.total is None or found.step_alone is None:
        if not found.minibatches:
            return None
        return (
            "the effect of minibatches on these draws cannot be predicted, as"
            f" {found.unknown}; halve the step or double the batch, and compare"
        )
    if found.judgement == "within":
        causes = (
            "step size and minibatches change" if found.minibatches else "the step size changes"
        )
        within = f"{causes} the law that this sampler has for small steps by at most"
        return f"{within} {found.budget:.0%}; {REFUTED}" if found.refuted else None
    slow = f" ({found.slow:,} coordinates move too slowly to be judged)" if found.slow else ""
    return (
        f"{_effect(found, found.total, found.step_alone)}{slow}{_heavy(found)}; {_advice(found)}"
    ) + (f"; {REFUTED}" if found.refuted else "")


def unseen(found: Prediction) -> str | None:
    """Return what a user should read about rows on which the noise of minibatches was not seen;
    None where all were looked at, or where nothing is predicted.
    """
    if found.total is None or found.rows_seen >= found.rows:
        return None
    return (
        f"the noise of minibatches was seen on {found.rows_seen:,} of {found.rows:,} rows only, in"
        " 5 percent of the work of this run: a row among the others that outweighs all of them"
        " would make the draws wider than is predicted; with larger minibatches more are looked at"
    )


def _heavy(found: Prediction) -> str:
    """Return what one row does to the noise, where it does much of it."""
    if found.heavy_row is None or found.rows < MANY_ROWS or found.heavy_share < HEAVY:
        return ""
    return f", {found.heavy_share:.0%} of its variance from row {found.heavy_row:,} of the data"


def _effect(found: Prediction, total: Part, alone: Part) -> str:
    sizable = not alone.within(NOTEWORTHY * found.budget)
    if not found.minibatches or total == alone:
        return f"the step size {_done(total, found.budget)}"
    if not sizable:
        return f"minibatch noise {_done(total, found.budget)}"
    return (
        f"minibatch noise and the step size together {_done(total, found.budget, plural=True)}"
        f" (the step size alone: {_size(alone)})"
    )


def _done(part: Part, budget: float, *, plural: bool = False) -> str:
    """Return what a cause does, as a predicate."""
    make, move = ("make", "move") if plural else ("makes", "moves")
    if not part.predicted:
        return f"{make} standard deviations more than {LARGEST_FACTOR:g} x too wide here"
    said = []
    if abs(part.sd_factor - 1.0) > budget:
        side = "wide" if part.sd_factor > 1.0 else "narrow"
        said.append(
            f"{make} standard deviations about {part.sd_factor:.2g} x too {side} here (worst:"
            f" {part.sd_coordinate})"
            if side == "wide"
            else f"{make} standard deviations too {side} here, about {part.sd_factor:.2g} x (worst:"
            f" {part.sd_coordinate})"
        )
    if part.mean_shift is not None and part.mean_shift > budget:
        said.append(
            f"{move} means by about {part.mean_shift:.2g} posterior sd (worst:"
            f" {part.mean_coordinate})"
        )
    return " and ".join(said) or "changes little"


def _size(part: Part) -> str:
    """Return the size of a bias in a few words."""
    if not part.predicted or part.mean_shift is None:
        return f"more than {LARGEST_FACTOR:g} x"
    return f"{part.sd_factor:.2f} x, and {part.mean_shift:.2g} sd of a mean"


def _advice(found: Prediction) -> str:
    r = found.repairs
    ways = [
        *([f"a step size of at most {r.step_size:g}"] if r.step_size else []),
        *([f"a batch size of at least {r.batch_size:,}"] if r.batch_size else []),
        *(["all of the data in every step"] if r.all_rows else []),
        *(["control variates"] if r.control_variates else []),
    ]
    if not ways:
        return "no setting within the budget was found: take a much smaller step"
    error = found.noise_error or 0.0
    close = f" (the noise of minibatches is known within {error:.0%})" if error > 0.1 else ""
    return f"for at most {found.budget:.0%}: {', or '.join(ways)}{close}"
