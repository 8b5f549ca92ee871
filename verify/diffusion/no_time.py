"""Surfaces on which a process spends no time, so that it needs no drift there.

If g is smooth and Z the process, ``integral of 1{g(Z) = 0} d<g(Z)> = 0`` by the occupation formula
(Revuz & Yor, VI.1.6), and ``d<g(Z)> = 2 grad g . D grad g dt``. So where ``grad g . D grad g > 0``
on the surface ``g = 0``, the time spent there is 0, and whatever value the drift is given there,
the solutions are the same.

Without noise across it, as for a position that a momentum moves, g(Z) has the derivative
``s = f . grad g`` in time, and s is 0 at almost all times at which g is. So it is enough that the
process spends no time where s = 0. If the process may rest on the surface, the value matters.
"""

from __future__ import annotations

from sympy import Expr, PolynomialError, S, rem

from recipe.language.calculus import freeze, partial, thaw
from recipe.language.entry import Coupling, Entry, parts
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel
from recipe.signs.sign import is_positive
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.rough_surfaces import coordinates_of, is_surface, solved_for
from verify.subject import Subject


def spends_no_time(subject: Subject, g: Expr) -> bool:
    """Return True if noise across the surface ``g = 0`` is proved to be positive on all of it, or
    across ``s = 0``.

    Args:
        subject: a process with a continuous D.
        g: a polynomial of coordinates at the generic index, as ``rough_places.surfaces_of`` gives.
    """
    across = _noise_across(subject, g)
    if not vanishes(across):
        return _is_positive_on(g, across, subject)
    speed = normalised(
        sum(
            (subject.dynamics.drift[z] * partial(g, z) for z in coordinates_of(g, subject.state)),
            S.Zero,
        )
    )
    return is_surface(speed, subject.state) and _is_positive_on(
        speed, _noise_across(subject, speed), subject
    )


def _noise_across(subject: Subject, g: Expr) -> Expr:
    """``grad g . D grad g``."""
    coordinates = coordinates_of(g, subject.state)
    slopes = {z: partial(g, z) for z in coordinates}
    diffusion = subject.dynamics.diffusion
    return normalised(
        sum((slopes[a] * _at(diffusion[a, b]) * slopes[b] for a in slopes for b in slopes), S.Zero)
    )


def _is_positive_on(g: Expr, across: Expr, subject: Subject) -> bool:
    """Return True if the noise across a surface is proved positive on it."""
    if is_positive(across):
        return True
    coordinates = coordinates_of(g, subject.state)
    frozen, stands_for = freeze(across)
    solved = solved_for(g, coordinates)
    if solved is not None:
        on_it = frozen.xreplace({solved[0]: solved[1]})
        return not on_it.has(S.NaN, S.ComplexInfinity) and is_positive(thaw(on_it, stands_for))
    try:
        return is_positive(thaw(rem(frozen, g, *coordinates), stands_for))
    except PolynomialError:
        return False


def _at(entry: Entry) -> Expr:
    """Return an entry of D for two coordinates with the same index."""
    if isinstance(entry, Coupling):
        return entry.diagonal + relabel(entry.kernel, OTHER, GENERIC)
    return parts(entry)[0]
