"""A slow, obvious second implementation of an update: it walks the rule with 50-digit numbers,
coordinate by coordinate.
"""

from __future__ import annotations

import mpmath
import sympy

from recipe.kernel import MetropolisedMap, MetropolisHastings, Move, Repeat
from recipe.language.abstract import DenseEntry, Partial
from recipe.language.blocks import Scalar, Vector
from recipe.language.fold import Fold, FoldSign
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.phi import Phi
from recipe.language.symbols import Indexed, Length
from recipe.language.total import Total

FUNCTIONS = {
    sympy.exp: mpmath.exp,
    sympy.log: mpmath.log,
    sympy.sin: mpmath.sin,
    sympy.cos: mpmath.cos,
    sympy.tan: mpmath.tan,
    sympy.sinh: mpmath.sinh,
    sympy.cosh: mpmath.cosh,
    sympy.tanh: mpmath.tanh,
    sympy.atan: mpmath.atan,
    sympy.erf: mpmath.erf,
    sympy.loggamma: mpmath.loggamma,
    Fold: lambda *x: reflected(*x)[0],
    FoldSign: lambda *x: reflected(*x)[1],
    Phi: lambda k, z: mpmath.quad(lambda s: mpmath.exp((1 - s) * z) * s ** (k - 1), [0, 1]),
}


def reflected(x, lower, upper):
    """The point and the sign of the velocity after one reflection after another; only ends that are
    finite are ever reached.
    """
    sign = 1
    while not lower <= x <= upper:
        x, sign = (2 * lower - x if x < lower else 2 * upper - x), -sign
    return x, sign


class Walker:
    """Values by name: lists for what has coordinates, nested lists for matrices, numbers for the
    rest.
    """

    def __init__(self, values, gradient=None, length=0):
        self.values, self.gradient, self.length = values, gradient, length

    def at(self, e, index):  # noqa: PLR0912  (one line a form, that is the point)
        """The value of ``e`` where the label ``n`` is the coordinate ``index[n]``."""
        if isinstance(e, Total):
            n = (
                len(self.values[next(iter(e.atoms(Vector))).base])
                if e.atoms(Vector)
                else self.length
            )
            return mpmath.fsum(self.at(e.body, {**index, e.index.label: k}) for k in range(n))
        if isinstance(e, Partial):
            (wrt,) = e.wrt
            values = {b: self.values[b.name] for b in e.head.blocks}
            result = self.gradient(*values.values())[
                [b.name for b in e.head.blocks].index(getattr(wrt, "base", wrt.name))
            ]
            return result[index[wrt.label]] if isinstance(wrt, Vector) else result[0]
        if isinstance(e, DenseEntry):
            row, column = e.args[1:]
            return self.values[e.matrix.name][index[row.label]][index[column.label]]
        if isinstance(e, Noise) and e.covariance is not None:
            M = mpmath.matrix(self.values[e.covariance.name])
            L, z = mpmath.cholesky(M), self.values[e.base]
            return mpmath.fsum(L[index[e.label], k] * z[k] for k in range(len(z)))
        if isinstance(e, Indexed):
            return self.values[e.base][index[e.label]]
        if isinstance(e, Length):
            return mpmath.mpf(self.length)
        if isinstance(e, sympy.Symbol):
            value = self.values[e.name]
            return value[0] if isinstance(e, Scalar) or isinstance(value, list) else value
        if isinstance(e, sympy.Rational):
            return mpmath.mpf(e.p) / e.q
        if e == sympy.pi:
            return mpmath.pi
        if e == sympy.E:
            return mpmath.e
        if e in (sympy.oo, -sympy.oo):
            return mpmath.mpf(str(e).replace("oo", "inf"))
        parts = [self.at(a, index) for a in e.args]
        if isinstance(e, sympy.Add):
            return mpmath.fsum(parts)
        if isinstance(e, sympy.Mul):
            return mpmath.fprod(parts)
        if isinstance(e, sympy.Pow):
            return parts[0] ** parts[1]
        return FUNCTIONS[type(e)](*parts)


def slow_step(update, values, gradient=None):
    """The new value of every block, by name, as lists; ``gradient`` maps the blocks of the
    potential to lists of lists.
    """
    old = {name: _exact(value) for name, value in values.items()}
    length = max((len(old[b.name]) for b in update.state), default=1)
    with mpmath.workdps(50):
        new = dict(old)
        for block, e in update.rule:
            new = {
                **new,
                block.name: _moved(block, e, new if update.sequential else old, gradient, length),
            }
    return {b.name: [float(x) for x in new[b.name]] for b in update.state}


def slow_values(rule, values, state):
    """The values of a simultaneous rule without gradients, by name: what an update records."""
    old = {name: _exact(value) for name, value in values.items()}
    length = max(len(old[b.name]) for b in state)
    with mpmath.workdps(50):
        return {
            block.name: [float(x) for x in _moved(block, e, old, None, length)] for block, e in rule
        }


def _moved(block, e, values, gradient, length):
    walker = Walker(values, gradient, length)
    return [
        walker.at(e, {0: i})
        for i in range(len(values[block.name]) if isinstance(block, Vector) else 1)
    ]


def _exact(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_exact(v) for v in value] if isinstance(value, list) else mpmath.mpf(value)


def slow_sweep(parts, values, scope, functions):
    """The state after the parts of a kernel, by name, in 50 digits.

    ``scope`` says which random numbers each part has: ``scope.normal(name, size)``,
    ``scope.log_uniform()`` for the next test, and ``scope.repetitions(times)``, an iterator of
    scopes. ``functions`` are the gradient of the potential, and its value by its name.
    """
    with mpmath.workdps(50):
        state = {name: _exact(value) for name, value in values.items()}
        for part in parts:
            state = _carried_out(part, state, scope, functions)
    return state


def _carried_out(part, state, scope, functions):
    match part:
        case Move(update=update):
            return _updated(update, state, scope, functions)
        case Repeat(parts=parts, times=times):
            for inner in scope.repetitions(times):
                state = slow_sweep(parts, state, inner, functions)
            return state
        case MetropolisedMap(map=rule, times=times, flips=flips, flip_on_rejection=flipping):
            new = state
            for inner in [scope] if times == 1 else scope.repetitions(times):
                new = _updated(rule, new, inner, functions)
            ratio = _value(rule.target, state, functions) - _value(rule.target, new, functions)
            turned = {b.name for b in flips} if flipping else set()
            old = {
                name: [-x for x in value] if name in turned else value
                for name, value in state.items()
            }
            return new if scope.log_uniform() < ratio else old
        case MetropolisHastings(proposal=rule, partners=partners, cost=cost):
            new = _updated(rule, state, scope, functions)
            here, there = ({b.name: s[a.name] for a, b in partners} for s in (state, new))
            ratio = _value(cost, {**state, **there}, functions) - _value(
                cost, {**new, **here}, functions
            )
            return new if scope.log_uniform() < ratio else state
    raise TypeError(part)


def _updated(update, state, scope, functions):
    names = {
        getattr(s, "base", s.name): s for _, e in update.rule for s in e.atoms(Noise, ScalarNoise)
    }
    sizes = {
        name: len(state[_block_of(s, update).name]) if isinstance(s, Noise) else 1
        for name, s in names.items()
    }
    new = old = {
        **state,
        **{name: _exact(scope.normal(name, size)) for name, size in sizes.items()},
    }
    length = max(len(old[b.name]) for b in update.state)
    for block, e in update.rule:
        new = {
            **new,
            block.name: _moved(block, e, new if update.sequential else old, functions[0], length),
        }
    return {name: new[name] for name in state}


def _block_of(noise, update):
    return next(b for b in update.state if isinstance(b, Vector) and b.length == noise.length)


def _value(e, state, functions):
    gradient, potentials = functions
    blocks = [value for value in state.values() if isinstance(value, list)]
    values = {**state, **{name: potential(state) for name, potential in potentials.items()}}
    return Walker(values, gradient, max(map(len, blocks))).at(e, {})
