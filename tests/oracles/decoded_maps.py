"""Changes of variable of a certificate read back into the language, and judged in explicit
coordinates: shares no code with what writes or checks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import sympy
from sympy import Add, Expr, Matrix, Rational, Symbol, oo

from oracles.explicit import TOLERANCE, ExplicitRecipe, World, evaluate, smooth
from recipe.language.abstract import Field, Potential
from recipe.language.blocks import Block


@dataclass(frozen=True)
class DecodedMap:
    """A map of a block onto its image; ``inverse`` is a function of the symbol ``image``."""

    block: Block
    image: str
    domain: Any
    forward: Expr
    slope: Expr
    inverse: tuple[Symbol, Expr] | None


@dataclass(frozen=True)
class DecodedTransform:
    """The original process: its H, D, Q and drift in its own coordinates."""

    kind: str
    block: str
    state: tuple[Block, ...]
    H: Expr
    D: Any
    Q: Any
    drift: tuple[tuple[Block, Expr], ...]


@dataclass(frozen=True)
class MappedWorld(World):
    """A world in which a potential of phi is the concrete one of f(phi)."""

    standing: tuple[tuple[Symbol, Expr], ...] = ()

    def declared(self, e: Potential | Field, at: Any) -> Expr:
        blocks = e.blocks if isinstance(e, Potential) else (e.block,)
        put = dict(self.standing)
        at_images = tuple(put.get(c, c) for b in blocks for c in self.coordinates(b))
        if isinstance(e, Potential):
            return smooth(e.name, at_images)
        return smooth(f"{e.base}{at[e.label]}", at_images, bool(e.is_positive))


def with_images(world: World, maps: tuple[DecodedMap, ...]) -> World:
    """The world in which potentials of phi are functions of f(phi)."""
    if not maps:
        return world
    standing = tuple(
        (x, f)
        for m in maps
        for x, f in zip(world.coordinates(m.block), world.vector(m.forward, m.block), strict=True)
    )
    return MappedWorld(world.dims, world.values, world.images, standing)


def maps_hold(at: ExplicitRecipe, maps: tuple[DecodedMap, ...]) -> bool:
    """Whether nothing speaks against it that each map is one to one and onto."""
    return all(_map_holds(at, m) for m in maps)


def _map_holds(at: ExplicitRecipe, m: DecodedMap) -> bool:
    (x, *_), world = at.world.coordinates(m.block), at.world
    f, slope = world.vector(m.forward, m.block)[0], world.vector(m.slope, m.block)[0]
    low, high = (-oo, oo) if m.domain is None else (m.domain.start, m.domain.end)
    numbers = [{x: p} for p in _points(m.block.domain)]
    slopes = [evaluate(f.diff(x), p) for p in numbers]
    values = [evaluate(f, p) for p in numbers]
    if not (all(s > 0 for s in slopes) or all(s < 0 for s in slopes)):
        return False
    if any(abs(evaluate(f.diff(x) - slope, p)) > TOLERANCE for p in numbers):
        return False
    if not all((low == -oo or v > low) and (high == oo or v < high) for v in values):
        return False
    if m.inverse is None:
        return False
    theta, g = m.inverse[0], world.read(m.inverse[1], {})
    theta = world.coordinates(theta)[0]
    back = f.xreplace({x: g}) - theta
    return all(
        abs(evaluate(back, {theta: p})) < TOLERANCE for p in _points(sympy.Interval.open(low, high))
    )


def _points(domain: Any) -> list[Rational]:
    draws = [Rational(Random(f"map{k}").randint(1, 99), 100) for k in range(8)]
    low, high = domain.start, domain.end
    if low.is_finite and high.is_finite:
        return [low + (high - low) * u for u in draws]
    if low.is_finite:
        return [low + 4 * u for u in draws]
    return [high - 4 * u for u in draws] if high.is_finite else [8 * u - 4 for u in draws]


def transform_holds(at: ExplicitRecipe, t: DecodedTransform | None, m: DecodedMap | None) -> bool:
    """Whether the process is the original one in other coordinates, by plain differentiation."""
    if t is None:
        return True
    assert m is not None
    world = World(at.world.dims, at.world.values)
    original = Original(world, t)
    phi = at.world.coordinates(m.block)
    f = dict(zip(phi, at.world.vector(m.forward, m.block), strict=True))
    put = {Symbol(f"{m.image}_{k}", real=True): f[x] for k, x in enumerate(phi)}
    J = {x: 1 / f[x].diff(x) if x in f else sympy.Integer(1) for x in at.z}
    H = original.world.read(t.H, {}).xreplace(put) + Add(*(sympy.log(J[x] ** 2) / 2 for x in phi))
    if not all(at.is_zero((at.H - H).diff(x)) for x in at.z):
        return False
    legs = sympy.diag(*(J[x] for x in at.z)) if t.kind == "ito" else sympy.eye(len(at.z))
    D, Q = (original.matrix(M).xreplace(put) for M in (t.D, t.Q))
    ours = at._matrix(at.recipe.D), at._matrix(at.recipe.Q)
    if not all(
        at.agree(list(mine), list(legs * theirs * legs))
        for mine, theirs in zip(ours, (D, Q), strict=True)
    ):
        return False
    if t.kind != "ito":
        return True
    drift = original.components(dict(t.drift))
    moved = [
        J[x] * e.xreplace(put) + D[k, k] * J[x] * J[x].diff(x)
        for k, (x, e) in enumerate(zip(at.z, drift, strict=True))
    ]
    return at.agree(at.f, moved)


class Original:
    """The matrices and the drift of an original process in its own explicit coordinates."""

    def __init__(self, world: World, t: DecodedTransform) -> None:
        self.world, self.t = world, t
        self.places = [(b, k) for b in t.state for k in range(world.size(b))]

    def matrix(self, entries: Any) -> Matrix:
        index = {block: k for k, block in enumerate(self.t.state)}
        return Matrix(
            [
                [
                    self.world.derived_entry(entries[index[a]][index[b]], i, j)
                    for b, j in self.places
                ]
                for a, i in self.places
            ]
        )

    def components(self, by_block: dict[Block, Expr]) -> list[Expr]:
        return [e for b in self.t.state for e in self.world.vector(by_block[b], b)]


__all__ = [
    "DecodedMap",
    "DecodedTransform",
    "maps_hold",
    "transform_holds",
    "with_images",
]
