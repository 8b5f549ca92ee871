"""Compiled steps against the expressions that are read from their text, in ball arithmetic at
random states.

The bound is that of a running error analysis: every operation rounds its result by at most one part
in 2^53 (two for a function of the C library), and what it is given may be wrong already.
``Bounded`` carries a ball around the exact value and a bound for what has been lost on the way;
sums may be taken in any order, and products and sums may be fused.
"""

import flint
import numpy as np
import pytest
import sympy
from cases.catalog_recipes import catalog_recipes
from cases.translations import PRECONDITIONED, TWO_NOISES, Case, recipe_called, step
from helpers.lifted_step import lifted_step
from numba import njit

from recipe.language.abstract import Dense, DenseEntry
from recipe.language.blocks import Scalar
from recipe.language.fold import Fold, FoldSign
from recipe.language.phi import Phi
from recipe.language.symbols import Indexed, Length
from recipe.language.total import Total
from recipe_cli.program.translation import legend_of, trusted_texts

BITS = 300
UNIT = flint.arb(2) ** -53
SIZE = 11  # eight coordinates at once, and three more


@njit
def cubic(g, x):
    for n in range(x.size):
        g[n] = x[n] ** 3 + x[n] / 2


class Bounded:
    """A ball around the exact value, and a bound for the error of a floating-point number that is
    computed for it.
    """

    def __init__(self, exact, lost):
        self.exact, self.lost = exact, lost

    def rounded(self, roundings=1):
        return Bounded(self.exact, self.lost + (abs(self.exact) + self.lost) * UNIT * 2 * roundings)


def exact(x):
    return Bounded(flint.arb(flint.fmpq(*float(x).as_integer_ratio())), flint.arb(0))


class Walker:
    """Values of atoms by name: arrays for what has coordinates, numbers for the rest."""

    def __init__(self, values, size):
        self.values, self.size = values, size

    def at(self, e, index):
        if isinstance(e, Total):
            return self.sum(
                [self.at(e.body, {**index, e.index.label: k}) for k in range(self.size)]
            )
        if isinstance(e, DenseEntry):
            row, column = e.args[1:]
            return exact(self.values[e.matrix.name][index[row.label]][index[column.label]])
        if isinstance(e, Length):
            return exact(self.size)
        if isinstance(e, Indexed):
            return self.atom(e.base, index[e.label])
        if isinstance(e, sympy.Symbol):
            return self.atom(e.name, 0 if isinstance(e, Scalar) else None)
        if isinstance(e, sympy.Rational):
            return Bounded(flint.arb(flint.fmpq(int(e.p), int(e.q))), flint.arb(0)).rounded(
                e.q != 1
            )
        if isinstance(e, sympy.Add):
            return self.sum([self.at(a, index) for a in e.args])
        if isinstance(e, sympy.Mul):
            return self.product([self.at(a, index) for a in e.args])
        if isinstance(e, sympy.Pow):
            return self.power(
                self.at(e.base, index),
                self.at(e.exp, index).exact if not e.exp.is_Rational else e.exp,
            )
        return self.function(
            e,
            [self.at(a, index) for a in (e.args[:1] if isinstance(e, Fold | FoldSign) else e.args)],
        )

    def atom(self, name, k):
        value = self.values[name]
        value = value[k or 0] if isinstance(value, np.ndarray | list) else value
        return value if isinstance(value, Bounded) else exact(value)

    def sum(self, parts):
        """In any order: every partial sum is at most the sum of the sizes."""
        size = sum((abs(p.exact) + p.lost for p in parts), flint.arb(0))
        total = sum((p.exact for p in parts), flint.arb(0))
        return Bounded(
            total, sum((p.lost for p in parts), flint.arb(0)) + size * UNIT * 2 * len(parts)
        )

    def product(self, parts):
        found = Bounded(flint.arb(1), flint.arb(0))
        for p in parts:
            lost = found.lost * (abs(p.exact) + p.lost) + abs(found.exact) * p.lost
            found = Bounded(found.exact * p.exact, lost).rounded()
        return found

    def power(self, base, power):
        if isinstance(power, sympy.Rational):
            p = flint.arb(flint.fmpq(int(power.p), int(power.q)))
            value = base.exact ** int(power) if power.is_Integer else base.exact**p
            near = abs(base.exact) - base.lost
            steep = abs(p) * max(
                abs(value) / near, (abs(base.exact) + base.lost) ** (p - 1), key=float
            )
            return Bounded(value, base.lost * steep * 2).rounded(2 + abs(int(power)))
        raise NotImplementedError(power)

    def function(self, e, args):
        """One function of the C library, and the slope of it over what its argument may be."""
        (x, *_) = args
        wide = flint.arb(x.exact.mid(), float(x.lost) * 1.01 + 1e-300)
        if isinstance(e, sympy.exp):
            return Bounded(x.exact.exp(), x.lost * wide.exp() * 2).rounded(4)
        if isinstance(e, sympy.log):
            return Bounded(x.exact.log(), x.lost / wide * 2).rounded(4)
        if isinstance(e, sympy.tanh):
            return Bounded(x.exact.tanh(), x.lost).rounded(8)
        if isinstance(e, sympy.sinh | sympy.cosh):
            f = x.exact.sinh() if isinstance(e, sympy.sinh) else x.exact.cosh()
            return Bounded(f, x.lost * wide.cosh() * 2).rounded(8)
        if isinstance(e, sympy.Abs):
            return Bounded(abs(x.exact), x.lost)
        if isinstance(e, Phi):
            _, z = args
            return Bounded(
                (z.exact.exp() - 1) / z.exact, z.lost * (1 + abs(z.exact)).exp()
            ).rounded(8)
        if isinstance(e, sympy.sign):
            return Bounded(flint.arb(1 if x.exact > 0 else -1), flint.arb(0))
        if isinstance(e, Fold | FoldSign):
            low, high = e.args[1:]
            assert float(low) < float(x.exact) < float(high), "no state of this test is reflected"
            return x if isinstance(e, Fold) else Bounded(flint.arb(1), flint.arb(0))
        raise NotImplementedError(e)


def inputs(case, seed, size):
    """Random floats for a state inside of its domain, for the parameters and for the noise."""
    rng = np.random.default_rng(seed)
    legend = legend_of(case.module)
    state = {}
    for block, field in legend.fields.items():
        count = 1 if isinstance(block, Scalar) else size
        drawn = rng.normal(size=count)
        state[field] = drawn if block.domain == sympy.S.Reals else 1.5 + 0.2 * np.abs(drawn)
    params = {field: float(0.5 + rng.random()) for field in legend.settings.values()}
    for s, field in legend.settings.items():
        if isinstance(s, Indexed):
            params[field] = 0.5 + rng.random(size)
    for M, field in ((s, f) for s, f in legend.settings.items() if isinstance(s, Dense)):
        root = np.tril(rng.normal(size=(size, size)))
        params[field] = root @ root.T
        if M in legend.factors:
            params[legend.factors[M]] = root
    return state, params, rng


def run_step(case, state, params, noise, size):
    loaded = case.module.load()
    fields = list(legend_of(case.module).fields.values())
    before, out = (loaded.allocate(*(state[f] for f in fields)) for _ in range(2))
    settings = loaded.Params(**params) if params else ()
    loaded.step(out, before, cubic, size, settings, noise)
    return {f: getattr(out, f) for f in fields}


def values_for(case, lifted, state, params, noise, size):
    legend = legend_of(case.module)
    values = {
        b.base if isinstance(b, Indexed) else b.name: state[f] for b, f in legend.fields.items()
    }
    for s, field in legend.settings.items():
        values[getattr(s, "base", s.name)] = params[field]
    values |= {f"{M.name}_cholesky": params[f] for M, f in legend.factors.items()}
    values |= {f"noise[{n}]": array for n, array in enumerate(noise)}
    values[lifted.step.name] = size
    walker = Walker(values, SIZE)
    for e in lifted.evaluations:
        for atom, argument in zip(e.atoms, e.arguments, strict=True):
            count = SIZE if isinstance(atom, Indexed) else 1
            at = [walker.at(argument, {0: k}) for k in range(count)]
            half = exact(0.5)
            slopes = [
                walker.sum([walker.power(x, sympy.Integer(3)), walker.product([x, half])])
                for x in at
            ]
            values[getattr(atom, "base", atom.name)] = slopes
    return walker


def compiled_cases():
    for name in catalog_recipes():
        for scheme in ("semi-implicit", "baoab", "badodab"):
            yield name, scheme


def compare(case, step_size=0.01, seeds=(1, 2, 3)):
    lifted = lifted_step(case.text, case.moves, legend_of(case.module), trusted_texts())
    for seed in seeds:
        state, params, rng = inputs(case, seed, SIZE)
        noise = tuple(rng.normal(size=SIZE if n is not None else 1) for n in lifted.noises)
        found = run_step(case, state, params, noise, step_size)
        flint.ctx.prec = BITS
        walker = values_for(case, lifted, state, params, noise, step_size)
        for block, field in legend_of(case.module).fields.items():
            for k in range(found[field].size):
                expected = walker.at(lifted.values[block], {0: k})
                error = abs(exact(found[field][k]).exact - expected.exact)
                assert error <= expected.lost, (block, k, error, expected.lost)
                assert expected.lost < 1e-11 * (1 + abs(expected.exact)), "the bound says something"


STEPS = [
    ("sgnht", "semi-implicit"), ("sghmc", "baoab"), ("corv_sghmc", "semi-implicit"),
    ("sgld", "semi-implicit"), ("sgnht", "badodab"), ("sgrhmc_bounded", "semi-implicit"),
    ("fisher_sgld", "euler"), ("third_order_langevin", "badodab"), ("corv_sgnht", "euler"),
    ("ito_sgld", "euler"), ("mirror_sghmc", "baoab"),
]  # fmt: skip


@pytest.mark.by_default(1)
@pytest.mark.by_default("sgnht-semi-implicit", "sghmc-baoab", "corv_sghmc-semi-implicit")
@pytest.mark.parametrize(("name", "scheme"), STEPS)
def test_a_compiled_step_is_the_lifted_expression_to_its_roundings(name, scheme):
    compare(step(recipe_called(name), scheme))


@pytest.mark.slow
def test_matrices_and_products_of_noises():
    compare(step(PRECONDITIONED, "euler"))
    compare(Case(TWO_NOISES))


def test_the_bound_would_see_a_wrong_constant():
    made = step(recipe_called("sgnht"), "semi-implicit")
    changed = made.text.replace("total / d_theta - 1.0", "total / d_theta - 1.000000000001")
    assert changed != made.text
    made.text = changed
    with pytest.raises(AssertionError):
        compare(made, step_size=1.0)
