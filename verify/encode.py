"""Expressions of the language as plain data: a table of nodes, each a list that refers to earlier
nodes by index.

Certificates contain this table and the independent checker reads it (docs/certificates.md describes
every node). Encoding decides and rewrites nothing: a node is exactly its expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from sympy import Add, Dummy, Expr, Interval, Mul, Pow, Rational, S, Set, Symbol
from sympy.core.facts import InconsistentAssumptions
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Exp1, Pi

from recipe import RecipeError
from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.language.blocks import Block, Scalar, Simplex, Vector
from recipe.language.checks.forms import SMOOTH_FUNCTIONS
from recipe.language.data import VectorParameter
from recipe.language.entry import Coupling, Entry
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed, Length, assumptions_of, generic, name_of
from recipe.language.total import Total

Node = list[Any]
Data = dict[str, Any]

# Stronger facts come first: a fact is written only if those before it do not imply it. "real" is
# missing, as every symbol is a real number.
FACTS = (
    "zero", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "prime", "composite",
    "even", "odd", "integer", "noninteger", "rational", "irrational", "algebraic", "transcendental",
)  # fmt: skip


@dataclass
class Encoder:
    """A growing table of nodes, with the declarations of all names that occur in it.

    Equal expressions share one node. ``steps`` are the symbols of step sizes.
    """

    steps: tuple[Symbol, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    _index_of: dict[Expr, int] = field(default_factory=dict)
    _meanings: dict[str, Any] = field(default_factory=dict)
    _lengths: dict[str, None] = field(default_factory=dict)
    _symbols: dict[str, Data] = field(default_factory=dict)
    _functions: dict[str, Data] = field(default_factory=dict)

    def node(self, e: Expr) -> int:
        """The index of an expression; new ones are added to the table with all their parts.

        Raises:
            RecipeError: for an expression outside the language, or a name with two meanings.
        """
        pending = [e]
        while pending:  # not by recursion: an expression may be deeper than Python's stack
            part = pending[-1]
            missing = [a for a in parts_of(part) if a not in self._index_of]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            if part not in self._index_of:
                node = written(part, self)  # this may add nodes of its own, for ends of a domain
                self._index_of[part] = len(self.nodes)
                self.nodes.append(node)
        return self._index_of[e]

    def indices(self, parts: Iterable[Expr]) -> list[int]:
        """The indices of several expressions, in order."""
        return [self.node(e) for e in parts]

    def entry(self, entry: Entry) -> Data:
        """An entry of a block matrix: its diagonal and kernel if it is between two vectors,
        otherwise its value.
        """
        if isinstance(entry, Coupling):
            return {"diagonal": self.node(entry.diagonal), "kernel": self.node(entry.kernel)}
        return {"value": self.node(entry.value)}

    def matrix(self, rows: Sequence[Sequence[Entry]]) -> list[list[Data]]:
        """A block matrix, row by row."""
        return [[self.entry(e) for e in row] for row in rows]

    def declarations(self) -> Data:
        """The declarations of all names so far: lengths, symbols, and abstract functions."""
        return {
            "lengths": list(self._lengths),
            "symbols": dict(self._symbols),
            "functions": dict(self._functions),
        }

    def declare(self, head: Any) -> str:
        """The name of a block, symbol or abstract function; it is declared when it is new.

        Raises:
            RecipeError: if the name was declared with another meaning.
        """
        applied = isinstance(head, AppliedUndef)
        name, meaning = (
            (head.func.__name__, (head.func, len(head.args)))
            if applied
            else (name_of(head), generic(head))
        )
        if name not in self._meanings:
            self._meanings[name] = meaning
            declare(head, name, self)
        elif self._meanings[name] != meaning:
            raise RecipeError(
                f"the name {name} has two meanings; a certificate needs one meaning for each name"
            )
        return name

    def declare_length(self, length: Length) -> str:
        """Declare a length, and return its name."""
        self._lengths[length.name] = None
        return length.name

    def declare_symbol(self, name: str, kind: str, facts: Iterable[str] = (), **more: Any) -> None:
        """Declare a symbol, with its kind and its facts."""
        self._symbols[name] = {"kind": kind, "facts": list(facts), "domain": None} | more

    def declare_function(self, name: str, kind: str, **more: Any) -> None:
        """Declare an abstract function or matrix, with its kind."""
        self._functions[name] = {"kind": kind} | more


@singledispatch
def parts_of(e: Expr) -> tuple[Expr, ...]:
    """The subexpressions whose nodes the node of an expression refers to."""
    return e.args  # type: ignore[no-any-return]


@parts_of.register(Partial)
@parts_of.register(DenseEntry)
def _(e: Expr) -> tuple[Expr, ...]:
    return ()


@parts_of.register
def _(e: Total) -> tuple[Expr, ...]:
    return (e.body,)


@parts_of.register
def _(e: Jet) -> tuple[Expr, ...]:
    return e.applied.args  # type: ignore[no-any-return]


@singledispatch
def written(e: Expr, to: Encoder) -> Node:
    """The node of an expression whose parts are in the table already."""
    raise RecipeError(f"{e} ({type(e).__name__}) cannot be written into a certificate")


@written.register
def _(e: Rational, to: Encoder) -> Node:
    return ["num", int(e.p), int(e.q)]


@written.register
def _(e: Pi, to: Encoder) -> Node:
    return ["pi"]


@written.register
def _(e: Exp1, to: Encoder) -> Node:
    return ["e"]


@written.register
def _(e: Add, to: Encoder) -> Node:
    return ["+", *to.indices(e.args)]


@written.register
def _(e: Mul, to: Encoder) -> Node:
    return ["*", *to.indices(e.args)]


@written.register
def _(e: Pow, to: Encoder) -> Node:
    return ["^", *to.indices(e.args)]


def _written_function(e: Expr, to: Encoder) -> Node:
    return ["fn", type(e).__name__, *to.indices(e.args)]


for _function in SMOOTH_FUNCTIONS:
    written.register(_function, _written_function)


@written.register
def _(e: Symbol, to: Encoder) -> Node:
    return ["sym", to.declare(e)]


@written.register
def _(e: Length, to: Encoder) -> Node:
    return ["dim", to.declare(e)]


@written.register
def _(e: Indexed, to: Encoder) -> Node:
    return ["at", to.declare(e), e.label]


@written.register
def _(e: Dense, to: Encoder) -> Node:
    raise RecipeError(f"{e} is a matrix, not an expression of one coordinate")


@written.register(Potential)
@written.register(Field)
def _(e: Potential | Field, to: Encoder) -> Node:
    return ["value", to.declare(e), label_of(e)]


@written.register
def _(e: Partial, to: Encoder) -> Node:
    return [
        "d",
        to.declare(e.head),
        label_of(e.head),
        [[to.declare(x), label_of(x)] for x in e.wrt],
    ]


@written.register
def _(e: AppliedUndef, to: Encoder) -> Node:
    return ["apply", to.declare(e), [0] * len(e.args), *to.indices(e.args)]


@written.register
def _(e: Jet, to: Encoder) -> Node:
    return ["apply", to.declare(e.applied), list(e.orders), *to.indices(e.applied.args)]


@written.register
def _(e: DenseEntry, to: Encoder) -> Node:
    return ["M", to.declare(e.matrix), *e.labels]


@written.register
def _(e: Total, to: Encoder) -> Node:
    return ["total", to.node(e.body), to.declare(e.index.length), e.index.label]


def label_of(s: Any) -> int | None:
    """The index at which a symbol stands; None for a scalar."""
    return s.label if isinstance(s, Indexed) else None


@singledispatch
def declare(head: Any, name: str, to: Encoder) -> None:
    """Declare a name by the kind of its head."""
    raise RecipeError(f"{head} ({type(head).__name__}) cannot be written into a certificate")


@declare.register
def _(head: Symbol, name: str, to: Encoder) -> None:
    if type(head) not in (Symbol, Dummy):
        raise RecipeError(f"{head} is {type(head).__name__}, which has no place in a certificate")
    to.declare_symbol(name, "step" if head in to.steps else "parameter", facts_of(head))


@declare.register
def _(head: VectorParameter, name: str, to: Encoder) -> None:
    to.declare_symbol(name, "vector parameter", facts_of(head), length=to.declare(head.length))


@declare.register
def _(head: Length, name: str, to: Encoder) -> None:
    to.declare_length(head)


@declare.register
def _(head: Vector, name: str, to: Encoder) -> None:
    to.declare_symbol(
        name, "vector", domain=encoded_domain(head, to), length=to.declare(head.length)
    )


@declare.register
def _(head: Scalar, name: str, to: Encoder) -> None:
    to.declare_symbol(name, "scalar", domain=encoded_domain(head, to))


@declare.register
def _(head: Noise, name: str, to: Encoder) -> None:
    covariance = {} if head.covariance is None else {"covariance": to.declare(head.covariance)}
    to.declare_symbol(name, "vector noise", length=to.declare(head.length), **covariance)


@declare.register
def _(head: ScalarNoise, name: str, to: Encoder) -> None:
    to.declare_symbol(name, "scalar noise")


@declare.register
def _(head: Potential, name: str, to: Encoder) -> None:
    to.declare_function(name, "potential", blocks=[to.declare(b) for b in head.blocks])


@declare.register
def _(head: Field, name: str, to: Encoder) -> None:
    to.declare_function(
        name, "field", block=to.declare(head.block), positive=bool(head.is_positive)
    )


@declare.register
def _(head: Dense, name: str, to: Encoder) -> None:
    row, column = to.declare(head.row.length), to.declare(head.column.length)
    kind = {"symmetric": head.symmetric, "positive": head.positive_definite}
    to.declare_function(name, "dense", row=row, column=column, **kind)


@declare.register
def _(head: AppliedUndef, name: str, to: Encoder) -> None:
    to.declare_function(
        name, "elementwise", arity=len(head.args), positive=bool(head.func._kwargs.get("positive"))
    )


def encoded_domain(block: Block, to: Encoder) -> list[Any] | None:
    """The domain of each coordinate of a block; None for the whole line.

    Only the domain of a block is declared, so a block has no facts.
    """
    domain: Set = block.domain
    if domain == S.Reals:
        return None
    if isinstance(domain, Simplex):
        return ["simplex"]
    assert isinstance(domain, Interval)
    ends = [
        to.node(x) if x.is_finite else "oo" if x > 0 else "-oo" for x in (domain.start, domain.end)
    ]
    return ["interval", *ends, bool(domain.left_open), bool(domain.right_open)]


def facts_of(symbol: Symbol) -> list[str]:
    """The declared assumptions on a real number, without those that others imply; "not ..." for
    denials.

    ``positive`` is written without ``nonzero``, for instance.
    """
    declared = {k: v for k, v in assumptions_of(symbol).items() if k != "commutative"}
    known = _consequences(declared, symbol)
    kept: dict[str, bool] = {}
    for fact in FACTS:
        if known.get(fact) and not _consequences(kept, symbol).get(fact):
            kept[fact] = True
    for fact in sorted(k for k, v in declared.items() if not v):
        if _consequences(kept, symbol).get(fact) is not False:
            kept[fact] = False
    return [fact if holds else f"not {fact}" for fact, holds in kept.items()]


def _consequences(facts: dict[str, bool], symbol: Symbol) -> dict[str, bool]:
    """All assumptions that sympy derives from these, for a real number."""
    try:
        return Dummy(**{"real": True, **facts}).assumptions0  # type: ignore[no-any-return]
    except InconsistentAssumptions:
        raise RecipeError(
            f"{symbol} is declared not to be a real number; every symbol of a recipe is one"
        ) from None
