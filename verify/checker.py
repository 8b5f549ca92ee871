"""Checks a certificate with nothing but the standard library: ``python checker.py cert.json`` works
from a copy of this file.

It shares no code with the program that wrote the certificate and trusts nothing in it. From H, D,
Q, the drift and the update rule, or from the parts of a kernel, it derives every identity anew: at
explicit coordinates, by truncated Taylor series, in prime fields, at fresh random points. By the
theorem of docs/small-model.md, an identity that holds for a few lengths holds for all of them. A
zero is *confirmed, error below 2^-100*: a nonzero rational function of degree n vanishes at a
random point modulo p with probability at most n / p (Schwartz, Zippel), here below 2^40 / 2^190.

Exponentials need primes p_k = 2 p_(k+1) + 1. The squares modulo p_k are a group of prime order
p_(k+1), so exp(a) modulo p_k is g^(a modulo p_(k+1)), and x^a of a square x likewise (Gonnet 1986;
Martin 1971). Exponentials of different functions count as independent, and the bound on the error
treats powers of a random g as random. Exit status: 0 confirmed, 1 rejected, 2 no certificate or too
large, 3 not confirmed, 70 a fault of this program, 130 interrupted.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product, zip_longest
from math import factorial, gcd, inf, prod
from secrets import randbelow
from typing import Any

# -- limits
# --------------------------------------------------------------------------------------------------

VERSION = 2
# of the file
MAX_FILE_BYTES = 20_000_000
MAX_NODES = 20_000
MAX_DEPTH = 90  # nodes that refer to one another in a chain
MAX_NUMBER_BITS = 2048  # of a numerator or denominator
MAX_EXPONENT = 256  # of the numerator or denominator of a power
MAX_HEIGHT = 2**40  # bound on degrees and bits of coefficients; see Node.height

# of the work on one expression
MAX_LENGTH = 20  # coordinates of a vector
MAX_LENGTH_CHOICES = 300
MAX_MULTIPLICATIONS = 1_000_000
MAX_NESTED_EXPONENTS = 3
MAX_NOISE_FACTORS = 12  # in one product
MAX_DEPTH_IN_WORDS = 8  # of an expression that is printed
MAX_POINT_DRAWS = 400  # until every radicand is a square and no denominator vanishes


class CertificateError(ValueError):
    """The data is not a certificate, or exceeds the limits."""


class UnableError(Exception):
    """An expression is outside the class that can be decided here, or needs too much work."""


class NotSquareError(Exception):
    """A radicand is not a square at this point; the arguments are the indices whose values must be
    redrawn.
    """


def require(truth: object, sentence: str) -> None:
    """Raise CertificateError with this sentence unless ``truth`` holds."""
    if not truth:
        raise CertificateError(sentence)


def whole(n: object, low: int, high: int) -> bool:
    """Return True if n is an integer from ``low`` to ``high``, both included."""
    return type(n) is int and low <= n <= high


def keys(data: Any, wanted: Iterable[str], optional: Iterable[str], where: str) -> None:
    """Require an object with exactly the keys ``wanted``, and perhaps some of ``optional``."""
    require(isinstance(data, dict), f"{where} must be an object")
    missing, extra = set(wanted) - data.keys(), data.keys() - set(wanted) - set(optional)
    require(not missing, f"{where} lacks {', '.join(sorted(missing))}")
    require(not extra, f"{where} has the unknown key {', '.join(sorted(map(repr, extra)))}")


def fits(data: Any, shape: Any, where: str) -> None:
    """Require that data has a shape.

    A shape is a type, a set of allowed words, [shape] for a list of any length, a tuple of shapes
    for a list of that length, None for anything, or a dict with the shapes of an object's keys. A
    key of the dict that ends in "?" is optional.
    """
    if isinstance(shape, dict):
        keys(
            data, [k for k in shape if k[-1] != "?"], [k[:-1] for k in shape if k[-1] == "?"], where
        )
        for key in data:
            fits(data[key], shape[key] if key in shape else shape[key + "?"], f"{key} of {where}")
    elif isinstance(shape, (list, tuple)):
        require(isinstance(data, list), f"{where} must be a list")
        require(
            isinstance(shape, list) or len(data) == len(shape),
            f"{where} must be {len(shape)} things",
        )
        for part, inner in zip(
            data, shape * len(data) if isinstance(shape, list) else shape, strict=True
        ):
            fits(part, inner, f"a part of {where}")
    elif isinstance(shape, frozenset):
        require(
            isinstance(data, str) and data in shape, f"{where} is {data!r:.50}, which is not known"
        )
    elif shape is not None:
        require(type(data) is shape, f"{where} is {data!r:.50}, which is of another type")


# -- the language: declarations and the table of nodes
# -----------------------------------------------------------------------------

ARITY_OF_FUNCTION = {
    "exp": 1, "log": 1, "sin": 1, "cos": 1, "tan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "atan": 1,
    "erf": 1, "loggamma": 1, "polygamma": 2,
}  # fmt: skip
FACTS = (
    "zero", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "prime", "composite",
    "even", "odd", "integer", "noninteger", "rational", "irrational", "algebraic", "transcendental",
)  # fmt: skip
SYMBOL_SHAPE = {
    "kind": frozenset(
        {
            "vector",
            "scalar",
            "vector parameter",
            "parameter",
            "vector noise",
            "scalar noise",
            "step",
        }
    ),
    "facts": [frozenset({*FACTS, *(f"not {f}" for f in FACTS)})],
    "domain": None,
    "length?": str,
    "covariance?": str,
}
FUNCTION_SHAPES = {
    "potential": {"kind": str, "blocks": [str]},
    "field": {"kind": str, "block": str, "positive": bool},
    "elementwise": {"kind": str, "arity": int, "positive": bool},
    "dense": {"kind": str, "row": str, "column": str, "symmetric": bool, "positive": bool},
}
BLOCK_KINDS = ("vector", "scalar")
NODE_KINDS = (
    "num",
    "pi",
    "e",
    "sym",
    "at",
    "dim",
    "+",
    "*",
    "^",
    "fn",
    "total",
    "value",
    "d",
    "apply",
    "M",
)
# The arguments of these functions become exponents, so they are evaluated modulo the next prime.
EXPONENTIAL_FUNCTIONS = (
    "exp",
    "sinh",
    "cosh",
    "tanh",
    "erf",
)

Signs = frozenset[int]
POSITIVE, NEGATIVE, ZERO = Signs({1}), Signs({-1}), Signs({0})
ANY, NOT_NEGATIVE, NOT_POSITIVE, NOT_ZERO = (
    Signs({-1, 0, 1}),
    Signs({0, 1}),
    Signs({-1, 0}),
    Signs({-1, 1}),
)
SIGNS_OF_CONDITION = {"> 0": POSITIVE, ">= 0": NOT_NEGATIVE, "!= 0": NOT_ZERO}
SIGNS_OF_FACT = {
    "positive": POSITIVE, "negative": NEGATIVE, "zero": ZERO, "nonnegative": NOT_NEGATIVE,
    "nonpositive": NOT_POSITIVE, "nonzero": NOT_ZERO, "prime": POSITIVE, "composite": POSITIVE,
    "not zero": NOT_ZERO, "not positive": NOT_POSITIVE, "not negative": NOT_NEGATIVE,
    "noninteger": NOT_ZERO,
}  # fmt: skip
CONTRADICTING_FACTS = [
    ("even", "odd"),
    ("integer", "noninteger"),
    ("rational", "irrational"),
    ("algebraic", "transcendental"),
    ("zero", "odd"),
    ("even", "noninteger"),
    ("odd", "noninteger"),
    ("integer", "irrational"),
    ("prime", "composite"),
    ("prime", "noninteger"),
    *((f, f"not {f}") for f in FACTS),
]


@dataclass
class Node:
    """A node of the table, and properties of it that need no evaluation."""

    head: str
    name: Any = None  # of a symbol or function; the name of the length for a "total" or "dim"
    parts: tuple[int, ...] = ()  # indices of the nodes that it refers to
    labels: tuple[int, ...] = ()  # labels of coordinates; for a "total" the label that it binds
    by: tuple[tuple[str, int | None], ...] = ()  # for "d": blocks and labels of the derivatives
    orders: tuple[int, ...] = ()  # for "apply": orders of the derivatives by each argument
    number: Fraction | None = None  # for "num"
    free: dict[int, str] = field(default_factory=dict)  # free labels, with their lengths
    sums: bool = False  # True if totals or lengths occur outside of functions
    step_order: int = 0  # a lower bound for the power of s = sqrt(step) that it starts with
    nested: int = 0  # how many exponents are nested in one another
    depth: int = 1
    # a bound on the degree in the drawn values, and on the bits of coefficients, for all lengths
    # that are evaluated
    height: int = 0

    @property
    def integer(self) -> int | None:
        """The value of an integer node; None for any other."""
        return (
            self.number.numerator
            if self.number is not None and self.number.denominator == 1
            else None
        )


class Table:
    """Nodes and declarations, which are checked when the table is built.

    Raises:
        CertificateError: if a declaration or a node is malformed, or exceeds the limits.
    """

    def __init__(self, nodes: Any, symbols: Any, functions: Any, lengths: Any) -> None:
        fits(lengths, [str], "lengths")
        fits(nodes, [None], "nodes")
        require(len(nodes) <= MAX_NODES, f"there are more than {MAX_NODES} nodes")
        require(
            isinstance(symbols, dict) and isinstance(functions, dict),
            "symbols and functions must be objects",
        )
        self.lengths: list[str] = lengths
        self.symbols: dict[str, Any] = symbols
        self.functions: dict[str, Any] = functions
        self.nodes: list[Node] = []
        self.data: list[list[Any]] = []  # the nodes as they are written
        self._index: dict[str, int] = {}
        self._indexed = 0  # the number of nodes that are in it
        self.known_signs: dict[int, Signs] = {}
        self.known_squares: dict[int, bool] = {}
        names = [*lengths, *symbols, *functions]
        require(len(set(names)) == len(names), "a name is declared twice")
        for name, s in symbols.items():
            self._symbol(name, s)
        for name, f in functions.items():
            self._function(name, f)
        for name, s in symbols.items():
            if "covariance" in s:
                dense = self.function(s["covariance"], "dense")
                right = (
                    s["kind"] == "vector noise"
                    and dense["positive"]
                    and dense["row"] == s["length"]
                )
                require(right, f"the covariance of {name!r} is wrong")
        for k, data in enumerate(nodes):
            self._add(data, f"node {k}")
        for name, s in symbols.items():
            self.domain(s["domain"], s["kind"], f"the domain of {name!r}")

    # -- declarations

    def _symbol(self, name: str, s: Any) -> None:
        fits(s, SYMBOL_SHAPE, repr(name))
        vector, facts = s["kind"].startswith("vector"), s["facts"]
        require(
            ("length" in s) == vector and (not vector or s["length"] in self.lengths),
            f"the length of {name!r} is wrong",
        )
        require(len(set(facts)) == len(facts), f"the facts of {name!r} are not each said once")
        require(
            not facts or "parameter" in s["kind"] or s["kind"] == "step",
            f"{name!r} has facts; it can only have a domain",
        )
        contradiction = any(a in facts and b in facts for a, b in CONTRADICTING_FACTS)
        consistent = s["domain"] is None and symbol_signs(self, name) and not contradiction
        require(not facts or consistent, f"the facts of {name!r} contradict each other")

    def _function(self, name: str, f: Any) -> None:
        kind: str = f["kind"] if isinstance(f, dict) and isinstance(f.get("kind"), str) else ""
        require(kind in FUNCTION_SHAPES, f"the function {name!r} is of an unknown kind")
        fits(f, FUNCTION_SHAPES[kind], repr(name))
        blocks = self.blocks(f)
        require(
            len(set(blocks)) == len(blocks) and (blocks or kind != "potential"),
            f"the blocks of {name!r} are wrong",
        )
        allowed = BLOCK_KINDS if kind == "potential" else ("vector",)
        require(
            all(self.kind(b) in allowed for b in blocks),
            f"{name!r} depends on what is no such block",
        )
        require(kind != "elementwise" or whole(f["arity"], 1, 8), f"the arity of {name!r} is wrong")
        if kind == "dense":
            require(
                f["row"] in self.lengths and f["column"] in self.lengths,
                f"the lengths of {name!r} are not declared",
            )
            require(f["symmetric"] or not f["positive"], f"{name!r} is positive and not symmetric")
            require(
                not f["symmetric"] or f["row"] == f["column"],
                f"{name!r} is symmetric and not square",
            )

    def domain(self, domain: Any, kind: str, where: str) -> None:
        """Require that the data of the domain of a block are well formed."""
        if domain is None or (domain == ["simplex"] and kind == "vector"):
            return
        fits(domain, (frozenset({"interval"}), None, None, bool, bool), where)
        require(kind in BLOCK_KINDS, f"{where} is not that of a block")
        low, high = (x if x in ("-oo", "oo") else self.index(x, where) for x in domain[1:3])
        require(low != "oo" and high != "-oo", f"{where} is empty")
        ends = [self.nodes[x].number for x in (low, high) if not isinstance(x, str)]
        require(all(x is not None for x in ends), f"{where} has an end that is no rational number")
        require(len(ends) < 2 or ends[0] < ends[1], f"{where} is empty")  # type: ignore[operator]

    def kind(self, name: object) -> str | None:
        """The kind of a symbol; None for any other name."""
        return (
            self.symbols[name]["kind"] if isinstance(name, str) and name in self.symbols else None
        )

    def length(self, name: str) -> str | None:
        """The name of the length of a vector symbol; None for a scalar one."""
        return self.symbols[name].get("length")  # type: ignore[no-any-return]

    def function(self, name: object, *kinds: str) -> dict[str, Any]:
        """The declaration of a function.

        Raises:
            CertificateError: unless it is declared with one of these kinds.
        """
        found = self.functions.get(name) if isinstance(name, str) else None
        if found is None or found["kind"] not in kinds:
            raise CertificateError(f"{name!r:.50} is not declared as {' or '.join(kinds)}")
        return found

    @staticmethod
    def blocks(f: Mapping[str, Any]) -> list[str]:
        """The blocks that a function depends on as a whole."""
        return f["blocks"] if "blocks" in f else [f["block"]] if "block" in f else []

    def index(self, n: Any, where: str) -> int:
        """Require that n is the index of an earlier node, and return it."""
        require(
            whole(n, 0, len(self.nodes) - 1),
            f"{where} refers to {n!r:.50}, which is no earlier node",
        )
        return n  # type: ignore[no-any-return]

    # -- nodes

    def _add(self, data: Any, where: str) -> None:
        require(
            isinstance(data, list) and data and isinstance(data[0], str),
            f"{where} must be a list that begins with its kind",
        )
        require(data[0] in NODE_KINDS, f"{where} is of the unknown kind {data[0]!r:.50}")
        node, own = self._read(data, where)
        below = [self.nodes[c] for c in node.parts]
        for label, length in [*own, *(pair for b in below for pair in b.free.items())]:
            require(
                node.free.setdefault(label, length) == length,
                f"{where} has one label for two lengths",
            )
        if node.head == "total":
            require(
                node.free.pop(node.labels[0], node.name) == node.name,
                f"{where} sums over another length than its label's",
            )
        node.depth = 1 + max((b.depth for b in below), default=0)
        require(node.depth <= MAX_DEPTH, f"{where} is deeper than {MAX_DEPTH}")
        self._describe(node, below)
        require(node.height <= MAX_HEIGHT, f"{where} has too high a degree")
        self.nodes.append(node)
        self.data.append(data)

    def add(self, *data: Any) -> int:
        """The index of a node of the checker's own, which is added unless it is there.

        Raises:
            UnableError: if it is too deep, or of too high a degree.
        """
        for k in range(self._indexed, len(self.data)):
            self._index.setdefault(repr(self.data[k]), k)
        self._indexed = len(self.data)
        if repr(list(data)) in self._index:
            return self._index[repr(list(data))]
        try:
            require(len(self.nodes) < 2 * MAX_NODES, "there are too many nodes")
            self._add(list(data), "a node that is derived")
        except CertificateError as error:
            raise UnableError(str(error)) from None
        return len(self.nodes) - 1

    def number(self, q: Fraction | int) -> int:
        """Add a number, and return its index."""
        return self.add("num", Fraction(q).numerator, Fraction(q).denominator)

    def _read(self, data: list[Any], where: str) -> tuple[Node, list[tuple[int, str]]]:  # noqa: PLR0912
        """A node from its data, and the labels that occur in it directly, with their lengths."""

        def parts(*indices: Any) -> tuple[int, ...]:
            return tuple(self.index(n, where) for n in indices)

        def labelled(*pairs: tuple[Any, str]) -> tuple[int, ...]:
            require(
                all(whole(label, -9, MAX_DEPTH) for label, _ in pairs), f"{where} has a wrong label"
            )
            return tuple(label for label, _ in pairs)

        match data:
            case ["num", p, q]:
                bounded = all(
                    type(n) is int and abs(n).bit_length() <= MAX_NUMBER_BITS for n in (p, q)
                )
                require(
                    bounded and q > 0,
                    f"{where} must be a fraction of integers of at most {MAX_NUMBER_BITS} bits",
                )
                return Node("num", number=Fraction(p, q)), []
            case ["pi" | "e" as head]:
                return Node(head), []
            case ["sym", name]:
                scalar = self.kind(name) in ("scalar", "parameter", "scalar noise", "step")
                require(scalar, f"{where}: {name!r:.50} is no such symbol")
                return Node("sym", name), []
            case ["at", name, label]:
                require(
                    (self.kind(name) or "").startswith("vector"),
                    f"{where}: {name!r:.50} has no coordinates",
                )
                pairs = [(label, self.symbols[name]["length"])]
                return Node("at", name, labels=labelled(*pairs)), pairs
            case ["dim", length]:
                require(length in self.lengths, f"{where}: {length!r:.50} is no length")
                return Node("dim", length), []
            case ["+" | "*" as head, _, *_]:
                return Node(head, parts=parts(*data[1:])), []
            case ["^", base, exponent]:
                node = Node("^", parts=parts(base, exponent))
                q = self.nodes[exponent].number
                require(
                    q is None or max(abs(q.numerator), q.denominator) <= MAX_EXPONENT,
                    f"{where} has too high a power",
                )
                return node, []
            case ["fn", str(name), *arguments]:
                require(name in ARITY_OF_FUNCTION, f"{where} is an unknown function")
                require(
                    len(arguments) == ARITY_OF_FUNCTION[name],
                    f"{where} has too many or too few arguments",
                )
                node = Node("fn", name, parts(*arguments))
                small = name != "polygamma" or whole(self.nodes[node.parts[0]].integer, 0, 32)
                require(small, f"{where} needs a small integer as its order")
                return node, []
            case ["total", body, length, label]:
                require(
                    length in self.lengths and whole(label, 1, MAX_DEPTH),
                    f"{where} sums over no length or no bound label",
                )
                return Node("total", length, parts(body), (label,)), []
            case ["M", name, row, column]:
                f = self.function(name, "dense")
                pairs = [(row, f["row"]), (column, f["column"])]
                return Node("M", name, labels=labelled(*pairs)), pairs
            case ["apply", name, list(orders), *arguments]:
                arity = self.function(name, "elementwise")["arity"]
                require(
                    len(orders) == arity == len(arguments),
                    f"{where} has too many or too few arguments",
                )
                require(all(whole(n, 0, 32) for n in orders), f"{where} has wrong orders")
                return Node("apply", name, parts(*arguments), orders=tuple(orders)), []
            case ["value", name, label]:
                return self._read_jet("value", name, label, [], where)
            case ["d", name, label, [_, *_] as by]:
                return self._read_jet("d", name, label, by, where)
        raise CertificateError(f"{where} has too many or too few parts")

    def _read_jet(
        self, head: str, name: Any, label: Any, by: list[Any], where: str
    ) -> tuple[Node, list[tuple[int, str]]]:
        f = self.function(name, "potential", "field")
        require(len(by) <= 8, f"{where} is differentiated too often")
        places = [(f["block"], label)] if f["kind"] == "field" else []
        require(places or label is None, f"{where} gives a potential an index")
        for x in by:
            require(
                isinstance(x, list) and len(x) == 2,
                f"{where} must say by what it is differentiated",
            )
            require(
                x[0] in self.blocks(f),
                f"{where} is differentiated by {x[0]!r:.50}, on which it does not depend",
            )
            places.append((x[0], x[1]))
        pairs = [(x, self.symbols[b]["length"]) for b, x in places if self.length(b)]
        require(
            all(x is None for b, x in places if not self.length(b)),
            f"{where} gives a scalar an index",
        )
        require(all(whole(x, -9, MAX_DEPTH) for x, _ in pairs), f"{where} has a wrong label")
        return (
            Node(head, name, labels=() if label is None else (label,), by=tuple(map(tuple, by))),
            pairs,
        )

    def _describe(self, node: Node, below: list[Node]) -> None:
        """Fill in the properties of a node that need no evaluation, from those of its parts."""
        head, heights = node.head, [b.height for b in below]
        power = below[1].number if head == "^" else None
        n = below[1].integer if head == "^" else None
        node.nested = max((b.nested for b in below), default=0)
        if head == "fn" and node.name in EXPONENTIAL_FUNCTIONS:
            node.nested += 1
        elif head == "^" and n is None:
            node.nested = max(below[0].nested, 1 + below[1].nested)
        node.height = 1 + 2 * sum(heights)
        if head in ("+", "*"):
            node.height = sum(heights)
        elif head == "total":
            node.height = MAX_LENGTH * heights[0]
        elif head == "^" and n is not None:
            node.height = abs(n) * heights[0]
        elif node.number is not None:
            node.height = (
                abs(node.number.numerator).bit_length() + node.number.denominator.bit_length()
            )
        inside = any(b.sums for b in below)
        # In the argument of a function a sum is treated as a free value, and so it is in a
        # denominator that depends on a coordinate.
        function = head in ("fn", "apply") or (
            head == "^" and (n is None or (n < 0 and bool(node.free)))
        )
        node.sums = head in ("total", "dim") or (inside and not function)
        if head == "sym" and self.kind(node.name) == "step":
            node.step_order = 2
        elif head in ("+", "*"):
            node.step_order = (min if head == "+" else sum)(b.step_order for b in below)
            if (small := small_exponential(self, node)) is not None:
                node.step_order = self.nodes[small[1]].step_order
        elif head == "^" and power is not None and power > 0:
            node.step_order = int(power * below[0].step_order)

    def is_frozen(self, base: int) -> bool:
        """Return True if a denominator is treated as a function of the sums in it.

        That is necessary if it depends on a coordinate, as no multiplication can clear it then.
        """
        return self.nodes[base].sums and bool(self.nodes[base].free)

    def reachable(self, roots: Iterable[int]) -> list[int]:
        """The indices of all nodes that the roots consist of, themselves included, in order."""
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            k = stack.pop()
            if k not in seen:
                seen.add(k)
                stack += self.nodes[k].parts
        return sorted(seen)


# -- signs, read off the structure
# -------------------------------------------------------------------------------------------------


def sign(x: Fraction | int) -> Signs:
    """The sign of a number, as a set of one element."""
    return Signs({(x > 0) - (x < 0)})


def symbol_signs(table: Table, name: str) -> Signs:
    """The possible signs of a symbol: by the facts of a parameter, or by the domain of a block.

    Empty if the facts contradict each other.
    """
    symbol = table.symbols[name]
    if symbol["domain"] is not None:
        simplex = symbol["domain"] == ["simplex"]
        return (
            POSITIVE if simplex else affine_signs(table, Fraction(0), Fraction(1), symbol["domain"])
        )
    start = POSITIVE if symbol["kind"] == "step" else ANY
    return reduce(Signs.__and__, (SIGNS_OF_FACT.get(fact, ANY) for fact in symbol["facts"]), start)


def affine_signs(table: Table, constant: Fraction, factor: Fraction, domain: list[Any]) -> Signs:
    """The possible signs of ``constant + factor * x`` on an interval, for a nonzero factor.

    In the interior, its values are strictly between those at both ends.
    """
    ends = []
    for end, infinite in zip(domain[1:3], (-1, 1), strict=True):
        finite = isinstance(end, int)
        ends.append(
            sign(
                constant + factor * (table.nodes[end].number or 0) if finite else factor * infinite
            )
        )
    inside = sum_signs(ends) - ZERO  # a mean of two values of one sign, which are not both zero
    if sum_signs(ends) == ANY or not inside:
        return ANY
    return inside.union(*(s for s, is_open in zip(ends, domain[3:], strict=True) if not is_open))


def sum_signs(parts: Iterable[Signs]) -> Signs:
    """The possible signs of a sum, given those of its parts."""
    together = Signs().union(*parts)
    if together <= NOT_NEGATIVE or together <= NOT_POSITIVE:
        return together - ZERO if any(0 not in p for p in parts) else together
    return ANY


def signs(table: Table, k: int) -> Signs:
    """A set that contains the sign of a node wherever it is defined."""
    if k not in table.known_signs:
        table.known_signs[k] = _signs(table, table.nodes[k])
    return table.known_signs[k]


def _signs(table: Table, node: Node) -> Signs:
    below = [signs(table, c) for c in node.parts]
    match node.head:
        case "num":
            return sign(node.number or 0)
        case "pi" | "e" | "dim":
            return POSITIVE
        case "sym" | "at":
            return symbol_signs(table, node.name)
        case "value" | "apply":
            return (
                POSITIVE
                if table.functions[node.name].get("positive") and not any(node.orders)
                else ANY
            )
        case "M":
            return (
                POSITIVE
                if table.functions[node.name]["positive"] and node.labels[0] == node.labels[1]
                else ANY
            )
        case "*":
            return product_signs(table, node)
        case "total":
            return sum_signs(below)
        case "+":
            found = plus_signs(table, node.parts)
            found = found if found != ANY else remainder_signs(table, node.parts)
            return found if found != ANY else whole_number_signs(table, node)
        case "^":
            return power_signs(below[0], table.nodes[node.parts[1]].number)
        case "fn":
            return function_signs(table, node)
    return ANY


def signs_at_step_0(table: Table, k: int) -> Signs:
    """A set that contains the sign of a node with 0 in place of the step, wherever it is defined
    there.

    What is no sum, product or power, and contains the step, may have every sign.
    """
    node = table.nodes[k]
    if node.head == "sym" and table.kind(node.name) == "step":
        return ZERO
    below = [signs_at_step_0(table, c) for c in node.parts]
    match node.head:
        case "*":
            return reduce(lambda a, b: Signs(x * y for x in a for y in b), below)
        case "+" | "total":
            found = sum_signs(below)
            with_step = any(table.kind(n) == "step" for n in symbols_in(table, k))
            return found if found != ANY or with_step else signs(table, k)
        case "^":
            power = table.nodes[node.parts[1]].number
            if 0 in below[0] and (power is None or power < 0):
                return ANY  # it has no value there
            return power_signs(below[0], power)
        case "fn" if node.name in ("exp", "cosh"):
            return POSITIVE
    return ANY if any(table.kind(n) == "step" for n in symbols_in(table, k)) else signs(table, k)


def symbols_in(table: Table, k: int) -> set[str]:
    """The names of all symbols in a node."""
    nodes = (table.nodes[c] for c in table.reachable([k]))
    return {node.name for node in nodes if node.head in ("sym", "at")}


def power_signs(base: Signs, power: Fraction | None) -> Signs:
    """The possible signs of a power, where a root is the nonnegative one.

    With a symbolic exponent, only the sign of a power of a positive base is known.
    """
    if base == POSITIVE or power == 0:
        return POSITIVE
    if power is None:
        return ANY
    found = base if power.numerator % 2 else Signs(abs(s) for s in base)
    if power.denominator > 1:
        found = NOT_NEGATIVE
    return found - ZERO if power < 0 else found


def function_signs(table: Table, node: Node) -> Signs:
    """The possible signs of functions that have one sign, or the sign of their argument."""
    if node.name in ("exp", "cosh"):
        return POSITIVE
    if node.name in ("sinh", "tanh", "atan", "erf"):
        return signs(table, node.parts[0])
    inside = table.nodes[node.parts[0]]
    rest = tuple(c for c in inside.parts if table.nodes[c].number != 1)
    # log(1 + x) has the sign of x
    if node.name == "log" and inside.head == "+" and len(rest) == len(inside.parts) - 1:
        return plus_signs(table, rest)
    return ANY


def plus_signs(table: Table, parts: tuple[int, ...]) -> Signs:
    """The possible signs of a sum with parts of one sign, or of one of these forms.

    They are c (exp(x) - 1); 1 - total(x) on the simplex; a multiple of a coordinate of an interval
    plus a number; and total(f) - f with f at one coordinate, for f without a negative value.
    """
    found = sum_signs([signs(table, c) for c in parts])
    if found != ANY or len(parts) != 2:
        return found
    for one, other in (parts, parts[::-1]):
        constant, (factor, rest) = table.nodes[one].number, scaled(table, other)
        node = table.nodes[rest]
        if factor == -1 and is_sum_over(table, table.nodes[one], rest):
            return NOT_NEGATIVE
        if not constant or not factor:
            continue
        domain = table.symbols[node.name]["domain"] if node.head in ("at", "sym") else None
        if node.head == "fn" and node.name == "exp" and constant == -factor:
            return Signs(s * next(iter(sign(factor))) for s in signs(table, node.parts[0]))
        if node.head == "total" and constant == 1 and factor == -1:
            x = table.nodes[node.parts[0]]
            whole_sum = (
                x.head == "at"
                and x.labels == node.labels
                and table.symbols[x.name]["domain"] == ["simplex"]
            )
            return POSITIVE if whole_sum else ANY
        if domain and domain[0] == "interval":
            return affine_signs(table, constant, factor, domain)
    return ANY


def remainder_signs(table: Table, parts: tuple[int, ...]) -> Signs:
    """The possible signs of a function less its Taylor polynomial at 0, or of minus that.

    The remainder is the next derivative at a place between, which cosh and exp have positive, times
    an even power. The cosine lies between each two of its polynomials that follow one another.
    """
    found = [(n, *scaled(table, c)) for n, c in enumerate(parts)]
    functions = [
        (n, factor, table.nodes[k])
        for n, factor, k in found
        if table.nodes[k].head == "fn" and table.nodes[k].name in ("cosh", "cos", "exp")
    ]
    if len(functions) != 1 or abs(functions[0][1]) != 1:
        return ANY
    place, factor, function = functions[0]
    stretch, of = scaled(table, function.parts[0])
    if not stretch:
        return ANY
    polynomial: dict[int, Fraction] = {}
    for n, c, k in found:
        node = table.nodes[k]
        power = table.nodes[node.parts[1]].integer if node.head == "^" else None
        if n == place:
            continue
        if node.number is not None:
            degree, by = 0, node.number
        elif k in (of, function.parts[0]):
            degree, by = 1, 1 / stretch if k == of else Fraction(1)
        elif power is not None and power > 0 and node.parts[0] in (of, function.parts[0]):
            degree, by = power, stretch**-power if node.parts[0] == of else Fraction(1)
        else:
            return ANY
        polynomial[degree] = polynomial.get(degree, Fraction(0)) - c * by / factor
    step, last = 1 if function.name == "exp" else 2, max(polynomial, default=-1)
    alternating = -1 if function.name == "cos" else 1
    wanted = {n: Fraction(alternating ** (n // 2), factorial(n)) for n in range(0, last + 1, step)}
    if not polynomial or polynomial != wanted or (step == 1 and last % 2 == 0):
        return ANY
    side = -factor if function.name == "cos" and last % 4 == 0 else factor
    return NOT_NEGATIVE if side > 0 else NOT_POSITIVE


def is_sum_over(table: Table, total: Node, one: int) -> bool:
    """Return True if a node is a sum of nonnegative summands, of which ``one`` is one."""
    if total.head != "total" or not signs(table, total.parts[0]) <= NOT_NEGATIVE:
        return False
    at = [x for x, length in table.nodes[one].free.items() if length == total.name]
    return any(is_moved(table, total.parts[0], one, (total.labels[0], x)) for x in at)


def is_moved(table: Table, a: int, b: int, move: tuple[int, int]) -> bool:
    """Return True if node b is node a with one label in place of another."""

    def moved(label: int | None) -> int | None:
        return move[1] if label == move[0] else label

    here, there = table.nodes[a], table.nodes[b]
    alike = (
        (here.head, here.name, here.orders, here.number, len(here.parts))
        == (there.head, there.name, there.orders, there.number, len(there.parts))
        and tuple(map(moved, here.labels)) == there.labels
        and tuple((x, moved(label)) for x, label in here.by) == there.by
    )
    if not alike or here.head not in ("+", "*"):
        pairs = zip(here.parts, there.parts, strict=False)
        return alike and all(is_moved(table, c, e, move) for c, e in pairs)
    left = list(there.parts)
    for c in here.parts:  # in any order
        found = next((e for e in left if is_moved(table, c, e, move)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def core(table: Table, k: int) -> tuple[int, int]:
    """1 or -1 and a node, whose product has the sign of this node wherever that is defined."""
    factor, k = scaled(table, k)
    node, turned = table.nodes[k], 1 if factor > 0 else -1
    odd = node.head == "^" and (table.nodes[node.parts[1]].integer or 0) % 2
    if odd or (node.head == "fn" and node.name in ("sinh", "tanh", "atan", "erf")):
        sign_inside, k = core(table, node.parts[0])
        turned *= sign_inside
    return turned, k


def product_signs(table: Table, node: Node) -> Signs:
    """The possible signs of a product: two factors with one sign are a square."""
    unknown: dict[int, list[Signs]] = {}
    found = [signs(table, c) for c in node.parts]
    for n, c in enumerate(node.parts):
        if {-1, 1} <= found[n]:
            turned, of = core(table, c)
            unknown.setdefault(of, []).append(found[n])
            found[n] = sign(turned)
    for of_core in unknown.values():
        either = Signs().union(*of_core)
        found.append(either if len(of_core) % 2 else either - NEGATIVE)
    signs_found = reduce(lambda a, b: Signs(x * y for x in a for y in b), found, POSITIVE)
    return signs_found if signs_found != ANY else whole_number_signs(table, node)


# -- signs at whole numbers

MAX_DEGREE_IN_ONE, MAX_WHOLE_NUMBERS = 24, 20_000
WHOLE = {"integer", "even", "odd", "prime", "composite"}
Quotient = tuple[list[Fraction], list[Fraction]]  # two polynomials, lowest coefficient first


def whole_number_signs(table: Table, node: Node) -> Signs:
    """The possible signs of a rational function of one whole number.

    Beyond the last root its sign is that of the leading coefficients; before, each number is tried.
    """
    names: set[tuple[str, Any]] = set()
    reached, seen = list(node.parts), set(node.parts)
    while reached and len(names) < 2:
        x = table.nodes[reached.pop()]
        if x.head not in ("num", "sym", "dim", "+", "*", "^"):
            return ANY
        names |= {(x.head, x.name)} if x.head in ("sym", "dim") else set()
        reached += [c for c in x.parts if c not in seen]
        seen |= {*x.parts}
    if len(names) != 1:
        return ANY
    ((head, name),) = names
    positive = head == "dim" or symbol_signs(table, name)
    if head == "sym" and not WHOLE & set(table.symbols[name]["facts"]):
        return ANY
    read = quotient(table, node)
    if read is None:
        return ANY
    p = trimmed(times(*read))
    if not p or len(p) > MAX_DEGREE_IN_ONE + 1:
        return ANY
    mirrored = [[c * (-1) ** n for n, c in enumerate(q)] for q in (p, read[1])]
    at_0 = sign(p[0]) if read[1][0] else Signs()
    above, below = from_one(p, read[1]), from_one(*mirrored)
    allowed = POSITIVE if positive is True else positive
    found = Signs()
    for n, part in ((1, above), (0, at_0), (-1, below)):
        if n in allowed:
            if part is None:
                return ANY
            found |= part
    return found


def quotient(table: Table, node: Node) -> Quotient | None:
    """A node as numerator and denominator, both polynomials in its one symbol."""
    one = [Fraction(1)]
    if node.number is not None:
        return [node.number], one
    if node.head in ("sym", "dim"):
        return [Fraction(0), Fraction(1)], one
    if node.head == "^":
        n, base = table.nodes[node.parts[1]].integer, quotient(table, table.nodes[node.parts[0]])
        if n is None or base is None or abs(n) > MAX_DEGREE_IN_ONE:
            return None
        above, below = (reduce(times, [p] * abs(n), one) for p in base)
        return (above, below) if n >= 0 else (below, above)
    if node.head not in ("+", "*"):
        return None
    whole = ([Fraction(0)], one) if node.head == "+" else (one, one)
    for c in node.parts:
        part = quotient(table, table.nodes[c])
        if part is None or len(whole[0]) + len(whole[1]) > 4 * MAX_DEGREE_IN_ONE:
            return None
        above = times(whole[0], part[0])
        if node.head == "+":
            here, there = times(whole[0], part[1]), times(part[0], whole[1])
            above = [a + b for a, b in zip_longest(here, there, fillvalue=Fraction(0))]
        whole = above, times(whole[1], part[1])
    return whole


def times(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    """The product of two polynomials, lowest coefficient first."""
    result = [Fraction(0)] * (len(p) + len(q) - 1)
    for (m, a), (n, b) in product(enumerate(p), enumerate(q)):
        result[m + n] += a * b
    return result


def trimmed(p: list[Fraction]) -> list[Fraction]:
    """A polynomial without zeros above its leading coefficient."""
    return p[: max((n + 1 for n, c in enumerate(p) if c), default=0)]


def from_one(p: list[Fraction], below: list[Fraction]) -> Signs | None:
    """The signs of a polynomial at 1, 2 and so on, where the other one is not zero; None if too
    many would have to be tried.
    """
    # Cauchy: every root is smaller in size than 1 + the largest ratio to the leading coefficient
    bound = 1 + max((abs(c / p[-1]) for c in p), default=Fraction(0))
    # Fujiwara (1916): also smaller than 2 max |c_k / c_n|^(1/(n - k)); a power of 2 above that
    power = 1
    while any(abs(c / p[-1]) > Fraction(power) ** (len(p) - 1 - n) for n, c in enumerate(p[:-1])):
        power *= 2
    last = int(min(bound, Fraction(2 * power))) + 1
    if last > MAX_WHOLE_NUMBERS:
        return None
    numbers = (k for k in range(1, last + 1) if value_at(below, k))
    return Signs().union(*(sign(value_at(p, k)) for k in numbers), sign(p[-1]))


def value_at(p: list[Fraction], x: int) -> Fraction:
    """The value of a polynomial, by Horner's rule."""
    return reduce(lambda value, c: value * x + c, reversed(p), Fraction(0))


def scaled(table: Table, k: int) -> tuple[Fraction, int]:
    """A node as (number, other node), whose product it is."""
    node = table.nodes[k]
    if node.head == "*" and len(node.parts) == 2:
        for a, b in (node.parts, node.parts[::-1]):
            if table.nodes[a].number is not None:
                return table.nodes[a].number or Fraction(0), b
    return Fraction(1), k


# -- prime fields
# --------------------------------------------------------------------------------------------------

SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
SIEVE = prod(q for q in range(37, 2000, 2) if all(q % n for n in range(3, 45, 2) if n < q))
# Every p + 1 is a multiple of this, which makes the small primes squares modulo p.
CHAIN_FACTOR = 4 * prod(SMALL_PRIMES)


def prime_chain(length: int) -> tuple[int, ...]:
    """A fresh random chain of primes p_k = 2 p_(k+1) + 1, which no author of a certificate can
    know.

    The last prime is tested; the others follow from it (Pocklington).
    """
    while True:
        t = 2**150 + randbelow(2**150)
        chain = [CHAIN_FACTOR * t * 2**k - 1 for k in range(length)]
        if all(gcd(p, SIEVE) == 1 for p in chain) and all(pow(2, p - 1, p) == 1 for p in chain):
            bases = (2 + randbelow(chain[0] - 3) for _ in range(50))
            # the Miller-Rabin test, which has one squaring as p = 3 modulo 4
            if all(pow(a, chain[0] // 2, chain[0]) in (1, chain[0] - 1) for a in bases):
                return tuple(reversed(chain))


def factors(n: int) -> list[int]:
    """The prime factors below 1000 with multiplicity, and the remaining factor if it is not 1."""
    found = []
    for q in (2, *range(3, 1000, 2)):
        while n % q == 0:
            found.append(q)
            n //= q
    return [*found, n] if n > 1 else found


def inverse(value: int, p: int) -> int:
    """1 / value modulo p.

    Raises:
        ZeroDivisionError: if the value is zero modulo p.
    """
    if value % p == 0:
        raise ZeroDivisionError
    return pow(value, -1, p)


def rational(q: Fraction, p: int) -> int:
    """A rational number modulo p."""
    return q.numerator * inverse(q.denominator, p) % p


def falling(x: int, n: int) -> int:
    """The falling factorial x (x - 1) ... (x - n + 1)."""
    return prod(x - m for m in range(n))


def small_exponential(table: Table, node: Node) -> tuple[Fraction, int] | None:
    """(c, x) for a node c (exp(x) - 1), where x vanishes with the step; None for any other."""
    if node.head == "+" and len(node.parts) == 2:
        for one, other in (node.parts, node.parts[::-1]):
            factor, rest = scaled(table, other)
            inside = table.nodes[rest]
            if (
                table.nodes[one].number == -factor
                and (inside.head, inside.name) == ("fn", "exp")
                and table.nodes[inside.parts[0]].step_order
            ):
                return factor, inside.parts[0]
    return None


def is_square(table: Table, k: int) -> bool:
    """Return True if a node is known to be a square at every point, with a nonnegative value."""
    if k not in table.known_squares:
        node = table.nodes[k]
        found = (
            node.head in ("pi", "e", "sym", "at", "value", "apply", "M")
            and signs(table, k) <= NOT_NEGATIVE
        )
        if node.number is not None and node.number > 0:
            # other primes than these need not be squares modulo p
            found = {*factors(node.number.numerator), *factors(node.number.denominator)} <= {
                *SMALL_PRIMES
            }
        elif node.head in ("*", "^"):
            found = all(
                is_square(table, c) for c in (node.parts if node.head == "*" else node.parts[:1])
            )
        table.known_squares[k] = found or (node.head == "fn" and node.name == "exp")
    return table.known_squares[k]


# -- evaluation at a point
# --------------------------------------------------------------------------------------------------

Env = Mapping[int, int]  # the coordinate that each label stands for
Place = tuple[str, int]  # a coordinate of a block or of a noise; its number is -1 for a scalar
Monomial = tuple[int, tuple[Place, ...]]  # the order, and the variables as often as they occur
CONSTANT: Monomial = (0, ())


class Series:
    """A truncated power series, as coefficients by monomials; its terms are exact up to the order
    ``known``.
    """

    __slots__ = ("known", "terms")

    def __init__(self, terms: dict[Monomial, int], known: float = inf) -> None:
        self.terms = {m: c for m, c in terms.items() if c and m[0] <= known}
        self.known = known

    def low(self) -> float:
        """The lowest order of a term."""
        return min((order for order, _ in self.terms), default=self.known + 1)

    def constant(self) -> int:
        """The constant term."""
        return self.terms.get(CONSTANT, 0)


Value = int | Series  # an int stands for a constant series


class Run:
    """Evaluation of nodes at one random point, for explicit lengths.

    A node has two values. Its *frozen* value is a number modulo the prime of a level of the chain,
    in which every total and length is a free value; it serves as an argument of functions. Its
    Taylor series is computed at level 0, with totals written out. Without a rule, the variables of
    the series are the coordinates (if ``noisy``, noise as well), up to ``order`` derivatives. With
    a rule they are noise and the root s of the step, whose power is the order.
    """

    def __init__(
        self,
        table: Table,
        primes: tuple[int, ...],
        sizes: Mapping[str, int],
        order: int,
        rule: bool = False,
        noisy: bool = False,
    ) -> None:
        self.table, self.primes, self.sizes, self.order, self.rule, self.noisy = (
            table,
            primes,
            sizes,
            order,
            rule,
            noisy,
        )
        self.p = primes[0]
        self.complete = True  # False once a nonzero value may be due to an identity unknown here
        # radicands that are not known to be squares: node, coordinates of its labels, level, and
        # the partners by which it is at another state
        self.roots: set[
            tuple[int, tuple[tuple[int, int], ...], int, tuple[tuple[str, str], ...]]
        ] = set()
        self.moved: dict[Place, Series] = {}
        self.work = 0
        # of an exchange of two states: the names of blocks and of their partners, both ways
        self.partners: Mapping[str, str] = {}
        self._values: dict[tuple[int, tuple[int, ...], Any], int] = {}
        self._known: tuple[dict[Any, Value], dict[Any, Value]] = ({}, {})  # series, frozen values
        self._bases = [pow(2 + randbelow(p - 3), 2, p) for p in primes]

    def forget(self, indices: tuple[int, ...]) -> None:
        """Redraw the values that belong to some indices, and evaluate everything again.

        Without indices, redraw the values that belong to no index.
        """
        for key in [
            key for key in self._values if (set(key[1]) & set(indices) if indices else not key[1])
        ]:
            del self._values[key]
        self._known[True].clear()
        self.roots.clear()
        self.move({})

    def move(self, moved: Mapping[Place, Series]) -> None:
        """Use the coordinates to which a rule has moved the blocks, from now on."""
        self.moved = dict(moved)
        self._known[False].clear()

    def exchange(self, partners: Mapping[str, str]) -> None:
        """Exchange the values of blocks and of their partners, from now on.

        Functions of whole blocks are taken at the state before, and at the other one thereafter.
        """
        self.partners = dict(partners)
        self._known[False].clear()
        self._known[True].clear()

    def exchanged(self, k: int) -> tuple[tuple[str, str], ...]:
        """The partners by which a node has another value than at the state; () if it has not."""
        nodes = [self.table.nodes[c] for c in self.table.reachable([k])] if self.partners else []
        moved = any(n.name in self.partners or n.head in ("value", "d") for n in nodes)
        return tuple(sorted(self.partners.items())) if moved else ()

    def spend(self, work: int) -> None:
        """Count multiplications.

        Raises:
            UnableError: if there are too many.
        """
        self.work += work
        if self.work > MAX_MULTIPLICATIONS:
            raise UnableError("it needs more work than is allowed")

    # -- what is drawn

    def drawn(self, what: Any, indices: tuple[int, ...], level: int, allowed: Signs = ANY) -> int:
        """A free value, drawn when it is first needed; a random square if it must be
        nonnegative.
        """
        key = (level, indices, what)
        if key not in self._values:
            p = self.primes[level]
            if allowed == ZERO or not (allowed <= NOT_NEGATIVE or allowed <= NOT_POSITIVE):
                self._values[key] = 0 if allowed == ZERO else randbelow(p)
            else:
                size = pow(1 + randbelow(p - 1), 2, p)
                self._values[key] = size if allowed <= NOT_NEGATIVE else p - size
        return self._values[key]

    def symbol(self, name: str, index: int, level: int = 0) -> int:
        """The value of a symbol at the point; 0 for the step and noise if a rule is expanded around
        them.
        """
        name = self.partners.get(name, name)
        kind = self.table.symbols[name]["kind"]
        if self.rule and (kind == "step" or kind.endswith("noise")):
            return 0
        return self.drawn(
            name, (index,) if index != -1 else (), level, symbol_signs(self.table, name)
        )

    def entry_of(self, name: str, i: int, j: int, level: int = 0) -> int:
        """The entry (i, j) of a dense matrix."""
        f = self.table.functions[name]
        at = (min(i, j), max(i, j)) if f["symmetric"] else (i, j)
        return self.drawn(("M", name, at), at, level, POSITIVE if f["positive"] and i == j else ANY)

    # -- values

    def number(self, k: int, env: Env, level: int = 0) -> int:
        """The frozen value of a node modulo the prime of a level."""
        return self.value(k, env, level, frozen=True)  # type: ignore[return-value]

    def series(self, k: int, env: Env) -> Series:
        """The Taylor series of a node, at level 0."""
        found = self.value(k, env, 0, frozen=False)
        return Series({CONSTANT: found}) if isinstance(found, int) else found

    def value(self, k: int, env: Env, level: int, frozen: bool) -> Value:
        """The frozen value or the Taylor series of a node, computed once."""
        node = self.table.nodes[k]
        key = (k, level, *(env[label] for label in node.free))
        if key not in self._known[frozen]:
            self.spend(1)
            self._known[frozen][key] = self._value(node, env, level, frozen)
        return self._known[frozen][key]

    def _value(self, node: Node, env: Env, level: int, frozen: bool) -> Value:  # noqa: PLR0912
        p, at = self._modulus(level), tuple(env[x] for x in node.labels if x in node.free)
        match node.head:
            case "num":
                return rational(node.number or Fraction(0), p)
            case "pi":
                return self.drawn(("pi",), (), level, POSITIVE)
            case "e":
                return self._bases[level]
            case "sym" | "at":
                return self._symbol(node.name, at[0] if at else -1, level, frozen)
            case "M":
                return self.entry_of(node.name, env[node.labels[0]], env[node.labels[1]], level)
            case "+":
                return self.plus([self.value(c, env, level, frozen) for c in node.parts], p)
            case "*":
                return reduce(
                    lambda a, b: self.times(a, b, p),
                    [self.value(c, env, level, frozen) for c in node.parts],
                )
            case "^":
                return self._power(node, env, level, frozen)
            case "value" | "d":
                places = (
                    list(self.places(self.table.blocks(self.table.functions[node.name])))
                    if self.order and not frozen
                    else []
                )
                by = [(b, -1 if x is None else env[x]) for b, x in node.by]
                positive = self.table.functions[node.name].get("positive")

                def partial(b: tuple[int, ...]) -> int:  # sorted, as partial derivatives commute
                    wrt = tuple(
                        sorted(by + [x for x, n in zip(places, b, strict=True) for _ in range(n)])
                    )
                    indices = tuple(sorted({*at, *(i for _, i in wrt if i != -1)}))
                    return self.drawn(
                        (node.name, at, wrt, *(("at the other state",) if self.partners else ())),
                        indices,
                        level,
                        POSITIVE if positive and not wrt else ANY,
                    )

                return self.taylor([self.variation(*x) for x in places], partial, p)
            case "apply":
                arguments = tuple(self.number(c, env, level) for c in node.parts)
                positive = self.table.functions[node.name]["positive"]

                def applied(b: tuple[int, ...]) -> int:
                    orders = tuple(map(int.__add__, node.orders, b))
                    return self.drawn(
                        (node.name, orders, arguments),
                        (),
                        level,
                        POSITIVE if positive and not any(orders) else ANY,
                    )

                return self.taylor([self._move(c, env, frozen) for c in node.parts], applied, p)
            case "fn":
                move = self._move(node.parts[-1], env, frozen)
                values = self.derivatives(node, env, level, frozen, self.order if move.terms else 0)
                return self.taylor([move], lambda b: values[b[0]], p)
            case "dim" if not frozen:
                return self.sizes[node.name]
            case "total" if not frozen:
                body, label = node.parts[0], node.labels[0]
                return self.plus(
                    [
                        self.value(body, {**env, label: i}, 0, frozen)
                        for i in range(self.sizes[node.name])
                    ],
                    p,
                )
        return self._frozen(node, env, level)

    def _move(self, k: int, env: Env, frozen: bool) -> Series:
        """The Taylor series of a node without its constant term; zero for a frozen value."""
        return Series({}) if frozen else self._varying(self.value(k, env, 0, frozen))

    @staticmethod
    def _varying(value: Value) -> Series:
        if isinstance(value, int):
            return Series({})
        return Series({m: c for m, c in value.terms.items() if m != CONSTANT}, value.known)

    def _centre(self, k: int, env: Env, level: int, frozen: bool) -> int:
        """The value around which 1/x, log and atan are expanded.

        It is the frozen one for a frozen evaluation, and for a denominator that counts as a
        function of its sums.
        """
        if frozen or self.table.is_frozen(k):
            return self.number(k, env, level)
        return self.series(k, env).constant()

    def _frozen(self, node: Node, env: Env, level: int) -> int:
        """The free value that stands for a total or a length in the argument of a function.

        Totals with equal bodies have equal values: the body is evaluated at a coordinate that
        occurs nowhere else.
        """
        self.complete = False
        if node.head == "dim":
            return self.drawn(("sum", node.name, 1), (), level)
        inside = {x: env[x] for x in node.free}
        body = self.number(
            node.parts[0], {**inside, node.labels[0]: min([-1, *inside.values()]) - 1}, level
        )
        return self.drawn(("sum", node.name, body), tuple(sorted(set(inside.values()))), level)

    def root(self, base: int, exponent: int | Fraction, env: Env, level: int = 0) -> int:
        """A power with an exponent that is not an integer, in the group of squares.

        The exponent is the index of a node, or a number.

        Raises:
            NotSquareError: if the base is not a square at this point.
            ZeroDivisionError: if the base is zero and the exponent is not known to be positive.
        """
        value, p, order = (
            self.number(base, env, level),
            self.primes[level],
            self._modulus(level + 1),
        )
        q = self.table.nodes[exponent].number if isinstance(exponent, int) else exponent
        if value == 0:
            if q is None or q < 0:
                raise ZeroDivisionError
            return 0
        power = (
            self.number(exponent, env, level + 1)
            if isinstance(exponent, int)
            else rational(exponent, order)
        )
        at = tuple(sorted((label, env[label]) for label in self.table.nodes[base].free))
        if pow(value, order, p) != 1:
            raise NotSquareError(*sorted({i for _, i in at}))
        if not is_square(self.table, base):
            self.roots.add((base, at, level, self.exchanged(base)))
        return pow(value, power, p)

    def _modulus(self, level: int) -> int:
        if level >= len(self.primes):
            raise UnableError(
                f"exponents stand in one another more than {MAX_NESTED_EXPONENTS} deep"
            )
        return self.primes[level]

    # -- functions

    def derivatives(self, node: Node, env: Env, level: int, frozen: bool, count: int) -> list[int]:
        """The value of a function, followed by its first ``count`` derivatives, modulo a prime."""
        name, x, p = node.name, node.parts[-1], self.primes[level]
        if name == "log":
            down = inverse(self._centre(x, env, level, frozen), p) if count else 0
            return [
                self._logarithm(x, env, level),
                *(-factorial(n - 1) * pow(-down, n, p) for n in range(1, count + 1)),
            ]
        if name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
            flip, odd, even = self._odd_and_even(name, x, env, level)
            if name.startswith("tan"):  # t' = 1 - flip t^2
                a = [odd * inverse(even, p)]
                for n in range(count):
                    a.append(
                        ((n == 0) - flip * sum(a[j] * a[n - j] for j in range(n + 1)))
                        * inverse(n + 1, p)
                        % p
                    )
                return [factorial(n) * c for n, c in enumerate(a)]
            cycle = {
                "s": (odd, even, flip * odd, flip * even),
                "c": (even, flip * odd, flip * even, odd),
            }
            cycle["e"] = (odd + even,) * 4
            return [cycle[name[0]][n % 4] for n in range(count + 1)]
        self.complete = False
        value = self.number(x, env, level)
        if name in ("loggamma", "polygamma"):
            order = -1 if name == "loggamma" else self.table.nodes[node.parts[0]].integer or 0
            return [self.drawn(("gamma", order + n, value), (), level) for n in range(count + 1)]
        positive, flip = min((value, 1), (p - value, -1))  # erf and atan are odd functions
        zeroth = flip * self.drawn((name, positive), (), level) if value else 0
        if not count:
            return [zeroth]
        if name == "atan":
            # the coefficients of 1 / (1 + x^2) around c have
            # (1 + c^2) a_n + 2 c a_(n-1) + a_(n-2) = 0
            c = self._centre(x, env, level, frozen)
            a = [0, inverse(1 + c * c, p)]
            for _ in range(1, count):
                a.append(-(2 * c * a[-1] + a[-2]) * a[1] % p)
            return [zeroth, *(factorial(n) * c for n, c in enumerate(a[1:]))]
        root = pow(self.drawn(("pi",), (), level, POSITIVE), inverse(2, self.primes[level + 1]), p)
        bell = pow(
            self._bases[level], -(self.number(x, env, level + 1) ** 2) % self.primes[level + 1], p
        )
        y = [0, 2 * inverse(root, p) * bell]  # derivatives of erf, as y = erf' has y' = -2 x y
        for n in range(count - 1):
            y.append(-2 * (value * y[-1] + n * y[-2]) % p)
        return [zeroth, *y[1:]]

    def _odd_and_even(self, name: str, x: int, env: Env, level: int) -> tuple[int, int, int]:
        """(-1, sine, cosine) or (1, sinh, cosh) of an argument.

        An angle gets a random point of the circle, with its sign respected; sinh and cosh are
        computed from exp.
        """
        p = self.primes[level]
        if name not in ("sin", "cos", "tan"):
            up, half = pow(self._bases[level], self.number(x, env, level + 1), p), (p + 1) // 2
            down = inverse(up, p)
            return 1, (up - down) * half % p, (up + down) * half % p
        self.complete = False  # addition theorems do not hold for these values
        angle = self.number(x, env, level)
        if angle == 0:
            return -1, 0, 1
        positive, flip = min((angle, 1), (p - angle, -1))
        t = self.drawn(("circle", positive), (), level)
        over = inverse(1 + t * t, p)
        return -1, flip * 2 * t * over % p, (1 - t * t) * over % p

    def _logarithm(self, k: int, env: Env, level: int) -> int:
        """The logarithm of a node, expanded over positive factors; a free value for each other
        argument.
        """
        self.spend(1)
        self.complete = False
        node, table = self.table.nodes[k], self.table
        if node.number is not None and node.number > 0:
            primes = Counter(factors(node.number.numerator))
            primes.subtract(factors(node.number.denominator))
            return sum(n * self.drawn(("log", q), (), level) for q, n in primes.items())
        if node.head == "e":
            return 1
        if node.head == "fn" and node.name == "exp":
            return self.number(node.parts[0], env, level)
        if node.head == "*" and all(signs(table, c) == POSITIVE for c in node.parts):
            return sum(self._logarithm(c, env, level) for c in node.parts)
        if node.head == "^" and signs(table, node.parts[0]) == POSITIVE:
            return self.number(node.parts[1], env, level) * self._logarithm(
                node.parts[0], env, level
            )
        value = self.number(k, env, level)
        if value == 0:
            raise ZeroDivisionError
        return 0 if value == 1 else self.drawn(("log of", value), (), level)

    # -- Taylor series

    def plus(self, parts: list[Value], p: int) -> Value:
        """The sum of values modulo p."""
        number, known, terms = (
            sum(v for v in parts if isinstance(v, int)),
            inf,
            dict[Monomial, int](),
        )
        for s in parts:
            if isinstance(s, Series):
                known = min(known, s.known)
                self.spend(len(s.terms) // 4 + 1)
                for m, c in s.terms.items():
                    terms[m] = (terms.get(m, 0) + c) % p
        if not terms and known == inf:
            return number % p
        return Series({**terms, CONSTANT: (terms.get(CONSTANT, 0) + number) % p}, known)

    def times(self, a: Value, b: Value, p: int) -> Value:
        """The product of two values modulo p, truncated at ``order``."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b % p
        if isinstance(a, int):
            a, b = b, a
        assert isinstance(a, Series)
        if isinstance(b, int):
            return Series({m: c * b % p for m, c in a.terms.items()}, a.known)
        self.spend(1 + len(a.terms) * len(b.terms))
        known = min(
            a.known + b.low(),
            b.known + a.low(),
            inf if a.terms and b.terms else max(a.known, b.known),
        )
        terms: dict[Monomial, int] = {}
        for (j, u), x in a.terms.items():
            for (k, v), y in b.terms.items():
                if j + k > self.order:
                    known = min(known, self.order)
                    continue
                m = (j + k, tuple(sorted(u + v)) if u and v else u or v)
                terms[m] = (terms.get(m, 0) + x * y) % p
                if len(m[1]) > MAX_NOISE_FACTORS:
                    raise UnableError(
                        f"it has more than {MAX_NOISE_FACTORS} noise factors in one product"
                    )
        return Series(terms, known)

    def taylor(
        self, arguments: Sequence[Series], derivative: Callable[[tuple[int, ...]], int], p: int
    ) -> Value:
        """``sum over b of derivative(b) * product of arguments^b / b!``, for arguments without a
        constant term.
        """
        moving = [n for n, a in enumerate(arguments) if a.terms]
        known = min((a.known for a in arguments), default=inf)
        if any(arguments[n].low() < 1 for n in moving):
            raise UnableError(
                "a function of noise that does not vanish with the step has no expansion here"
            )
        zeroth = derivative((0,) * len(arguments)) % p
        if not moving and known == inf:
            return zeroth
        terms = {CONSTANT: zeroth}
        powers: dict[tuple[int, ...], Value] = {(): 1}
        for count in range(1, self.order + 1):
            higher: dict[tuple[int, ...], Value] = {}
            for chosen in combinations_with_replacement(moving, count):
                below = powers.get(chosen[:-1])
                power = self.times(below, arguments[chosen[-1]], p) if below is not None else 0
                if isinstance(power, int) or not power.terms:
                    continue
                higher[chosen] = power
                counts = Counter(chosen)
                over = pow(prod(map(factorial, counts.values())), -1, p)
                c = derivative(tuple(counts[n] for n in range(len(arguments)))) * over % p
                for m, x in power.terms.items():
                    terms[m] = (terms.get(m, 0) + c * x) % p
            powers = higher
        return Series(terms, min(known, self.order))

    def variation(self, name: str, index: int) -> Series:
        """The difference of a coordinate from its value at the point, as a series."""
        if self.rule:
            return self.moved.get((name, index), Series({}))
        return Series({(1, ((name, index),)): 1}) if self.order else Series({})

    def _symbol(self, name: str, index: int, level: int, frozen: bool) -> Value:
        kind, value = self.table.symbols[name]["kind"], self.symbol(name, index, level)
        if frozen or not self.order:
            return value
        if self.rule and (kind == "step" or kind.endswith("noise")):
            return Series({(2, ()) if kind == "step" else (0, ((name, index),)): 1})
        moves = kind in BLOCK_KINDS or (self.noisy and kind.endswith("noise"))
        return self.plus([value, self.variation(name, index)], self.p) if moves else value

    def places(self, blocks: Iterable[str]) -> Iterator[Place]:
        """The coordinates of some blocks."""
        for b in blocks:
            length = self.table.length(b)
            yield from ((b, i) for i in range(self.sizes[length])) if length else ((b, -1),)

    def _power(self, node: Node, env: Env, level: int, frozen: bool) -> Value:
        base, exponent = node.parts
        q, n, p = (
            self.table.nodes[exponent].number,
            self.table.nodes[exponent].integer,
            self.primes[level],
        )
        if n is not None and n >= 0:
            square = self.value(base, env, level, frozen)
            if isinstance(square, int):
                return pow(square, n, p)
            result: Value = 1
            for bit in bin(n)[2:]:
                result = self.times(result, result, p)
                result = self.times(result, square, p) if bit == "1" else result
            return result
        if q is not None and self.rule and not frozen:
            return self._lifted(base, q, env)
        if self._move(exponent, env, frozen).terms:
            raise UnableError("a power of what moves is not expanded here")
        return self._root_or_inverse(base, exponent if q is None else q, env, level, frozen)

    def _root_or_inverse(
        self, base: int, exponent: int | Fraction, env: Env, level: int, frozen: bool
    ) -> Value:
        """The expansion of a power x^q around the point.

        For an integer q the centre is the value itself, otherwise the frozen value, of which the
        root is taken.
        """
        p, move = self.primes[level], self._move(base, env, frozen)
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            rise, x = int(exponent), self._centre(base, env, level, frozen)
            value = pow(inverse(x, p), -rise, p)
        else:
            rise = (
                rational(exponent, p)
                if isinstance(exponent, Fraction)
                else self.number(exponent, env, level)
                if move.terms
                else 0
            )
            value, x = self.root(base, exponent, env, level), self.number(base, env, level)
        down = inverse(x, p) if move.terms else 0
        return self.taylor([move], lambda b: value * falling(rise, b[0]) * pow(down, b[0], p), p)

    def _lifted(self, k: int, q: Fraction, env: Env) -> Value:
        """A root or reciprocal in a rule, where powers of s are taken out of a base that vanishes
        with the step.
        """
        table, node = self.table, self.table.nodes[k]
        self.spend(1)
        if not node.step_order:
            return self._root_or_inverse(k, q, env, 0, frozen=False)
        if node.head == "sym" and (2 * q).denominator == 1:
            return Series({(int(2 * q), ()): 1})
        unknown = [c for c in node.parts if not signs(table, c) <= NOT_NEGATIVE]
        # The product is nonnegative, so at most one factor of unknown sign is nonnegative as well,
        # and the root can be taken factor by factor.
        if node.head == "*" and (q.denominator == 1 or len(unknown) <= 1):
            return reduce(
                lambda a, b: self.times(a, b, self.p), [self._lifted(c, q, env) for c in node.parts]
            )
        small = small_exponential(table, node)
        if small is not None:  # c (exp(x) - 1) = c x (1 + x/2 + x^2/6 + ...)
            start = Carried(table, table, {}).product([table.number(small[0]), small[1]])
            beside = self.taylor([self.series(small[1], env)], self._beside_one, self.p)
            return self.times(self._lifted(start, q, env), self._near_one(beside, q), self.p)
        if node.head == "+":  # (x + y)^q = x^q (1 + y/x)^q for the part x of lowest order
            leading = [c for c in node.parts if table.nodes[c].step_order == node.step_order]
            if len(leading) == 1 and signs(table, leading[0]) == POSITIVE:
                over = self._lifted(leading[0], Fraction(-1), env)
                rest = self.plus(
                    [
                        self.times(self.series(c, env), over, self.p)
                        for c in node.parts
                        if c != leading[0]
                    ],
                    self.p,
                )
                around_one = self._near_one(rest, q)
                return self.times(self._lifted(leading[0], q, env), around_one, self.p)
        raise UnableError("a root or denominator that vanishes with the step has no expansion here")

    def _beside_one(self, orders: tuple[int, ...]) -> int:
        """The derivatives at 0 of (exp(x) - 1)/x - 1, the n-th of which is 1/(n + 1)."""
        return inverse(orders[0] + 1, self.p) if orders[0] else 0

    def _near_one(self, beside: Value, q: Fraction) -> Value:
        """(1 + x)^q for a value x that vanishes with the step."""
        rise = rational(q, self.p)
        return self.taylor([self._varying(beside)], lambda b: falling(rise, b[0]), self.p)


# -- how many lengths are enough: degrees in totals
# --------------------------------------------------------------------------------

# A bound on the number of summation indices over each length, and on the powers of reciprocals 1/b
# with sums in b. Each reciprocal counts as a variable of its own until ``cleared`` removes it:
# (x, 1) stands for 1/x and (x, 2) for 1 / (1 + x^2). The maximum of bounds is |, their sum +.
Degree = Counter[Any]
Orders = dict[int, Degree]  # by the order of the Taylor coefficient; a missing order is zero


def joined(*parts: Orders) -> Orders:
    """The bounds for a sum."""
    found: Orders = {}
    for part in parts:
        for n, d in part.items():
            found[n] = found.get(n, Counter()) | d
    return found


def highest(*degrees: Degree) -> Degree:
    """The smallest bound that covers several."""
    return reduce(Counter.__or__, degrees, Counter())


def cleared(table: Table, degree: Degree) -> dict[str, int]:
    """The bounds for a numerator, after multiplication with b for every reciprocal 1/b.

    The last b comes first, as others may occur in it.
    """
    values, found = Degrees(table, 0), Counter(degree)
    while reciprocals := [key for key in found if isinstance(key, tuple)]:
        x, power = max(reciprocals)
        times = found.pop((x, power))
        for key, n in values.value(x).items():
            found[key] += n * power * times
    return found


class Degrees:
    """Bounds for the Taylor coefficients of nodes, by the same rules as ``Run`` computes them.

    With ``moves``, the bounds for the increments of the blocks, they are for the coefficients of a
    rule in s, otherwise for derivatives.
    """

    def __init__(self, table: Table, order: int, moves: Mapping[str, Orders] | None = None) -> None:
        self.table, self.order, self.moves = table, order, moves
        self._known: dict[int, Orders] = {}

    def of(self, k: int) -> Orders:
        """The bounds for a node, by order."""
        if k not in self._known:
            self._known[k] = self._of(self.table.nodes[k])
        return self._known[k]

    def value(self, *nodes: int) -> Degree:
        """A bound for the values of nodes."""
        return highest(*(self.of(k).get(0, Counter()) for k in nodes))

    def product(self, a: Orders, b: Orders) -> Orders:
        """The bounds for a product."""
        return joined(
            *({j + k: x + y} for j, x in a.items() for k, y in b.items() if j + k <= self.order)
        )

    def composed(
        self, inside: Iterable[Orders], derivative: Callable[[int], Degree] = lambda n: Counter()
    ) -> Orders:
        """The bounds for a function of ``inside``, given the bounds for its derivatives."""
        moving = joined(*({k: d for k, d in part.items() if k} for part in inside))
        found: list[Orders] = [{0: derivative(0)}]
        power: Orders = {0: Counter()}
        for n in range(1, self.order + 1):
            power = self.product(power, moving)
            found.append({k: derivative(n) + d for k, d in power.items()})
        return joined(*found)

    def _of(self, node: Node) -> Orders:
        table, below = self.table, [self.of(c) for c in node.parts]
        match node.head:
            case "dim":
                return {0: Counter([node.name])}
            case "sym" | "at":
                return self._symbol(node.name, table.symbols[node.name]["kind"])
            case "+":
                return joined(*below)
            case "*":
                return reduce(self.product, below)
            case "total":
                return {n: d + Counter([node.name]) for n, d in below[0].items()}
            case "^":
                return self._power(node, below)
            case "value" | "d":
                return self._jet(table.blocks(table.functions[node.name]))
            case "apply" | "fn":
                x = node.parts[-1]
                if node.name in ("log", "atan") and table.nodes[x].sums and not table.is_frozen(x):
                    power, rise = (1, Counter()) if node.name == "log" else (2, self.value(x))
                    return self.composed(
                        below,
                        lambda n: (
                            sum([rise] * (n - 1), Counter({(x, power): n})) if n else Counter()
                        ),
                    )
                return self.composed(below)
        return {0: Counter()}

    def _symbol(self, name: str, kind: str) -> Orders:
        if self.moves is not None:
            return {2: Counter()} if kind == "step" else {0: Counter()} | self.moves.get(name, {})
        moves = kind in BLOCK_KINDS or kind.endswith("noise")
        return {n: Counter() for n in ((0, 1) if moves and self.order else (0,))}

    def _jet(self, blocks: list[str]) -> Orders:
        if self.moves is None:
            return {n: Counter() for n in range(self.order + 1)}
        over = {b: Counter([self.table.length(b)] if self.table.length(b) else []) for b in blocks}
        return self.composed(
            [{n: d + over[b] for n, d in self.moves.get(b, {}).items()} for b in blocks]
        )

    def _power(self, node: Node, below: list[Orders]) -> Orders:
        base, exponent = (self.table.nodes[c] for c in node.parts)
        q, n, x = exponent.number, exponent.integer, node.parts[0]
        if n is not None and n >= 0:
            return reduce(self.product, [below[0]] * n, {0: Counter()})
        if self.moves is not None and q is not None and base.step_order:  # see Run._lifted
            if any(d for d in below[0].values()):
                raise UnableError(
                    "a root or denominator that vanishes with the step has sums in it"
                )
            return {k: Counter() for k in range(int(q * base.step_order) - 1, self.order + 1)}
        if n is None or not base.sums or self.table.is_frozen(x):
            return self.composed(below)
        return self.composed(below, lambda k: Counter({(x, 1): k - n}))


# -- deciding that something vanishes for every length
# -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """``zero`` for every length with an error below 2^-100, ``nonzero``, or ``unknown``.

    ``why`` gives the reason in words; ``certain`` is True if "nonzero" proves that the expression
    is not zero.
    """

    kind: str
    why: str = ""
    certain: bool = False


Test = Callable[[Run], Iterable[int]]


def decide(
    table: Table,
    primes: tuple[int, ...],
    test: Test,
    degree: Degree,
    free: Mapping[str, int],
    order: int = 0,
    rule: bool = False,
    noisy: bool = False,
) -> Answer:
    """Decide whether all numbers of a test vanish at every point, for every length.

    ``degree`` bounds their numerators; ``free`` is the number of different free indices of each
    length. The lengths to evaluate follow from both.
    """
    top = cleared(table, degree)
    least = [max(1, free.get(x, 0)) for x in table.lengths]
    counts = [range(n, n + top.get(x, 0) + 1) for n, x in zip(least, table.lengths, strict=True)]
    if prod(map(len, counts)) > MAX_LENGTH_CHOICES or any(r[-1] > MAX_LENGTH for r in counts):
        return Answer(
            "unknown",
            f"it would have to be evaluated for {prod(map(len, counts))} choices of lengths",
        )
    for numbers in product(*counts):
        sizes = dict(zip(table.lengths, numbers, strict=True))
        run = Run(table, primes, sizes, order, rule, noisy)
        try:
            values = _at_a_point(run, test)
            independent = are_independent(run)
        except UnableError as error:
            return Answer("unknown", str(error))
        if any(v % run.p for v in values):
            where = ", ".join(f"{x} = {n}" for x, n in sizes.items())
            return Answer(
                "nonzero",
                f"it is not zero{' at ' + where if where else ''}",
                run.complete and independent,
            )
        if not independent:
            return Answer(
                "unknown", "it has roots that depend on one another, and their signs are not known"
            )
    return Answer("zero")


def _at_a_point(run: Run, test: Test) -> list[int]:
    """The numbers of a test at a point where every radicand is a square and no denominator
    vanishes.

    Raises:
        UnableError: if no such point was found.
    """
    for _ in range(MAX_POINT_DRAWS):
        try:
            return list(test(run))
        except NotSquareError as error:
            run.forget(error.args)
        except ZeroDivisionError:
            run.forget(())
    raise UnableError("no point was found at which it is defined")


def are_independent(run: Run) -> bool:
    """Return True if no product of radicands is a square, up to a number.

    All branches of the roots are conjugate then, and an identity holds on all of them or on none. A
    positive answer is certain: a product that is a number times a square has the same quadratic
    character at all points where the roots within it are defined.
    """
    roots = sorted(run.roots)
    basis: dict[int, int] = {}
    for _ in range(10 * len(roots) + 40 if roots else 0):
        probe = Run(run.table, run.primes, run.sizes, 0, run.rule)
        try:
            values = []
            for k, at, level, partners in roots:
                probe.exchange(dict(partners))
                values.append((probe.number(k, dict(at), level), level))
        except (ZeroDivisionError, NotSquareError):
            continue
        row = 1
        for value, level in values:
            row = 2 * row + (pow(value, run.primes[level + 1], run.primes[level]) == 1)
        while row and row.bit_length() in basis:
            row ^= basis[row.bit_length()]
        if row:
            basis[row.bit_length()] = row
        if len(basis) > len(roots):
            return True
    return not roots


def vanishes(table: Table, one: int, primes: tuple[int, ...], other: int | None = None) -> Answer:
    """Decide whether a node is zero for every length, or equal to a node ``other``.

    Different labels are different coordinates.
    """
    nodes = [one] if other is None else [one, other]
    labels = {label: length for k in nodes for label, length in table.nodes[k].free.items()}
    taken: Counter[str] = Counter()
    env = {}
    for label in sorted(labels, reverse=True):
        env[label] = taken[labels[label]]
        taken[labels[label]] += 1

    def test(run: Run) -> list[int]:
        values = [run.series(k, env).constant() for k in nodes]
        return [values[0] - sum(values[1:])]

    return decide(table, primes, test, Degrees(table, 0).value(*nodes), taken)


# -- expressions in other coordinates
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Image:
    """What a block of one table is in another one.

    ``value`` is a node of that table, of the coordinate 0 of a ``block``, and ``slope`` is its
    derivative by it. Without a block the value is one number.
    """

    value: int
    block: str | None = None
    slope: int | None = None


class Carried:
    """Nodes of one table, written anew in another one, where some blocks are functions of others.

    A potential U of theta becomes one of phi, V(phi) = U(f(phi)), under the name of U. V is any
    smooth function if U is, as f is smooth, f' has one sign, and f is onto. By the chain rule
    dU/dtheta is (dV/dphi) / f'.
    """

    def __init__(self, source: Table, to: Table, images: Mapping[str, Image]) -> None:
        self.source, self.to, self.images = source, to, images
        self._known: dict[int, int] = {}

    def node(self, k: int) -> int:
        """The index of a node of the source in the other table, to which it is added.

        Raises:
            CertificateError: if a name in it means something else in the other table.
        """
        for c in self.source.reachable([k]):
            if c not in self._known:
                self._known[c] = self._carried(c)
        return self._known[k]

    def entry(self, entry: Mapping[str, int]) -> dict[str, int]:
        """An entry of a block matrix."""
        return {part: self.node(n) for part, n in entry.items()}

    def _carried(self, c: int) -> int:
        known, to, data = self._known, self.to, self.source.data[c]
        below = self.source.nodes[c].parts
        if self.source is to and below and all(known[n] == n for n in below):
            return c  # a copy would count as another radicand
        match data:
            case ["sym" | "at", name, *labels]:
                return self._symbol(name, labels)
            case ["value" | "M", name, *_]:
                self._require_same_function(name)
                return to.add(*data)
            case ["d", name, label, by]:
                self._require_same_function(name)
                return self._derivative(name, label, by)
            case ["apply", name, orders, *arguments]:
                self._require_same_function(name)
                return to.add("apply", name, orders, *(known[c] for c in arguments))
            case ["total", body, length, label]:
                return to.add("total", known[body], length, label)
            case ["fn", name, *arguments]:
                return self.function(name, *(known[c] for c in arguments))
            case ["+", *parts]:
                return self.sum(known[c] for c in parts)
            case ["*", *parts]:
                return self.product(known[c] for c in parts)
            case ["^", base, exponent]:
                return to.add("^", known[base], known[exponent])
        return to.add(*data)

    def _symbol(self, name: str, labels: list[int]) -> int:
        if name not in self.images:
            same = declared(self.source, name) == declared(self.to, name)
            require(same, f"{name!r} is declared otherwise in other coordinates")
            return self.to.add("at" if labels else "sym", name, *labels)
        image = self.images[name]
        require(
            image.block is None or self.source.length(name) == self.to.length(image.block),
            f"{name!r} has another length in other coordinates",
        )
        return self._at(image.value, labels[0]) if labels else image.value

    def _require_same_function(self, name: str) -> None:
        moved = dict(self.source.functions[name])
        if any(b in self.images and self._block(b) is None for b in Table.blocks(moved)):
            raise UnableError("an abstract function at another point is not followed here")
        if "blocks" in moved:
            moved["blocks"] = [self._block(b) for b in moved["blocks"]]
        if "block" in moved:
            moved["block"] = self._block(moved["block"])
        same = self.to.functions.get(name) == moved
        require(same, f"{name!r} is declared otherwise in other coordinates")

    def _block(self, name: str) -> str | None:
        return self.images[name].block if name in self.images else name

    def _derivative(self, name: str, label: int | None, by: list[list[Any]]) -> int:
        changed = [(b, at) for b, at in by if b in self.images]
        if changed and len(by) > 1:
            raise UnableError("a second derivative in other coordinates is not followed here")
        there = self.to.add("d", name, label, [[self._block(b), at] for b, at in by])
        for b, at in changed:
            slope = self.images[b].slope
            if slope is None:
                raise UnableError("a derivative in other coordinates is not followed here")
            here = slope if at is None else self._at(slope, at)
            there = self.to.add("*", there, self.to.add("^", here, self.to.number(-1)))
        return there

    def _at(self, k: int, label: int) -> int:
        """A node of the other table, a function of one coordinate, at another one than 0."""
        if label == 0:
            return k
        moved: dict[int, int] = {}
        for c in self.to.reachable([k]):
            data, node = self.to.data[c], self.to.nodes[c]
            if 0 not in node.free:
                moved[c] = c
            elif node.head == "at":
                moved[c] = self.to.add("at", node.name, label)
            elif node.head in ("+", "*", "^", "fn"):
                head = data[:2] if node.head == "fn" else data[:1]
                moved[c] = self.to.add(*head, *(moved[n] for n in node.parts))
            else:
                raise UnableError("a function of one coordinate has such a part")
        return moved[k]

    # -- forms in which a logarithm below an exponential cancels

    def sum(self, parts: Iterable[int]) -> int:
        """A sum, with sums in it opened and numbers added."""
        rest, constant = list[int](), Fraction(0)
        for c in self._opened("+", parts):
            number = self.to.nodes[c].number
            constant += number or 0
            rest += [c] if number is None else []
        if constant or not rest:
            rest = [*rest, self.to.number(constant)]
        return rest[0] if len(rest) == 1 else self.to.add("+", *rest)

    def product(self, parts: Iterable[int]) -> int:
        """A product, with products in it opened and numbers multiplied."""
        rest, factor = list[int](), Fraction(1)
        for c in self._opened("*", parts):
            number = self.to.nodes[c].number
            factor *= 1 if number is None else number
            rest += [c] if number is None else []
        if factor != 1 or not rest:
            rest = [self.to.number(factor), *rest]
        return rest[0] if len(rest) == 1 else self.to.add("*", *rest)

    def _opened(self, head: str, parts: Iterable[int]) -> Iterator[int]:
        for c in parts:
            if self.to.nodes[c].head == head:
                yield from self._opened(head, self.to.nodes[c].parts)
            else:
                yield c

    def function(self, name: str, *arguments: int) -> int:
        """A function, where exp(c log(x)) with a number c is x^c, wherever log(x) has a value."""
        if name == "exp":
            return self.exponential(arguments[0])
        if name not in ("sinh", "cosh", "tanh") or not any(
            self._power(c) for c in self._opened("+", arguments)
        ):
            return self.to.add("fn", name, *arguments)
        up = self.exponential(arguments[0])
        down = self.to.add("^", up, self.to.number(-1))
        odd = self.sum([up, self.product([self.to.number(-1), down])])
        even = self.sum([up, down])
        if name == "tanh":
            return self.product([odd, self.to.add("^", even, self.to.number(-1))])
        return self.product([self.to.number(Fraction(1, 2)), odd if name == "sinh" else even])

    def _power(self, k: int) -> tuple[int, Fraction] | None:
        """(x, c) for c log(x) with a number c; None for any other node."""
        factor, rest = scaled(self.to, k)
        node = self.to.nodes[rest]
        return (node.parts[0], factor) if node.head == "fn" and node.name == "log" else None

    def exponential(self, k: int) -> int:
        """exp of a node, where logarithms among its summands cancel."""
        factors, rest = list[int](), list[int]()
        for c in self._opened("+", [k]):
            found = self._power(c)
            if found is None:
                rest.append(c)
            else:
                x, power = found
                factors.append(x if power == 1 else self.to.add("^", x, self.to.number(power)))
        if rest or not factors:
            factors.append(self.to.add("fn", "exp", self.sum(rest)))
        return self.product(factors)


def declared(table: Table, name: str) -> Any:
    """The declaration of a symbol with numbers for the ends of its domain; None if there is none.

    The order of facts makes no difference.
    """
    symbol = table.symbols.get(name)
    if symbol is None:
        return None
    return symbol | {"facts": set(symbol["facts"]), "domain": ends_of(table, symbol["domain"])}


def ends_of(table: Table, domain: Any) -> Any:
    """A domain with numbers for its ends."""
    return domain and [table.nodes[x].number if type(x) is int else x for x in domain]


# -- what a certificate is about
# --------------------------------------------------------------------------------------------------

Entry = dict[str, int]
Matrix = dict[tuple[str, str], Entry]
Step = dict[str, Any]
UPDATE_SHAPE = {"step": str, "sequential": bool, "rule": [(str, int)], "target": int}
SUBJECT_SHAPE = {
    "name": None,
    "kind": frozenset({"recipe", "claim"}),
    "state": [None],
    "H": int,
    "D": None,
    "drift": None,
    "marginal": [([None], int)],
    "Q?": None,
    "noise_factor?": None,
    "update?": UPDATE_SHAPE,
    "maps?": None,
    "transform?": None,
    "scheme?": UPDATE_SHAPE | {"name": str, "splitting": bool},
}
TABLE_SHAPE = {"lengths": None, "symbols": None, "functions": None, "nodes": None}
MAP_SHAPE = {"image": str, "domain": None, "forward": int, "slope": int, "inverse": None}
INVERSE_SHAPE = TABLE_SHAPE | {"value": int}
ORIGINAL_SHAPE = TABLE_SHAPE | dict.fromkeys(("state", "H", "D", "Q", "drift"))
TRANSFORM_SHAPE = {
    "kind": frozenset({"ito", "corv"}),
    "block": str,
    "original": ORIGINAL_SHAPE,
}
RULE_SHAPE = {"kind": str, "sequential": bool, "rule": [(str, int)]}
PART_SHAPES = {
    "move": RULE_SHAPE,
    "map": RULE_SHAPE | {"times": (int, int), "flips": [str], "turn": bool},
    "hastings": {"kind": str, "rule": [(str, int)], "cost": int, "partners": [(str, str)]},
    "path": {"kind": str, "around": None, "test": None},
    "repeat": {"kind": str, "times": (int, int), "parts": [None]},
}
KERNEL_SHAPE = {
    "name": None,
    "kind": str,
    "state": [None],
    "H": int,
    "conditions": [{"e": int, "sign": frozenset(SIGNS_OF_CONDITION)}],
    "parts": [None],
}
TRANSLATION_SHAPE = {
    "name": None,
    "kind": str,
    "scheme": str,
    "text_sha256": str,
    "rule_sha256": str,
    "rule": None,
}
TRANSLATED_SHAPE = {
    "kind": str,
    "state": [None],
    "update": UPDATE_SHAPE,
    "observe": [(str, int)],
}
MAX_STEPS = 500  # of all obligations
MAX_PARTS = 64  # of a kernel, those inside of others included
SIGN_SHAPE = {"kind": str, "e": int, "sign": frozenset(SIGNS_OF_CONDITION), "form": int}
COLUMN_SHAPE = {"length": None, "rows": None, "weight": int, "matrix": None}
EDGE_SHAPE = {
    "kind": str,
    "block": str,
    "end": frozenset({"low", "high"}),
    "drift": int,
    "form": int,
}
STEP_SHAPES = {
    "sign": SIGN_SHAPE,
    "self-reflecting": EDGE_SHAPE,
    "unattainable": EDGE_SHAPE | {"constant": int, "power": int},
    "factor": {"kind": str, "columns": [COLUMN_SHAPE], "signs": [SIGN_SHAPE]},
}
OBLIGATION_SHAPE = {
    "name": str,
    "verdict": None,
    "required": bool,
    "by": str,
    "assumptions": [str],
    "steps": [None],
}
# Of an obligation that the report has and the certificate does not claim.
LEFT_OUT_SHAPE = {
    "name": str,
    "verdict": frozenset({"proved", "refuted", "undecided"}),
    "reason": str,
}


@dataclass(frozen=True)
class Rule:
    """An update rule: blocks in order with the nodes of their new values.

    ``target`` is the node of the H that the rule is meant to have.
    """

    sequential: bool
    pairs: tuple[tuple[str, int], ...]
    target: int


@dataclass(frozen=True)
class Column:
    """A block of columns of a factor, with its weight.

    ``length`` is None for a single column. The weight is a node (None stands for 1), times a
    positive definite ``matrix`` if there is one.
    """

    length: str | None
    rows: dict[str, Entry]
    weight: int | None = None
    matrix: str | None = None


@dataclass(frozen=True)
class Map:
    """A change of variable ``image = f(phi)`` of a block phi, with the domain of the image.

    ``forward`` and ``slope`` are nodes of f and f'. ``inverse`` is a table of its own with a node
    of g(image); the image is its only block, a scalar.
    """

    image: str
    domain: Any
    forward: int
    slope: int
    inverse: tuple[Table, int] | None


@dataclass(frozen=True)
class Transform:
    """The process from which the subject was made by the map of a block: ``ito`` or ``corv``."""

    kind: str
    block: str
    table: Table
    original: Subject


@dataclass(frozen=True)
class Scheme:
    """A discrete step of the process. If ``splitting``, its assignments are those of pieces of the
    process, each of which moves by itself.
    """

    name: str
    rule: Rule
    splitting: bool


@dataclass(frozen=True)
class Subject:
    """The process of a certificate; ``factor`` has the columns of a noise factor."""

    kind: str
    state: tuple[str, ...]
    H: int
    D: Matrix
    Q: Matrix | None
    drift: dict[str, int]
    rule: Rule | None
    marginal: tuple[tuple[tuple[str, ...], int], ...]
    factor: tuple[Column, ...] | None
    maps: Mapping[str, Map]
    transform: Transform | None
    scheme: Scheme | None = None

    def without_rule(self) -> list[int]:
        """The nodes of all expressions except those of the rule."""
        entries = [
            *self.D.values(),
            *(self.Q or {}).values(),
            *(e for c in self.factor or () for e in c.rows.values()),
        ]
        return [
            self.H,
            *self.drift.values(),
            *(U for _, U in self.marginal),
            *(n for e in entries for n in e.values()),
            *(n for m in self.maps.values() for n in (m.forward, m.slope)),
        ]


@dataclass(frozen=True)
class Part:
    """A part of a sweep: a ``move``, ``map``, ``hastings``, ``path`` or ``repeat``.

    ``pairs`` are the blocks that a rule moves, with the nodes of their new values, in order.
    ``flips`` are the blocks whose sign is turned where a map is rejected; unless ``turn``, a
    rejected state stays as it is. A path has a move and a map in ``inner``.
    """

    kind: str
    sequential: bool = True
    pairs: tuple[tuple[str, int], ...] = ()
    flips: tuple[str, ...] = ()
    turn: bool = True
    cost: int = 0
    partners: tuple[tuple[str, str], ...] = ()
    inner: tuple[Part, ...] = ()

    def leaves(self) -> Iterator[Part]:
        """The parts that are no repetitions."""
        if self.kind == "repeat":
            for part in self.inner:
                yield from part.leaves()
        else:
            yield self

    def rules(self) -> list[int]:
        """The nodes of all new values in it."""
        return [n for _, n in self.pairs] + [n for part in self.inner for n in part.rules()]

    def nodes(self) -> list[int]:
        """The nodes of all expressions in it."""
        own = [n for _, n in self.pairs] + ([self.cost] if self.kind == "hastings" else [])
        return own + [n for part in self.inner for n in part.nodes()]


@dataclass(frozen=True)
class Kernel:
    """A sweep of a Markov chain: parts in order, and conditions on the step and parameters that
    belong to its scope.
    """

    parts: tuple[Part, ...]
    conditions: tuple[tuple[int, str], ...]


class Reader:
    """Reads the subject of a certificate, and checks that each expression fits its place.

    An expression must be a scalar, or one coordinate of a block.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def node(self, n: Any, where: str, row: str | None = None, column: str | None = None) -> int:
        """The index of a node in which only two labels are free: 0, of length ``row``, and -1, of
        length ``column``.
        """
        k = self.table.index(n, where)
        labels = {0: row, -1: column}
        require(
            all(labels.get(x) == length for x, length in self.table.nodes[k].free.items()),
            f"{where} is of another length",
        )
        return k

    def entry(self, data: Any, row: str | None, column: str | None, where: str) -> Entry:
        """An entry of a block matrix between two lengths; None stands for a scalar block."""
        if row is None or column is None:
            fits(data, {"value": int}, where)
            return {"value": self.node(data["value"], where, row or column)}
        fits(data, {"diagonal": int, "kernel": int}, where)
        diagonal, kernel = (
            self.node(data["diagonal"], where, row),
            self.node(data["kernel"], where, row, column),
        )
        require(
            row == column or self.table.nodes[diagonal].number == 0,
            f"{where} is diagonal between two lengths",
        )
        return {"diagonal": diagonal, "kernel": kernel}

    def matrix(self, data: Any, state: tuple[str, ...], where: str) -> Matrix:
        """A block matrix with an entry for each pair of blocks."""
        fits(data, ((None,) * len(state),) * len(state), where)
        length = self.table.length
        return {
            (a, b): self.entry(data[i][j], length(a), length(b), f"{where}[{a}, {b}]")
            for i, a in enumerate(state)
            for j, b in enumerate(state)
        }

    def blocks(self, data: list[Any], where: str) -> tuple[str, ...]:
        """A list of different blocks, at least one."""
        require(data and all(self.table.kind(b) in BLOCK_KINDS for b in data), f"{where} is wrong")
        require(len(set(data)) == len(data), f"{where} names a block twice")
        return tuple(data)

    def column(self, data: Any, state: tuple[str, ...]) -> Column:
        """A block of columns of a factor."""
        length, where = data["length"], "a column"
        require(length is None or length in self.table.lengths, f"{where} has no declared length")
        require(
            isinstance(data["rows"], dict) and data["rows"].keys() <= set(state),
            f"{where} has rows of no block",
        )
        rows = {
            b: self.entry(e, self.table.length(b), length, where) for b, e in data["rows"].items()
        }
        if data["matrix"] is not None:
            f = self.table.function(data["matrix"], "dense")
            require(
                f["positive"] and f["row"] == length,
                f"the matrix of {where} is not positive definite, or of another length",
            )
        weight = self.node(data["weight"], "a weight", length if data["matrix"] is None else None)
        return Column(length, rows, weight, data["matrix"])

    def subject(self, data: Any) -> Subject:
        """The whole subject.

        Raises:
            CertificateError: if it is malformed.
        """
        fits(data, SUBJECT_SHAPE, "the subject")
        recipe = data["kind"] == "recipe"
        require(recipe == ("Q" in data), "a recipe has Q, and a claim has none")
        require(recipe or "update" in data, "a claim has an update")
        require(
            recipe or not (data["marginal"] or data.keys() & {"noise_factor", "transform"}),
            "a claim has no marginal, no noise_factor and no transform",
        )
        require(
            data["name"] is None or isinstance(data["name"], str),
            "the name of the subject is no text",
        )
        state = self.blocks(data["state"], "the state")
        require(
            set(state) == {n for n in self.table.symbols if self.table.kind(n) in BLOCK_KINDS},
            "the state lacks a block",
        )
        keys(data["drift"], state, (), "the drift")
        factor = (
            self.matrix(data["noise_factor"], state, "noise_factor")
            if "noise_factor" in data
            else None
        )
        maps = self.maps(data.get("maps", {}), state)
        subject = Subject(
            data["kind"],
            state,
            self.node(data["H"], "H"),
            self.matrix(data["D"], state, "D"),
            self.matrix(data["Q"], state, "Q") if recipe else None,
            {
                b: self.node(data["drift"][b], f"the drift of {b}", self.table.length(b))
                for b in state
            },
            self.rule(data["update"], state) if "update" in data else None,
            tuple(
                (self.blocks(kept, "marginal"), self.node(U, "marginal"))
                for kept, U in data["marginal"]
            ),
            (
                tuple(Column(self.table.length(c), {a: factor[a, c] for a in state}) for c in state)
                if factor
                else None
            ),
            maps,
            self.transform(data["transform"], state, maps) if "transform" in data else None,
            self.scheme(data["scheme"], state) if "scheme" in data else None,
        )
        targets = [r.target for r in (subject.rule, subject.scheme and subject.scheme.rule) if r]
        for k in self.table.reachable([*subject.without_rule(), *targets]):
            node = self.table.nodes[k]
            kind = self.table.symbols[node.name]["kind"] if node.head in ("sym", "at") else ""
            require(
                kind != "step" and not kind.endswith("noise"),
                f"{node.name!r} stands where neither the step nor noise may",
            )
        return subject

    def scheme(self, data: Any, state: tuple[str, ...]) -> Scheme:
        """A discrete step."""
        return Scheme(data["name"], self.rule(data, state), data["splitting"])

    def maps(self, data: Any, state: tuple[str, ...]) -> dict[str, Map]:
        """The changes of variable, by block."""
        keys(data, (), state, "the maps")
        found = {}
        for b, m in data.items():
            where = f"the map of {b!r}"
            fits(m, MAP_SHAPE, where)
            require(m["image"] not in self.table.symbols, f"{where} has an image of the state")
            self.table.domain(m["domain"], "scalar", f"the domain of {where}")
            for n in (m["forward"], m["slope"]):
                self._require_function_of(b, self.node(n, where, self.table.length(b)), where)
            inverse = None if m["inverse"] is None else self.inverse(m, where)
            found[b] = Map(m["image"], m["domain"], m["forward"], m["slope"], inverse)
        images = [m.image for m in found.values()]
        require(len(set(images)) == len(images), "two maps have one image")
        return found

    def _require_function_of(self, block: str, k: int, where: str) -> None:
        """Require that a node is a function of one coordinate of a block, and of parameters."""
        nodes = [self.table.nodes[c] for c in self.table.reachable([k])]
        symbols = {n.name for n in nodes if n.head in ("sym", "at")}
        require(
            all(n.head in ("num", "pi", "e", "sym", "at", "+", "*", "^", "fn") for n in nodes)
            and all(b == block or "parameter" in (self.table.kind(b) or "") for b in symbols),
            f"{where} is no function of one number",
        )

    def inverse(self, m: Any, where: str) -> tuple[Table, int]:
        """The inverse of a map: a table in which the image is the only block, and a node of it."""
        data, where = m["inverse"], f"the inverse of {where}"
        fits(data, INVERSE_SHAPE, where)
        table = Table(data["nodes"], data["symbols"], data["functions"], data["lengths"])
        blocks = [n for n in table.symbols if table.kind(n) in BLOCK_KINDS]
        require(
            blocks == [m["image"]]
            and table.kind(m["image"]) == "scalar"
            and ends_of(table, table.symbols[m["image"]]["domain"])
            == ends_of(self.table, m["domain"]),
            f"{where} is about another image",
        )
        reader = Reader(table)
        reader._require_function_of(m["image"], reader.node(data["value"], where), where)
        return table, data["value"]

    def transform(self, data: Any, state: tuple[str, ...], maps: Mapping[str, Map]) -> Transform:
        """The original of a process in other coordinates."""
        fits(data, TRANSFORM_SHAPE, "the transform")
        block, original = data["block"], data["original"]
        require(block in maps, "the transform is of a block without a map")
        table = Table(
            original["nodes"], original["symbols"], original["functions"], original["lengths"]
        )
        written = {k: original[k] for k in ("state", "H", "D", "Q", "drift")}
        subject = Reader(table).subject(written | {"name": None, "kind": "recipe", "marginal": []})
        image = maps[block].image
        require(
            subject.state == tuple(image if b == block else b for b in state),
            "the original of the transform has another state",
        )
        require(
            ends_of(table, table.symbols[image]["domain"])
            == ends_of(self.table, maps[block].domain),
            "the original of the transform has another domain",
        )
        return Transform(data["kind"], block, table, subject)

    def rule(self, data: Any, state: tuple[str, ...]) -> Rule:
        """An update rule with a value for every block."""
        require(self.table.kind(data["step"]) == "step", "the update has no step")
        pairs = data["rule"]
        require(
            len(pairs) <= 64 and {b for b, _ in pairs} == set(state),
            "the rule lacks a block, or has one that is none",
        )
        require(
            data["sequential"] or len(pairs) == len(state),
            "a simultaneous rule names a block twice",
        )
        read = tuple((b, self.node(n, f"the rule of {b}", self.table.length(b))) for b, n in pairs)
        symbols = {n for _, k in read for n in symbols_in(self.table, k)}
        steps = {n for n in symbols if self.table.kind(n) == "step"}
        require(steps <= {data["step"]}, "there are two steps in one rule")
        return Rule(data["sequential"], read, self.node(data["target"], "the target"))

    def _require_edge(self, step: Step) -> None:
        """Require that a step about an edge is about one of a block, by functions of that block."""
        block, where = step["block"], f"the {step['kind']} edge"
        require(self.table.kind(block) in BLOCK_KINDS, f"{where} is that of no block")
        for key in ("drift", "form", *(("constant",) if "constant" in step else ())):
            self._require_function_of(
                block, self.node(step[key], where, self.table.length(block)), where
            )
        require(whole(step.get("power", 0), 0, 16), f"{where} has a wrong power")

    def left_out(self, data: Any, claimed: Iterable[str]) -> list[Finding]:
        """The obligations that are not claimed, each with the reason that its author gives."""
        fits(data, [LEFT_OUT_SHAPE], "left_out")
        require(len(data) <= 64, "there are too many obligations")
        names = [o["name"] for o in data]
        require(
            len({*names, *claimed}) == len(names) + len(set(claimed)),
            "an obligation that is left out is named twice, or is claimed",
        )
        return [
            Finding(
                o["name"],
                NOT_CHECKED,
                f"the certificate does not claim it: {o['verdict']}, {o['reason']}",
                required=False,
            )
            for o in data
        ]

    def kernel(self, data: Any) -> tuple[Subject, Kernel]:
        """A kernel, with its state and target as a subject.

        Raises:
            CertificateError: if it is malformed.
        """
        fits(data, KERNEL_SHAPE, "the subject")
        require(
            data["name"] is None or isinstance(data["name"], str),
            "the name of the subject is no text",
        )
        state = self.blocks(data["state"], "the state")
        H = self.node(data["H"], "H")
        self._count = 0
        parts = tuple(self.part(part, state) for part in data["parts"])
        require(parts, "the kernel has no part")
        partners = {y for part in parts for leaf in part.leaves() for _, y in leaf.partners}
        blocks = {n for n in self.table.symbols if self.table.kind(n) in BLOCK_KINDS}
        require(blocks == {*state, *partners}, "the state lacks a block")
        require(not partners & set(state), "a partner is a block of the state")
        nodes = {"H": [H], "a rule": [n for p in parts for n in p.rules()]}
        for where, roots in nodes.items():
            for k in self.table.reachable(roots):
                name = self.table.nodes[k].name
                kind = self.table.kind(name) or ""
                moves = where == "H" and (kind == "step" or kind.endswith("noise"))
                require(
                    not moves and name not in partners,
                    f"{name!r} stands in {where}, where it may not",
                )
        costs = [leaf.cost for p in parts for leaf in p.leaves() if leaf.kind == "hastings"]
        random = {n for c in costs for n in symbols_in(self.table, c)}
        require(
            not any((self.table.kind(n) or "").endswith("noise") for n in random),
            "a log ratio has noise",
        )
        conditions = tuple(
            (self.node(c["e"], "a condition"), c["sign"]) for c in data["conditions"]
        )
        return Subject("kernel", state, H, {}, None, {}, None, (), None, {}, None), Kernel(
            parts, conditions
        )

    def part(self, data: Any, state: tuple[str, ...]) -> Part:
        """A part of a kernel."""
        self._count += 1
        require(self._count <= MAX_PARTS, f"the kernel has more than {MAX_PARTS} parts")
        kind: str = (
            data["kind"] if isinstance(data, dict) and isinstance(data.get("kind"), str) else ""
        )
        require(kind in PART_SHAPES, "a part of the kernel is of an unknown kind")
        fits(data, PART_SHAPES[kind], f"a {kind}")
        if "times" in data:
            low, high = data["times"]
            require(1 <= low <= high, f"a {kind} has no number of repetitions")
        if kind == "repeat":
            return Part(kind, inner=tuple(self.part(part, state) for part in data["parts"]))
        if kind == "path":
            inner = self.part(data["around"], state), self.part(data["test"], state)
            require([p.kind for p in inner] == ["move", "map"], "a path is no move around a map")
            return Part(kind, inner=inner)
        require(len(data["rule"]) <= 64, f"the rule of a {kind} is too long")
        require({b for b, _ in data["rule"]} == set(state), f"the rule of a {kind} lacks a block")
        pairs = [
            (b, self.node(n, f"the rule of {b}", self.table.length(b))) for b, n in data["rule"]
        ]
        moving = tuple((b, n) for b, n in pairs if not self.is_block(n, b))
        sequential = data.get("sequential", False)
        require(sequential or len(pairs) == len(state), "a simultaneous rule names a block twice")
        if kind != "hastings":
            flips = tuple(data.get("flips", ()))
            require(
                set(flips) <= set(state) and len(set(flips)) == len(flips), "the flips are wrong"
            )
            return Part(kind, sequential, moving, flips, data.get("turn", True))
        partners = tuple((x, y) for x, y in data["partners"])
        # a partner on a smaller domain would have a root of its square that is the partner itself
        right = [
            self.table.kind(x) in BLOCK_KINDS and declared(self.table, x) == declared(self.table, y)
            for x, y in partners
        ]
        require(
            all(right)
            and {x for x, _ in partners} == {b for b, _ in moving}
            and len({y for _, y in partners}) == len(partners) == len(moving),
            "the partners of a proposal are not of the blocks that it moves",
        )
        return Part(
            kind, sequential, moving, cost=self.node(data["cost"], "the cost"), partners=partners
        )

    def is_block(self, k: int, block: str) -> bool:
        """Return True if a node is the block itself."""
        node = self.table.nodes[k]
        return node.head in ("at", "sym") and node.name == block

    def steps(self, data: Any) -> tuple[dict[str, bool], dict[str, list[Step]]]:
        """The obligations with True for those that are required, and the steps of each by name."""
        fits(data, [OBLIGATION_SHAPE], "obligations")
        count = sum(len(o["steps"]) for o in data)
        require(count <= MAX_STEPS, f"there are more than {MAX_STEPS} steps")
        require(len(data) <= 64, "there are too many obligations")
        steps: dict[str, list[Step]] = {}
        for o in data:
            require(o["name"] not in steps, f"{o['name']!r:.50} is claimed twice")
            require(o["verdict"] == "proved", f"{o['name']!r:.50} is not claimed to be proved")
            for s in o["steps"]:
                kind: str = (
                    s["kind"] if isinstance(s, dict) and isinstance(s.get("kind"), str) else ""
                )
                require(kind in STEP_SHAPES, "a step is neither a sign, a factor nor an edge")
                fits(s, STEP_SHAPES[kind], f"a {kind} step")
                if "block" in s:
                    self._require_edge(s)
                    continue
                for one in s["signs"] if kind == "factor" else [s]:
                    require(one["kind"] == "sign", "a step that should be a sign is none")
                    self.table.index(one["e"], "a sign step")
                    self.table.index(one["form"], "a sign step")
            steps[o["name"]] = o["steps"]
        return {o["name"]: o["required"] for o in data}, steps


# -- the obligations
# --------------------------------------------------------------------------------------------------

CONFIRMED, REJECTED, NOT_CHECKED = "confirmed", "rejected", "cannot be certified"
ERROR_BOUND = "error below 2^-100"
TOO_SHORT = "the expansion is too short"
# Without these a stationary law need not be invariant; by the obligation that confirms each.
ASSUMED_UNLESS_CONFIRMED = {
    "normalisable": "exp(-H) is normalisable",
    "non-explosion": "the process does not explode",
}


@dataclass(frozen=True)
class Finding:
    """The result for one obligation: ``confirmed``, ``rejected`` or ``cannot be certified``, with
    the method or the reason.

    ``required`` is False for an obligation that is no part of the verdict over all.
    """

    name: str
    status: str
    sentence: str
    required: bool = True


def first(s: Series, x: Place) -> int:
    """The first derivative by x."""
    return s.terms.get((1, (x,)), 0)


def second(s: Series, x: Place, y: Place) -> int:
    """The second derivative by x and y."""
    return s.terms.get((2, tuple(sorted((x, y)))), 0) * (2 if x == y else 1)


# The obligations whose identities have derivatives.
NEED_DERIVATIVES = (
    "stationarity",
    "marginal",
    "agrees-with-update",
    "monotone",
    "push-forward",
    "boundary",
    "normalisable",
    "non-explosion",
    "uniqueness",
    "consistency",
    "exact-transition",
)


class Check:
    """Checks the obligations of one certificate."""

    def __init__(
        self,
        table: Table,
        subject: Subject,
        steps: dict[str, list[Step]],
        primes: tuple[int, ...] | None = None,
    ) -> None:
        self.table, self.subject, self.steps = table, subject, steps
        nested = max(
            (node.nested for t in tables_of(table, subject) for node in t.nodes), default=0
        )
        self.primes = primes or prime_chain(1 + min(MAX_NESTED_EXPONENTS, nested))
        self.assumptions: dict[str, None] = {}
        self._limit: list[tuple[str, Answer]] = []

    def find(self, name: str) -> Finding:
        """The finding for an obligation; it cannot be certified if there is no procedure or too
        much work for it.
        """
        s, judged = self.subject, self.judged
        procedures: dict[str, Callable[[], tuple[str, str]]] = {
            "well-defined": self.well_defined,
            "diffusion-psd": self.diffusion_psd,
            "stationarity": self.stationarity,
            "marginal": self.marginal,
            "monotone": self.monotone,
            "onto": self.onto,
            "push-forward": self.push_forward,
            "consistency": self.consistency,
            "exact-transition": self.exact_transition,
            "boundary": self.boundary,
            "normalisable": self.normalisable,
            "non-explosion": self.non_explosion,
            "uniqueness": self.uniqueness,
            "diffusion-symmetric": lambda: judged("D = D^T", ("D - D^T", self.mirrored(s.D, 1))),
            "curl-skew": lambda: judged("Q = -Q^T", ("Q + Q^T", self.mirrored(s.Q or {}, -1))),
            "noise-factor": lambda: judged(
                "D = B B^T", ("D - B B^T", self.product(s.factor or ()))
            ),
            "agrees-with-update": lambda: judged(
                "the limit of the rule has this drift and this D", *self.limit()
            ),
        }
        if name not in procedures:
            return Finding(name, NOT_CHECKED, "this checker has no procedure for it")
        optional = {"normalisable", "non-explosion", "uniqueness"} | (
            {"exact-transition"} if self.subject.scheme else set()
        )
        if name not in self.basic() | optional:
            return Finding(name, NOT_CHECKED, "nothing in the subject is about it")
        try:
            problem = self.not_smooth() if name in NEED_DERIVATIVES else None
            if name in self.need_the_limit():
                problem = problem or self.not_expanded()
            if problem:
                return Finding(name, NOT_CHECKED, problem)
            return Finding(name, *procedures[name]())
        except UnableError as error:
            return Finding(name, NOT_CHECKED, str(error))

    def need_the_limit(self) -> tuple[str, ...]:
        """The obligations that are about the limit of the rule."""
        claim = ("stationarity",) if self.subject.kind == "claim" else ()
        return (*claim, "agrees-with-update")

    def basic(self) -> set[str]:
        """The obligations that every certificate for this subject must contain."""
        s = self.subject
        names = {"well-defined", "diffusion-psd", "stationarity"}
        if s.kind == "recipe":
            names |= {"diffusion-symmetric", "curl-skew"} | (
                {"agrees-with-update"} if s.rule else set()
            )
            names |= ({"marginal"} if s.marginal else set()) | (
                {"noise-factor"} if s.factor is not None else set()
            )
        names |= ({"monotone", "onto"} if s.maps else set()) | (
            {"push-forward"} if s.transform else set()
        )
        names |= {"consistency"} if s.scheme else set()
        return names | (
            {"boundary"}
            if any(self.table.symbols[b]["domain"] is not None for b in s.state)
            else set()
        )

    @staticmethod
    def judged(by: str, *answers: tuple[str, Answer]) -> tuple[str, str]:
        """The status and the reason for several answers: confirmed only if all are zero."""
        for what, answer in sorted(answers, key=lambda pair: not pair[1].certain):
            if answer.kind == "nonzero" and answer.certain:
                return REJECTED, f"{what}: {answer.why}"
            if answer.kind != "zero":
                hedge = ", as far as this checker can tell" if answer.kind == "nonzero" else ""
                return NOT_CHECKED, f"{what}: {answer.why}{hedge}"
        return CONFIRMED, f"{by}, {ERROR_BOUND}"

    @classmethod
    def followed(cls, by: str, *answers: tuple[str, Answer]) -> tuple[str, str]:
        """The status and the reason for answers that suffice for a proof: what fails leaves a claim
        open, as there may be another proof.
        """
        status, sentence = cls.judged(by, *answers)
        return NOT_CHECKED if status == REJECTED else status, sentence

    def decide(
        self,
        test: Test,
        degree: Degree,
        free: int = 0,
        order: int = 0,
        rule: bool = False,
        noisy: bool = False,
    ) -> Answer:
        """Decide whether all numbers of a test vanish, with ``free`` different free indices of
        every length.
        """
        return decide(
            self.table,
            self.primes,
            test,
            degree,
            dict.fromkeys(self.lengths(*self.subject.state), free),
            order,
            rule,
            noisy,
        )

    def lengths(self, *blocks: str) -> list[str]:
        """The lengths of the vectors among some blocks."""
        return [x for b in blocks if (x := self.table.length(b))]

    # -- entries of matrices

    def entry(self, run: Run, entry: Entry, i: int, j: int, same: bool) -> Series:
        """Entry (i, j) of the matrix between two blocks; ``same`` if these have one length."""
        if "value" in entry:
            return run.series(entry["value"], {0: max(i, j)})
        kernel = run.series(entry["kernel"], {0: i, -1: j})
        if not (same and i == j):
            return kernel
        found = run.plus([kernel, run.series(entry["diagonal"], {0: i})], run.p)
        return found if isinstance(found, Series) else Series({CONSTANT: found})

    def at(self, run: Run, matrix: Matrix, x: Place, y: Place) -> Series:
        """The entry of a full matrix at two coordinates."""
        return self.entry(
            run, matrix[x[0], y[0]], x[1], y[1], self.table.length(x[0]) == self.table.length(y[0])
        )

    def is_zero(self, entry: Entry) -> bool:
        """Return True if an entry is written as zero."""
        return all(self.table.nodes[n].number == 0 for n in entry.values())

    def firsts(self) -> list[Place]:
        """One coordinate of each block."""
        return [(b, 0 if self.table.length(b) else -1) for b in self.subject.state]

    def pairs(self, run: Run) -> Iterator[tuple[Place, Place]]:
        """Pairs of coordinates, one for each way in which two blocks and two indices can meet."""
        for x, y in product(self.firsts(), repeat=2):
            yield x, y
            length = self.table.length(x[0])
            if length and length == self.table.length(y[0]) and run.sizes[length] > 1:
                yield x, (y[0], 1)

    def of_entries(self, degrees: Degrees, entries: Iterable[Entry]) -> Degree:
        """A bound for the entries of full matrices."""
        return degrees.value(*(n for e in entries for n in e.values()))

    def contracted(
        self, degrees: Degrees, matrix: Matrix, rest: list[Degree], both: bool
    ) -> Degree:
        """A bound for sums over columns of derivatives of entries, times ``rest`` for each order.

        With ``both`` the sum is over rows as well.
        """
        found = []
        for (a, b), entry in matrix.items():
            over = Counter(self.lengths(a, b) if both else self.lengths(b))
            found += [
                d + over + rest[k]
                for n in entry.values()
                for k, d in degrees.of(n).items()
                if k < len(rest)
            ]
        return highest(*found)

    # -- identities

    def same_gradient(self, one: int, other: int | None, blocks: Iterable[str]) -> Answer:
        """Decide whether ``one`` and ``other`` have the same derivatives by some blocks; without
        ``other``, zero ones.
        """
        degrees, nodes = Degrees(self.table, 1), [one] + ([] if other is None else [other])

        def test(run: Run) -> Iterator[int]:
            U, *V = [run.series(k, {}) for k in nodes]
            yield from (
                first(U, x) - sum(first(v, x) for v in V) for x in self.firsts() if x[0] in blocks
            )

        return self.decide(
            test, highest(*(degrees.of(k).get(1, Counter()) for k in nodes)), free=1, order=1
        )

    def mirrored(self, matrix: Matrix, flip: int) -> Answer:
        """Decide whether M = flip * M^T as full matrices."""

        def test(run: Run) -> Iterator[int]:
            for x, y in self.pairs(run):
                yield (
                    self.at(run, matrix, x, y).constant()
                    - flip * self.at(run, matrix, y, x).constant()
                )

        return self.decide(test, self.of_entries(Degrees(self.table, 0), matrix.values()), free=2)

    # -- stationarity

    def stationarity(self) -> tuple[str, str]:
        """The residual vanishes, and the drift follows from H, D and Q, or from the rule."""
        answers = [("the residual div v - v . grad H", self.residual())]
        answers += (
            self.limit()
            if self.subject.kind == "claim"
            else [("the drift less its formula", self.formula())]
        )
        self.assumptions |= dict.fromkeys(ASSUMED_UNLESS_CONFIRMED.values())
        return self.judged("div v - v . grad H = 0 for the drift of this subject", *answers)

    def residual(self) -> Answer:
        """Decide whether div v - v . grad H = 0 with v = f + D grad H - div D."""
        s, degrees = self.subject, Degrees(self.table, 2)
        slope, bend = (degrees.of(s.H).get(k, Counter()) for k in (1, 2))
        found = [self.contracted(degrees, s.D, [bend | slope + slope, slope, Counter()], both=True)]
        for b, n in s.drift.items():
            f = degrees.of(n)
            found += [
                Counter(self.lengths(b)) + (f.get(1, Counter()) | f.get(0, Counter()) + slope)
            ]

        def test(run: Run) -> Iterator[int]:
            H, places, residual = run.series(s.H, {}), list(run.places(s.state)), 0
            slopes = {x: first(H, x) for x in places}
            for x in places:
                f = run.series(s.drift[x[0]], {0: x[1]})
                v = f.constant()
                residual += first(f, x)
                for y in places:
                    if not self.is_zero(s.D[x[0], y[0]]):
                        D = self.at(run, s.D, x, y)
                        v += D.constant() * slopes[y] - first(D, y)
                        residual += (
                            first(D, x) * slopes[y]
                            + D.constant() * second(H, x, y)
                            - second(D, x, y)
                        )
                residual -= v * slopes[x]
            yield residual

        return self.decide(test, highest(*found), order=2)

    def formula(self) -> Answer:
        """Decide whether f = -(D + Q) grad H + div (D + Q), at one coordinate of each block."""
        s, degrees = self.subject, Degrees(self.table, 1)
        assert s.Q is not None
        both, slope = (s.D, s.Q), degrees.of(s.H).get(1, Counter())
        found = [
            degrees.value(*s.drift.values()),
            *(self.contracted(degrees, m, [slope, Counter()], both=False) for m in both),
        ]

        def test(run: Run) -> Iterator[int]:
            H = run.series(s.H, {})
            for x in self.firsts():
                value = run.series(s.drift[x[0]], {0: x[1]}).constant()
                for m, y in product(both, run.places(s.state)):
                    if not self.is_zero(m[x[0], y[0]]):
                        entry = self.at(run, m, x, y)
                        value += entry.constant() * first(H, y) - first(entry, y)
                yield value

        return self.decide(test, highest(*found), free=1, order=1)

    # -- blocks that are normal given the rest

    def normal_blocks(self, *obligations: str) -> dict[str, int]:
        """The blocks that are normal given all others, each with the node of its precision.

        A sign step of one of the obligations names the precision and shows that it is positive.
        """
        steps = [step for name in obligations for step in self.steps.get(name, ())]
        nodes = dict.fromkeys(step["e"] for step in steps if step["kind"] == "sign")
        nodes[self.table.number(1)] = None
        found: dict[str, int] = {}
        for b in self.subject.state:
            for k in nodes if self.table.symbols[b]["domain"] is None else ():
                free = self.table.nodes[k].free
                fits_block = all(x == 0 and n == self.table.length(b) for x, n in free.items())
                together = {**found, b: k}
                if (
                    fits_block
                    and not (self.table.nodes[k].sums and self.table.length(b))
                    and self.is_positive(k)
                    and self.are_normal(together).kind == "zero"
                ):
                    found = together
                    break
        return found

    def are_normal(self, precisions: Mapping[str, int]) -> Answer:
        """Decide whether coordinates of some blocks are independent and normal given all others.

        The derivatives of H by two of them are 0 for different ones, and the precision for one;
        those by three of them are 0.
        """

        def test(run: Run) -> Iterator[int]:
            H, own = run.series(self.subject.H, {}), set(run.places(precisions))
            for (_, names), value in H.terms.items():
                if set(names) <= own and (len(names) == 3 or len(set(names)) == 2):
                    yield value
            for b, k in precisions.items():
                for x in run.places([b]):
                    yield second(H, x, x) - run.series(k, {0: x[1]}).constant()

        degree = highest(self.bound(self.subject.H), *(self.bound(k) for k in precisions.values()))
        return self.decide(test, degree, free=2, order=3)

    def leaves(
        self, precisions: Mapping[str, int], kept: Iterable[str], U: Sequence[int]
    ) -> Answer:
        """Decide whether integrating normal blocks r out of exp(-H) leaves, as a function of what
        is kept, exp(-U), for the sum of some nodes U.

        With g = dH/dr the integral is that of exp(-(H - sum g^2/(2 p) + sum log(p)/2)). The p of a
        scalar block may have sums in it, and is a common denominator.
        """
        table, kept = self.table, set(kept)

        def test(run: Run) -> Iterator[int]:
            H, half = run.series(self.subject.H, {}), inverse(2, run.p)
            given = [run.series(k, {}) for k in U]
            normal = [x for b in precisions for x in run.places([b])]
            over = {
                x: inverse(run.series(k, {0: x[1]}).constant(), run.p)
                for b, k in precisions.items()
                for x in run.places([b])
            }
            for z in (x for x in self.firsts() if x[0] in kept):
                value = first(H, z) - sum(first(u, z) for u in given)
                for r in normal:
                    g, down = first(H, r), over[r]
                    bend = H.terms.get((3, tuple(sorted((r, r, z)))), 0) * 2
                    value -= g * second(H, r, z) * down
                    value += (g * g * down + 1) * bend * down * half
                yield value

        each = self.bound(self.subject.H)
        lengths = Counter(x for b in precisions if (x := table.length(b)))
        degree = highest(each + each + each + lengths, *(self.bound(k) for k in U))
        for b, k in precisions.items():
            if not table.length(b):
                degree += self.bound(k) + self.bound(k)
        return self.decide(test, degree, free=1, order=3)

    def normalisable(self) -> tuple[str, str]:
        """Every block is normal given the rest, but for those of potentials, whose law is assumed
        to be normalisable.
        """
        if self.subject.transform is not None:
            return self.normalisable_original()
        normal = self.normal_blocks("normalisable")
        rest = [b for b in self.subject.state if b not in normal]
        names = f"{', '.join(normal)} {'is' if len(normal) == 1 else 'are'} normal given the rest"
        if not rest:
            return CONFIRMED, f"{names}, {ERROR_BOUND}"
        own: dict[str, int] = {}  # one node for each potential, as U + U has another law
        for k in self.table.reachable([self.subject.H]):
            node = self.table.nodes[k]
            if node.head == "value" and not node.labels:
                own.setdefault(node.name, k)
        of = {name: set(Table.blocks(self.table.functions[name])) for name in own}
        own = {name: k for name, k in own.items() if of[name] <= set(rest)}
        if {b for name in own for b in of[name]} != set(rest):
            return NOT_CHECKED, f"the tails of exp(-H) in {', '.join(rest)} are not followed here"
        law = " + ".join(sorted(own))
        law = f"exp(-{law})" if len(own) == 1 else f"exp(-({law}))"
        status, sentence = self.followed(
            f"{names}; the others have the law {law}" if normal else f"the law is {law}",
            (f"what is left, less {law}", self.leaves(normal, rest, list(own.values()))),
        )
        if status == CONFIRMED:
            self.assumptions[f"{law} is normalisable"] = None
        return status, sentence

    def normalisable_original(self) -> tuple[str, str]:
        """The original law is normalisable, and the map is one to one and onto."""
        t = self.subject.transform
        assert t is not None
        for name, procedure in (
            ("monotone", self.monotone),
            ("onto", self.onto),
            ("push-forward", self.push_forward),
        ):
            if procedure()[0] != CONFIRMED:
                return NOT_CHECKED, f"{name} is not confirmed"
        original = Check(t.table, t.original, {}, self.primes)
        if problem := original.not_smooth():
            return NOT_CHECKED, problem
        status, sentence = original.normalisable()
        self.assumptions |= {f"{line}, in the original": None for line in original.assumptions}
        return status, f"of the original, {sentence}"

    def non_explosion(self) -> tuple[str, str]:
        """The domain is bounded; or the process is reversible, of finite mass, and complete.

        A symmetric diffusion with a constant positive definite D on the whole space does not
        explode if its mass is finite (Sturm 1994).
        """
        domains = [self.table.symbols[b]["domain"] for b in self.subject.state]
        if all(
            d and (d[0] == "simplex" or not {"oo", "-oo"} & set(map(str, d[1:3]))) for d in domains
        ):
            return CONFIRMED, "the domain is bounded"
        if any(d is not None for d in domains):
            return NOT_CHECKED, "a domain with an edge and an infinite end is not followed here"
        D = [n for n in entry_nodes(self.subject.D) if self.table.nodes[n].number != 0]
        if any(self.depends_on_state(n) for n in D) or not self.is_elliptic():
            return NOT_CHECKED, "D is not seen to be constant and positive definite"
        status, sentence = self.normalisable()
        if status != CONFIRMED:
            return NOT_CHECKED, f"normalisable: {sentence}"
        return self.followed(
            "reversible, of finite mass, and D is constant", ("the current", self.current())
        )

    def current(self) -> Answer:
        """Decide whether the current f + D grad H - div D of exp(-H) is zero, for a diagonal D."""
        s, degrees = self.subject, Degrees(self.table, 1)
        slope = degrees.of(s.H).get(1, Counter())
        bounds = [degrees.value(*s.drift.values())]
        bounds += [d + slope for n in entry_nodes(s.D) for d in degrees.of(n).values()]

        def test(run: Run) -> Iterator[int]:
            H = run.series(s.H, {})
            for x in self.firsts():
                D = self.at(run, s.D, x, x)
                drift = run.series(s.drift[x[0]], {0: x[1]}).constant()
                yield drift + D.constant() * first(H, x) - first(D, x)

        return self.decide(test, highest(*bounds), free=1, order=1)

    def is_elliptic(self) -> bool:
        """Return True if D is diagonal, and each entry is seen to be positive everywhere."""
        for (a, b), entry in self.subject.D.items():
            zero = {"kernel"} if a == b else set(entry)
            for part, n in entry.items():
                if part in zero and self.table.nodes[n].number != 0:
                    return False
                if part not in zero and not self.is_positive(n):
                    return False
        return True

    def uniqueness(self) -> tuple[str, str]:
        """D is positive definite everywhere, with smooth coefficients on the whole space.

        So the process has a positive density after any time, and two invariant laws would have
        one density: there is one at most.
        """
        if any(self.table.symbols[b]["domain"] is not None for b in self.subject.state):
            return NOT_CHECKED, "a domain with an edge is not followed here"
        if not self.is_elliptic():
            return NOT_CHECKED, "D is not seen to be diagonal and positive everywhere"
        self.assumptions |= dict.fromkeys(ASSUMED_UNLESS_CONFIRMED.values())
        return CONFIRMED, "D is positive definite everywhere, and all coefficients are smooth"

    # -- edges

    def boundary(self) -> tuple[str, str]:
        """Each finite end of the domain of each block, by a step of its own.

        Such a coordinate is a diffusion by itself, with drift f and diffusion D, and no current:
        (p D)' = f p. Let e be the distance from the end, and f point inside where it is positive.
        Unattainable: the logarithm of the scale density 1/(p D) has the derivative -f/D. If
        e f >= (1 - C e) D near the end, it is at least that of c/e, which is not integrable
        (Feller). Self-reflecting: D = e D_1 with D_1 > 0 and f > 0 at the end, both smooth there;
        so p ~ e^k with k = f/D_1 - 1 > -1, and the process leaves the end by itself.
        """
        words = []
        for b in self.subject.state:
            domain = self.table.symbols[b]["domain"]
            if domain is None:
                continue
            if domain[0] != "interval":
                return NOT_CHECKED, f"the faces of {b} are not followed here"
            for end, at in zip(("low", "high"), ends_of(self.table, domain)[1:3], strict=True):
                if isinstance(at, str):
                    continue
                problem, how = self.edge(b, end, at)
                if problem:
                    return NOT_CHECKED, f"{b} = {at}: {problem}"
                words.append(f"{b} = {at} is {how}")
        return CONFIRMED, f"{'; '.join(words)}, {ERROR_BOUND}"

    def edge(self, block: str, end: str, at: Fraction) -> tuple[str | None, str]:
        """The reason why an edge is not confirmed, or None and how it was."""
        problem = "the certificate has no step about it"
        for step in self.steps.get("boundary", ()):
            if step.get("block") == block and step.get("end") == end:
                problem = self.not_alone(block, step["drift"]) or self.edge_problem(step, at) or ""
                if not problem:
                    return None, str(step["kind"])
        return problem, ""

    def not_alone(self, block: str, drift: int) -> str | None:
        """The reason why a block is not seen to be a diffusion by itself without a current, with
        this drift; None if it is.
        """
        s = self.subject
        beside = [
            n
            for (a, b), entry in s.D.items()
            for part, n in entry.items()
            if block in (a, b) and (a != b or part == "kernel")
        ]
        if any(self.table.nodes[n].number != 0 for n in beside):
            return "its noise is coupled to that of others"
        own = self.own_diffusion(block)
        if any(n in s.state and n != block for n in symbols_in(self.table, own)):
            return "its diffusion depends on others"
        heads = {self.table.nodes[k].head for k in self.table.reachable([own])}
        if heads & {"total", "value", "d", "apply", "M", "dim"}:
            return "its diffusion is no function of its coordinate"
        same = vanishes(self.table, s.drift[block], self.primes, drift)
        if same.kind != "zero":
            return f"the drift of the step is another one: {same.why}"
        x, degrees = (block, 0 if self.table.length(block) else -1), Degrees(self.table, 1)

        def test(run: Run) -> Iterator[int]:
            H, D = run.series(s.H, {}), run.series(own, {0: x[1]})
            f = run.series(drift, {0: x[1]}).constant()
            yield f + D.constant() * first(H, x) - first(D, x)

        degree = highest(*degrees.of(s.H).values())
        current = self.decide(test, degree, free=1, order=1)
        return (
            None if current.kind == "zero" else f"its current is not seen to be zero: {current.why}"
        )

    def own_diffusion(self, block: str) -> int:
        """The node of D of one coordinate, for a block whose noise is its own."""
        entry = self.subject.D[block, block]
        return entry["diagonal"] if "diagonal" in entry else entry["value"]

    def edge_problem(self, step: Step, at: Fraction) -> str | None:
        """The reason why a step about an edge does not hold; None if it does."""
        table, block = self.table, step["block"]
        inward = 1 if step["end"] == "low" else -1
        make = Carried(table, table, {block: Image(table.number(at))})
        x, minus = self.coordinate(block), table.number(-1)
        e = make.sum([x, table.number(-at)])
        e = e if inward == 1 else make.product([minus, e])
        f = make.product([table.number(inward), step["drift"]])
        D = self.own_diffusion(block)
        if step["kind"] == "self-reflecting":
            meets = self.others_with(block)
            if meets is not None:
                return f"drift or noise of {meets} depends on {block}, which reaches the edge"
            same = vanishes(table, D, self.primes, make.product([e, step["form"]]))
            if same.kind != "zero":
                return f"D is not the distance times the form: {same.why}"
            good = [self.is_positive_at(make, k) for k in (step["form"], f)]
            return (
                None if all(good) else "D_1 and the inward drift are not seen to be positive there"
            )
        if not signs(table, step["constant"]) <= NOT_NEGATIVE or self.depends_on_state(
            step["constant"]
        ):
            return "the constant is not seen to be nonnegative"
        less = make.sum([table.number(1), make.product([minus, step["constant"], e])])
        gap = make.sum([make.product([e, f]), make.product([minus, less, D])])
        power = table.add("^", e, table.number(step["power"]))
        same = vanishes(table, gap, self.primes, make.product([power, step["form"]]))
        if same.kind != "zero":
            return f"e f - (1 - C e) D is not the power times the form: {same.why}"
        if not self.is_positive(D):
            return "D is not seen to be positive inside"
        nonnegative = self.is_read_off(step["form"], ">= 0") and not self.undefined(
            [step["form"]], strict=True
        )
        if nonnegative or self.is_positive_at(make, step["form"]):
            return None
        return "the form is not seen to be nonnegative near the edge"

    def others_with(self, block: str) -> str | None:
        """Another block whose drift or noise depends on this one, or None. Such a coefficient may
        be unbounded at an edge that is reached: then the others may leave their domains there.
        """
        s = self.subject
        of = [(c, n) for c, n in s.drift.items()]
        of += [(c, n) for pair, entry in s.D.items() for n in entry.values() for c in pair]
        return next((c for c, n in of if c != block and block in symbols_in(self.table, n)), None)

    def is_positive_at(self, make: Carried, k: int) -> bool:
        """Return True if a node is smooth and positive where its block has another value."""
        for base, wanted in self.conditions([k]):
            if not self.is_read_off(make.node(base), "> 0" if wanted == ">= 0" else wanted):
                return False
        return self.is_read_off(make.node(k), "> 0")

    def coordinate(self, block: str) -> int:
        """The node of a block, at label 0."""
        vector = self.table.length(block)
        return self.table.add("at", block, 0) if vector else self.table.add("sym", block)

    def bound(self, k: int, order: int = 3) -> Degree:
        """A bound for a node and its derivatives."""
        return highest(*Degrees(self.table, order).of(k).values())

    # -- marginals

    def marginal(self) -> tuple[str, str]:
        """H - U does not depend on the blocks of the marginal, and U on no others; or that holds
        after normal blocks are integrated out.
        """
        normal = self.normal_blocks("marginal")
        words: dict[str, None] = {}
        for kept, U in self.subject.marginal:
            others = [b for b in self.subject.state if b not in kept]
            own = self.same_gradient(U, None, others)
            if own.kind != "zero":
                return NOT_CHECKED, f"U of the marginal depends on what is not kept: {own.why}"
            inside = {b: k for b, k in normal.items() if b in others}
            plain = self.same_gradient(U, self.subject.H, kept)
            if plain.kind == "zero":
                words["H - U does not depend on what is kept"] = None
            elif not inside or self.leaves(inside, kept, [U]).kind != "zero":
                return NOT_CHECKED, (
                    f"H - U depends on what is kept, and integrating"
                    f" {', '.join(inside) or 'nothing'} out is not seen to leave U"
                )
            else:
                words[f"{', '.join(inside)} normal given the rest, and integrated out"] = None
            if set(inside) != set(others):
                self.assumptions["exp(-(H - U)) has a finite integral over the other blocks"] = None
        return CONFIRMED, f"{'; '.join(words)}, {ERROR_BOUND}"

    # -- one discrete step

    def consistency(self) -> tuple[str, str]:
        """The limit of the step, as its size vanishes, has the drift and D of the process."""
        scheme = self.subject.scheme
        assert scheme is not None
        for base, wanted in self.conditions(n for _, n in scheme.rule.pairs):
            if problem := self.open_condition(base, wanted):
                return NOT_CHECKED, problem
        step = Check(
            self.table,
            replace(self.subject, rule=scheme.rule, scheme=None),
            self.steps,
            self.primes,
        )
        if problem := step.not_expanded():
            return NOT_CHECKED, problem
        return self.judged("the limit of the step has this drift and this D", *step.limit())

    def exact_transition(self) -> tuple[str, str]:
        """Each assignment is the transition of a process of its own at every size of the step, and
        the sum of their generators is that of the process.

        With the rest held fixed it is r := c r + b + s w. It has an expansion in the root of the
        step h, and c(2h) = c^2, b(2h) = (1 + c) b and v(2h) = (1 + c^2) v for v = s^2. Compare the
        expansions: log(c) is a multiple of h, and b and v are then known up to a factor. So it is
        the transition of a linear diffusion of r. That the generators have the right sum is what
        consistency says. Where no assignment reads a block that another one moves, the generators
        commute, and the whole step is the transition of the process.
        """
        scheme = self.subject.scheme
        assert scheme is not None
        status, sentence = self.consistency()
        if status != CONFIRMED:
            return NOT_CHECKED, f"consistency: {sentence}"
        pairs = [(b, e) for b, e in scheme.rule.pairs if not self.is_coordinate(e, b)]
        moved = [b for b, _ in pairs]
        drawn = [n for _, e in pairs for n in self.noises(e)]
        if len(set(drawn)) < len(drawn):
            return NOT_CHECKED, "one noise is in two assignments"
        if any(self.table.symbols[n].get("covariance") for n in drawn):
            return NOT_CHECKED, "noise with a covariance is not followed here"
        if any(self.table.symbols[b]["domain"] is not None for b in moved):
            return NOT_CHECKED, "a block may leave its domain"
        apart = len(set(moved)) == len(moved) and not any(
            (self.reads(e) & set(moved)) - {b} for b, e in pairs
        )
        if not apart and not (scheme.splitting and scheme.rule.sequential):
            return NOT_CHECKED, "an assignment reads a block that another one moves"
        answers = [(f"{b} := ... at twice the step", self.is_semigroup(b, e)) for b, e in pairs]
        return self.followed(
            "the step is the transition of the process"
            if apart
            else "each assignment is the transition of a piece, and the pieces have the right sum",
            *answers,
        )

    def is_coordinate(self, k: int, block: str) -> bool:
        """Return True if a node is a block itself."""
        node = self.table.nodes[k]
        return node.head in ("at", "sym") and node.name == block

    def is_semigroup(self, block: str, e: int) -> Answer:
        """Decide whether an assignment, twice over, is the one at twice the step."""
        x = (block, 0 if self.table.length(block) else -1)
        steps = [n for n in symbols_in(self.table, e) if self.table.kind(n) == "step"]
        two, table = self.table.number(2), self.table
        doubled = {n: Image(table.add("*", two, table.add("sym", n))) for n in steps}
        later = Carried(table, table, doubled).node(e)

        def law(run: Run, k: int) -> tuple[list[int], int, int, int]:
            zeros, c, roots = self.affine(run, block, k, x)
            mean = run.series(k, {0: x[1]}).constant() - c * run.symbol(*x)
            mean -= sum(root * run.symbol(*w) for w, root in roots.items())
            return zeros, c, mean, sum(root * root for root in roots.values())

        def test(run: Run) -> Iterator[int]:
            (zeros, c, b, v), (others, c2, b2, v2) = law(run, e), law(run, later)
            yield from (*zeros, *others)
            yield c2 - c * c
            yield b2 - (1 + c) * b
            yield v2 - (1 + c * c) * v

        each = self.bound(e, 2) | self.bound(later, 2)
        degree = each + each + each + each + self.over_noise(e)
        return self.decide(test, degree, free=2, order=2, noisy=True)

    def affine(
        self, run: Run, block: str, e: int, x: Place
    ) -> tuple[list[int], int, dict[Place, int]]:
        """Numbers that vanish if a new value is c r + b + s w, coordinate by coordinate with
        independent noise; c; and s by coordinates of the noise.
        """
        rule, own = run.series(e, {0: x[1]}), set(run.places([block]))
        noise = self.noise_places(run, e)
        zeros = [
            value
            for (_, names), value in rule.terms.items()
            if (len(names) > 1 and set(names) <= {*own, *noise})
            or (len(names) == 1 and set(names) <= own - {x})
        ]
        roots = {w: first(rule, w) for w in noise}
        for y in own - {x}:
            other = run.series(e, {0: y[1]})
            zeros.append(sum(s * first(other, w) for w, s in roots.items()))
        return zeros, first(rule, x), roots

    def reads(self, k: int) -> set[str]:
        """The blocks in a node, those of abstract functions included."""
        nodes = [self.table.nodes[c] for c in self.table.reachable([k])]
        inside = (
            Table.blocks(self.table.functions[n.name]) for n in nodes if n.head in ("value", "d")
        )
        return {n.name for n in nodes if n.head in ("at", "sym")} | {b for bs in inside for b in bs}

    def noises(self, k: int) -> set[str]:
        """The names of the noise in a node."""
        return {n for n in symbols_in(self.table, k) if "noise" in (self.table.kind(n) or "")}

    def over_noise(self, *nodes: int) -> Degree:
        """A bound for one sum over all noise in some nodes."""
        names = {n for k in nodes for n in self.noises(k)}
        return Counter({x for n in names if (x := self.table.length(n))})

    def noise_places(self, run: Run, *nodes: int) -> list[Place]:
        """The coordinates of all noise in some nodes."""
        return list(run.places(sorted({n for k in nodes for n in self.noises(k)})))

    # -- changes of variable

    def monotone(self) -> tuple[str, str]:
        """The slope of each map is its derivative, and has one sign everywhere."""
        answers = []
        for b, m in self.subject.maps.items():
            if problem := self.slope_problem(b, m):
                return NOT_CHECKED, problem
            answers.append((f"f' of {m.image} = f({b}) less its slope", self.slope_is_one(b, m)))
        return self.judged("f' has one sign", *answers)

    def slope_problem(self, b: str, m: Map) -> str | None:
        """The reason why the slope of a map is not seen to have one sign; None if it is."""
        negative = self.table.add("*", self.table.number(-1), m.slope)
        if self.is_positive(m.slope) or self.is_positive(negative):
            return None
        return f"f' of {m.image} = f({b}) is not seen to have one sign"

    def is_positive(self, k: int) -> bool:
        """Return True if a node is positive: as it stands, or as a form of a sign step shows."""
        return self.is_read_off(k, "> 0") or any(
            step["kind"] == "sign"
            and step["sign"] == "> 0"
            and self.is_read_off(step["form"], "> 0")
            and vanishes(self.table, k, self.primes, step["form"]).kind == "zero"
            and not self.undefined([step["form"]], strict=True)
            for steps in self.steps.values()
            for step in steps
        )

    def slope_is_one(self, b: str, m: Map) -> Answer:
        """Decide whether the slope of a map is the derivative of f."""
        x = (b, 0 if self.table.length(b) else -1)

        def test(run: Run) -> Iterator[int]:
            yield first(run.series(m.forward, {0: 0}), x) - run.series(m.slope, {0: 0}).constant()

        return self.decide(test, Counter(), free=1, order=1)

    def onto(self) -> tuple[str, str]:
        """f takes its values in the domain of its image, and takes g(theta) to theta.

        So f takes every value theta of the domain: at g(theta), which is in the domain of phi.
        """
        answers = []
        for b, m in self.subject.maps.items():
            name = f"{m.image} = f({b})"
            if m.inverse is None:
                return NOT_CHECKED, f"{name}: the certificate gives no inverse"
            if not all(map(self.is_positive, gaps(self.table, m.forward, self.table, m.domain))):
                return NOT_CHECKED, f"{name} is not seen to stay in the domain of {m.image}"
            table, g = m.inverse
            of_image = Check(table, self.subject, {}, self.primes)
            if problem := of_image.undefined([g], strict=True):
                return NOT_CHECKED, f"the inverse of {name}: {problem}"
            of_phi = gaps(table, g, self.table, self.table.symbols[b]["domain"])
            if not all(map(of_image.is_positive, of_phi)):
                return NOT_CHECKED, f"the inverse of {name} is not seen to stay in that of {b}"
            there = Carried(self.table, table, {b: Image(g)}).node(m.forward)
            answer = vanishes(table, there, self.primes, table.add("sym", m.image))
            answers.append((f"f(g({m.image})) - {m.image}", answer))
        return self.judged("f stays in the domain, and f(g) is the identity there", *answers)

    def push_forward(self) -> tuple[str, str]:
        """H, D, Q and the drift are those of the original process in other coordinates.

        With J = 1/f', Ito's formula has H_0(f) - sum log f', J D_0 J^T, J Q_0 J^T and the drift
        J f_0 - D_0 f''/f'^3, where D_0 is the diagonal entry of the coordinate. A change of random
        variables (CoRV) has the same H, and D_0 and Q_0 at f(phi).
        """
        t = self.subject.transform
        assert t is not None
        m = self.subject.maps[t.block]
        original = Check(t.table, t.original, {}, self.primes)
        problem = self.slope_problem(t.block, m) or original.not_smooth()
        if problem:
            return NOT_CHECKED, problem
        carried = Carried(t.table, self.table, {m.image: Image(m.forward, t.block, m.slope)})
        answers = [
            ("f' less the slope", self.slope_is_one(t.block, m)),
            ("the drift of the original less its formula", original.formula()),
            ("the gradient of H - H_0(f) + log f'", self._same_law(carried, t, m)),
            ("D less that of the original", self._same_matrix(carried, t, m, "D")),
            ("Q less that of the original", self._same_matrix(carried, t, m, "Q")),
        ]
        if t.kind == "ito":
            answers.append(("the drift less that by Ito's formula", self._ito(carried, t, m)))
        what = "H, D, Q and the drift" if t.kind == "ito" else "H, D and Q"
        return self.judged(
            f"{what} are those of the original process of {m.image} = f({t.block})", *answers
        )

    def _same_law(self, carried: Carried, t: Transform, m: Map) -> Answer:
        degrees, H, H_0 = Degrees(self.table, 1), self.subject.H, carried.node(t.original.H)

        def test(run: Run) -> Iterator[int]:
            ours, theirs = run.series(H, {}), run.series(H_0, {})
            for x in self.firsts():
                value = first(ours, x) - first(theirs, x)
                if x[0] == t.block:
                    slope = run.series(m.slope, {0: x[1]})
                    value += first(slope, x) * inverse(slope.constant(), run.p)
                yield value

        bound = highest(*(degrees.of(k).get(1, Counter()) for k in (H, H_0)))
        return self.decide(test, bound, free=1, order=1)

    def _same_matrix(self, carried: Carried, t: Transform, m: Map, letter: str) -> Answer:
        ours, theirs = getattr(self.subject, letter), _in_state(carried, t, m, letter)

        def over(run: Run, x: Place) -> int:
            if t.kind == "corv" or x[0] != t.block:
                return 1
            return inverse(run.series(m.slope, {0: x[1]}).constant(), run.p)

        def test(run: Run) -> Iterator[int]:
            for x, y in self.pairs(run):
                there = self.at(run, theirs, x, y).constant() * over(run, x) * over(run, y)
                yield self.at(run, ours, x, y).constant() - there

        entries = [*ours.values(), *theirs.values()]
        return self.decide(test, self.of_entries(Degrees(self.table, 0), entries), free=2)

    def _ito(self, carried: Carried, t: Transform, m: Map) -> Answer:
        degrees, D = Degrees(self.table, 0), _in_state(carried, t, m, "D")
        ours = self.subject.drift
        theirs = {
            t.block if b == m.image else b: carried.node(n) for b, n in t.original.drift.items()
        }

        def test(run: Run) -> Iterator[int]:
            for x in self.firsts():
                value = run.series(theirs[x[0]], {0: x[1]}).constant()
                if x[0] == t.block:
                    slope = run.series(m.slope, {0: x[1]})
                    over = inverse(slope.constant(), run.p)
                    bend = first(slope, x) * pow(over, 3, run.p)
                    value = value * over - self.at(run, D, x, x).constant() * bend
                yield run.series(ours[x[0]], {0: x[1]}).constant() - value

        bound = highest(
            degrees.value(*ours.values(), *theirs.values()), self.of_entries(degrees, D.values())
        )
        return self.decide(test, bound, free=1, order=1)

    # -- the limit of an update rule

    def limit(self) -> list[tuple[str, Answer]]:
        """Decide whether the limit of the rule has this H, this drift and this D.

        The answers are kept, as two obligations of a claim need them.
        """
        rule, s = self.subject.rule, self.subject
        assert rule is not None
        if not self._limit:
            answer = Answer("unknown")
            for order in (2, 4, 6, 8):
                answer = self.decide(
                    self._moments,
                    self._degree_of_moments(rule, order),
                    free=2,
                    order=order,
                    rule=True,
                )
                if answer.why != TOO_SHORT:
                    break
            self._limit.append(
                (
                    "the gradient of H less that of the target",
                    self.same_gradient(s.H, rule.target, s.state),
                )
            )
            self._limit.append(("the limit of the rule less f and D", answer))
        return self._limit

    def _moments(self, run: Run) -> Iterator[int]:
        """Numbers that vanish if the moments of one step are right.

        With s = sqrt(step), one step is z + s a + s^2 b + ...: E a = 0, E b = f, E a a^T = 2 D.
        """
        s, steps = self.subject, self._increments(run)
        linear = {
            x: [(names, c) for (k, names), c in step.terms.items() if k == 1]
            for x, step in steps.items()
        }
        for x, step in steps.items():
            yield from (c for (order, _), c in step.terms.items() if order <= 0)
            yield self.mean(run, linear[x])
            square = [(names, c) for (k, names), c in step.terms.items() if k == 2]
            yield self.mean(run, square) - run.series(s.drift[x[0]], {0: x[1]}).constant()
        for x, y in self.pairs(run):
            covariance = self.mean(
                run, [(u + v, c * d) for u, c in linear[x] for v, d in linear[y]]
            )
            yield covariance - 2 * self.at(run, s.D, x, y).constant()

    def _degree_of_moments(self, rule: Rule, order: int) -> Degree:
        s, degrees = self.subject, Degrees(self.table, 0)
        moves, last = dict[str, Orders](), dict[str, Orders]()
        for block, n in rule.pairs:
            last[block] = Degrees(self.table, order, dict(moves) if rule.sequential else {}).of(n)
            moves[block] = {k: d for k, d in last[block].items() if k > 0}
        noise = highest(*(orders.get(1, Counter()) for orders in last.values()))
        found = [d for orders in last.values() for k, d in orders.items() if k <= 2]
        return highest(
            degrees.value(*s.drift.values()),
            self.of_entries(degrees, s.D.values()),
            noise + noise,
            *found,
        )

    def _increments(self, run: Run) -> dict[Place, Series]:
        """The increments by the rule of the coordinates that are compared."""
        rule, moved = self.subject.rule, dict[Place, Series]()
        assert rule is not None
        run.move({})
        for block, n in rule.pairs:
            for x in run.places([block]):
                new = run.series(n, {0: x[1]})
                if new.known < 2:
                    raise UnableError(TOO_SHORT)
                moved[x] = Series(
                    {**new.terms, CONSTANT: new.constant() - run.symbol(block, x[1])}, new.known
                )
            if rule.sequential:
                run.move(moved)
        run.move({})
        return {x: moved[x] for x in dict.fromkeys(x for pair in self.pairs(run) for x in pair)}

    def mean(self, run: Run, polynomial: list[tuple[tuple[Place, ...], int]]) -> int:
        """The mean over the noise, by the sum over all pairings of its factors (Isserlis)."""
        return sum(c * self._moment(run, names) for names, c in polynomial) % run.p

    def _moment(self, run: Run, names: tuple[Place, ...]) -> int:
        if not names:
            return 1
        run.spend(len(names))
        x, rest = names[0], names[1:]
        found = 0
        for k, y in enumerate(rest):
            if y[0] == x[0]:
                dense = self.table.symbols[x[0]].get("covariance")
                covariance = run.entry_of(dense, x[1], y[1]) if dense else int(x == y)
                found += (
                    covariance * self._moment(run, rest[:k] + rest[k + 1 :]) if covariance else 0
                )
        return found

    # -- positive semidefinite

    def product(self, columns: Iterable[Column]) -> Answer:
        """Decide whether D = B W B^T for these columns of B."""
        D, degrees = self.subject.D, Degrees(self.table, 0)
        found = [self.of_entries(degrees, D.values())]
        for c in columns:
            B = self.of_entries(degrees, c.rows.values())
            weight = Counter() if c.weight is None else degrees.value(c.weight)
            found += [
                B + B + weight + Counter([c.length] * (2 if c.matrix else 1) if c.length else [])
            ]

        def test(run: Run) -> Iterator[int]:
            for x, y in self.pairs(run):
                yield self.at(run, D, x, y).constant() - sum(
                    self._outer(run, c, x, y) for c in columns
                )

        return self.decide(test, highest(*found), free=2)

    def _outer(self, run: Run, c: Column, x: Place, y: Place) -> int:
        if x[0] not in c.rows or y[0] not in c.rows:
            return 0

        def B(at: Place, k: int) -> int:
            return self.entry(
                run, c.rows[at[0]], at[1], k, self.table.length(at[0]) == c.length
            ).constant()

        def W(k: int) -> int:
            return 1 if c.weight is None else run.series(c.weight, {0: k}).constant()

        inside = range(run.sizes[c.length]) if c.length else (-1,)
        if c.matrix is None:
            return sum(B(x, k) * W(k) * B(y, k) for k in inside)
        return W(-1) * sum(
            B(x, k) * run.entry_of(c.matrix, k, n) * B(y, n) for k, n in product(inside, repeat=2)
        )

    def diffusion_psd(self) -> tuple[str, str]:
        """D is positive semidefinite: it has a factor, or for a claim it is half of a covariance.

        The factor may be undefined on a nowhere dense set, as D is continuous.
        """
        if self.subject.kind == "claim":
            return self.judged("D is half of a covariance", *self.limit())
        given = [step for step in self.steps.get("diffusion-psd", []) if step["kind"] == "factor"]
        if not given:
            factor = self.subject.factor
            return (
                self._plainly_psd()
                if factor is None
                else self.judged("D = B B^T", ("D - B B^T", self.product(factor)))
            )
        columns = [
            Reader(self.table).column(c, self.subject.state)
            for step in given
            for c in step["columns"]
        ]
        steps = [s for step in given for s in step["signs"]]
        require(len(columns) == len(steps), "a factor needs one sign a column")
        for c, s in zip(columns, steps, strict=True):
            if s["e"] != c.weight or s["sign"] == "!= 0":
                return NOT_CHECKED, "a sign step is not about the weight of its column"
            if problem := self.sign_problem(s, strict=False):
                return NOT_CHECKED, f"the sign of a weight: {problem}"
        if problem := self.undefined(
            [n for c in columns for e in c.rows.values() for n in e.values()], strict=False
        ):
            return NOT_CHECKED, f"the factor: {problem}"
        return self.judged(
            "D = B W B^T with weights W >= 0", ("D - B W B^T", self.product(columns))
        )

    def _plainly_psd(self) -> tuple[str, str]:
        for (a, b), entry in self.subject.D.items():
            for part, n in entry.items():
                good = (
                    self._is_scaled_dense(n)
                    if part == "kernel"
                    else signs(self.table, n) <= NOT_NEGATIVE
                )
                if self.table.nodes[n].number != 0 and (a != b or not good):
                    return NOT_CHECKED, "the certificate gives no factor of D"
        return CONFIRMED, "D is diagonal, and its entries are nonnegative by structure"

    def _is_scaled_dense(self, n: int) -> bool:
        """Return True for ``c M`` with a positive definite M and a nonnegative number c."""
        node, nodes = self.table.nodes[n], self.table.nodes
        parts = node.parts if node.head == "*" else (n,)
        dense = [nodes[c] for c in parts if nodes[c].head == "M"]
        rest = [c for c in parts if nodes[c].head != "M"]
        positive = (
            len(dense) == 1
            and self.table.functions[dense[0].name]["positive"]
            and {*dense[0].labels} == {0, -1}
        )
        return bool(
            positive
            and all(not nodes[c].free and signs(self.table, c) <= NOT_NEGATIVE for c in rest)
        )

    # -- signs

    def well_defined(self) -> tuple[str, str]:
        """Every denominator, logarithm and root has a sign that can be read off, or a sign step."""
        s = self.subject
        roots = s.without_rule() + (
            [n for _, n in s.rule.pairs] + [s.rule.target] if s.rule else []
        )
        count = 0
        for base, wanted in self.conditions(roots):
            count += 1
            problem = self.open_condition(base, wanted)
            if problem:
                return NOT_CHECKED, problem
        some = f"{count} condition{'s' if count > 1 else ''} on signs, {ERROR_BOUND}"
        return CONFIRMED, some if count else "no denominators, logarithms or roots"

    def open_condition(self, base: int, wanted: str) -> str | None:
        """The reason why a condition on the sign of a node is open, or None if it is confirmed."""
        if self.is_read_off(base, wanted):
            return None
        problem: str | None = "its sign cannot be read off, and no sign step is about it"
        for step in (step for steps in self.steps.values() for step in steps):
            if (
                problem
                and step["kind"] == "sign"
                and step["e"] == base
                and wanted
                and SIGNS_OF_CONDITION[step["sign"]] <= SIGNS_OF_CONDITION[wanted]
            ):
                problem = self.sign_problem(step)
        return problem and f"node {base} must be {wanted or 'no zero of a cosine'}: {problem}"

    def not_smooth(self) -> str | None:
        """The reason why H, D, Q, the drift or a target may lack a derivative somewhere; None if
        they have all.

        Every derivative is taken by the rules of calculus. These hold for a root where its argument
        is positive, and for all other operations where they have a value.
        """
        rule = self.subject.rule
        roots = [*self.subject.without_rule(), *([rule.target] if rule else ())]
        for base, wanted in self.conditions(roots):
            if self.depends_on_state(base):
                problem = self.open_condition(base, "> 0" if wanted == ">= 0" else wanted)
                if problem:
                    return f"a derivative is taken of what may have none; {problem}"
        return None

    def not_expanded(self) -> str | None:
        """The reason why the rule may have no expansion in the root of its step; None if it has.

        ``step^(3/2)/(w^2 + step)`` has no term of order ``step`` and moves the state by that much
        on average. So the argument of a root, of a logarithm or below a fraction bar must have its
        sign for a step of 0 as well, after powers of the step are taken out, and noise may stand in
        polynomials alone.
        """
        rule = self.subject.rule
        for k in self.table.reachable(n for _, n in rule.pairs) if rule else ():
            node = self.table.nodes[k]
            exponent = self.table.nodes[node.parts[1]].integer if node.head == "^" else None
            is_polynomial = node.head in ("+", "*", "total") or (exponent or -1) >= 0
            is_wild = node.parts and not is_polynomial and not self.is_tame(node)
            if is_wild and self.has_kind(k, "noise"):
                return f"node {k} is a function of noise and no polynomial"
        for base, wanted in self.conditions(n for _, n in rule.pairs) if rule else ():
            if self.has_kind(base, "step"):
                lead = [c for c in self.factors_of(base) if not self.is_power_of_step(c)]
                strict = "!= 0" if wanted == "!= 0" else "> 0"
                if not wanted or not all(self.is_read_off_at_step_0(c, strict) for c in lead):
                    return f"node {base} is not seen to be {strict} as the step vanishes"
        return None

    def is_tame(self, node: Node) -> bool:
        """Return True for a function of noise whose mean has the expansion of its Taylor series.

        Those of bounded derivatives, of a polynomial of noise, and exp of what is linear in normal
        noise: the remainder is a polynomial of noise, times exp(c |w|) at most.
        """
        if node.head != "fn":
            return False
        degree = self.degree_in_noise(node.parts[-1])
        if node.name in ("exp", "sinh", "cosh"):
            return degree <= 1
        return node.name in ("sin", "cos", "tanh", "atan", "erf") and degree < inf

    def degree_in_noise(self, k: int) -> float:
        """A bound for the degree of a node as a polynomial of noise; inf for what is none."""
        node = self.table.nodes[k]
        if not self.has_kind(k, "noise"):
            return 0
        below = [self.degree_in_noise(c) for c in node.parts]
        n = self.table.nodes[node.parts[1]].integer if node.head == "^" else None
        match node.head:
            case "sym" | "at":
                return 1
            case "+" | "total":
                return max(below)
            case "*":
                return sum(below)
            case "^" if n is not None and n >= 0:
                return n * below[0]
        return inf

    def has_kind(self, base: int, kind: str) -> bool:
        """Return True if a symbol of a kind, such as step or noise, is in a node."""
        nodes = (self.table.nodes[k] for k in self.table.reachable([base]))
        return any(
            n.head in ("sym", "at") and kind in (self.table.kind(n.name) or "") for n in nodes
        )

    def factors_of(self, base: int) -> list[int]:
        """The factors of a product, or the node itself."""
        node = self.table.nodes[base]
        return [f for c in node.parts for f in self.factors_of(c)] if node.head == "*" else [base]

    def is_power_of_step(self, k: int) -> bool:
        """Return True for the step, or a power of it with a number."""
        node = self.table.nodes[k]
        if node.head == "^" and self.table.nodes[node.parts[1]].number is not None:
            return self.is_power_of_step(node.parts[0])
        return node.head == "sym" and self.table.kind(node.name) == "step"

    def is_read_off_at_step_0(self, k: int, wanted: str) -> bool:
        """Return True if the sign of a node is read off with 0 in place of the step.

        A difference ``c (exp(a step) - 1)`` is c a step to first order: it counts as a product.
        """
        node = self.table.nodes[k]
        if node.head == "+" and len(node.parts) == 2 and self.is_read_off(k, wanted):
            for one, other in (node.parts, node.parts[::-1]):
                factor, rest = scaled(self.table, other)
                inside = self.table.nodes[rest]
                if (
                    self.table.nodes[one].number == -factor
                    and inside.head == "fn"
                    and inside.name == "exp"
                    and any(self.is_power_of_step(c) for c in self.factors_of(inside.parts[0]))
                ):
                    others = self.factors_of(inside.parts[0])
                    return all(
                        self.is_power_of_step(c) or self.is_read_off_at_step_0(c, "!= 0")
                        for c in others
                    )
        return bool(self.leading_signs(k) <= SIGNS_OF_CONDITION[wanted])

    def leading_signs(self, k: int) -> Signs:
        """The possible signs of a node for small steps: those of the terms of a sum with the lowest
        power of the step, without that power, at step 0.
        """
        node = self.table.nodes[k]
        powers = [sum(map(self.power_of_step, self.factors_of(c))) for c in node.parts]
        if node.head != "+" or min(powers) <= 0:
            return signs_at_step_0(self.table, k)
        rest = (
            [f for f in self.factors_of(c) if not self.is_power_of_step(f)]
            for c, power in zip(node.parts, powers, strict=True)
            if power == min(powers)
        )
        return sum_signs(
            reduce(
                lambda a, b: Signs(x * y for x in a for y in b),
                (signs_at_step_0(self.table, f) for f in factors),
                POSITIVE,
            )
            for factors in rest
        )

    def power_of_step(self, k: int) -> Fraction:
        """The exponent of a power of the step; 0 for any other node."""
        node = self.table.nodes[k]
        if not self.is_power_of_step(k):
            return Fraction(0)
        if node.head == "sym":
            return Fraction(1)
        return self.power_of_step(node.parts[0]) * (self.table.nodes[node.parts[1]].number or 0)

    def depends_on_state(self, base: int) -> bool:
        """Return True if a node contains a coordinate, directly or inside an abstract function."""
        nodes = (self.table.nodes[k] for k in self.table.reachable([base]))
        return any(
            node.head in ("at", "value", "apply", "M")
            or (node.head == "sym" and node.name in self.subject.state)
            for node in nodes
        )

    def conditions(self, roots: Iterable[int]) -> Iterator[tuple[int, str]]:
        """The nodes whose sign must be known, with that sign; "" for the argument of a tangent."""
        for k in self.table.reachable(roots):
            node = self.table.nodes[k]
            if node.head == "fn" and node.name in ("log", "loggamma", "polygamma", "tan"):
                yield node.parts[-1], "" if node.name == "tan" else "> 0"
            if node.head == "^":
                base, exponent = node.parts
                power, n = signs(self.table, exponent), self.table.nodes[exponent].integer
                if n is None or n < 0:
                    yield base, "!= 0" if n is not None else ">= 0" if power == POSITIVE else "> 0"

    def is_read_off(self, base: int, wanted: str) -> bool:
        """Return True if the structure of a node shows its sign.

        Nothing shows that a cosine does not vanish, which is the condition "".
        """
        return bool(wanted) and signs(self.table, base) <= SIGNS_OF_CONDITION[wanted]

    def sign_problem(self, step: Step, strict: bool = True) -> str | None:
        """The reason why a sign step does not hold, or None if it does.

        Unless ``strict``, it need only hold off a nowhere dense set.
        """
        if not self.is_read_off(step["form"], step["sign"]):
            return f"the form is not seen to be {step['sign']}"
        if step["e"] != step["form"]:
            answer = vanishes(self.table, step["e"], self.primes, step["form"])
            if answer.kind != "zero":
                return answer.why
        return self.undefined([step["e"], step["form"]] if not strict else [step["form"]], strict)

    def undefined(self, roots: Iterable[int], strict: bool) -> str | None:
        """A condition of some nodes that cannot be read off, in words; None if there is none.

        Such conditions matter even where values agree: in a prime field ``sqrt(A) sqrt(A)`` equals
        A everywhere.
        """
        for base, wanted in self.conditions(roots):
            off = wanted if strict else ">= 0"
            if (strict or wanted in ("> 0", ">= 0")) and not self.is_read_off(base, off):
                return (
                    f"node {base} in it must be {wanted or 'no zero of a cosine'}, which cannot be"
                    " read off"
                )
        return None


class KernelCheck(Check):
    """Checks the obligations of a kernel: each part of the sweep leaves exp(-H) invariant.

    An assignment ``b := e`` without noise keeps volume if its slope in b is 1 or -1, and exp(-H) if
    H keeps its value. One with noise keeps the normal law of b given the rest. A Metropolis test of
    a map Psi needs H o F = H, a Psi that keeps volume, and F Psi F = Psi^-1, where F turns signs. A
    test of a proposal needs the ratio of its densities.
    """

    def __init__(
        self, table: Table, subject: Subject, kernel: Kernel, steps: dict[str, list[Step]]
    ) -> None:
        super().__init__(table, subject, steps)
        self.kernel = kernel

    def find(self, name: str) -> Finding:
        """The finding for an obligation of a kernel."""
        procedures = {
            "well-defined": self.well_defined,
            "invariance": self.invariance,
            "detailed-balance": self.detailed_balance,
            "normalisable": self.normalisable,
        }
        if name not in procedures:
            return Finding(name, NOT_CHECKED, "this checker has no procedure for it")
        try:
            if name == "normalisable" and (problem := self.not_smooth()):
                return Finding(name, NOT_CHECKED, problem)
            return Finding(name, *procedures[name]())
        except UnableError as error:
            return Finding(name, NOT_CHECKED, str(error))

    def basic(self) -> set[str]:
        """The obligations that every certificate of a kernel must contain."""
        return {"well-defined", "invariance"}

    # -- what has a value

    def well_defined(self) -> tuple[str, str]:
        """Every denominator, logarithm and root has its sign, or that belongs to the scope.

        A condition of the scope must hold for all small steps, so that the scope is not empty, and
        must be free of the state and of noise.
        """
        for e, sign in self.kernel.conditions:
            about_state = self.depends_on_state(e) or self.has_kind(e, "noise")
            if about_state or not self.is_read_off_at_step_0(
                e, "!= 0" if sign == "!= 0" else "> 0"
            ):
                return NOT_CHECKED, f"node {e} {sign} is no condition that small steps fulfil"
        nodes = [self.subject.H, *(n for part in self.kernel.parts for n in part.nodes())]
        count = 0
        for base, wanted in self.conditions(nodes):
            count += 1
            given = any(
                e == base and wanted and SIGNS_OF_CONDITION[sign] <= SIGNS_OF_CONDITION[wanted]
                for e, sign in self.kernel.conditions
            )
            problem = None if given else self.open_condition(base, wanted)
            if problem:
                return NOT_CHECKED, problem
        some = f"{count} condition{'s' if count > 1 else ''} on signs, {ERROR_BOUND}"
        return CONFIRMED, some if count else "no denominators, logarithms or roots"

    # -- parts

    def invariance(self) -> tuple[str, str]:
        """Each part leaves exp(-H) invariant, and so does the sweep."""
        self.assumptions[ASSUMED_UNLESS_CONFIRMED["normalisable"]] = None
        found = self.sweep(self.kernel.parts)
        if self.well_defined()[0] != CONFIRMED:
            return NOT_CHECKED, "well-defined is not confirmed"
        if self.not_smooth_target():
            return NOT_CHECKED, self.not_smooth_target() or ""
        return found

    def not_smooth_target(self) -> str | None:
        """The reason why H or a rule may lack a derivative; None if they have all."""
        nodes = [self.subject.H, *(n for part in self.kernel.parts for n in part.nodes())]
        for base, wanted in self.conditions(nodes):
            if self.depends_on_state(base):
                problem = self.open_condition(base, "> 0" if wanted == ">= 0" else wanted)
                if problem:
                    return f"a derivative is taken of what may have none; {problem}"
        return None

    def sweep(self, parts: Sequence[Part]) -> tuple[str, str]:
        """All parts in order; the status and how each was followed."""
        words = []
        for k, part in enumerate(parts):
            after = parts[k + 1] if k + 1 < len(parts) else None
            status, sentence = self.part(part, after)
            if status != CONFIRMED:
                return status, f"part {k + 1}, a {part.kind}: {sentence}"
            words.append(sentence.removesuffix(f", {ERROR_BOUND}"))
        return CONFIRMED, f"{'; '.join(dict.fromkeys(words))}, {ERROR_BOUND}"

    def part(self, part: Part, after: Part | None) -> tuple[str, str]:
        """One part, given the part that follows it in the sweep."""
        match part.kind:
            case "repeat":
                return self.sweep(part.inner)
            case "move":
                return self.move(part)
            case "hastings":
                return self.hastings(part)
        test = part.inner[1] if part.kind == "path" else part
        if not test.turn and test.flips and not (after and self.forgets(after, test.flips)):
            return NOT_CHECKED, "a rejected state is not turned, and no refresh of it follows"
        return self.path(part) if part.kind == "path" else self.map(part)

    def detailed_balance(self) -> tuple[str, str]:
        """Each Metropolis test by itself, as one that turns rejected states."""
        leaves = [leaf for part in self.kernel.parts for leaf in part.leaves()]
        tests = [leaf for leaf in leaves if leaf.kind != "move"]
        if not tests:
            return NOT_CHECKED, "nothing in the subject is about it"
        procedures = {"map": self.map, "hastings": self.hastings, "path": self.path}
        for test in tests:
            status, sentence = procedures[test.kind](test)
            if status != CONFIRMED:
                return status, f"a {test.kind}: {sentence}"
        return CONFIRMED, f"the ratio of each of {len(tests)} tests, {ERROR_BOUND}"

    def forgets(self, part: Part, blocks: Iterable[str]) -> bool:
        """Return True if a move overwrites blocks before anything reads them."""
        left = set(blocks)
        if part.kind != "move":
            return False
        for b, e in part.pairs:
            if self.reads(e) & (left if part.sequential else set(blocks)):
                return False
            left.discard(b)
        return not left

    def is_apart(self, part: Part) -> str | None:
        """The reason why the assignments of a rule are not carried out one after another with
        independent noise; None if they are.
        """
        moved = {b for b, _ in part.pairs}
        if not part.sequential and any((self.reads(e) & moved) - {b} for b, e in part.pairs):
            return "a block is moved by the old value of another that moves at once"
        drawn = [n for _, e in part.pairs for n in self.noises(e)]
        if len(set(drawn)) < len(drawn):
            return "one noise is in two assignments"
        if any(self.table.symbols[n].get("covariance") for n in drawn):
            return "noise with a covariance is not followed here"
        if any(self.table.symbols[b]["domain"] is not None for b in moved):
            return "a block may leave its domain"
        return None

    def move(self, part: Part) -> tuple[str, str]:
        """A rule that is always carried out, assignment by assignment."""
        if problem := self.is_apart(part):
            return NOT_CHECKED, problem
        words: dict[str, None] = {}
        for b, e in part.pairs:
            decided = self.keeps_normal if self.noises(e) else self.keeps_volume
            status, sentence = decided(b, e)
            if status != CONFIRMED:
                return status, f"{b} := ...: {sentence}"
            words[sentence.removesuffix(f", {ERROR_BOUND}")] = None
        return CONFIRMED, f"{'; '.join(words) or 'no block moves'}, {ERROR_BOUND}"

    def place(self, block: str) -> Place:
        """One coordinate of a block."""
        return block, 0 if self.table.length(block) else -1

    def keeps_volume(self, block: str, e: int) -> tuple[str, str]:
        """An assignment without noise: its slope is 1 or -1, and H keeps its value."""
        x = self.place(block)

        def test(run: Run) -> Iterator[int]:
            rule = run.series(e, {0: x[1]})
            for y in run.places([block]):
                slope = first(rule, y)
                yield slope * slope - 1 if x == y else slope

        slope = self.decide(test, self.bound(e) + self.bound(e), free=1, order=1)
        moved = Carried(self.table, self.table, {block: Image(e)}).node(self.subject.H)
        same = vanishes(self.table, moved, self.primes, self.subject.H)
        return self.followed(
            f"an assignment to {block} keeps volume and H",
            ("its slope", slope),
            ("H after less H before", same),
        )

    def keeps_normal(self, block: str, e: int) -> tuple[str, str]:
        """An assignment with noise keeps mean and variance of a normal block given the rest.

        The derivatives of H by the block r are p (r - m), p and 0: given the rest, r is N(m, 1/p).
        The rule is c r + b + s w, with c, b and s free of r. So it keeps this law if its mean is
        m + c (r - m), and c^2/p + s^2 = 1/p.
        """
        x = self.place(block)
        candidates = dict.fromkeys(
            step["e"] for step in self.steps.get("invariance", ()) if step["kind"] == "sign"
        )
        degree = self.bound(self.subject.H) + self.bound(e) + self.bound(e) + self.over_noise(e)

        def law(run: Run) -> Iterator[int]:
            H, own = run.series(self.subject.H, {}), set(run.places([block]))
            for (_, names), value in H.terms.items():
                if set(names) <= own and (len(names) == 3 or len(set(names)) == 2):
                    yield value
            zeros, c, roots = self.affine(run, block, e, x)
            yield from zeros
            slope, p = first(H, x), second(H, x, x)
            mean = run.series(e, {0: x[1]}).constant()
            mean -= sum(s * run.symbol(*w) for w, s in roots.items())
            yield p * (mean - run.symbol(*x)) + (1 - c) * slope
            yield p * sum(s * s for s in roots.values()) - (1 - c * c)

        answer = self.decide(law, degree, free=2, order=3, noisy=True)
        judged = self.followed(
            f"{block} is normal given the rest, and its mean and variance are kept",
            ("mean and variance after less those before", answer),
        )
        if judged[0] != CONFIRMED:
            return judged
        for k in candidates:
            if self.has_second_derivative(x, k) and self.is_positive(k):
                return judged
        return NOT_CHECKED, f"the precision of {block} is not seen to be positive"

    def has_second_derivative(self, x: Place, k: int) -> bool:
        """Return True if a node is the second derivative of H by one coordinate."""
        free, length = self.table.nodes[k].free, self.table.length(x[0])
        if any(label != 0 or found != length for label, found in free.items()):
            return False

        def test(run: Run) -> Iterator[int]:
            H = run.series(self.subject.H, {})
            yield second(H, x, x) - run.series(k, {0: x[1]}).constant()

        degree = self.bound(self.subject.H) | self.bound(k)
        return self.decide(test, degree, free=1, order=2).kind == "zero"

    # -- Metropolis tests

    def map(self, part: Part) -> tuple[str, str]:
        """The test of a map Psi, a sequence of shears ``b += g`` with g free of b.

        F Psi F is the inverse of Psi if it is so shear by shear, counted from both ends: S_1 is
        taken with a last shear S_n of the same block, where s g_1(F z) = -g_n(z), and s is -1 for a
        block whose sign is turned. A shear is a last one if it commutes with all that follow.
        """
        if problem := self.is_apart(part):
            return NOT_CHECKED, problem
        if any(self.noises(e) for _, e in part.pairs):
            return NOT_CHECKED, "the map has noise"
        if any(self.table.symbols[b]["domain"] is not None for b in part.flips):
            return NOT_CHECKED, "the sign of a block with an edge is turned"
        shears = [(f"the shear of {b}", self.is_shear(b, e)) for b, e in part.pairs]
        turned = self.turned(part.flips)
        H = vanishes(self.table, turned.node(self.subject.H), self.primes, self.subject.H)
        judged = self.followed(
            "the map keeps volume, and is undone by itself with turned signs",
            ("H with turned signs less H", H),
            *shears,
        )
        if judged[0] != CONFIRMED:
            return judged
        left = list(part.pairs)
        while left:
            near = left[0]
            far = next(
                (k for k in reversed(range(len(left))) if self.undoes(near, left, k, part.flips)),
                None,
            )
            if far is None:
                return NOT_CHECKED, f"nothing is seen to undo the shear of {near[0]}"
            left = [pair for k, pair in enumerate(left) if k not in (0, far)]
        return judged

    def turned(self, flips: Iterable[str]) -> Carried:
        """Nodes at F z, where F turns the sign of some blocks."""
        minus = self.table.number(-1)
        return Carried(
            self.table,
            self.table,
            {b: Image(self.table.add("*", minus, self.coordinate(b))) for b in flips},
        )

    def is_shear(self, block: str, e: int) -> Answer:
        """Decide whether an assignment adds to a block what is free of it."""
        x = self.place(block)

        def test(run: Run) -> Iterator[int]:
            rule = run.series(e, {0: x[1]})
            for y in run.places([block]):
                yield first(rule, y) - (x == y)

        return self.decide(test, self.bound(e), free=1, order=1)

    def undoes(
        self, near: tuple[str, int], left: list[tuple[str, int]], k: int, flips: tuple[str, ...]
    ) -> bool:
        """Return True if the k-th shear, with turned signs, undoes the first, and can come last."""
        block, e = left[k]
        if block != near[0] or not all(self.commute(left[k], s) for s in left[k + 1 :]):
            return False
        table, sign = self.table, -1 if block in flips else 1
        there = table.add("*", table.number(sign), self.turned(flips).node(near[1]))
        both = table.add("*", table.number(-2), self.coordinate(block))
        rest = table.add("+", there, e, both)
        return vanishes(table, rest, self.primes).kind == "zero"

    def commute(self, one: tuple[str, int], other: tuple[str, int]) -> bool:
        """Return True if two shears may change places: they move one block, or neither reads the
        block that the other moves.
        """
        return one[0] == other[0] or not (
            one[0] in self.reads(other[1]) or other[0] in self.reads(one[1])
        )

    def path(self, part: Part) -> tuple[str, str]:
        """A test of a path: the map, and a reversible refresh around it that turned signs keep.

        ``r := m + c (r - m) + s w`` is reversible, as a normal pair (r, r') with equal margins is
        exchangeable. Its m and p are those of H, which turned signs keep; c is compared.
        """
        around, test = part.inner
        if problem := self.is_apart(around):
            return NOT_CHECKED, problem
        moved = {b for b, _ in around.pairs}
        if any((self.reads(e) & moved) - {b} for b, e in around.pairs):
            return NOT_CHECKED, "the blocks that are refreshed read each other"
        for b, e in around.pairs:
            if not self.noises(e):
                return NOT_CHECKED, f"{b} is changed around the map and not redrawn"
            status, sentence = self.keeps_normal(b, e)
            if status != CONFIRMED:
                return status, sentence
            if self.same_part_is_kept(b, e, test.flips).kind != "zero":
                return (
                    NOT_CHECKED,
                    f"turned signs are not seen to keep the part of {b} that is kept",
                )
        status, sentence = self.map(test)
        return status, f"the refresh around the map is reversible; {sentence}"

    def same_part_is_kept(self, block: str, e: int, flips: tuple[str, ...]) -> Answer:
        """Decide whether c of ``c r + ...`` is the same with turned signs."""
        x, there = self.place(block), self.turned(flips).node(e)
        sign = -1 if block in flips else 1

        def test(run: Run) -> Iterator[int]:
            here = first(run.series(e, {0: x[1]}), x)
            yield here - sign * first(run.series(there, {0: x[1]}), x)

        return self.decide(test, self.bound(e) | self.bound(there), free=1, order=1)

    def hastings(self, part: Part) -> tuple[str, str]:
        """The test of a proposal N(mean, variance), coordinate by coordinate.

        cost(x, y) - H(x) + log q(y | x) must be symmetric in x and y: then the log ratio
        cost(x, y) - cost(y, x) is that of exp(-H(y)) q(x | y) and exp(-H(x)) q(y | x). A proposal
        outside of the domain is rejected.
        """
        moved = dict(part.pairs)
        problem = self.no_density(part)
        if problem:
            return NOT_CHECKED, problem
        variances = {}
        for b, e in part.pairs:
            found = self.variance(b, e)
            if found is None:
                return NOT_CHECKED, f"the variance of {b} is not seen to be positive"
            variances[b] = found
        logs = {b: self.table.add("fn", "log", k) for b, k in variances.items()}
        partners = dict(part.partners)
        both = partners | {y: x for x, y in part.partners}

        def gap(run: Run) -> int:
            value = run.series(part.cost, {}).constant() - run.series(self.subject.H, {}).constant()
            for b, e in part.pairs:
                for x in run.places([b]):
                    mean = self.mean_of(run, e, x)
                    variance = run.series(variances[b], {0: x[1]}).constant()
                    log = run.series(logs[b], {0: x[1]}).constant()
                    half = inverse(2, run.p)
                    distance = run.symbol(partners[b], x[1]) - mean
                    value -= (distance**2 * inverse(variance, run.p) + log) * half
            return value

        def test(run: Run) -> Iterator[int]:
            run.exchange({})  # an attempt at another point may have stopped in between
            here = gap(run)
            run.exchange(both)
            there = gap(run)
            yield here - there

        means = [
            Counter(self.lengths(b))
            + (self.bound(e) + self.over_noise(e))
            + (self.bound(e) + self.over_noise(e))
            for b, e in moved.items()
        ]
        degree = highest(self.bound(part.cost), self.bound(self.subject.H), *means)
        return self.followed(
            "the log ratio is that of exp(-H) and the density of the proposal, both ways",
            (
                "cost(x, y) - H(x) + log q(y | x) less itself exchanged",
                self.decide(test, degree, order=1, noisy=True),
            ),
        )

    def no_density(self, part: Part) -> str | None:
        """The reason why the proposal is not seen to be normal with independent coordinates; None
        if it is.
        """
        drawn = [n for _, e in part.pairs for n in self.noises(e)]
        if any(self.table.symbols[n].get("covariance") for n in drawn):
            return "noise with a covariance is not followed here"
        partners = {y for _, y in part.partners}
        if any(self.reads(e) & partners for _, e in part.pairs):
            return "the proposal depends on what it proposes"
        if self.reads(self.subject.H) & partners:
            return "H depends on what is proposed"
        rules = [e for _, e in part.pairs]

        def test(run: Run) -> Iterator[int]:
            noise = self.noise_places(run, *rules)
            known = {
                x: run.series(moved, {0: x[1]})
                for b, moved in part.pairs
                for x in run.places([b])
                if x[1] <= 1
            }
            for series in known.values():
                for (_, names), value in series.terms.items():
                    if len(names) > 1 and set(names) <= set(noise):
                        yield value
            for x, y in product(known, repeat=2):
                if x != y:
                    yield sum(first(known[x], w) * first(known[y], w) for w in noise)

        degree = highest(*(self.bound(e) + self.bound(e) for e in rules)) + self.over_noise(*rules)
        answer = self.decide(test, degree, free=2, order=2, noisy=True)
        if answer.kind != "zero":
            return f"the proposal is not seen to be normal and independent: {answer.why}"
        return None

    def mean_of(self, run: Run, e: int, x: Place) -> int:
        """The mean of a new value that is linear in its noise."""
        rule = run.series(e, {0: x[1]})
        noise = self.noise_places(run, e)
        return rule.constant() - sum(first(rule, w) * run.symbol(*w) for w in noise)

    def variance(self, block: str, e: int) -> int | None:
        """A node that is the variance of a new value, and positive; None if none is known."""
        x, length = self.place(block), self.table.length(block)

        def is_variance(k: int) -> bool:
            def test(run: Run) -> Iterator[int]:
                rule = run.series(e, {0: x[1]})
                noise = self.noise_places(run, e)
                own = sum(first(rule, w) ** 2 for w in noise)
                yield own - run.series(k, {0: x[1]}).constant()

            degree = (self.bound(e) + self.bound(e) + self.over_noise(e)) | self.bound(k)
            return self.decide(test, degree, free=1, order=1, noisy=True).kind == "zero"

        steps = [step for steps in self.steps.values() for step in steps]
        for k in dict.fromkeys(step["e"] for step in steps if step["kind"] == "sign"):
            node = self.table.nodes[k]
            fits_block = all(label == 0 and n == length for label, n in node.free.items())
            free = not node.sums and not self.noises(k)
            if fits_block and free and is_variance(k) and self.is_positive(k):
                return k
        return None


def entry_nodes(matrix: Matrix) -> list[int]:
    """The nodes of all entries."""
    return [n for entry in matrix.values() for n in entry.values()]


def tables_of(table: Table, subject: Subject) -> list[Table]:
    """The table of a subject, and those of its inverse maps and its original."""
    inverses = [m.inverse[0] for m in subject.maps.values() if m.inverse]
    return [table, *inverses, *([subject.transform.table] if subject.transform else [])]


def _in_state(carried: Carried, t: Transform, m: Map, letter: str) -> Matrix:
    """A matrix of the original, with its entries at f(phi) and phi in place of its image."""
    matrix: Matrix = getattr(t.original, letter)
    name = {m.image: t.block}
    return {
        (name.get(a, a), name.get(b, b)): carried.entry(entry) for (a, b), entry in matrix.items()
    }


def gaps(table: Table, k: int, ends: Table, domain: Any) -> list[int]:
    """Nodes that are positive where a node is inside of a domain, which is one of another table."""
    if domain is None:
        return []
    if domain[0] != "interval":
        raise UnableError("a map onto a simplex is not followed here")
    low, high = ends_of(ends, domain)[1:3]
    found = []
    if low != "-oo":
        found.append(table.add("+", k, table.number(-low)) if low else k)
    if high != "oo":
        found.append(table.add("+", table.number(high), table.add("*", table.number(-1), k)))
    return found


# -- checking a file
# --------------------------------------------------------------------------------------------------

CERTIFICATE_SHAPE = {
    "version": None, "recipe_version": str, "scope": str, "subject": None, "obligations": None,
    "left_out": None, "lengths": None, "symbols": None, "functions": None, "nodes": None,
    "sha256": None,
}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """The result for a certificate: its status, the finding for each obligation, and the
    assumptions.

    The status is ``confirmed``, ``rejected``, ``not confirmed`` or ``not a certificate``. ``about``
    is the subject in one line, and ``scope`` is what the certificate declares of every name: for
    these a confirmed obligation holds.
    """

    status: str
    sentence: str
    findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()
    about: str = ""
    scope: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 confirmed, 1 rejected, 2 not a certificate, 3 not confirmed."""
        return {"confirmed": 0, "rejected": 1, "not a certificate": 2, "not confirmed": 3}[
            self.status
        ]


def check(certificate: Any, module: bytes | None = None) -> Result:
    """Check every obligation of a certificate, from its subject alone; never raises for bad data.

    ``module`` is the text of a program, for the certificate of a translation.
    """
    try:
        fits(certificate, CERTIFICATE_SHAPE, "a certificate")
        subject = certificate["subject"]
        if isinstance(subject, dict) and subject.get("kind") == "translation":
            return _checked_translation(certificate, module)
        require(module is None, "only the certificate of a translation is about a module")
        return _checked(certificate)
    except ValueError as error:
        return Result("not a certificate", str(error))
    except RecursionError:
        return Result("not a certificate", "it is nested too deeply")


def _checked_translation(c: Any, module: bytes | None) -> Result:
    """Compare the hashes of a translation: of the rule in the certificate, and of a module.

    That the text carries out the rule is not followed here, as this program reads no programs.
    """
    _require_version(c)
    table = Table(c["nodes"], c["symbols"], c["functions"], c["lengths"])
    reader, subject = Reader(table), c["subject"]
    fits(subject, TRANSLATION_SHAPE, "the subject")
    name = subject["name"]
    require(name is None or isinstance(name, str), "the name of the subject is no text")
    state = _translated_state(reader, subject["rule"])
    claimed, _ = reader.steps(c["obligations"])
    left_out = reader.left_out(c["left_out"], claimed)
    if c["sha256"] != digest(c):
        return Result("rejected", "the certificate is damaged: its sha256 is another one")
    if claimed != {"translation": True}:
        return Result("rejected", "a translation is claimed by the obligation translation alone")
    parts = {k: c[k] for k in ("lengths", "symbols", "functions", "nodes")}
    same_rule = subject["rule_sha256"] == digest(parts | {"rule": subject["rule"]})
    findings = [
        Finding(
            "rule",
            CONFIRMED if same_rule else REJECTED,
            f"the sha256 of the rule is {'' if same_rule else 'not '}{subject['rule_sha256']}",
        ),
        _text_finding(subject["text_sha256"], module),
        Finding(
            "translation",
            NOT_CHECKED,
            "that this text carries out this rule: this checker reads no programs; `recipe generate"
            " --check` proves it again",
        ),
        *left_out,
    ]
    status = "rejected" if any(f.status == REJECTED for f in findings) else "not confirmed"
    about = f"translation of {name or 'a sampler without a name'} by {subject['scheme']}"
    return Result(
        status,
        status,
        tuple(replace(f, name=printable(f.name), sentence=printable(f.sentence)) for f in findings),
        (),
        printable(f"{about}, of ({', '.join(state)})"),
        tuple(map(printable, scope_of(table))),
    )


def _translated_state(reader: Reader, rule: Any) -> tuple[str, ...]:
    """The blocks of a rule that was translated: an update, or a kernel."""
    if isinstance(rule, dict) and rule.get("kind") == "kernel":
        return reader.kernel(rule)[0].state
    fits(rule, TRANSLATED_SHAPE, "the rule")
    require(rule["kind"] == "update", "the rule is neither an update nor a kernel")
    state = reader.blocks(rule["state"], "the state")
    reader.rule(rule["update"], state)
    for b, n in rule["observe"]:
        require(b in state, "what is recorded is no block")
        reader.node(n, "what is recorded", reader.table.length(b))
    return state


def _text_finding(wanted: str, module: bytes | None) -> Finding:
    """Whether the text of a module has the hash of a certificate."""
    if module is None:
        return Finding("text", NOT_CHECKED, f"no module is given; its sha256 must be {wanted}")
    found = hashlib.sha256(module).hexdigest()
    same = found == wanted
    return Finding(
        "text",
        CONFIRMED if same else REJECTED,
        f"the sha256 of the module is {found}" + ("" if same else f", and must be {wanted}"),
    )


def _require_version(c: Any) -> None:
    require(
        type(c["version"]) is int and c["version"] == VERSION,
        f"this checker reads version {VERSION}",
    )


def _checked(c: Any) -> Result:
    _require_version(c)
    table = Table(c["nodes"], c["symbols"], c["functions"], c["lengths"])
    reader = Reader(table)
    is_kernel = isinstance(c["subject"], dict) and c["subject"].get("kind") == "kernel"
    subject, kernel = (
        reader.kernel(c["subject"]) if is_kernel else (reader.subject(c["subject"]), None)
    )
    claimed, steps = reader.steps(c["obligations"])
    left_out = reader.left_out(c["left_out"], claimed)
    if c["sha256"] != digest(c):
        return Result("rejected", "the certificate is damaged: its sha256 is another one")
    checks = KernelCheck(table, subject, kernel, steps) if kernel else Check(table, subject, steps)
    missing = checks.basic() - {name for name, required in claimed.items() if required}
    if missing:
        return Result(
            "rejected",
            f"the certificate does not claim {', '.join(sorted(missing))}, without which it claims"
            " nothing",
        )
    findings = [replace(checks.find(name), required=required) for name, required in claimed.items()]
    for f in findings:
        if f.status == CONFIRMED:
            checks.assumptions.pop(ASSUMED_UNLESS_CONFIRMED.get(f.name, ""), None)
    status = (
        "rejected"
        if any(f.status == REJECTED for f in findings)
        else "not confirmed"
        if any(f.required and f.status != CONFIRMED for f in findings)
        else "confirmed"
    )
    sentence = f"confirmed, {ERROR_BOUND}" if status == "confirmed" else status
    about = (
        f"{subject.kind} {c['subject']['name'] or 'without a name'}, a"
        f" {'Markov chain' if kernel else 'process'} of ({', '.join(subject.state)})"
        f"{scheme_in_words(subject)}"
    )
    scope = (
        *scope_of(table),
        *maps_in_words(table, subject),
        *conditions_in_words(table, kernel),
    )
    return Result(
        status,
        sentence,
        tuple(
            replace(f, name=printable(f.name), sentence=printable(f.sentence))
            for f in (*findings, *left_out)
        ),
        tuple(checks.assumptions),
        printable(about),
        tuple(map(printable, scope)),
    )


# -- the scope in words
# --------------------------------------------------------------------------------------------------


def scope_of(table: Table) -> Iterator[str]:
    """What is declared of every name, each in words: an obligation is confirmed for all of it."""
    for length in table.lengths:
        yield f"every length {length}"
    for name, f in table.functions.items():
        yield f"every {_function_in_words(name, f)}"
    for name, s in table.symbols.items():
        if "parameter" in s["kind"] or s["kind"] == "step":
            yield f"every {' '.join(s['facts']) or 'real'} {s['kind']} {name}"
        elif s["domain"] is not None:
            yield f"every {name} {_domain_in_words(table, s['domain'])}"


def maps_in_words(table: Table, subject: Subject) -> Iterator[str]:
    """The changes of variable, each in words."""
    for b, m in subject.maps.items():
        where = "" if m.domain is None else " " + _domain_in_words(table, m.domain)
        yield f"{m.image} = f({b}){where}, by the map of the certificate"


def conditions_in_words(table: Table, kernel: Kernel | None) -> Iterator[str]:
    """The conditions that belong to the scope of a kernel."""
    for e, sign in kernel.conditions if kernel else ():
        yield f"where {text(table, e)} {sign}"


def text(table: Table, k: int) -> str:
    """A node in words, cut where it is long."""
    node = table.nodes[k]
    if node.depth > MAX_DEPTH_IN_WORDS:
        return f"node {k}"
    parts = [text(table, c) for c in node.parts]
    match node.head:
        case "num":
            return f"({node.number})" if node.number and node.number < 0 else str(node.number)
        case "+" | "*" | "^":
            return f"({node.head.join(parts)})"
        case "sym" | "at":
            return str(node.name)
        case "fn":
            return f"{node.name}({', '.join(parts)})"
    return f"node {k}"


def scheme_in_words(subject: Subject) -> str:
    """The discrete step that is part of a subject, after its name."""
    return f", and its step by {subject.scheme.name}" if subject.scheme else ""


def _function_in_words(name: str, f: Mapping[str, Any]) -> str:
    if f["kind"] == "dense":
        kind = ("positive definite", "symmetric", "")[0 if f["positive"] else 2 - f["symmetric"]]
        return f"{kind} matrix {name} ({f['row']} by {f['column']})".strip()
    words = f"smooth {'positive ' if f.get('positive') else ''}"
    if f["kind"] == "elementwise":
        return f"{words}function {name} of {f['arity']} number{'s' * (f['arity'] > 1)}"
    return f"{words}{f['kind']} {name}({', '.join(Table.blocks(f))})"


def _domain_in_words(table: Table, domain: list[Any]) -> str:
    if domain == ["simplex"]:
        return "on the open simplex"
    low, high = (x if isinstance(x, str) else str(table.nodes[x].number) for x in domain[1:3])
    return f"in {'(' if domain[3] else '['}{low}, {high}{')' if domain[4] else ']'}"


def digest(certificate: Mapping[str, Any]) -> str:
    """The SHA-256 of a certificate without its digest. It detects damage, not malice."""
    rest = {k: v for k, v in certificate.items() if k != "sha256"}
    try:
        text = json.dumps(
            rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
        )
    except (ValueError, TypeError, RecursionError):
        raise CertificateError("the certificate is not plain JSON") from None
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read(path: str) -> Any:
    """The JSON data of a file, in which no key may occur twice.

    Raises:
        CertificateError: if the file cannot be read, is too long, or is not plain JSON.
    """
    try:
        return json.loads(
            read_bytes(path).decode("utf-8"),
            object_pairs_hook=_without_doubles,
            parse_constant=_no_constant,
            parse_float=_no_constant,
        )
    except (OSError, RecursionError, ValueError) as error:
        raise CertificateError(f"{path} cannot be read as a certificate: {error}") from None


def read_bytes(path: str) -> bytes:
    """The content of a file.

    Raises:
        CertificateError: if the file cannot be read, or is too long.
    """
    try:
        # opening a pipe might block for ever
        require(os.path.isfile(path) or not os.path.exists(path), "it is not a regular file")
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise CertificateError(str(error)) from None
    require(len(data) <= MAX_FILE_BYTES, f"the file is longer than {MAX_FILE_BYTES} bytes")
    return data


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    require(len(found) == len(pairs), "a key occurs twice in one object")
    return found


def _no_constant(text: str) -> None:
    raise CertificateError(f"the number {text} is no integer")


def printable(text: str) -> str:
    """The text with what no printer prints, such as control characters, written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def main(arguments: list[str]) -> int:
    """Check one file, print the findings, and return the exit status."""
    try:
        require(
            1 <= len(arguments) <= 2,
            "the arguments are a certificate and, for one of a translation, the module",
        )
        module = read_bytes(arguments[1]) if arguments[1:] else None
        result = check(read(arguments[0]), module)
    except CertificateError as error:
        result = Result("not a certificate", str(error))
    width = max((len(f.name) for f in result.findings), default=0)
    lines = [f"  about: {result.about}"] if result.about else []
    lines += [f"  scope: {line}" for line in result.scope]
    lines += [
        f"  {f.name:{width}}  {f.status}{'' if f.required else ' (not required)'}: {f.sentence}"
        for f in result.findings
    ]
    lines += [f"  taken for granted: {line}" for line in result.assumptions]
    lines = [printable(line) for line in lines]
    lines.append(
        result.sentence
        if result.status != "not a certificate"
        else printable(f"not a certificate: {result.sentence}")
    )
    encoding = getattr(sys.stdout, "encoding", "ascii")
    print("\n".join(lines).encode(encoding, "backslashreplace").decode(encoding), flush=True)
    return result.exit_status


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
    except (Exception, KeyboardInterrupt) as stop:
        # no verdict: stdout failed, memory ran out, this program has a fault, or Ctrl-C
        status = (
            130
            if isinstance(stop, KeyboardInterrupt)
            else 2
            if isinstance(stop, OSError | MemoryError)
            else 70
        )
        os.write(
            2,
            b"" if isinstance(stop, BrokenPipeError) else f"{stop!r}\n".encode("ascii", "replace"),
        )
    finally:
        os._exit(status)  # an ordinary exit would flush a failed stdout again
