"""What may be said about a state: the words that random samplers are made of; and random update
rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st
from sympy import Expr, Function, Integer, Symbol, exp, log, sin, sqrt

from recipe import Field, Noise, Parameter, Potential, Scalar, Update, Vector, total
from recipe.language.blocks import Block

theta, phi = Vector("theta"), Vector("phi")
r, s = Vector("r", like=theta), Vector("s", like=theta)
xi, zeta = Scalar("xi"), Scalar("zeta")
STATES = (
    (theta,), (theta, r), (r, theta), (theta, xi), (xi, theta), (theta, phi), (xi, zeta),
    (theta, r, s), (theta, r, xi), (theta, phi, xi), (xi, phi, theta), (theta, phi, r),
)  # fmt: skip

alpha = Symbol("alpha", positive=True)
epsilon = Symbol("epsilon", positive=True)
g, G, K = Function("g"), Function("G", positive=True), Function("K")


@dataclass(frozen=True)
class Vocabulary:
    """What may be said about one state."""

    state: tuple[Block, ...]

    @cached_property
    def vectors(self) -> list[Vector]:
        return [b for b in self.state if isinstance(b, Vector)]

    @cached_property
    def scalars(self) -> list[Scalar]:
        return [b for b in self.state if isinstance(b, Scalar)]

    def like(self, block: Vector) -> list[Vector]:
        return [b for b in self.vectors if b.length == block.length]

    def local_words(self, block: Vector) -> list[Expr]:
        """Short expressions of the generic coordinate of a length."""
        words: list[Expr] = [Parameter(f"a_{block.length}", like=block)]
        for v in self.like(block):
            words += [
                v,
                v**2,
                sin(v),
                1 / (1 + v**2),
                g(v),
                G(v),
                Field(f"F_{v.name}", v),
                Field(f"P_{v.name}", v, positive=True),
            ]
            words += [v * total(v), Function(f"h_{v.name}")(v, total(v**2))]
        words += [v * w for v in self.like(block) for w in self.like(block) if v.name < w.name]
        words += [exp(-x * v) for x in self.scalars for v in self.like(block)]
        return words

    def elementwise(self, block: Vector) -> st.SearchStrategy[Expr]:
        """Expressions of the generic coordinate of a length."""
        word = st.sampled_from(self.local_words(block))
        return st.one_of(
            word,
            st.builds(lambda a, b: a * b, word, word),
            st.builds(lambda a, b: a + 2 * b, word, word),
        )

    @cached_property
    def number_words(self) -> list[Expr]:
        """Short coordinate-free expressions; most are not local."""
        words: list[Expr] = [alpha, *self.scalars, *(sin(x) for x in self.scalars)]
        for v in self.vectors:
            words += [
                v.dim,
                1 / v.dim,
                total(v),
                1 / (1 + total(v**2)),
                log(1 + total(v**2)),
                K(total(v)),
            ]
            words += [
                total(G(v)),
                total(Field(f"P_{v.name}", v, positive=True) * v),
                Potential(f"V_{v.name}", v),
            ]
        words += [total(v * w) for v in self.vectors for w in self.like(v) if v.name < w.name]
        return words

    @cached_property
    def number(self) -> st.SearchStrategy[Expr]:
        """Coordinate-free expressions."""
        return st.sampled_from(self.number_words)


def vocabularies(largest_state: int) -> st.SearchStrategy[Vocabulary]:
    return st.sampled_from([Vocabulary(state) for state in STATES if len(state) <= largest_state])


def _increments(words: Vocabulary, block: Block) -> st.SearchStrategy[Expr]:
    """A summand of an update rule that vanishes with the step."""
    local = words.elementwise(block) if isinstance(block, Vector) else words.number
    w = (
        Noise(f"w_{block.length}", like=block)
        if isinstance(block, Vector)
        else Noise("w", like=block)
    )
    half, full = sqrt(epsilon) * w, [epsilon * w**2, epsilon * w, epsilon * w**3 * sqrt(epsilon)]
    across = [Noise(f"w_{v.length}", like=v) for v in words.vectors]
    half_sums = [
        sqrt(epsilon) * total(n * f(v))
        for n, v in zip(across, words.vectors, strict=True)
        for f in (lambda v: v, sin)
    ]
    full_sums = [
        epsilon * total(n**2 + n) ** 2 / v.dim for n, v in zip(across, words.vectors, strict=True)
    ]
    full_sums += [
        epsilon * total(exp(n * sqrt(epsilon)) * v)
        for n, v in zip(across, words.vectors, strict=True)
    ]
    return st.builds(
        lambda a, b: a * b,
        local,
        st.sampled_from([half, half, epsilon, *full, *half_sums, *full_sums]),
    )


@st.composite
def updates(draw: st.DrawFn) -> Update:
    """Rules whose limit exists; blocks may recur, and blocks of one length share their noise."""
    words = draw(vocabularies(2))
    order = (
        [*words.state, draw(st.sampled_from(words.state))]
        if draw(st.booleans())
        else list(words.state)
    )
    rule = [(b, b + draw(_increments(words, b)) + draw(_increments(words, b))) for b in order]
    simultaneous = len(order) == len(words.state) and draw(st.booleans())
    return Update(epsilon, dict(rule) if simultaneous else rule, Integer(0))
