"""A certificate read back into the language, plainly; shares no code with what writes or checks
certificates.

The names in a certificate are looked up, never evaluated. ``Claim`` is what a certificate says, as
objects that can be compared, and ``is_true`` judges it in explicit coordinates, by the oracle of
``tests/oracles/explicit.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mpmath
import sympy
from sympy import Add, Expr, Function, Interval, Matrix, Mul, Pow, Rational, Symbol, oo

from oracles.decoded_maps import (
    DecodedMap,
    DecodedTransform,
    maps_hold,
    transform_holds,
    with_images,
)
from oracles.explicit import DIGITS, TOLERANCE, ExplicitRecipe, evaluate, explicit_limit, world_of
from recipe import Dense, Field, Noise, Parameter, Potential, Scalar, Simplex, Update, Vector
from recipe.language.abstract import Jet, Partial
from recipe.language.blocks import Block
from recipe.language.entry import Column, Coupling, Entry, Number, Row
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import Index, Indexed, Length
from recipe.language.total import Total

FUNCTIONS = (
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "atan",
    "erf",
    "loggamma",
    "polygamma",
)


class Decoded:
    """The table of a certificate (or of an ``Encoder``), as expressions."""

    def __init__(
        self, nodes: list[list[Any]], symbols: dict[str, Any], functions: dict[str, Any]
    ) -> None:
        self.symbols, self.functions = symbols, functions
        self.heads: dict[str, Any] = {}
        self.expressions: list[Expr] = []
        for node in nodes:
            self.expressions.append(self.expression(node))

    def expression(self, node: list[Any]) -> Expr:  # noqa: PLR0912  (one line a form, that is the point)
        part = self.expressions
        match node:
            case ["num", p, q]:
                return Rational(p, q)
            case ["pi"]:
                return sympy.pi
            case ["e"]:
                return sympy.E
            case ["sym", name]:
                return self.head(name)
            case ["at" | "value", name, label]:
                return at(self.head(name), label)
            case ["dim", name]:
                return Length(name)
            case ["+", *ks]:
                return Add(*(part[k] for k in ks))
            case ["*", *ks]:
                return Mul(*(part[k] for k in ks))
            case ["^", base, exponent]:
                return Pow(part[base], part[exponent])
            case ["fn", name, *ks] if name in FUNCTIONS:
                return getattr(sympy, name)(*(part[k] for k in ks))
            case ["total", body, length, label]:
                return Total(part[body], Index("", Length(length), label))
            case ["d", name, label, by]:
                return Partial(at(self.head(name), label), *(at(self.head(b), k) for b, k in by))
            case ["apply", name, orders, *ks]:
                return Jet(self.head(name)(*(part[k] for k in ks)), orders)
            case ["M", name, row, column]:
                return self.head(name).entry(row, column)
        raise ValueError(node)

    def head(self, name: str) -> Any:
        """What a name stands for."""
        if name not in self.heads:
            self.heads[name] = self.symbol(name) if name in self.symbols else self.function(name)
        return self.heads[name]

    def symbol(self, name: str) -> Any:
        said = self.symbols[name]
        like = Indexed("any", Length(said["length"])) if "length" in said else None
        facts = {fact.removeprefix("not "): not fact.startswith("not ") for fact in said["facts"]}
        match said["kind"]:
            case "vector":
                return Vector(name, like=like, domain=self.domain(said))
            case "scalar":
                return Scalar(name, domain=self.domain(said))
            case "parameter" | "vector parameter" | "step":
                return Parameter(name, like=like, **facts)
            case "vector noise":
                return Noise(
                    name,
                    like=like,
                    covariance=self.head(said["covariance"]) if "covariance" in said else None,
                )
            case "scalar noise":
                return ScalarNoise(name)
        raise ValueError(said)

    def domain(self, said: dict[str, Any]) -> Any:
        match said["domain"]:
            case None:
                return None
            case ["simplex"]:
                return Simplex()
            case ["interval", start, end, left_open, right_open]:
                ends = (
                    {"oo": oo, "-oo": -oo}[x] if isinstance(x, str) else self.expressions[x]
                    for x in (start, end)
                )
                return Interval(*ends, left_open, right_open)
        raise ValueError(said)

    def function(self, name: str) -> Any:
        said = self.functions[name]
        match said["kind"]:
            case "potential":
                return Potential(name, *(self.head(b) for b in said["blocks"]))
            case "field":
                return Field(name, self.head(said["block"]), positive=said["positive"])
            case "elementwise":
                return Function(name, positive=True) if said["positive"] else Function(name)
            case "dense":
                row, column = (
                    Vector(f"of_{said[k]}", like=Indexed("any", Length(said[k])))
                    for k in ("row", "column")
                )
                return Dense(
                    name, row, column, symmetric=said["symmetric"], positive=said["positive"]
                )
        raise ValueError(said)

    def entry(self, row: Block, column: Block, said: dict[str, int]) -> Entry:
        if isinstance(row, Vector) and isinstance(column, Vector):
            return Coupling(self.expressions[said["diagonal"]], self.expressions[said["kernel"]])
        kind = Column if isinstance(row, Vector) else Row if isinstance(column, Vector) else Number
        return kind(self.expressions[said["value"]])


def at(head: Any, label: int | None) -> Any:
    return head if label is None else head.at(label)


@dataclass(frozen=True)
class Claim:
    """What a certificate says: of which process, and what was proved of it."""

    kind: str
    state: tuple[Block, ...]
    H: Expr
    D: tuple[tuple[Entry, ...], ...]
    Q: tuple[tuple[Entry, ...], ...] | None
    noise_factor: tuple[tuple[Entry, ...], ...] | None
    drift: tuple[tuple[Block, Expr], ...]
    marginal: tuple[tuple[tuple[Block, ...], Expr], ...]
    step: Symbol | None
    sequential: bool | None
    rule: tuple[tuple[Block, Expr], ...] | None
    target: Expr | None
    proved: frozenset[str]
    scope: str
    maps: tuple[DecodedMap, ...] = ()
    transform: DecodedTransform | None = None


def claim_of(certificate: dict[str, Any]) -> Claim:
    subject = certificate["subject"]
    table = Decoded(certificate["nodes"], certificate["symbols"], certificate["functions"])
    e, block = table.expressions, table.head
    state = tuple(block(b) for b in subject["state"])

    def matrix(letter: str) -> tuple[tuple[Entry, ...], ...] | None:
        if letter not in subject:
            return None
        return tuple(
            tuple(
                table.entry(row, column, said) for column, said in zip(state, entries, strict=True)
            )
            for row, entries in zip(state, subject[letter], strict=True)
        )

    update = subject.get("update")
    return Claim(
        subject["kind"],
        state,
        e[subject["H"]],
        matrix("D"),
        matrix("Q"),
        matrix("noise_factor"),
        tuple((block(b), e[k]) for b, k in sorted(subject["drift"].items())),
        tuple((tuple(block(b) for b in kept), e[k]) for kept, k in subject["marginal"]),
        update and block(update["step"]),
        update and update["sequential"],
        update and tuple((block(b), e[k]) for b, k in update["rule"]),
        update and e[update["target"]],
        frozenset(
            line["name"]
            for line in certificate["obligations"]
            if line["verdict"] == "proved" and line["required"]
        ),
        certificate["scope"],
        maps_of(subject.get("maps", {}), table),
        transform_of(subject["transform"]) if "transform" in subject else None,
    )


def maps_of(said: dict[str, Any], table: Decoded) -> tuple[DecodedMap, ...]:
    found = []
    for name, m in sorted(said.items()):
        inverse = None
        if m["inverse"] is not None:
            inner = Decoded(m["inverse"]["nodes"], m["inverse"]["symbols"], {})
            inverse = (inner.head(m["image"]), inner.expressions[m["inverse"]["value"]])
        found.append(
            DecodedMap(
                table.head(name),
                m["image"],
                table.domain(m),
                table.expressions[m["forward"]],
                table.expressions[m["slope"]],
                inverse,
            )
        )
    return tuple(found)


def transform_of(said: dict[str, Any]) -> DecodedTransform:
    original = said["original"]
    table = Decoded(original["nodes"], original["symbols"], original["functions"])
    state = tuple(table.head(b) for b in original["state"])
    e = table.expressions

    def matrix(letter: str) -> Any:
        return tuple(
            tuple(table.entry(a, b, entry) for b, entry in zip(state, row, strict=True))
            for a, row in zip(state, original[letter], strict=True)
        )

    return DecodedTransform(
        said["kind"],
        said["block"],
        state,
        e[original["H"]],
        matrix("D"),
        matrix("Q"),
        tuple((table.head(b), e[k]) for b, k in sorted(original["drift"].items())),
    )


@dataclass(frozen=True)
class ExplicitClaim(ExplicitRecipe):
    """A claim in explicit coordinates; ``recipe`` is a ``Claim``."""

    def _matrix(self, entries: Any) -> Matrix:
        index = {block: k for k, block in enumerate(self.recipe.state)}
        return Matrix(
            [
                [
                    self.world.derived_entry(entries[index[a]][index[b]], i, j)
                    for b, j in self.places
                ]
                for a, i in self.places
            ]
        )

    @cached_property
    def f(self) -> list[Expr]:
        return self.components(dict(self.recipe.drift))

    def positive_semidefinite(self) -> bool:
        for point in self.points(4):
            with mpmath.workdps(DIGITS):
                values = mpmath.matrix(*self.D.shape)
                for i in range(self.D.rows):
                    for j in range(self.D.cols):
                        values[i, j] = evaluate(self.D[i, j], point)
                if any(x < -TOLERANCE for x in mpmath.eigsy(values, eigvals_only=True)):
                    return False
        return True


def is_true(claim: Claim) -> bool:
    """Whether nothing speaks against a claim in explicit coordinates: one, two and three of them,
    parameters of either sign.
    """
    free = set().union(*(_symbols(e) for e in _expressions(claim)))
    unsigned = {
        s: -Rational(7, 10) - k
        for k, s in enumerate(sorted(free, key=str))
        if s.is_positive is None and s.is_real
    }
    return all(
        _holds(ExplicitClaim(claim, with_images(world_of(claim.state, d, values), claim.maps)))
        for d in (1, 2, 3)
        for values in ({}, unsigned)
    )


def _holds(at: ExplicitClaim) -> bool:
    claim = at.recipe
    if not (at.is_zero(at.residual(at.f, at.D)) and at.positive_semidefinite()):
        return False
    if claim.Q is not None and not (
        at.agree(list(at.D), list(at.D.T)) and at.agree(list(at.Q), list(-at.Q.T))
    ):
        return False
    if claim.noise_factor is not None:
        B = at._matrix(claim.noise_factor)
        if not at.agree(list(B * B.T), list(at.D)):
            return False
    moved = next(
        (m for m in claim.maps if claim.transform and m.block.name == claim.transform.block), None
    )
    if not (maps_hold(at, claim.maps) and transform_holds(at, claim.transform, moved)):
        return False
    return _rule_holds(at) and all(_marginal_holds(at, kept, U) for kept, U in claim.marginal)


def _rule_holds(at: ExplicitClaim) -> bool:
    claim = at.recipe
    if claim.rule is None:
        return True
    pairs = list(claim.rule)
    drift, D = explicit_limit(
        Update(claim.step, pairs if claim.sequential else dict(pairs), claim.target), at
    )
    target = at.world.read(claim.target, {})
    return (
        at.agree(drift, at.f)
        and at.agree(list(D), list(at.D))
        and all(at.is_zero((target - at.H).diff(x)) for x in at.z)
    )


def _marginal_holds(at: ExplicitClaim, kept: tuple[Block, ...], U: Expr) -> bool:
    law = at.world.read(U, {})
    places = [x for b in kept for x in at.world.coordinates(b)]
    if all(at.is_zero((at.H - law).diff(x)) for x in places):
        return True
    others = [x for x in at.z if x not in places]
    precision = sympy.hessian(at.H, others)
    if any(precision.diff(x) != 0 * precision for x in others):
        return False
    # a normal law given what is kept, which leaves exp(-(H at 0 - g P^-1 g/2 + log det P/2))
    zero = dict.fromkeys(others, sympy.Integer(0))
    g = Matrix([at.H.diff(x) for x in others]).xreplace(zero)
    left = at.H.xreplace(zero) - (g.T * precision.inv() * g)[0] / 2
    left += sympy.log(precision.det()) / 2 - law
    return all(at.is_zero(left.diff(x)) for x in places)


def _expressions(claim: Claim) -> list[Expr]:
    found = [claim.H, *(e for _, e in claim.drift), *(e for _, e in claim.rule or ())]
    return found + [p for row in claim.D for entry in row for p in vars(entry).values()]


def _symbols(e: Expr) -> set[Symbol]:
    return {s for s in e.atoms(Symbol) if type(s) is Symbol}


__all__ = ["Claim", "Decoded", "claim_of", "is_true"]
