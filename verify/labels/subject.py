"""The subject of a verification of data with labels."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from recipe import LabelledPosterior
from recipe.language.blocks import Block
from recipe.latent.increments import with_one_count
from verify.scope import scope_of


@dataclass(frozen=True)
class LabelSubject:
    """A joint law of data and their labels, and the draws and gradients that are said to follow.

    Attributes:
        declared: the model.
        kind: ``"joint law"``.
    """

    declared: LabelledPosterior
    kind: str = "joint law"

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks of one generic label."""
        return self.declared.blocks

    @property
    def is_reflected(self) -> bool:
        """False, as no step moves the parameters."""
        return False

    @property
    def scope(self) -> str:
        """The scope of a proof in words."""
        return scope_of(self.declared)

    @property
    def weight(self) -> Expr:
        """The weight of the generic label in a draw: the printed one, or else the derived one."""
        printed = self.declared.conditional
        return self.declared.weight if printed is None else self.printed_weight(printed)

    def printed_weight(self, printed: Expr) -> Expr:
        """A printed weight with one name for the count of the others."""
        return with_one_count(printed, self.declared.labels)

    @property
    def reads_own_label(self) -> bool:
        """Whether the weight reads a count in which the item has the label that it had before."""
        return self.weight.has(self.declared.labels.count)
