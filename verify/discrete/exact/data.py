"""Data that enter a drift as one sum, derived from the posterior and the D of the subject. What a
scheme claims about them is not read.
"""

from __future__ import annotations

from sympy import Dummy, Expr, cancel, expand_mul

from recipe import Discretisation, Posterior, Potential, Recipe
from recipe.declare.transformations.map import Map
from recipe.language.blocks import Block, Vector
from recipe.language.data import Parameter
from recipe.language.entry import parts
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.language.total import substitute
from recipe.scheme.summed_data import SummedData, slope_at
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_positive
from verify.decide.assumptions_on_data import instances, value_of
from verify.subject import Subject


def sums_over_data(subject: Subject, block: Block, f: Map | None = None) -> tuple[SummedData, ...]:
    """Return the gradients by a block in which the data, multiplied by D, become one sum that is
    free of the state; by ``D / f'`` where the block is the image of another one by the map f.

    By the definition of a posterior ``grad U = prior + sum over the data of g``. Where ``D g`` is
    free of the state this is ``prior + total/D``, an identity away from the zeros of D; and so it
    is with ``D / f'``, as f' is not 0 where f has a smooth inverse.
    """
    noise, *_ = parts(subject.dynamics.diffusion[block, block])
    noise = noise if f is None else cancel(noise / slope_at(f, block))
    laws, found = posteriors_of(subject), []
    models = [e for p in laws.values() for e in (p.log_likelihood, p.log_prior) if e is not None]
    names = UnusedNames([noise, *subject.state, *models, *(e for e, _ in subject.written)])
    for U, posterior in laws.items():
        if block not in posterior.blocks or posterior.log_likelihood is None:
            continue
        each = expand_mul(noise * posterior.datum_gradient[block])
        if not blocks_in(each, subject.state):
            total = Parameter(
                names.fresh(f"data_{block.name}"), like=block if isinstance(block, Vector) else None
            )
            found.append(
                SummedData(
                    U._eval_derivative(block), posterior.prior_gradient[block], noise, each, total
                )
            )
    return tuple(found)


def posteriors_of(subject: Subject) -> dict[Potential, Posterior]:
    """Return the models behind the potentials of the recipe that a step was made from, by
    potential.
    """
    assert isinstance(subject.declared, Discretisation)
    of = subject.declared.of
    return dict(of.posteriors) if isinstance(of, Recipe) else {}


def can_be_positive(e: Expr, sums: tuple[SummedData, ...]) -> bool:
    """Return True if some data are found that make an expression of sums over them positive, for
    all parameters.

    Only equal data are tried: one datum, or N copies of it for a large N. False leaves it open.
    """
    N = Dummy("N", positive=True)
    for datum in instances([d.each for d in sums]) if is_continuous(e) else ():
        each = {d.total: value_of(d.each, datum) for d in sums}
        if None in each.values():
            continue
        of_one, slope = (
            substitute(e, each),
            expand_mul(substitute(e, {t: N * v for t, v in each.items()})).diff(N),
        )
        if is_positive(of_one) or (not slope.has(N) and is_positive(slope)):
            return True
    return False
