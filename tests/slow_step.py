"""A slow, obvious second implementation of an update: it walks the rule with 50-digit numbers, coordinate by coordinate."""

from __future__ import annotations

import mpmath
import sympy

from recipe.abstract import DenseEntry, Partial
from recipe.phi import Phi
from recipe.symbols import Indexed, Length, Noise, Scalar, Vector
from recipe.total import Total

FUNCTIONS = {
    sympy.exp: mpmath.exp, sympy.log: mpmath.log, sympy.sin: mpmath.sin, sympy.cos: mpmath.cos, sympy.tan: mpmath.tan,
    sympy.sinh: mpmath.sinh, sympy.cosh: mpmath.cosh, sympy.tanh: mpmath.tanh, sympy.atan: mpmath.atan, sympy.erf: mpmath.erf,
    sympy.loggamma: mpmath.loggamma, Phi: lambda k, z: mpmath.quad(lambda s: mpmath.exp((1 - s) * z) * s ** (k - 1), [0, 1]),
}  # fmt: skip


class Walker:
    """Values by name: lists for what has coordinates, nested lists for matrices, numbers for the rest."""

    def __init__(self, values, gradient=None, length=0):
        self.values, self.gradient, self.length = values, gradient, length

    def at(self, e, index):  # noqa: PLR0912  (one line a form, that is the point)
        """The value of ``e`` where the label ``n`` is the coordinate ``index[n]``."""
        if isinstance(e, Total):
            n = len(self.values[next(iter(e.atoms(Vector))).base]) if e.atoms(Vector) else self.length
            return mpmath.fsum(self.at(e.body, {**index, e.index.label: k}) for k in range(n))
        if isinstance(e, Partial):
            (wrt,) = e.wrt
            values = {b: self.values[b.name] for b in e.head.blocks}
            result = self.gradient(*values.values())[[b.name for b in e.head.blocks].index(getattr(wrt, "base", wrt.name))]
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
        parts = [self.at(a, index) for a in e.args]
        if isinstance(e, sympy.Add):
            return mpmath.fsum(parts)
        if isinstance(e, sympy.Mul):
            return mpmath.fprod(parts)
        if isinstance(e, sympy.Pow):
            return parts[0] ** parts[1]
        return FUNCTIONS[type(e)](*parts)


def slow_step(update, values, gradient=None):
    """The new value of every block, by name, as lists; ``gradient`` maps the blocks of the potential to lists of lists."""
    old = {name: _exact(value) for name, value in values.items()}
    length = max((len(old[b.name]) for b in update.state), default=1)
    with mpmath.workdps(50):
        new = dict(old)
        for block, e in update.rule:
            new = {**new, block.name: _moved(block, e, new if update.sequential else old, gradient, length)}
    return {b.name: [float(x) for x in new[b.name]] for b in update.state}


def slow_values(rule, values, state):
    """The values of a simultaneous rule without gradients, by name: what an update records."""
    old = {name: _exact(value) for name, value in values.items()}
    length = max(len(old[b.name]) for b in state)
    with mpmath.workdps(50):
        return {block.name: [float(x) for x in _moved(block, e, old, None, length)] for block, e in rule}


def _moved(block, e, values, gradient, length):
    walker = Walker(values, gradient, length)
    return [walker.at(e, {0: i}) for i in range(len(values[block.name]) if isinstance(block, Vector) else 1)]


def _exact(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_exact(v) for v in value] if isinstance(value, list) else mpmath.mpf(value)
