"""``LabelledPosterior``: a model whose data have labels, by the joint law of a datum and its
labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Add, Expr, Symbol

from recipe.language.as_expression import as_expression
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import gradient
from recipe.language.checks.validate import (
    check_component,
    check_no_matrix,
    check_number,
    check_state,
    check_symbols,
    checked_words,
    read,
)
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.symbols import generic
from recipe.language.total import free_indexed
from recipe.latent.increments import hot, increment, weight_of
from recipe.latent.labels import ITEM, Labels, LabelSum
from recipe.latent.sums_of_counts import check_determined, summed_over_data


@dataclass(frozen=True, init=False, eq=False)
class LabelledPosterior:
    """The law of the rows of parameters of K labels, given data whose items have labels.

    Args:
        blocks: the row of parameters of one generic label: the block that the labels are ``like``,
            and further blocks of one label.
        labels: the ``Labels`` of a datum.
        log_joint: the log of the joint law of a datum and its labels given the parameters, as sums
            ``labels.sum(...)`` over labels and terms that depend neither on labels nor on blocks.
        log_prior: the log prior density of one row; rows of different labels are independent.
        conditional: the weight of the generic label in the draw of the label of an item, as it is
            printed, up to a factor that all labels share; None derives it.
        gradient: the printed estimate of the gradient of the log posterior, by block, in
            ``labels.summed``, ``labels.members``, ``labels.data`` and ``labels.batch``; None
            derives it.
        name: the name in reports.
        source: the citation.
        expect: the verdict that an audit expects: ``"proved"``, ``"refuted"`` or ``"undecided"``.

    Attributes:
        blocks, labels, log_joint, log_prior, conditional, gradient, name, source, expect: as given
            and read.

    Raises:
        RecipeError: naming the expression at fault and the repair.
        OutsideLanguageError: where the joint law is no sum over labels, or one more item changes
            it in more than one place.

    Source:
        Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the
            probability simplex", NIPS, section 4.

    Example:
        >>> from sympy import Interval, Symbol, log, loggamma, oo
        >>> from recipe import LabelledPosterior, Labels, Vector, total
        >>> theta = Vector("theta", domain=Interval.open(0, oo))
        >>> alpha = Symbol("alpha", positive=True)
        >>> z = Labels("z", like=theta)
        >>> topics = LabelledPosterior(
        ...     theta, z,
        ...     z.sum(loggamma(alpha + z.count) + total(z.counts * log(theta / total(theta)))),
        ...     total((alpha - 1) * log(theta) - theta),
        ... )
        >>> topics.weight
        (alpha + z_others)*total(theta*z_item_in_d_theta)/total(theta)
    """

    blocks: tuple[Block, ...]
    labels: Labels
    log_joint: Expr
    log_prior: Expr
    conditional: Expr | None
    gradient: Mapping[Block, Expr] | None
    name: str | None
    source: str | None
    expect: str | None

    def __init__(
        self,
        blocks: Any,
        labels: Any,
        log_joint: Any,
        log_prior: Any,
        *,
        conditional: Any = None,
        gradient: Any = None,
        name: str | None = None,
        source: str | None = None,
        expect: str | None = None,
    ) -> None:
        if not isinstance(labels, Labels):
            raise RecipeError(
                f"labels={labels!r} must be the labels of a datum, z = Labels('z', like=theta)"
            )
        if expect not in (None, "proved", "refuted", "undecided"):
            raise RecipeError(f"expect={expect!r} must be 'proved', 'refuted' or 'undecided'")
        checked = check_state(blocks, "blocks")
        if labels.like not in checked:
            raise RecipeError(
                f"the labels {labels.name} are like {labels.like}, which is not in blocks="
            )
        values = {
            "blocks": checked,
            "labels": labels,
            "log_prior": read(log_prior, "log_prior"),
            "log_joint": as_expression(log_joint, "log_joint"),
            "conditional": None if conditional is None else read(conditional, "conditional"),
            "gradient": None if gradient is None else _read_gradient(gradient, checked),
            "name": checked_words(name, "name"),
            "source": checked_words(source, "source"),
            "expect": expect,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check()

    # -- what is derived

    @cached_property
    def of_one_label(self) -> Expr:
        """The summand of the log joint law: that of one generic label."""
        return self._split[0]

    @cached_property
    def increment(self) -> Expr:
        """What an item adds to the log joint law of the label that it is given."""
        return increment(self.of_one_label, self.labels)

    @cached_property
    def weight(self) -> Expr:
        """The weight of the generic label in the conditional law of the label of an item, given
        the labels of all others, derived from the joint law.
        """
        return weight_of(self.increment)

    @cached_property
    def prior_gradient(self) -> dict[Block, Expr]:
        """The gradient of the log prior, by block."""
        return {block: gradient(self.log_prior, block) for block in self.blocks}

    @cached_property
    def datum_gradient(self) -> dict[Block, Expr]:
        """The gradient of the log joint law of one datum and its labels, by block."""
        return {block: gradient(self.of_one_label, block) for block in self.blocks}

    @cached_property
    def estimate(self) -> dict[Block, Expr]:
        """The estimate of the gradient of the log posterior from the counts of a minibatch.

        Its mean is the gradient where each datum enters with the mean of its gradient given the
        parameters (Fisher's identity).

        Raises:
            OutsideLanguageError: where sums of counts over data do not determine the gradient, so
                that no such estimate is right.
        """
        return {block: self.estimate_of(block) for block in self.blocks}

    def estimate_of(self, block: Block) -> Expr:
        """Return the estimate of the gradient by one block, as ``estimate`` has it.

        Args:
            block: one of ``blocks``.

        Raises:
            OutsideLanguageError: where sums of counts over data do not determine the gradient.
        """
        z, e = self.labels, self.datum_gradient[block]
        check_determined(e, z, f"the gradient of {block}")
        return self.prior_gradient[block] + z.data / z.batch * summed_over_data(e, z)

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters, sorted by name, without the counts and sizes of the labels."""
        z = self.labels
        own = {z.count, z.others, z.size, z.labels, z.members, z.data, z.batch}
        return tuple(s for s in parameters_of(e for e, _ in self.written()) if s not in own)

    @property
    def abstract(self) -> tuple[Any, ...]:
        """No abstract functions: a joint law is written out."""
        return ()

    @property
    def where(self) -> tuple[Any, ...]:
        """No conditions between parameters."""
        return ()

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks of one generic label."""
        return self.blocks

    def written(self) -> list[tuple[Expr, str]]:
        """Return the expressions that the user wrote, each with its place."""
        found = [(self._split[0], "log_joint"), (self._split[1], "log_joint")]
        found += [(self.log_prior, "log_prior")]
        found += [] if self.conditional is None else [(self.conditional, "conditional")]
        printed = {} if self.gradient is None else self.gradient
        return found + [(e, f"gradient of {block}") for block, e in printed.items()]

    def __repr__(self) -> str:
        # printing imports this file
        from recipe.printing.summary import labelled_summary

        return labelled_summary(self)

    # -- checks

    @cached_property
    def _split(self) -> tuple[Expr, Expr]:
        """The summand of one label, and the terms that no label changes."""
        summands, constant = [], []
        for term in Add.make_args(self.log_joint.expand()):
            sums = term.atoms(LabelSum)
            if not sums:
                constant.append(term)
                continue
            (one, *more) = sums
            factor = term / one
            if more or factor.has(LabelSum) or one.args[1] != self.labels.labels:
                raise OutsideLanguageError(
                    f"log_joint: {term} is no sum over the labels {self.labels.name}: write a sum"
                    f" of terms {self.labels.name}.sum(...), each with a factor of parameters"
                )
            self._check_constant(factor)
            summands.append(factor * one.body)
        if not summands:
            raise RecipeError(
                f"log_joint has no sum over labels: write {self.labels.name}.sum(...) of an"
                f" expression of {self.labels.name}.count and {self.labels.name}.counts"
            )
        return read(Add(*summands), "log_joint"), read(Add(*constant), "log_joint")

    def _check(self) -> None:
        z = self.labels
        of_label, constant = self._split
        own: dict[str, set[Symbol]] = {
            "log_joint": {z.count, z.counts, z.size, z.labels},
            "log_prior": set(),
            "conditional": _in_a_draw(z),
        }
        counts = {"gradient": {z.summed, z.members, z.data, z.batch, z.labels}}
        for e, where in self.written():
            check_no_matrix(e, where)
            check_symbols([(e, where)], self.blocks, (VectorData, ScalarData), "blocks")
            if abstract_of([e]):
                raise RecipeError(
                    f"{where} contains the abstract function {abstract_of([e])[0]}; write it out"
                )
            if not where.startswith("gradient"):
                check_number(e, where)
            self._check_counts(e, where, own.get(where, counts["gradient"]))
        self._check_constant(constant)
        increment(of_label, z)

    def _check_counts(self, e: Expr, where: str, allowed: set[Symbol]) -> None:
        """Refuse data and counts that mean nothing at this place."""
        z = self.labels
        counts = {z.count, z.others, z.size, z.labels, z.members, z.data, z.batch}
        mine = {*counts, *_in_a_draw(z), z.counts, z.summed, z.row, hot(z)}
        for s in sorted({generic(s) for s in e.atoms(Symbol)} - mine, key=str):
            if str(s).startswith(f"{z.name}_"):
                raise RecipeError(
                    f"{where}: the name {s} begins with {z.name}_, as those of the counts of the"
                    f" labels {z.name} do; rename it"
                )
        there = {generic(s) for s in e.atoms(VectorData, ScalarData)}
        there |= {s for s in e.free_symbols if s in counts}
        for s in sorted(there - allowed, key=str):
            listed = ", ".join(sorted(map(str, allowed))) or "no counts"
            raise RecipeError(f"{where}: {s} has no meaning there; it may contain {listed}")

    def _check_constant(self, e: Expr) -> None:
        """Refuse terms and factors outside of the sum over labels that depend on one label."""
        z = self.labels
        wrong = {z.count, z.counts, *self.blocks}
        for term in Add.make_args(e):
            inside = sorted({generic(s) for s in term.free_symbols} & wrong, key=str)
            if inside:
                raise RecipeError(
                    f"log_joint: {term} depends on {inside[0]}, which belongs to one label; it must"
                    f" stand in {z.name}.sum(...)"
                )


def _in_a_draw(z: Labels) -> set[Symbol]:
    """The counts that the weight of a label may read when the label of an item is drawn."""
    of_item = {z.others, z.others_counts, z.count, z.item, hot(z)}
    return (of_item if z.each == ITEM else {z.row}) | {z.size, z.labels}


def _read_gradient(given: Any, blocks: Iterable[Block]) -> Mapping[Block, Expr]:
    """The printed gradient of every block."""
    listed = tuple(blocks)
    if isinstance(given, Expr) and len(listed) == 1:
        given = {listed[0]: given}
    if not isinstance(given, Mapping) or set(given) != set(listed):
        raise RecipeError(
            "gradient= must be a dict with an expression for each block,"
            f" {', '.join(map(str, listed))}"
        )
    found = {}
    for block in listed:
        e = read(given[block], f"gradient of {block}")
        check_component(e, block, f"gradient of {block}")
        if not isinstance(block, Vector) and free_indexed(e):
            raise RecipeError(f"gradient of {block}: {e} is a vector where a number must be")
        found[block] = e
    return found
