"""A text that draws labels, and what it is held against."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, S, Symbol

from recipe.language.blocks import Scalar
from recipe.latent.labels import DATUM
from recipe.latent.posterior import LabelledPosterior
from verify.translation.parse.problems import unread
from verify.translation.reference.defined import Defined
from verify.translation.reference.equality import EqualityProver, witness_against
from verify.verdict import Witness


@dataclass(frozen=True)
class LabelText:
    """The functions of a text, and the joint law that they must draw from.

    Attributes:
        model: the joint law of a datum and its labels.
        parameters: the parameter that each field of ``Params`` stands for.
        functions: the functions that have to be proved, by name.
        trusted: the names of the functions whose texts are trusted.
        defined: the conditions that the operations of the text need.
        of_count: the factor of a count, in ``labels.others``.
    """

    model: LabelledPosterior
    parameters: Mapping[str, Symbol]
    functions: Mapping[str, ast.FunctionDef]
    trusted: frozenset[str]
    defined: Defined
    of_count: Expr = S.One

    @property
    def own(self) -> Scalar | None:
        """The number that a label has beside its row, where a datum has one label."""
        further = [b for b in self.model.blocks if b != self.model.labels.like]
        numbers = [b for b in further if isinstance(b, Scalar)]
        return numbers[0] if len(further) == 1 and numbers and self.of_data else None

    @property
    def of_data(self) -> bool:
        """Whether a datum has one label."""
        return self.model.labels.each == DATUM

    @property
    def equality(self) -> EqualityProver:
        """What decides whether expressions are equal."""
        return self.defined.equality

    def against_shift(self, shift: int) -> Witness | None:
        """Return a count whose factor is not that of the count ``shift`` more, in exact numbers;
        None if none was found.
        """
        others = self.model.labels.others
        found = witness_against(self.of_count.xreplace({others: others + shift}), self.of_count)
        if found is None:
            return None
        finding = f"the factor of that count, less the factor of the right one: {found.finding}"
        return Witness({"a count is off by": str(shift), **found.point}, finding)

    def function(self, name: str, arguments: tuple[str, ...]) -> ast.FunctionDef:
        """Return a function of the text with these arguments.

        Raises:
            TranslationError: where the text has no such function.
        """
        found = self.functions.get(name)
        if found is None:
            raise unread(None, f"the module has no function {name}")
        if tuple(a.arg for a in found.args.args) != arguments:
            raise unread(found, f"the arguments of {name} are not {', '.join(arguments)}")
        return found
