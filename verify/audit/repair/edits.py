"""Small edits of an update rule, such as a slip of the pen calls for.

An edit is a family of rules ``build(c)``, where ``build(start)`` is the rule as it is; or it is a
single rule, with a ``fixed`` c. Each kind has a function of its own, and ``EDITS`` lists them.
Nothing here decides whether an edit repairs the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, Rational, S, Symbol, sqrt

from recipe import Dense, Noise, RecipeError, Update
from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import partial
from recipe.language.entry import Coupling, apply, divergence_of, is_diagonal
from recipe.language.noise import ScalarNoise
from recipe.language.total import Total
from recipe.signs.sign import is_positive

NOISES = (Noise, ScalarNoise)


@dataclass(frozen=True)
class Claim:
    """An update rule, the diffusion that is its limit, and the gradient of its target by block."""

    update: Update
    dynamics: Dynamics
    gradient: dict[Block, Expr]


@dataclass(frozen=True)
class Edit:
    """``build(c)`` is the edited rule, and ``describe(c)`` says in words how it differs.

    ``cost`` counts what a reader has to change beside c. ``start`` is the c of the unedited rule.
    ``fixed`` is the only c where the edit has no free coefficient, and None otherwise.
    """

    build: Callable[[Expr], Update]
    describe: Callable[[Expr], str]
    cost: int
    start: Expr = S.One
    fixed: Expr | None = None


Kind = Callable[["_RuleLine"], Iterator[Edit]]


@dataclass(frozen=True)
class _RuleLine:
    """One line of the rule, by its number."""

    claim: Claim
    k: int

    @property
    def block(self) -> Block:
        return self.claim.update.rule[self.k][0]

    @property
    def rule(self) -> Expr:
        return self.claim.update.rule[self.k][1]

    def plus(self, e: Expr) -> Update:
        """Return the update with e added to this line."""
        return self.replaced(self.rule + e)

    def replaced(self, rule: Expr) -> Update:
        """Return the update with another right-hand side in this line."""
        update = self.claim.update
        pairs = [*update.rule[: self.k], (self.block, rule), *update.rule[self.k + 1 :]]
        return Update(
            update.step,
            pairs if update.sequential else dict(pairs),
            update.target,
            where=update.where,
        )

    def moves(self) -> list[Expr]:
        """Return the summands without noise that move the block."""
        return [
            t
            for t in _summands(self.rule)
            if not t.has(*NOISES) and self.claim.update.step in t.free_symbols
        ]

    def noises(self) -> list[Expr]:
        """Return the summands with noise."""
        return [t for t in _summands(self.rule) if t.has(*NOISES)]


def edits_of(claim: Claim, kinds: Iterable[Kind] | None = None) -> Iterator[Edit]:
    """Yield every edit, or every edit of some kinds, the likeliest slips first."""
    for kind in EDITS if kinds is None else kinds:
        for k in range(len(claim.update.rule)):
            yield from kind(_RuleLine(claim, k))


def _noise_scaled(at: _RuleLine) -> Iterator[Edit]:
    """A factor of the noise, such as a forgotten sqrt(2); c multiplies its covariance."""
    for term in at.noises():
        yield Edit(
            lambda c, term=term: at.plus(_scaled_root(term, c) - term),  # type: ignore[misc]
            lambda c, term=term: (
                f"the noise {written(term)} of {at.block} must be {written(_scaled_root(term, c))}"
            ),  # type: ignore[misc]
            cost=1,
        )


def _noise_replaced(at: _RuleLine) -> Iterator[Edit]:
    """The noise that fits a friction: where the drift is ``-s dH/dz`` the noise is ``sqrt(2 s step)
    w``.
    """
    old = Add(*at.noises())
    draws = sorted(old.atoms(*NOISES), key=str)
    w = draws[0] if draws else Noise(_unused(at.claim.update, "w"), like=at.block)
    said = (
        f"the noise {written(old)} of {at.block} must be"
        if draws
        else f"the rule of {at.block} must gain the noise"
    )
    for c in _coefficients(at.claim.dynamics.drift[at.block], at.claim.gradient[at.block]):
        if is_positive(-c):
            new = sqrt(-2 * c * at.claim.update.step) * w
            yield Edit(
                lambda _, new=new: at.plus(new - old),  # type: ignore[misc]
                lambda _, new=new: f"{said} {written(new)}",  # type: ignore[misc]
                cost=1 if draws else 2,
                fixed=S.One,
            )


def _noise_correlated(at: _RuleLine) -> Iterator[Edit]:
    """The covariance that a noise needs beside a dense preconditioner."""
    for w in sorted(at.rule.atoms(Noise), key=str):
        for M in sorted(at.rule.atoms(Dense), key=str):
            if M.positive_definite and M.row.length == w.length and w.covariance is None:
                correlated = Noise(w.base, like=at.block, covariance=M)
                yield Edit(
                    lambda _, w=w, correlated=correlated: at.replaced(
                        at.rule.xreplace({w: correlated})
                    ),  # type: ignore[misc]
                    lambda _, w=w, M=M: (
                        f'the noise of {at.block} must be Noise("{w.base}", like={at.block},'
                        f" covariance={M})"
                    ),  # type: ignore[misc]
                    cost=1,
                    fixed=S.One,
                )


def _norm_squared(at: _RuleLine) -> Iterator[Edit]:
    """A forgotten square of a norm, anywhere in the rule."""
    update = at.claim.update
    roots = {
        p
        for _, e in update.rule
        for p in e.atoms(Pow)
        if p.exp == S.Half and isinstance(p.base, Total)
    }
    for root in sorted(roots, key=str) if at.k == 0 else ():
        pairs = [(b, e.xreplace({root: root.base})) for b, e in update.rule]
        squared = Update(
            update.step,
            pairs if update.sequential else dict(pairs),
            update.target,
            where=update.where,
        )
        yield Edit(
            lambda _, squared=squared: squared,  # type: ignore[misc]
            lambda _, root=root: f"in the rule, {root} must be {root.base}",  # type: ignore[misc]
            cost=1,
            fixed=S.One,
        )


def _summand_scaled(at: _RuleLine) -> Iterator[Edit]:
    """A sign or a factor of one summand of the drift."""
    for term in at.moves():
        yield Edit(
            lambda c, term=term: at.plus(c * term - term),  # type: ignore[misc]
            lambda c, term=term: f"in the rule of {at.block}, {_becomes(term, c * term)}",  # type: ignore[misc]
            cost=1,
        )


def _target_scaled(at: _RuleLine) -> Iterator[Edit]:
    """A factor of one summand of the target."""
    update = at.claim.update
    terms = Add.make_args(update.target)
    for term in terms if len(terms) > 1 and at.k == 0 else ():
        yield Edit(
            lambda c, term=term: Update(  # type: ignore[misc]
                update.step,
                update.rule if update.sequential else dict(update.rule),
                update.target + (c - 1) * term,
                where=update.where,
            ),
            lambda c, term=term: f"in the target, {_becomes(term, c * term)}",  # type: ignore[misc]
            cost=2,
        )


def _drift_scaled(at: _RuleLine) -> Iterator[Edit]:
    """A factor of all summands without noise that move one block."""
    moves = at.moves()
    if len(moves) > 1:
        yield Edit(
            lambda c: at.plus((c - 1) * Add(*moves)),
            lambda c: (
                f"in the rule of {at.block}, {written(Add(*moves))} must be multiplied by"
                f" {written(c)}"
            ),
            cost=2,
        )


def _term_added(at: _RuleLine) -> Iterator[Edit]:
    """A missing term: the correction div D or the divergence of a curl, a friction, a force."""
    step = at.claim.update.step
    if at.block in [block for block, _ in at.claim.update.rule[at.k + 1 :]]:
        return  # only the last line of a block gains terms
    for term, shown in _missing(at.claim, at.block).items():
        yield Edit(
            lambda c, term=term: at.plus(c * step * term),  # type: ignore[misc]
            lambda c, shown=shown: f"the rule of {at.block} must gain {_signed(c * step, shown)}",  # type: ignore[misc]
            cost=2 + (0 if isinstance(shown, str) else int(shown.count_ops())),
            start=S.Zero,
        )


ADDITIVE = (
    _summand_scaled,
    _drift_scaled,
    _term_added,
)  # these add to the drift, so that the sum of two of them is an edit
EDITS = (
    _noise_scaled,
    _noise_replaced,
    _noise_correlated,
    _norm_squared,
    _summand_scaled,
    _target_scaled,
    _drift_scaled,
    _term_added,
)


def _missing(claim: Claim, block: Block) -> dict[Expr, Expr | str]:
    """Return terms that the drift of a block may lack, each with how it is written.

    ``div(e, block)`` is written for the expression that it evaluates to.
    """
    state, grad_H = claim.dynamics.state, claim.gradient
    found: dict[Expr, Expr | str] = {}
    own = claim.dynamics.diffusion[block, block]
    diagonal = own.diagonal if isinstance(own, Coupling) and is_diagonal(own) else None
    div_D = sum((divergence_of(claim.dynamics.diffusion[block, b], b) for b in state), S.Zero)
    found[div_D] = (
        div_D if diagonal is None or div_D != partial(diagonal, block) else _div(diagonal, block)
    )
    friction = sum((apply(claim.dynamics.diffusion[block, b], grad_H[b], b) for b in state), S.Zero)
    found.setdefault(friction, friction)
    for other in state:
        if not _couples(block, other):
            continue
        found.setdefault(grad_H[other], grad_H[other])
        # v = -Q grad H couples two blocks, so the coefficient of dH/d(block) in v is Q, and div Q
        # belongs into the drift
        for q in _coefficients(claim.dynamics.drift[other], grad_H[block]):
            if (
                -partial(q, other) not in found
            ):  # a friction is not written as the divergence of something else
                found.setdefault(partial(q, other), _div(q, other))
    if isinstance(block, Scalar):
        found.setdefault(S.One, S.One)
    return {term: shown for term, shown in found.items() if term != 0}


def _couples(a: Block, b: Block) -> bool:
    return (
        a.length == b.length
        if isinstance(a, Vector) and isinstance(b, Vector)
        else type(a) is type(b)
    )


def _coefficients(drift: Expr, force: Expr) -> list[Expr]:
    """Return the coefficients of ``force`` in the summands of a drift."""
    if force == 0:
        return []
    quotients = (term / force for term in Add.make_args(drift.expand(deep=False)))
    return list(
        dict.fromkeys(
            q
            for q in quotients
            if not any(f.base == force for f in q.atoms(Pow) if f.exp.is_negative)
        )
    )


def _summands(rule: Expr) -> list[Expr]:
    return [t for a in Add.make_args(rule) for t in Add.make_args(a.expand(deep=False))]


def _unused(update: Update, name: str) -> str:
    taken = {str(s) for e, _ in update.written() for s in e.atoms(Symbol)}
    while name in taken:
        name += "_"
    return name


# -- writing them down
# --------------------------------------------------------------------------------------------------


def _scaled_root(term: Expr, factor: Expr) -> Expr:
    if not is_positive(factor):
        raise RecipeError(
            f"no noise has {factor} times the covariance of another: its sign is not proved"
        )
    return term * sqrt(factor)


def _div(e: Expr, block: Block) -> str:
    return f"div({e}, {block})"


def _becomes(old: Expr, new: Expr) -> str:
    """Say how a summand must change, with signs where they differ."""
    if new == 0:
        return f"{_signed(old)} must go"
    if old.could_extract_minus_sign() != new.could_extract_minus_sign():
        return f"{_signed(old)} must be {_signed(new)}"
    return f"{written(old)} must be {written(new)}"


def _signed(term: Expr, factor: Expr | str = S.One) -> str:
    """Return a summand with its sign, as it stands in a sum."""
    whole = term * factor if isinstance(factor, Expr) else term
    sign, whole = ("-", -whole) if whole.could_extract_minus_sign() else ("+", whole)
    return f"{sign} {written(whole)}" + (f"*{factor}" if isinstance(factor, str) else "")


def written(e: Expr) -> str:
    """Return an expression with its square roots first and under one: ``sqrt(2*epsilon)*w`` and not
    ``sqrt(2)*sqrt(epsilon)*w``.
    """
    factors = Mul.make_args(e)
    roots = [
        f
        for f in factors
        if isinstance(f, Pow) and abs(f.exp) == Rational(1, 2) and is_positive(f.base)
    ]
    if not roots:
        return str(e)
    root, rest = (
        f"sqrt({Mul(*(f**2 for f in roots))})",
        Mul(*(f for f in factors if f not in roots)),
    )
    number, others = rest.as_coeff_Mul()
    sign, number = ("-", -number) if number < 0 else ("", number)
    left = number * others
    tail = "" if left == 1 else f"({left})" if isinstance(left, Add) else str(left)
    return f"{sign}{root}" + (tail[1:] if tail.startswith("1/") else f"*{tail}" if tail else "")
