"""The law that a rule really keeps: another energy H' for which exp(-H') is stationary under the
dynamics of a refuted claim.

H' is sought as a combination of the terms of H (each may be scaled: ``U/T``, ``H/C``), of
logarithms of factors in D and in the currents (``U + total(log(G))``), and of antiderivatives. The
Fokker-Planck residual is quadratic in the unknown coefficients, so they solve a system of
polynomial equations. Every solution is put to the zero test like any other claim.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, S, Symbol, exp, expand_mul, expand_multinomial, log

from recipe import Potential, Update
from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from recipe.language.calculus import (
    abstract_atoms,
    divergence,
    freeze,
    gradient,
    inner,
    summands,
    thaw,
)
from recipe.language.entry import Coupling, apply, divergence_of, parts
from recipe.language.free_symbols import blocks_in, unused_name
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, opened, sum_over
from recipe.signs.sign import is_positive
from verify.audit.antiderivative import antiderivatives
from verify.audit.stationary import is_stationary
from verify.audit.system import solutions
from verify.audit.vectors import VectorReader
from verify.decide.zero.errors import CannotDecideError

MAX_SECONDS = 10.0  # of processor time, for solving the equations
MAX_TERMS = 14
Field = dict[Block, Expr]


@dataclass(frozen=True)
class _Term:
    """One term of the ansatz, and the coefficient that it has in the claimed H."""

    e: Expr
    in_claim: Expr


def find_law(update: Update, dynamics: Dynamics) -> Expr | None:
    """Return another H' for which exp(-H') is proved to be stationary; None if none is found.

    That H' has finite mass is not proved: only laws that have a block missing, or an abstract
    potential without a positive factor, are left out. None says nothing, as an ansatz is finite.
    """
    try:
        return next(_laws(update, dynamics), None)
    except (CannotDecideError, RecursionError):
        return None


def _laws(update: Update, dynamics: Dynamics) -> Iterator[Expr]:
    """Yield every H' that passes the zero test."""
    terms = list(_terms(update, dynamics))[:MAX_TERMS]
    for weights in _weights([t.e for t in terms], [t.in_claim for t in terms], update, dynamics):
        H = _combined(update.target, terms, weights, dynamics.state)
        if _may_be_a_law(H, dynamics.state) and is_stationary(
            dynamics, {b: gradient(H, b) for b in dynamics.state}
        ):
            yield H


def _weights(
    terms: list[Expr], in_claim: list[Expr], update: Update, dynamics: Dynamics
) -> Iterator[list[Expr]]:
    """Yield coefficients of the terms, by two ways.

    The first asks for no current at all, which gives linear equations in each coordinate. The
    second asks for a residual of zero.
    """
    state = dynamics.state
    fields = [_times_diffusion(dynamics, {b: gradient(e, b) for b in state}) for e in terms]
    pull = _current_of_flat_density(dynamics)
    still = VectorReader(state).solved(
        [[field[b] for b in state] for field in fields], [-pull[b] for b in state]
    )
    if still is not None:
        yield still
    stem = unused_name("c", [*state, *(e for e, _ in update.written())])
    unknowns = [Symbol(f"{stem}{k}") for k in range(len(terms))]
    equations = _equations(terms, unknowns, dynamics)
    for solution in solutions(
        equations, dict(zip(unknowns, in_claim, strict=True)), time.process_time() + MAX_SECONDS
    ):
        yield [solution[x].factor() for x in unknowns]


# -- the ansatz
# --------------------------------------------------------------------------------------------------


def _terms(update: Update, dynamics: Dynamics) -> Iterator[_Term]:
    """Yield the terms of the ansatz: those of H first, then logarithms and antiderivatives."""
    found: dict[Expr, Expr] = {}
    for part in Add.make_args(update.target):
        for e, c in _moving_terms(part, dynamics.state):
            found[e] = found.get(e, S.Zero) + c
    yield from (_Term(e, c) for e, c in found.items() if c != 0)
    more = dict.fromkeys(
        [*_logarithms(dynamics), *antiderivatives(dynamics, _current_of_flat_density(dynamics))]
    )
    yield from (_Term(e, S.Zero) for e in more if e not in found)


def _moving_terms(part: Expr, state: tuple[Block, ...]) -> list[tuple[Expr, Expr]]:
    """Return the terms of a part of H, multiplied out: for each the factor that depends on the
    state, and its coefficient. Constants are left out.
    """
    found = []
    for e in summands(_multiplied_out(part)):
        moving = Mul(*(f for f in Mul.make_args(e) if blocks_in(f, state)))
        if moving != 1:
            found.append((moving, e / moving))
    return found


def _multiplied_out(e: Expr) -> Expr:
    """Multiply out whole powers of sums, under totals as well."""
    if isinstance(e, Total):
        body, label = opened(e)
        return sum_over(_multiplied_out(body), label, e.index.length)
    put = {t: _multiplied_out(t) for t in abstract_atoms(e) if isinstance(t, Total)}
    frozen, stands_for = freeze(e.xreplace(put))
    return thaw(expand_mul(expand_multinomial(frozen)), stands_for)


def _logarithms(dynamics: Dynamics) -> Iterator[Expr]:
    """Yield logarithms of the positive factors of D and of the drift, summed over the coordinates
    of a vector.
    """
    for e in dict.fromkeys([*_of_diffusion(dynamics), *_of_drift(dynamics)]):
        inside = log(e).expand(force=False)
        label = labels(inside)
        if not blocks_in(inside, dynamics.state) or label - {GENERIC}:
            continue
        if label:
            (length,) = {
                s.length for s in inside.free_symbols if getattr(s, "label", None) == GENERIC
            }
            inside = sum_over(inside, GENERIC, length)
        yield inside


def _of_diffusion(dynamics: Dynamics) -> Iterator[Expr]:
    for entry in dynamics.diffusion.values():
        for e in parts(entry)[:1] if isinstance(entry, Coupling) else parts(entry):
            yield from _positive_factors(e)


def _of_drift(dynamics: Dynamics) -> Iterator[Expr]:
    for e in dynamics.drift.values():
        for term in summands(e):
            yield from _positive_factors(term)


def _positive_factors(e: Expr) -> Iterator[Expr]:
    for factor in Mul.make_args(e):
        base = factor.base if isinstance(factor, Pow) and not isinstance(factor, exp) else factor
        if not base.is_number and is_positive(base):
            yield base


# -- the equations
# --------------------------------------------------------------------------------------------------


def _equations(terms: Sequence[Expr], unknowns: Sequence[Symbol], dynamics: Dynamics) -> list[Expr]:
    """Return one equation for each monomial of the residual of the ansatz, which is ``r + sum c_k
    r_k + sum c_k c_l r_kl``.
    """
    state = dynamics.state
    slopes = [{b: gradient(e, b) for b in state} for e in terms]
    fluxes = [_times_diffusion(dynamics, slope) for slope in slopes]
    pull = _current_of_flat_density(dynamics)
    pieces: list[tuple[Expr, Expr]] = [(S.One, divergence(pull))]
    for k, x in enumerate(unknowns):
        pieces.append((x, divergence(fluxes[k]) - inner(pull, slopes[k])))
        pieces += [
            (
                x * unknowns[m],
                -inner(slopes[m], fluxes[k]) - (inner(slopes[k], fluxes[m]) if m != k else 0),
            )
            for m in range(k + 1)
        ]
    pieces = [(c, e) for c, e in pieces if e != 0]
    reader = VectorReader(state)
    columns = reader.columns([[e] for _, e in pieces])
    keys = dict.fromkeys(key for column in columns for key in column)
    return [
        Add(
            *(
                c * reader.expression(column[key])
                for (c, _), column in zip(pieces, columns, strict=True)
                if key in column
            )
        )
        for key in keys
    ]


def _current_of_flat_density(dynamics: Dynamics) -> Field:
    """Return ``f - div D``, the current where the density is flat."""
    state = dynamics.state
    return {
        b: (
            dynamics.drift[b]
            - sum((divergence_of(dynamics.diffusion[b, c], c) for c in state), S.Zero)
        )
        for b in state
    }


def _times_diffusion(dynamics: Dynamics, w: Field) -> Field:
    state = dynamics.state
    return {
        b: sum((apply(dynamics.diffusion[b, c], w[c], c) for c in state), S.Zero) for b in state
    }


# -- what comes out
# --------------------------------------------------------------------------------------------------


def _combined(
    target: Expr, terms: Sequence[_Term], found: Sequence[Expr], state: tuple[Block, ...]
) -> Expr:
    """Return H', written like the target: a part of it whose terms are all scaled by one factor
    stays as it is.
    """
    weights = {t.e: w for t, w in zip(terms, found, strict=True)}
    scaled = {t.e: (weights[t.e] / t.in_claim).factor() for t in terms if t.in_claim != 0}
    if len(set(scaled.values())) == 1:
        own = next(iter(scaled.values())) * target
        return own + Add(*(w * e for e, w in weights.items() if e not in scaled))
    result, left = S.Zero, dict(weights)
    for part in Add.make_args(target):
        pieces = [e for e, _ in _moving_terms(part, state)]
        factors = {scaled.get(e) for e in pieces}
        whole = all(
            weights[e] != 0 and (scaled[e] * c - weights[e]).expand() == 0
            for e, c in _moving_terms(part, state)
            if e in scaled
        )
        if (
            len(pieces) > 1
            and len(factors) == 1
            and None not in factors
            and whole
            and all(e in left for e in pieces)
        ):
            result += factors.pop() * part
            left = {e: w for e, w in left.items() if e not in pieces}
    return result + Add(*(w * e for e, w in left.items()))


def _may_be_a_law(H: Expr, state: tuple[Block, ...]) -> bool:
    """Return False if exp(-H') is certainly not normalisable for all potentials: a block is
    missing, or the factor of an abstract potential is not positive.
    """
    potentials = H.atoms(Potential)
    return all(gradient(H, b) != 0 for b in state) and all(
        is_positive(H.expand().coeff(U)) for U in potentials
    )
