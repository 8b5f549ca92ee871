"""Composing the assignments of a step into one affine map ``z' = M z + m + N w``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, ImmutableDenseMatrix, S, Symbol, expand

from recipe.abstract import Partial
from recipe.calculus import gradient
from recipe.symbols import Block, Noise, Scalar, ScalarNoise, Vector
from verify.affine.quadratic import NotAffineError, Quadratic, check_elementwise
from verify.zero.canonical import normalised

Form = dict[Symbol, Expr]  # an affine form: the coefficient of each variable; that of 1 under S.One


@dataclass(frozen=True)
class AffineMap:
    """``rows' = M z + m + N w``; ``draws`` names the independent standard normal numbers in w."""

    state: tuple[Block, ...]
    draws: tuple[Symbol, ...]
    M: ImmutableDenseMatrix
    m: ImmutableDenseMatrix
    N: ImmutableDenseMatrix

    def column(self, draw: Symbol) -> ImmutableDenseMatrix:
        """What a draw is multiplied by; zeros where the step does not use it."""
        if draw not in self.draws:
            return ImmutableDenseMatrix.zeros(self.M.rows, 1)
        return self.N[:, self.draws.index(draw)]


def step_map(rule: Iterable[tuple[Block, Expr]], sequential: bool, on: Quadratic, errors: tuple[Symbol, ...] = ()) -> AffineMap:
    """One step; ``errors`` are symbols that count as draws.

    Raises:
        NotAffineError: naming the assignment that is not affine.
    """
    state = on.update.state
    now: dict[Block, Form] = {b: {b: S.One} for b in state}
    seen = dict(now)
    for block, e in rule:
        now[block] = _put_in(_affine_form(on.put(e), f"the rule of {block}", state, errors), seen)
        if sequential:
            seen = dict(now)
    return _as_map(state, state, now)


def recorded_map(on: Quadratic) -> AffineMap:
    """What is recorded of a state, with fresh noise: the state itself where the update does not say."""
    state, observe = on.update.state, on.update.observe
    forms = {b: _affine_form(on.put(e), f"observe[{b}]", state, ()) for b, e in observe or [(b, b) for b in state]}
    return _as_map(tuple(forms), state, forms)


def hessian(H: Expr, state: tuple[Block, ...]) -> ImmutableDenseMatrix | None:
    """The Hessian of a quadratic law in one coordinate of each block; None where H is not quadratic, coordinate by coordinate."""
    rows = []
    for b in state:
        try:
            form = _affine_form(gradient(H, b), "the gradient of the target", state, ())
        except NotAffineError:
            return None
        rows.append([form.get(c, S.Zero) for c in state])
    return ImmutableDenseMatrix(rows)


def _as_map(rows: tuple[Block, ...], state: tuple[Block, ...], forms: Mapping[Block, Form]) -> AffineMap:
    draws = tuple(dict.fromkeys(s for b in rows for s in forms[b] if s not in state and s is not S.One))

    def table(columns: tuple[Symbol, ...]) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix(len(rows), len(columns), [forms[b].get(s, S.Zero) for b in rows for s in columns])

    return AffineMap(rows, draws, table(state), table((S.One,)), table(draws))


def _put_in(form: Form, seen: Mapping[Block, Form]) -> Form:
    result: Form = {}
    for s, c in form.items():
        for t, d in seen.get(s, {s: S.One}).items():  # type: ignore[call-overload]
            result[t] = result.get(t, S.Zero) + c * d
    return {t: expand(c) for t, c in result.items()}


def _affine_form(e: Expr, where: str, state: tuple[Block, ...], errors: tuple[Symbol, ...]) -> Form:
    check_elementwise(e, where)
    form = _read(e, state, errors) or _read(normalised(e), state, errors)
    if form is None:
        guilty = next((p for p in e.atoms(Partial)), e)
        raise NotAffineError(
            f"{where} is {guilty}, which is not affine in {', '.join(map(str, state))} and the noise: "
            "a quadratic potential does not make this step an affine map, and there is no closed form for it"
        )
    return form


def _read(e: Expr, state: tuple[Block, ...], errors: tuple[Symbol, ...]) -> Form | None:
    """The coefficients, where all of them are constants: then the function is affine."""
    if e.has(Partial):
        return None
    variables = [s for s in sorted(e.free_symbols, key=str) if isinstance(s, Vector | Scalar | Noise | ScalarNoise) or s in errors]
    form = {s: e.diff(s) for s in variables}
    form[S.One] = e.xreplace(dict.fromkeys(variables, S.Zero))
    if any(c.has(*variables) for c in form.values() if variables) or form[S.One].has(S.NaN, S.ComplexInfinity):
        return None
    return {s: c for s, c in form.items() if c != 0} or {S.One: S.Zero}
