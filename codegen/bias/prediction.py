"""What is predicted of a run: by which factor its standard deviations are off, and by how much its
means, and which settings would be within the budget.
"""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any, Literal

from codegen.system.finite_json import finite_only

Judgement = Literal["within", "exceeded", "unknown"]
LARGEST_FACTOR = 2.0  # of a standard deviation that is said with a number


class BiasWarning(UserWarning):
    """The draws of a run are predicted to be biased by more than its budget, or nothing can be
    predicted about draws from minibatches.
    """


@dataclass(frozen=True)
class Part:
    """The largest bias over all coordinates, from one cause or from all of them.

    Attributes:
        sd_factor: the factor of the standard deviation that is farthest from 1; above
            ``LARGEST_FACTOR`` no more is known than that.
        sd_coordinate: the coordinate that has it.
        mean_shift: the largest shift of a mean, in posterior standard deviations; None where the
            factors are too large for it to be predicted.
        mean_coordinate: the coordinate that has it.
    """

    sd_factor: float
    sd_coordinate: str
    mean_shift: float | None
    mean_coordinate: str

    def within(self, budget: float) -> bool:
        """Return whether both are within a budget in posterior standard deviations."""
        off = abs(self.sd_factor - 1.0) <= budget
        return off and self.mean_shift is not None and self.mean_shift <= budget

    @property
    def predicted(self) -> bool:
        """Whether the factor is small enough to be said with a number."""
        return self.sd_factor <= LARGEST_FACTOR


@dataclass(frozen=True)
class Repairs:
    """Settings that are each predicted to be within the budget, other things equal; None where
    there is none, or none was found.

    Attributes:
        step_size: a smaller step.
        batch_size: a larger minibatch; at least the rows of the data stand for all of them.
        control_variates: whether control variates do it.
        all_rows: whether all of the data in every step do it.
    """

    step_size: float | None = None
    batch_size: int | None = None
    control_variates: bool = False
    all_rows: bool = False


@dataclass(frozen=True)
class Prediction:
    """The predicted bias of a run.

    Attributes:
        budget: the largest bias that is wanted: of means in posterior standard deviations, of
            standard deviations relative to them.
        unknown: why nothing can be predicted, a clause; None where it can.
        total: the bias from step size and minibatches.
        step_alone: the bias from the step size alone.
        repairs: what would be within the budget.
        noise_error: the relative standard error of the variance of minibatches; None without them.
        rows, rows_seen: the rows of the data, and those on which the noise of minibatches was seen;
            0 without minibatches.
        heavy_row: the row that has the largest share of that noise by itself, where one stands out;
            None where none does.
        heavy_share: its share of the variance of a coordinate.
        refuted: whether the sampler is refuted, so that the law it is judged by, its own one for
            small steps, need not be the target.
        minibatches: whether the run has them.
        coordinates: the number of coordinates of the state.
        slow: the number of judged coordinates that move too slowly for a prediction; what is said
            holds for the others.
        seen: what was seen of a density that is an expression where nothing can be predicted, a
            sentence; None where nothing was.
        sentence: what a user should read about it; None where all is well, or where nothing can be
            predicted about a run without minibatches.
        unseen: what a user should read about rows that were not looked at; None where all were.
    """

    budget: float
    minibatches: bool
    unknown: str | None = None
    total: Part | None = None
    step_alone: Part | None = None
    repairs: Repairs = Repairs()
    noise_error: float | None = None
    coordinates: int = 0
    slow: int = 0
    seen: str | None = None
    sentence: str | None = None
    rows: int = 0
    rows_seen: int = 0
    heavy_row: int | None = None
    heavy_share: float = 0.0
    refuted: bool = False
    unseen: str | None = None

    def __repr__(self) -> str:
        well = self.unseen or "the step size and minibatches do no harm"
        said = self.unknown or self.sentence or well
        lines = textwrap.wrap(said, 88, max_lines=3, placeholder=" ...")
        head = f"Prediction of the bias of a run: {self.judgement} for {self.budget:g} sd"
        return "\n  ".join([head, *lines])

    @property
    def judgement(self) -> Judgement:
        """Whether the bias is within the budget; unknown where nothing could be predicted."""
        if self.total is None:
            return "unknown"
        return "within" if self.total.within(self.budget) else "exceeded"

    def as_json(self) -> dict[str, Any]:
        """Return the prediction as plain values for ``json.dumps``."""
        return {"judgement": self.judgement, **finite_only(asdict(self))}
