"""Checks a certificate with nothing but the standard library: ``python checker.py cert.json`` works from a copy of this file.

It shares no code with the program that wrote the certificate and trusts nothing in it. From H, D, Q, the drift and the update
rule it derives every identity anew: at explicit coordinates, by truncated Taylor series, in prime fields, at fresh random points.
That an identity which holds for a few lengths holds for all of them is the theorem of docs/small-model.md. A zero is *confirmed,
error below 2^-100*: a nonzero rational function of degree n vanishes at a random point modulo p with probability at most n / p
(Schwartz, Zippel), here below 2^40 / 2^190.

Exponentials need a chain of primes p_k = 2 p_(k+1) + 1. The squares modulo p_k are a group of prime order p_(k+1), so exp(a)
modulo p_k is g^(a modulo p_(k+1)), and x^a of a square x likewise (Gonnet 1986; Martin 1971). Their independence is that of
exponentials of different functions; the probability for them takes powers of a random g for random.

Exit status: 0 confirmed, 1 rejected, 2 not a certificate or over the limits, 3 not confirmed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import factorial, inf, prod
from secrets import randbelow
from typing import Any

VERSION = 1
MAX_NODES, MAX_DEPTH, MAX_BITS, MAX_POWER, MAX_HEIGHT, MAX_BYTES = 20_000, 90, 2048, 256, 2**40, 20_000_000
MAX_SIZE, MAX_SIZES, MAX_WORK, MAX_NESTED, MAX_NOISE = 20, 100, 1_000_000, 3, 12
TRIES = 400  # redrawn coordinates, until everything under a root is a square
POINTS = {0: 1, 1: 100, 2: 241, 3: 519}  # by the number n of roots that depend on others: (1 - 2^-n)^points < 2^-100
SMALL = 8 * prod((3, 5, 7, 11, 13, 17, 19, 23, 29, 31))  # every p + 1 is a multiple, which makes these primes squares modulo p

Env = Mapping[int, int]  # which coordinate a label stands for
Place = tuple[str, int]  # a coordinate of a block, or of a noise; -1 for a scalar one
Monomial = tuple[int, tuple[Place, ...]]  # its order, and the variables in it
Sizes = dict[str, int]
CONSTANT: Monomial = (0, ())


class CertificateError(ValueError):
    """It is not a certificate, or it is over the limits."""


class UnableError(Exception):
    """An expression is outside the class that is decided here, or needs more work than is allowed."""


class NotSquareError(Exception):
    """Something under a root is not a square at this point; draw the values at these indices anew."""


# -- primes ------------------------------------------------------------------------------------------------------------------------


def prime_chain(length: int) -> tuple[int, ...]:
    """A fresh chain: nobody who wrote a certificate can know these primes. The last is tested, the others follow (Pocklington)."""
    while True:
        start = 2**150 + randbelow(2**150)
        for t in _without_small_factors(start, length):
            chain = [SMALL * t * 2**k - 1 for k in range(length)]
            if all(pow(2, p - 1, p) == 1 for p in chain) and _is_prime(chain[0]):
                return tuple(reversed(chain))


def _without_small_factors(start: int, length: int, window: int = 1 << 14) -> Iterator[int]:
    """The t from ``start`` on for which no number of the chain has a small prime factor."""
    good = bytearray(b"\1") * window
    for q in (q for q in range(37, 2000, 2) if all(q % n for n in range(3, 45, 2) if n < q)):
        for k in range(length):
            first = (pow(SMALL * 2**k, -1, q) - start) % q
            good[first::q] = bytes(len(range(first, window, q)))
    return (start + t for t in range(window) if good[t])


def _is_prime(p: int, rounds: int = 50) -> bool:
    """Miller and Rabin; p = 3 modulo 4."""
    return all(pow(2 + randbelow(p - 3), p // 2, p) in (1, p - 1) for _ in range(rounds))


# -- the table of nodes ------------------------------------------------------------------------------------------------------------

FUNCTIONS = {
    "exp": 1, "log": 1, "sin": 1, "cos": 1, "tan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "atan": 1, "erf": 1, "loggamma": 1,
    "polygamma": 2,
}  # fmt: skip
SYMBOL_KINDS = ("vector", "scalar", "vector parameter", "parameter", "vector noise", "scalar noise", "step")
FACTS = (
    "zero", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "prime", "composite", "even", "odd", "integer",
    "noninteger", "rational", "irrational", "algebraic", "transcendental",
)  # fmt: skip
POSITIVE, NEGATIVE, ZERO = frozenset({1}), frozenset({-1}), frozenset({0})
ANY, NOT_NEGATIVE, NOT_POSITIVE = frozenset({-1, 0, 1}), frozenset({0, 1}), frozenset({-1, 0})
Signs = frozenset[int]


def require(truth: object, sentence: str) -> None:
    """Raise CertificateError unless it is true."""
    if not truth:
        raise CertificateError(sentence)


def whole(n: object, low: int, high: int) -> bool:
    """Whether it is an integer between two others, both included."""
    return type(n) is int and low <= n <= high


def keys(data: object, wanted: Iterable[str], optional: Iterable[str], where: str) -> None:
    """Require an object with these keys and no others."""
    require(isinstance(data, dict), f"{where} must be an object")
    assert isinstance(data, dict)
    missing, extra = set(wanted) - data.keys(), data.keys() - set(wanted) - set(optional)
    require(not missing, f"{where} lacks {', '.join(sorted(missing))}")
    require(not extra, f"{where} has the unknown key {', '.join(sorted(map(repr, extra)))}")


class Table:
    """Nodes and declarations, checked, with what can be said of each node without evaluating it.

    ``free`` are the labels that are free in a node with their lengths; ``sums`` says that totals or lengths are in it outside of
    functions; ``nested`` how many exponents stand in one another; ``binders`` how many totals do; ``rooted`` that it has a root or
    symbolic power; ``local`` at which labels it depends on coordinates of the state, None being all other dependence on the state.
    """

    def __init__(self, nodes: Any, symbols: Any, functions: Any, lengths: Any) -> None:
        require(isinstance(lengths, list) and all(isinstance(x, str) for x in lengths), "lengths must be a list of names")
        require(isinstance(nodes, list) and len(nodes) <= MAX_NODES, f"nodes must be a list of at most {MAX_NODES}")
        require(isinstance(symbols, dict) and isinstance(functions, dict), "symbols and functions must be objects")
        self.lengths: list[str] = lengths
        self.symbols: dict[str, Any] = symbols
        self.functions: dict[str, Any] = functions
        names = [*lengths, *symbols, *functions]
        require(len(set(names)) == len(names), "a name is declared twice")
        self.nodes: list[list[Any]] = []
        self.free: list[dict[int, str]] = []
        self.sums: list[bool] = []
        self.nested: list[int] = []
        self.binders: list[int] = []
        self.rooted: list[bool] = []
        self.local: list[frozenset[int | None]] = []
        self._depth: list[int] = []
        self._height: list[int] = []
        self._shapes: dict[Any, int] = {}
        self._signs: dict[int, Signs] = {}
        self._squares: dict[int, bool] = {}
        self._step_signs = POSITIVE
        self._declarations()
        for k, node in enumerate(nodes):
            self._add(k, node)
        for name, symbol in symbols.items():
            self._domain(name, symbol["domain"])

    # -- declarations

    def _declarations(self) -> None:
        for name, s in self.symbols.items():
            keys(s, ("kind", "facts", "domain"), ("length", "covariance"), f"the symbol {name!r}")
            require(s["kind"] in SYMBOL_KINDS, f"the symbol {name!r} is of an unknown kind")
            vector = s["kind"].startswith("vector")
            require(("length" in s) == vector and (not vector or s["length"] in self.lengths), f"the length of {name!r} is wrong")
            facts = s["facts"]
            known = isinstance(facts, list) and all(isinstance(f, str) and f.removeprefix("not ") in FACTS for f in facts)
            require(known and len(set(facts)) == len(facts), f"the facts of {name!r} are not known ones, each once")
            require(not facts or "parameter" in s["kind"] or s["kind"] == "step", f"{name!r} has facts; it can only have a domain")
            require(self._fact_signs(name), f"the facts of {name!r} contradict each other")
        for name, f in self.functions.items():
            self._function(name, f)
        for name, s in self.symbols.items():
            if "covariance" in s:
                dense = self.function(s["covariance"], "dense")
                right = s["kind"] == "vector noise" and dense["positive"] and dense["row"] == s["length"]
                require(right, f"the covariance of {name!r} is wrong")

    def _function(self, name: str, f: Any) -> None:
        more = {
            "potential": ("blocks",), "field": ("block", "positive"), "elementwise": ("arity", "positive"),
            "dense": ("row", "column", "symmetric", "positive"),
        }  # fmt: skip
        require(
            isinstance(f, dict) and isinstance(f.get("kind"), str) and f["kind"] in more,
            f"the function {name!r} is of an unknown kind",
        )
        keys(f, ("kind", *more[f["kind"]]), (), f"the function {name!r}")
        require(
            all(type(f[x]) is bool for x in ("positive", "symmetric") if x in f), f"the facts of {name!r} must be true or false"
        )
        if f["kind"] == "potential":
            blocks = f["blocks"] if isinstance(f["blocks"], list) else []
            require(blocks and len({*map(str, blocks)}) == len(blocks), f"the blocks of {name!r} are wrong")
            require(all(self.kind(b) in ("vector", "scalar") for b in blocks), f"{name!r} depends on what is no block")
        if f["kind"] == "field":
            require(self.kind(f["block"]) == "vector", f"{name!r} depends on what is no vector block")
        if f["kind"] == "elementwise":
            require(whole(f["arity"], 1, 8), f"the arity of {name!r} is wrong")
        if f["kind"] == "dense":
            require(f["row"] in self.lengths and f["column"] in self.lengths, f"the lengths of {name!r} are not declared")
            require(f["symmetric"] or not f["positive"], f"{name!r} is positive and not symmetric")
            require(not f["symmetric"] or f["row"] == f["column"], f"{name!r} is symmetric and not square")

    def kind(self, name: object) -> str | None:
        """The kind of a symbol; None for any other name."""
        return self.symbols[name]["kind"] if isinstance(name, str) and name in self.symbols else None

    def function(self, name: object, *kinds: str) -> dict[str, Any]:
        """The declaration of a function of one of these kinds."""
        found = self.functions.get(name) if isinstance(name, str) else None
        if found is None or found["kind"] not in kinds:
            raise CertificateError(f"{name!r} is not declared as {' or '.join(kinds)}")
        return found

    def _domain(self, name: str, domain: Any) -> None:
        if domain is None:
            return
        kind = self.symbols[name]["kind"]
        if domain == ["simplex"] and kind == "vector":
            return
        good = isinstance(domain, list) and len(domain) == 5 and domain[0] == "interval" and kind in ("vector", "scalar")
        require(good and all(type(x) is bool for x in domain[3:]), f"the domain of {name!r} is wrong")
        low, high = (x if x in ("-oo", "oo") else self.index(x, len(self.nodes), "an end of a domain") for x in domain[1:3])
        require(low != "oo" and high != "-oo", f"the domain of {name!r} is empty")
        ends = [self.rational(x) for x in (low, high) if not isinstance(x, str)]
        require(all(x is not None for x in ends), f"an end of the domain of {name!r} is not a rational number")
        require(len(ends) < 2 or ends[0] < ends[1], f"the domain of {name!r} is empty")  # type: ignore[operator]

    # -- nodes

    def parts(self, k: int) -> list[int]:
        """The nodes that a node refers to."""
        node = self.nodes[k]
        first = {"+": 1, "*": 1, "^": 1, "fn": 2, "apply": 3}
        return node[1:2] if node[0] == "total" else node[first[node[0]] :] if node[0] in first else []

    @staticmethod
    def index(n: Any, below: int, where: str) -> int:
        """The index of an earlier node."""
        require(whole(n, 0, below - 1), f"{where} refers to {n!r}, which is no earlier node")
        return n  # type: ignore[no-any-return]

    def _add(self, k: int, node: Any) -> None:
        where = f"node {k}"
        require(isinstance(node, list) and node and isinstance(node[0], str), f"{where} must be a list that begins with its kind")
        children = self._children(k, node, where)
        own = self._labels(node, where)
        free = dict(own)
        for c in children:
            for label, length in self.free[c].items():
                require(free.setdefault(label, length) == length, f"{where} has one label for two lengths")
        if node[0] == "total":
            require(node[2] in self.lengths and whole(node[3], 1, MAX_DEPTH), f"{where} sums over no length or no bound label")
            require(free.pop(node[3], node[2]) == node[2], f"{where} sums over another length than that of its label")
        self.nodes.append(node)
        self.free.append(free)
        below = [max(values[c] for c in children) if children else 0 for values in (self._depth, self.binders)]
        self._depth.append(below[0] + 1)
        require(self._depth[k] <= MAX_DEPTH, f"{where} is deeper than {MAX_DEPTH}")
        self.binders.append(below[1] + (node[0] == "total"))
        self._height.append(self._height_of(node, children))
        require(self._height[k] <= MAX_HEIGHT, f"{where} has too high a degree")
        self.nested.append(self._nested_of(node, children))
        functions = node[0] in ("fn", "apply") or (node[0] == "^" and self.integer(node[2]) is None)
        inside = any(self.sums[c] for c in children) and not functions
        if node[0] == "^" and inside and self.integer(node[2]) < 0:  # type: ignore[operator]
            inside = not free  # a denominator of a coordinate that has sums in it counts as a function of the sums
        self.sums.append(node[0] in ("total", "dim") or inside)
        root = node[0] == "^" and self.integer(node[2]) is None
        self.rooted.append(root or any(self.rooted[c] for c in children))
        self.local.append(self._locality(node, children))

    def _children(self, k: int, node: list[Any], where: str) -> list[int]:
        head, rest = node[0], node[1:]
        sizes = {"num": 2, "pi": 0, "e": 0, "sym": 1, "at": 2, "dim": 1, "^": 2, "total": 3, "value": 2, "d": 3, "M": 3}
        require(head in (*sizes, "+", "*", "fn", "apply"), f"{where} is of the unknown kind {head!r}")
        require(len(rest) == sizes.get(head, len(rest)), f"{where} has too many or too few parts")
        if head == "num":
            bounded = all(type(n) is int and abs(n).bit_length() <= MAX_BITS for n in rest)
            require(bounded and rest[1] > 0, f"{where} must be a fraction of integers of at most {MAX_BITS} bits")
        parts: list[Any] = []
        if head in ("+", "*"):
            require(rest, f"{where} has no parts")
            parts = rest
        elif head == "fn":
            require(rest and isinstance(rest[0], str) and rest[0] in FUNCTIONS, f"{where} is an unknown function")
            require(len(rest) == 1 + FUNCTIONS[rest[0]], f"{where} has too many or too few arguments")
            parts = rest[1:]
        elif head == "apply":
            f = self.function(rest[0] if rest else None, "elementwise")
            orders = rest[1] if len(rest) > 1 and isinstance(rest[1], list) else []
            require(len(orders) == f["arity"] == len(rest) - 2, f"{where} has too many or too few arguments")
            require(all(whole(n, 0, 32) for n in orders), f"{where} has wrong orders")
            parts = rest[2:]
        elif head in ("^", "total"):
            parts = rest[:2] if head == "^" else rest[:1]
        children = [self.index(n, k, where) for n in parts]
        if head == "^":
            power = self.rational(children[1])
            require(power is None or max(abs(power.numerator), power.denominator) <= MAX_POWER, f"{where} has too high a power")
        if head == "fn" and rest[0] == "polygamma":
            order = self.integer(children[0])
            require(order is not None and 0 <= order <= 32, f"{where} needs a small integer as its order")
        return children

    def _labels(self, node: list[Any], where: str) -> dict[int, str]:
        """The labels that stand in the node itself."""
        head, rest = node[0], node[1:]
        if head == "sym":
            require(
                self.kind(rest[0]) in ("scalar", "parameter", "scalar noise", "step"), f"{where}: {rest[0]!r} is no such symbol"
            )
        if head == "dim":
            require(rest[0] in self.lengths, f"{where}: {rest[0]!r} is no length")
        found: list[tuple[Any, str]] = []
        if head == "at":
            require((self.kind(rest[0]) or "").startswith("vector"), f"{where}: {rest[0]!r} has no coordinates")
            found = [(rest[1], self.symbols[rest[0]]["length"])]
        if head == "M":
            f = self.function(rest[0], "dense")
            found = [(rest[1], f["row"]), (rest[2], f["column"])]
        if head in ("value", "d"):
            f = self.function(rest[0], "potential", "field")
            if f["kind"] == "field":
                found = [(rest[1], self.symbols[f["block"]]["length"])]
            else:
                require(rest[1] is None, f"{where} gives a potential an index")
            if head == "d":
                found += self._derivative_labels(f, rest[2], where)
        require(all(whole(label, -9, MAX_DEPTH) for label, _ in found), f"{where} has a wrong label")
        labels = dict(found)
        require(all(labels[label] == length for label, length in found), f"{where} has one label for two lengths")
        return labels

    def _derivative_labels(self, f: dict[str, Any], wrt: Any, where: str) -> list[tuple[Any, str]]:
        require(isinstance(wrt, list) and 0 < len(wrt) <= 8, f"{where} must say by what it is differentiated")
        found = []
        for x in wrt:
            require(isinstance(x, list) and len(x) == 2, f"{where} must say by what it is differentiated")
            require(
                x[0] in (f.get("blocks") or [f["block"]]), f"{where} is differentiated by {x[0]!r}, on which it does not depend"
            )
            if self.kind(x[0]) == "vector":
                found.append((x[1], self.symbols[x[0]]["length"]))
            else:
                require(x[1] is None, f"{where} gives a scalar an index")
        return found

    def _height_of(self, node: list[Any], children: list[int]) -> int:
        """A bound of the degree and of the bits of coefficients, as a function of what is drawn, at the largest sizes."""
        heights = [self._height[c] for c in children]
        if node[0] in ("+", "*"):
            return sum(heights)
        if node[0] == "total":
            return MAX_SIZE * heights[0]
        if node[0] == "^" and self.integer(node[2]) is not None:
            return abs(self.integer(node[2]) or 0) * heights[0]
        return abs(node[1]).bit_length() + node[2].bit_length() if node[0] == "num" else 1 + 2 * sum(heights)

    def _nested_of(self, node: list[Any], children: list[int]) -> int:
        deepest = max((self.nested[c] for c in children), default=0)
        if node[0] == "fn" and node[1] in ("exp", "sinh", "cosh", "tanh", "erf"):
            return deepest + 1
        if node[0] == "^" and self.integer(node[2]) is None:
            return max(self.nested[node[1]], 1 + self.nested[node[2]])
        return deepest

    def is_square(self, k: int) -> bool:
        """Whether a node is drawn as a square at every point, its positive root being the one that counts."""
        if k not in self._squares:
            node = self.nodes[k]
            self._squares[k] = self.signs(k) <= NOT_NEGATIVE and node[0] in ("num", "pi", "e", "value", "apply", "sym", "at")
            if node[0] == "*":
                self._squares[k] = all(self.is_square(c) for c in node[1:])
            elif node[0] == "^" or node[:2] == ["fn", "exp"]:
                self._squares[k] = node[0] == "fn" or self.is_square(node[1])
        return self._squares[k]

    def _locality(self, node: list[Any], children: list[int]) -> frozenset[int | None]:
        if node[0] in ("value", "d"):
            return frozenset({None})
        if node[0] in ("sym", "at"):
            state = self.symbols[node[1]]["kind"] in ("vector", "scalar")
            return frozenset({node[2] if node[0] == "at" else None} if state else ())
        below = frozenset[int | None]().union(*(self.local[c] for c in children))
        return below - {node[3]} | ({None} if node[3] in below else set()) if node[0] == "total" else below

    def rational(self, k: int) -> Fraction | None:
        """The rational number that a node is; None for anything else."""
        node = self.nodes[k]
        return Fraction(node[1], node[2]) if node[0] == "num" else None

    def integer(self, k: int) -> int | None:
        """The integer that a node is; None for anything else."""
        q = self.rational(k)
        return q.numerator if q is not None and q.denominator == 1 else None

    def is_frozen(self, base: int) -> bool:
        """Whether a denominator counts as a function of the sums in it: it belongs to a coordinate, and nothing can clear it."""
        return self.sums[base] and bool(self.free[base])

    def shape(self, k: int, env: Env) -> int:
        """A number that two nodes share if they are equal up to the order of sums and products and the names of bound labels."""
        node = self.nodes[k]
        key = (k, tuple(sorted((label, env[label]) for label in self.free[k])))
        if key not in self._shapes:
            self._shapes[key] = self._interned(self._shape(k, node, env))
        return self._shapes[key]

    def _interned(self, content: Any) -> int:
        return self._shapes.setdefault(("content", content), len(self._shapes))

    def _shape(self, k: int, node: list[Any], env: Env) -> Any:
        head = node[0]
        if head in ("+", "*"):
            return head, *sorted(self.shape(c, env) for c in node[1:])
        if head == "^":
            return head, self.shape(node[1], env), self.shape(node[2], env)
        if head == "fn":
            return head, node[1], *(self.shape(c, env) for c in node[2:])
        if head == "apply":
            return head, node[1], tuple(node[2]), *(self.shape(c, env) for c in node[3:])
        if head == "total":
            return head, node[2], self.shape(node[1], {**env, node[3]: -self.binders[k]})
        if head == "at":
            return head, node[1], env[node[2]]
        if head == "value":
            return head, node[1], env.get(node[2])
        if head == "d":
            return head, node[1], env.get(node[2]), tuple(sorted((b, env[x] if x is not None else -1) for b, x in node[3]))
        if head == "M":
            at = (env[node[2]], env[node[3]])
            return head, node[1], tuple(sorted(at)) if self.functions[node[1]]["symmetric"] else at
        return tuple(node)

    # -- signs, read off the structure

    def _fact_signs(self, name: str) -> Signs:
        """The signs that the facts of a symbol leave; none where they contradict each other."""
        allowed = {
            "positive": POSITIVE, "negative": NEGATIVE, "zero": ZERO, "nonnegative": NOT_NEGATIVE, "nonpositive": NOT_POSITIVE,
            "nonzero": frozenset({-1, 1}), "prime": POSITIVE, "composite": POSITIVE, "not zero": frozenset({-1, 1}),
            "not positive": NOT_POSITIVE, "not negative": NOT_NEGATIVE, "noninteger": frozenset({-1, 1}),
        }  # fmt: skip
        facts = set(self.symbols[name]["facts"])
        found = POSITIVE if self.symbols[name]["kind"] == "step" else ANY
        for fact in facts:
            found &= allowed.get(fact, ANY)
        pairs = [
            ("even", "odd"), ("integer", "noninteger"), ("rational", "irrational"), ("algebraic", "transcendental"),
            ("even", "noninteger"),
            ("odd", "noninteger"), ("integer", "irrational"), ("prime", "composite"), ("prime", "noninteger"), ("zero", "odd"),
            *((f, f"not {f}") for f in FACTS),
        ]  # fmt: skip
        return frozenset() if any(a in facts and b in facts for a, b in pairs) else found

    def symbol_signs(self, name: str) -> Signs:
        """The signs that a symbol may have: of a parameter by its facts, of a block by its domain."""
        if self.kind(name) == "step":
            return self._step_signs
        domain = self.symbols[name]["domain"]
        if domain == ["simplex"]:
            return POSITIVE
        if domain is None:
            return self._fact_signs(name)
        low, high = (self.rational(x) if type(x) is int else None for x in domain[1:3])
        if low is not None and low >= 0:
            return POSITIVE if low > 0 or domain[3] else NOT_NEGATIVE
        if high is not None and high <= 0:
            return NEGATIVE if high < 0 or domain[4] else NOT_POSITIVE
        return ANY

    def signs(self, k: int) -> Signs:
        """A set that contains the sign of a node wherever it is defined."""
        if k not in self._signs:
            self._signs[k] = self._read_signs(self.nodes[k])
        return self._signs[k]

    def signs_of_small_step(self, k: int) -> Signs:
        """The signs of a node for every small step: those at step 0, where it is continuous and not zero there."""
        before, self._signs, self._step_signs = self._signs, {}, ZERO
        try:
            nodes = [self.nodes[n] for n in reachable(self, [k])]
            powers = [n for n in nodes if n[0] == "^" and 0 in self.signs(n[1])]
            singular = any((self.rational(n[2]) or 0) <= 0 for n in powers)
            singular = singular or any(n[:2] in (["fn", f] for f in ("log", "tan", "loggamma", "polygamma")) for n in nodes)
            return ANY if singular or 0 in self.signs(k) else self.signs(k)
        finally:
            self._signs, self._step_signs = before, POSITIVE

    def _read_signs(self, node: list[Any]) -> Signs:
        head = node[0]
        if head == "num":
            return frozenset({(node[1] > 0) - (node[1] < 0)})
        if head in ("pi", "e", "dim"):
            return POSITIVE
        if head in ("sym", "at"):
            return self.symbol_signs(node[1])
        if head in ("value", "apply"):
            positive = self.functions[node[1]].get("positive") and (head == "value" or not any(node[2]))
            return POSITIVE if positive else ANY
        if head == "M":
            return POSITIVE if self.functions[node[1]]["positive"] and node[2] == node[3] else ANY
        if head == "*":
            result = POSITIVE
            for c in node[1:]:
                result = frozenset(a * b for a in result for b in self.signs(c))
            return result
        if head == "^":
            return self._power_signs(self.signs(node[1]), self.rational(node[2]))
        if head == "total":
            return _sum_signs([self.signs(node[1])])
        if head == "fn":
            return self._function_signs(node)
        return self._plus_signs(node[1:]) if head == "+" else ANY

    @staticmethod
    def _power_signs(base: Signs, power: Fraction | None) -> Signs:
        if base == POSITIVE:
            return POSITIVE
        if power is None:
            return ANY
        if power.denominator > 1:
            return NOT_NEGATIVE - ZERO if power < 0 else NOT_NEGATIVE
        signs = base if power.numerator % 2 else frozenset(abs(s) for s in base)
        return signs - ZERO if power < 0 else signs if power > 0 else POSITIVE

    def _function_signs(self, node: list[Any]) -> Signs:
        name, x = node[1], node[2]
        if name in ("exp", "cosh"):
            return POSITIVE
        if name in ("sinh", "tanh", "atan", "erf"):
            return self.signs(x)
        inside = self.nodes[x]
        if name == "log" and inside[0] == "+":  # log(1 + x) has the sign of x
            rest = [c for c in inside[1:] if self.rational(c) != 1]
            if len(rest) == len(inside) - 2:
                return self._plus_signs(rest)
        return ANY

    def _plus_signs(self, parts: list[int]) -> Signs:
        found = _sum_signs([self.signs(c) for c in parts])
        if found != ANY or len(parts) != 2:
            return found
        for one, other in (parts, parts[::-1]):
            constant = self.rational(one)
            factor, rest = self._scaled(other)
            node = self.nodes[rest]
            if constant is None:
                continue
            if node[:2] == ["fn", "exp"] and constant == -factor:  # c (exp(x) - 1) has the sign of c x
                return self.signs(node[2]) if factor > 0 else frozenset(-s for s in self.signs(node[2]))
            if constant == 1 and factor == -1 and node[0] == "total" and self.nodes[node[1]][0] == "at":
                name, label = self.nodes[node[1]][1:]
                return POSITIVE if self.symbols[name]["domain"] == ["simplex"] and label == node[3] else ANY
            if node[0] in ("at", "sym") and (self.symbols[node[1]]["domain"] or [None])[0] == "interval":
                return self._affine_signs(constant, factor, self.symbols[node[1]]["domain"])
        return ANY

    def _scaled(self, k: int) -> tuple[Fraction, int]:
        """A node as a number times another node."""
        node = self.nodes[k]
        if node[0] == "*" and len(node) == 3:
            for a, b in (node[1:], node[:0:-1]):
                factor = self.rational(a)
                if factor is not None:
                    return factor, b
        return Fraction(1), k

    def _affine_signs(self, constant: Fraction, factor: Fraction, domain: list[Any]) -> Signs:
        """``constant + factor * x`` on an interval: inside, both ends have a positive weight."""
        ends = []
        for end, infinite in zip(domain[1:3], ("-oo", "oo"), strict=True):
            value = factor * (1 if infinite == "oo" else -1) if end == infinite else constant + factor * (self.rational(end) or 0)
            ends.append(frozenset({(value > 0) - (value < 0)}))
        together = ends[0] | ends[1]
        if not (together <= NOT_NEGATIVE or together <= NOT_POSITIVE):
            return ANY
        inside = together - ZERO or ZERO
        return inside.union(*(s for s, is_open in zip(ends, domain[3:], strict=True) if not is_open))


def _sum_signs(parts: list[Signs]) -> Signs:
    together = frozenset[int]().union(*parts)
    if together <= NOT_NEGATIVE or together <= NOT_POSITIVE:
        return together - ZERO if any(0 not in p for p in parts) else together
    return ANY


# -- evaluation at a point ---------------------------------------------------------------------------------------------------------


class Series:
    """A truncated power series in the variables of monomials; ``known`` is the last order up to which its terms are exact."""

    __slots__ = ("known", "terms")

    def __init__(self, terms: dict[Monomial, int], known: float = inf) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self.known = known

    def low(self) -> float:
        """The lowest order in it."""
        return min((order for order, _ in self.terms), default=self.known + 1)

    def constant(self) -> int:
        """The constant term."""
        return self.terms.get(CONSTANT, 0)

    def varying(self) -> Series:
        """All but the constant term."""
        return Series({m: c for m, c in self.terms.items() if m != CONSTANT}, self.known)

    def raised(self, orders: int) -> Series:
        """Times a power of the variable that orders count."""
        return Series({(k + orders, names): c for (k, names), c in self.terms.items()}, self.known + orders)


class Run:
    """One random point at explicit sizes.

    ``number`` is the value of a node in which every total and length is a free value (so it serves as an argument of functions), at
    a level of the chain; ``series`` is the Taylor series of a node, with totals written out. Without a rule, the variables are the
    coordinates (up to ``order``, the number of derivatives); with one they are the root s of the step, counted by the order, and
    noise.
    """

    def __init__(self, table: Table, primes: tuple[int, ...], sizes: Sizes, order: int, rule: bool = False) -> None:
        self.table, self.primes, self.sizes, self.order, self.rule = table, primes, sizes, order, rule
        self.p = primes[0]
        self.moved: dict[Place, Series] = {}
        self.complete = True  # whether a value other than zero is certain to be one
        self.roots: set[tuple[int, tuple[tuple[int, int], ...], int]] = set()
        self.lifted_roots = 0
        self.work = 0
        self._values: dict[tuple[int, tuple[int, ...], Any], int] = {}
        self._logs: dict[tuple[int, tuple[int, ...], Any], int] = {}
        self._numbers: dict[Any, int] = {}
        self._series: dict[Any, Series] = {}
        self._bases = [pow(2 + randbelow(p - 3), 2, p) for p in primes]

    def forget(self, indices: tuple[int, ...]) -> None:
        """Draw anew what belongs to some indices (to none: what belongs to no index), and evaluate everything again."""
        hit = [key for key in self._values if (set(key[1]) & set(indices) if indices else not key[1])]
        for key in hit:
            del self._values[key]
        self.restart()

    def restart(self) -> None:
        """Forget what was computed, not what was drawn."""
        self._numbers.clear()
        self._series.clear()
        self.roots.clear()
        self.moved.clear()
        self.lifted_roots = 0

    def move(self, moved: Mapping[Place, Series]) -> None:
        """From now on, coordinates are what a rule has moved them to."""
        self.moved = dict(moved)
        self._series.clear()

    def spend(self, work: int) -> None:
        """Count multiplications."""
        self.work += work
        if self.work > MAX_WORK:
            raise UnableError("it needs more work than is allowed")

    # -- what is drawn

    def drawn(self, what: Any, indices: tuple[int, ...], level: int, signs: Signs = ANY) -> int:
        """A free value: of something nonnegative a random square, whose logarithm one level below is known."""
        key = (level, indices, what)
        if key not in self._values:
            p = self.primes[level]
            if signs == ZERO or not (signs <= NOT_NEGATIVE or signs <= NOT_POSITIVE):
                self._values[key] = 0 if signs == ZERO else randbelow(p)
            else:
                size = pow(1 + randbelow(p - 1), 2, p)
                if level + 1 < len(self.primes):
                    self._logs[key] = 1 + randbelow(self.primes[level + 1] - 1)
                    size = pow(self._bases[level], self._logs[key], p)
                self._values[key] = size if signs <= NOT_NEGATIVE else p - size
        return self._values[key]

    def symbol(self, name: str, indices: tuple[int, ...], level: int) -> int:
        """The value of a symbol: the step and noise are 0 where a rule is expanded around them."""
        kind = self.table.symbols[name]["kind"]
        if self.rule and (kind == "step" or kind.endswith("noise")):
            return 0
        return self.drawn(name, indices, level, self.table.symbol_signs(name))

    def jet(self, name: str, label: int | None, wrt: tuple[Place, ...], env: Env, level: int) -> int:
        """A potential or field, or a partial derivative of one."""
        f = self.table.functions[name]
        own = () if f["kind"] == "potential" else (env[label],)  # type: ignore[index]
        indices = tuple(sorted({*own, *(i for _, i in wrt if i >= 0)}))
        positive = f.get("positive") and not wrt
        return self.drawn(("jet", name, own, tuple(sorted(wrt))), indices, level, POSITIVE if positive else ANY)

    def entry_of(self, name: str, i: int, j: int, level: int) -> int:
        """An entry of a dense matrix."""
        f = self.table.functions[name]
        at = (min(i, j), max(i, j)) if f["symmetric"] else (i, j)
        return self.drawn(("M", name, at), at, level, POSITIVE if f["positive"] and i == j else ANY)

    def applied(self, name: str, orders: tuple[int, ...], arguments: tuple[int, ...], level: int) -> int:
        """A derivative of an elementwise function: a free value for each argument."""
        positive = self.table.functions[name]["positive"] and not any(orders)
        return self.drawn(("apply", name, orders, arguments), (), level, POSITIVE if positive else ANY)

    # -- values of arguments

    def number(self, k: int, env: Env, level: int = 0) -> int:
        """The value of a node modulo the prime of a level, totals and lengths being free values."""
        key = (k, level, *(env[label] for label in self.table.free[k]))
        if key not in self._numbers:
            self.spend(1)
            if level >= len(self.primes):
                raise UnableError(f"exponents stand in one another more than {MAX_NESTED} deep")
            self._numbers[key] = self._number(k, env, level) % self.primes[level]
        return self._numbers[key]

    def _number(self, k: int, env: Env, level: int) -> int:
        node, p = self.table.nodes[k], self.primes[level]
        head = node[0]
        if head == "num":
            return node[1] * pow(node[2], -1, p)  # type: ignore[no-any-return]
        if head == "pi":
            return self.drawn("pi", (), level, POSITIVE)
        if head == "e":
            return self._bases[level]
        if head in ("sym", "at"):
            return self.symbol(node[1], (env[node[2]],) if head == "at" else (), level)
        if head == "+":
            return sum(self.number(c, env, level) for c in node[1:])
        if head == "*":
            return prod(self.number(c, env, level) for c in node[1:])
        if head == "^":
            return self._power(k, env, level)
        if head == "fn":
            return self._function(k, env, level)
        if head in ("value", "d"):
            return self.jet(node[1], node[2], self._places(node, env), env, level)
        if head == "apply":
            return self.applied(node[1], tuple(node[2]), tuple(self.number(c, env, level) for c in node[3:]), level)
        if head == "M":
            return self.entry_of(node[1], env[node[2]], env[node[3]], level)
        self.complete = False  # a total or a length in an argument
        at = {label: env[label] for label in self.table.free[k]}
        return self.drawn(("sum", self.table.shape(k, at)), tuple(sorted(set(at.values()))), level)

    def _places(self, node: list[Any], env: Env) -> tuple[Place, ...]:
        return tuple((b, -1 if x is None else env[x]) for b, x in (node[3] if node[0] == "d" else ()))

    def _power(self, k: int, env: Env, level: int) -> int:
        _, base, exponent = self.table.nodes[k]
        n, p = self.table.integer(exponent), self.primes[level]
        value = self.number(base, env, level)
        if n is not None:
            return self._inverse(pow(value, -n, p), p) if n < 0 else pow(value, n, p)
        if value == 0:
            if (self.table.rational(exponent) or 0) > 0:
                return 0
            raise ZeroDivisionError
        return self._rooted(base, value, self.number(exponent, env, level + 1), env, level)

    @staticmethod
    def _inverse(value: int, p: int) -> int:
        if value % p == 0:
            raise ZeroDivisionError
        return pow(value, -1, p)

    def _rooted(self, base: int, value: int, exponent: int, env: Env, level: int) -> int:
        """A power of a square, in the group of squares."""
        p, order = self.primes[level], self.primes[level + 1]
        at = tuple(sorted((label, env[label]) for label in self.table.free[base]))
        if pow(value, order, p) != 1:
            raise NotSquareError(*sorted({i for _, i in at}))
        if not self.table.is_square(base):
            self.roots.add((base, at, level))
        return pow(value, exponent, p)

    def _function(self, k: int, env: Env, level: int) -> int:
        name, *arguments = self.table.nodes[k][1:]
        x, p = arguments[-1], self.primes[level]
        if name == "exp":
            return pow(self._bases[level], self.number(x, env, level + 1), p)
        if name in ("sinh", "cosh", "tanh"):
            up = pow(self._bases[level], self.number(x, env, level + 1), p)
            down = pow(up, -1, p)
            sinh, cosh = (up - down) * pow(2, -1, p), (up + down) * pow(2, -1, p)
            return sinh if name == "sinh" else cosh if name == "cosh" else sinh * self._inverse(cosh, p)
        self.complete = False
        if name == "log":
            return self._logarithm(x, env, level)
        value = self.number(x, env, level)
        if name in ("sin", "cos", "tan"):
            sin, cos = self._circle(value, p, level)
            return sin if name == "sin" else cos if name == "cos" else sin * self._inverse(cos, p)
        if name in ("atan", "erf"):
            odd, sign = min((value, 1), (p - value, -1))
            return sign * self.drawn((name, odd), (), level) if value else 0
        order = -1 if name == "loggamma" else self.table.integer(arguments[0])
        return self.drawn(("gamma", order, value), (), level)

    def _circle(self, angle: int, p: int, level: int) -> tuple[int, int]:
        """A point on the circle for each angle up to its sign; the addition of angles is not known here."""
        if angle == 0:
            return 0, 1
        even, sign = min((angle, 1), (p - angle, -1))
        t = self.drawn(("circle", even), (), level)
        over = self._inverse(1 + t * t, p)
        return sign * 2 * t * over % p, (1 - t * t) * over % p

    def _logarithm(self, k: int, env: Env, level: int) -> int:
        """``log`` is taken apart into positive factors only; what is left is a free value for each argument."""
        self.spend(1)
        node, table = self.table.nodes[k], self.table
        if node[0] == "num" and node[1] > 0:
            primes = Counter(_factors(node[1]))
            primes.subtract(_factors(node[2]))
            return sum(n * self.drawn(("log", q), (), level) for q, n in primes.items())
        if node[0] == "e" or node[:2] == ["fn", "exp"]:
            return 1 if node[0] == "e" else self.number(node[2], env, level)
        if node[0] == "*" and all(table.signs(c) == POSITIVE for c in node[1:]):
            return sum(self._logarithm(c, env, level) for c in node[1:])
        if node[0] == "^" and table.signs(node[1]) == POSITIVE:
            return self.number(node[2], env, level) * self._logarithm(node[1], env, level)
        if node[0] in ("sym", "at") and table.signs(k) == POSITIVE and level > 0 and not self.rule:
            indices = (env[node[2]],) if node[0] == "at" else ()
            self.symbol(node[1], indices, level - 1)
            return self._logs[level - 1, indices, node[1]]
        value = self.number(k, env, level)
        if value == 0:
            raise ZeroDivisionError
        return 0 if value == 1 else self.drawn(("log of", value), (), level)

    # -- Taylor series

    def plus(self, parts: Iterable[Series]) -> Series:
        """A sum."""
        terms: dict[Monomial, int] = {}
        known = inf
        for s in parts:
            known = min(known, s.known)
            self.spend(len(s.terms) // 4 + 1)
            for m, c in s.terms.items():
                terms[m] = (terms.get(m, 0) + c) % self.p
        return Series({m: c for m, c in terms.items() if m[0] <= known}, known)

    def times(self, a: Series, b: Series) -> Series:
        """A product."""
        self.spend(1 + len(a.terms) * len(b.terms))
        known = min(a.known + b.low(), b.known + a.low(), inf if a.terms and b.terms else max(a.known, b.known))
        terms: dict[Monomial, int] = {}
        for (j, u), x in a.terms.items():
            for (k, v), y in b.terms.items():
                if j + k > self.order:
                    known = min(known, self.order)
                    continue
                m = (j + k, tuple(sorted(u + v)) if u and v else u or v)
                terms[m] = (terms.get(m, 0) + x * y) % self.p
                if len(m[1]) > MAX_NOISE:
                    raise UnableError(f"it has more than {MAX_NOISE} noise factors in one product")
        return Series({m: c for m, c in terms.items() if m[0] <= known}, known)

    def taylor(self, arguments: list[Series], coefficient: Callable[[tuple[int, ...]], int]) -> Series:
        """``sum over b of coefficient(b) * product of arguments^b / b!``, the arguments having no constant term."""
        zero = (0,) * len(arguments)
        moving = [n for n, a in enumerate(arguments) if a.terms]
        known = min((a.known for a in arguments), default=inf)
        if any(arguments[n].low() < 1 for n in moving):
            raise UnableError("a function of noise that does not vanish with the step has no expansion here")
        terms = {CONSTANT: coefficient(zero) % self.p}
        products: dict[tuple[int, ...], Series] = {(): Series({CONSTANT: 1})}
        for count in range(1, self.order + 1 if moving else 0):
            higher: dict[tuple[int, ...], Series] = {}
            for chosen in combinations_with_replacement(moving, count):
                below = products.get(chosen[:-1])
                step = self.times(below, arguments[chosen[-1]]) if below is not None else Series({})
                if not step.terms:
                    continue
                higher[chosen] = step
                counts = Counter(chosen)
                over = pow(prod(map(factorial, counts.values())), -1, self.p)
                c = coefficient(tuple(counts[n] for n in range(len(arguments)))) * over % self.p
                for m, x in step.terms.items():
                    terms[m] = (terms.get(m, 0) + c * x) % self.p
            products = higher
        return Series(terms, min(known, self.order) if moving else known)

    def variation(self, name: str, index: int) -> Series:
        """By how much a coordinate differs from its value at the point."""
        if self.rule:
            return self.moved.get((name, index), Series({}))
        return Series({(1, ((name, index),)): 1}) if self.order else Series({})

    def series(self, k: int, env: Env) -> Series:
        """The Taylor series of a node, totals written out."""
        key = (k, *(env[label] for label in self.table.free[k]))
        if key not in self._series:
            self._series[key] = self._expanded(k, env)
        return self._series[key]

    def _expanded(self, k: int, env: Env) -> Series:
        node = self.table.nodes[k]
        head = node[0]
        if head in ("num", "pi", "e", "M"):
            return Series({CONSTANT: self.number(k, env)})
        if head == "dim":
            return Series({CONSTANT: self.sizes[node[1]]})
        if head in ("sym", "at"):
            return self._symbol_series(node[1], env[node[2]] if head == "at" else -1)
        if head == "+":
            return self.plus(self.series(c, env) for c in node[1:])
        if head == "*":
            result = self.series(node[1], env)
            for c in node[2:]:
                result = self.times(result, self.series(c, env))
            return result
        if head == "total":
            return self.plus(self.series(node[1], {**env, node[3]: i}) for i in range(self.sizes[node[2]]))
        if head == "^":
            return self._power_series(k, env)
        if head in ("value", "d"):
            return self._jet_series(node, env)
        if head == "apply":
            at, orders = tuple(self.number(c, env) for c in node[3:]), tuple(node[2])
            moves = [self.series(c, env).varying() for c in node[3:]]
            return self.taylor(moves, lambda b: self.applied(node[1], tuple(map(int.__add__, orders, b)), at, 0))
        return self._function_series(k, env)

    def _symbol_series(self, name: str, index: int) -> Series:
        kind = self.table.symbols[name]["kind"]
        if self.rule and kind == "step":
            return Series({(2, ()): 1})
        if self.rule and kind.endswith("noise"):
            return Series({(0, ((name, index),)): 1})
        value = Series({CONSTANT: self.symbol(name, (index,) if index >= 0 else (), 0)})
        return self.plus((value, self.variation(name, index))) if kind in ("vector", "scalar") else value

    def _jet_series(self, node: list[Any], env: Env) -> Series:
        f = self.table.functions[node[1]]
        places = list(self.places(f.get("blocks") or [f["block"]]))
        own = self._places(node, env)

        def coefficient(b: tuple[int, ...]) -> int:
            more = tuple(place for place, n in zip(places, b, strict=True) for _ in range(n))
            return self.jet(node[1], node[2], own + more, env, 0)

        return self.taylor([self.variation(*place) for place in places], coefficient)

    def places(self, blocks: Iterable[str]) -> Iterator[Place]:
        """The coordinates of some blocks."""
        for b in blocks:
            length = self.table.symbols[b].get("length")
            yield from ((b, i) for i in range(self.sizes[length])) if length else ((b, -1),)

    def _power_series(self, k: int, env: Env) -> Series:
        _, base, exponent = self.table.nodes[k]
        inside = self.series(base, env)
        q, n = self.table.rational(exponent), self.table.integer(exponent)
        if n is not None and n >= 0:
            result = Series({CONSTANT: 1})
            for bit in bin(n)[2:]:
                result = self.times(result, result)
                result = self.times(result, inside) if bit == "1" else result
            return result
        if self.rule and q is not None and inside.terms and (inside.constant() == 0 or inside.low() < 0):
            return self._lifted(inside, q, base)
        if n is not None:
            centre = self._centre(base, env, inside)
            return self.taylor([inside.varying()], lambda b: _falling(n, b[0]) * pow(centre, n - b[0], self.p))
        power = self.series(exponent, env)
        if not power.varying().terms:
            value, rise = self.number(k, env), self.number(exponent, env)
            down = self._inverse(self.number(base, env), self.p) if inside.varying().terms else 0
            return self.taylor(
                [inside.varying()], lambda b: value * _falling(rise, b[0]) * pow(down, b[0], self.p) if b[0] else value
            )
        whole_exponent = self.times(power, self._log_series(base, env)).varying()
        return self.taylor([whole_exponent], lambda b: self.number(k, env))

    def _centre(self, base: int, env: Env, inside: Series) -> int:
        """Where the derivatives of 1/x and log are taken: at the value itself, or at the one in which totals are free."""
        centre = self.number(base, env) if self.table.is_frozen(base) else inside.constant()
        self._inverse(centre, self.p)
        return centre

    def _lifted(self, inside: Series, q: Fraction, base: int) -> Series:
        """A root or reciprocal of what vanishes with the step: its lowest power of s is taken out."""
        low = inside.low()
        lead = inside.terms.get((int(low), ()), 0)
        alone = sum(order == low for order, _ in inside.terms) == 1
        if not lead or not alone or (int(low) * q).denominator > 1 or self.table.sums[base] or self.table.is_frozen(base):
            raise UnableError("a root or denominator that vanishes with the step has no expansion here")
        if q.denominator > 1:
            if pow(lead, self.primes[1], self.p) != 1:
                raise NotSquareError
            self.lifted_roots += not self.table.is_square(base)
        level = inside.raised(-int(low))
        rise = q.numerator * pow(q.denominator, -1, self.p) % self.p
        value = (
            pow(lead, q.numerator * pow(q.denominator, -1, self.primes[1]), self.p)
            if q.denominator > 1
            else pow(lead, int(q), self.p)
        )
        down = pow(lead, -1, self.p)
        return self.taylor([level.varying()], lambda b: value * _falling(rise, b[0]) * pow(down, b[0], self.p)).raised(
            int(int(low) * q)
        )

    def _log_series(self, x: int, env: Env) -> Series:
        inside = self.series(x, env)
        down = self._inverse(self._centre(x, env, inside), self.p)
        self.complete = False

        def coefficient(b: tuple[int, ...]) -> int:
            n = b[0]
            return (-1) ** (n - 1) * factorial(n - 1) * pow(down, n, self.p) if n else self._logarithm(x, env, 0)

        return self.taylor([inside.varying()], coefficient)

    def _function_series(self, k: int, env: Env) -> Series:
        name, *arguments = self.table.nodes[k][1:]
        x = arguments[-1]
        if name == "log":
            return self._log_series(x, env)
        inside = self.series(x, env)
        if name in ("tan", "tanh"):
            sin, cos = self._pair("sin" if name == "tan" else "sinh", x, env, inside)
            down = self._inverse(cos.constant(), self.p)
            reciprocal = self.taylor([cos.varying()], lambda b: (-1) ** b[0] * factorial(b[0]) * pow(down, b[0] + 1, self.p))
            return self.times(sin, reciprocal)
        if name in ("sin", "cos", "sinh", "cosh"):
            return self._pair(name.replace("cos", "sin"), x, env, inside)[name.startswith("cos")]
        if not inside.varying().terms:
            return Series({CONSTANT: self.number(k, env)})
        if name in ("loggamma", "polygamma"):
            self.complete = False
            first = -1 if name == "loggamma" else self.table.integer(arguments[0]) or 0
            at = self.number(x, env)
            return self.taylor([inside.varying()], lambda b: self.drawn(("gamma", first + b[0], at), (), 0))
        derivatives = {"exp": self._of_exp, "atan": self._of_atan, "erf": self._of_erf}[name](k, x, env, inside)
        return self.taylor([inside.varying()], lambda b: derivatives[b[0]])

    def _pair(self, name: str, x: int, env: Env, inside: Series) -> tuple[Series, Series]:
        """Sine and cosine, of the circle or of the hyperbola."""
        if name == "sin":
            self.complete = False
            sin, cos = self._circle(self.number(x, env), self.p, 0)
        else:
            up = pow(self._bases[0], self.number(x, env, 1), self.p)
            half, down = pow(2, -1, self.p), pow(up, -1, self.p)
            sin, cos = (up - down) * half, (up + down) * half
        flip = -1 if name == "sin" else 1
        cycle = (sin, cos, flip * sin, flip * cos)
        moves = [inside.varying()]
        return self.taylor(moves, lambda b: cycle[b[0] % 4]), self.taylor(
            moves, lambda b: (cos, flip * sin, flip * cos, sin)[b[0] % 4]
        )

    def _of_exp(self, k: int, x: int, env: Env, inside: Series) -> list[int]:
        return [self.number(k, env)] * (self.order + 1)

    def _of_atan(self, k: int, x: int, env: Env, inside: Series) -> list[int]:
        """(1 + c^2) a_n + 2 c a_(n-1) + a_(n-2) = 0 for the coefficients of 1 / (1 + x^2) around c."""
        c = self.number(x, env) if self.table.is_frozen(x) else inside.constant()
        over = self._inverse(1 + c * c, self.p)
        a = [0, over]
        for _ in range(self.order):
            a.append(-(2 * c * a[-1] + a[-2]) * over % self.p)
        return [self.number(k, env), *(factorial(n) * a[n + 1] for n in range(self.order))]

    def _of_erf(self, k: int, x: int, env: Env, inside: Series) -> list[int]:
        """y' = -2 x y for the derivative y = 2 exp(-x^2) / sqrt(pi)."""
        c = self.number(x, env)
        root = pow(self.drawn("pi", (), 0, POSITIVE), pow(2, -1, self.primes[1]), self.p)
        y = [0, 2 * pow(root, -1, self.p) * pow(self._bases[0], -(self.number(x, env, 1) ** 2) % self.primes[1], self.p)]
        for n in range(self.order):
            y.append(-2 * (c * y[-1] + n * y[-2]) % self.p)
        return [self.number(k, env), *y[1:]]


def _falling(x: int, n: int) -> int:
    return prod(x - m for m in range(n))


def _factors(n: int) -> list[int]:
    """Small prime factors, and what is left."""
    found = []
    for q in range(2, 1000):
        while n % q == 0:
            found.append(q)
            n //= q
    return [*found, n] if n > 1 else found


# -- how many lengths are enough: degrees in totals --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Degree:
    """A bound of the number of summation indices of each length in a numerator, over a product of powers of denominators."""

    top: tuple[int, ...]
    under: tuple[tuple[int, int], ...] = ()


Orders = dict[int, Degree]  # by the order of the Taylor coefficient; what is left out is zero


class Degrees:
    """Bounds for the Taylor coefficients of nodes, by the rules that ``Run`` computes them with.

    With ``moves`` (the increments of the blocks) they are the coefficients of a rule in s, otherwise derivatives.
    """

    def __init__(self, table: Table, order: int, moves: Mapping[str, Orders] | None = None, like: Degrees | None = None) -> None:
        self.table, self.order, self.moves = table, order, moves
        self.none = Degree((0,) * len(table.lengths))
        self._weights: dict[int, tuple[int, ...]] = like._weights if like else {}  # of denominators, which moves do not change
        self._known: dict[int, Orders] = {}

    def sum_over(self, length: str | None, degree: Degree) -> Degree:
        """One more summation index."""
        if length is None:
            return degree
        return Degree(tuple(n + (x == length) for n, x in zip(degree.top, self.table.lengths, strict=True)), degree.under)

    def plus(self, *degrees: Degree | None) -> Degree:
        """Over a common denominator."""
        found = [d for d in degrees if d is not None]
        common: dict[int, int] = {}
        for d in found:
            for q, n in d.under:
                common[q] = max(common.get(q, 0), n)
        tops = [self.none.top, *(self._expanded(d, common) for d in found)]
        return Degree(tuple(map(max, zip(*tops, strict=True))), tuple(sorted(common.items())))

    def _expanded(self, d: Degree, common: Mapping[int, int]) -> tuple[int, ...]:
        own, top = dict(d.under), d.top
        for q, n in common.items():
            top = tuple(t + (n - own.get(q, 0)) * w for t, w in zip(top, self._weights[q], strict=True))
        return top

    def times(self, *degrees: Degree) -> Degree:
        """A product."""
        under: Counter[int] = Counter()
        for d in degrees:
            under.update(dict(d.under))
        return Degree(tuple(map(sum, zip(self.none.top, *(d.top for d in degrees), strict=True))), tuple(sorted(under.items())))

    def inverse(self, d: Degree, key: int) -> Degree:
        """``1 / (N / Q) = Q / N``: the numerator becomes a denominator of its own, known by ``key``."""
        self._weights[key] = d.top
        top = self._expanded(Degree(self.none.top), dict(d.under))
        return Degree(top, ((key, 1),) if any(d.top) else ())

    def product_of(self, a: Orders, b: Orders) -> Orders:
        """The coefficients of a product."""
        result: Orders = {}
        for j, x in a.items():
            for k, y in b.items():
                if j + k <= self.order:
                    result[j + k] = self.plus(result.get(j + k), self.times(x, y))
        return result

    def sum_of(self, *parts: Orders) -> Orders:
        """The coefficients of a sum."""
        return {k: self.plus(*(p.get(k) for p in parts)) for k in {k for p in parts for k in p}}

    def composed(self, inside: Iterable[Orders], coefficient: Callable[[int], Degree]) -> Orders:
        """The coefficients of a function, given those of its derivatives."""
        moving = self.sum_of(*({k: d for k, d in part.items() if k} for part in inside))
        result, power = {0: coefficient(0)}, {0: self.none}
        for n in range(1, self.order + 1):
            power = self.product_of(power, moving)
            result = self.sum_of(result, {k: self.times(coefficient(n), d) for k, d in power.items()})
        return result

    def of(self, k: int) -> Orders:
        """The bounds for a node."""
        if k not in self._known:
            self._known[k] = self._of(self.table.nodes[k])
        return self._known[k]

    def value(self, k: int) -> Degree:
        """The bound for the value of a node."""
        return self.plus(self.of(k).get(0))

    def any(self, k: int) -> Degree:
        """One bound for the value and all derivatives of a node."""
        return self.plus(*self.of(k).values())

    def _of(self, node: list[Any]) -> Orders:
        head, table = node[0], self.table
        if head == "dim":
            return {0: self.sum_over(node[1], self.none)}
        if head in ("sym", "at"):
            return self._symbol(node[1])
        if head == "+":
            return self.sum_of(*(self.of(c) for c in node[1:]))
        if head == "*":
            result = self.of(node[1])
            for c in node[2:]:
                result = self.product_of(result, self.of(c))
            return result
        if head == "total":
            alone = self.moves is None and table.local[node[1]] <= {node[3]}  # then a derivative leaves one summand
            return {n: d if alone and n else self.sum_over(node[2], d) for n, d in self.of(node[1]).items()}
        if head == "^":
            return self._power(node)
        if head in ("value", "d"):
            f = table.functions[node[1]]
            return self._jet(f.get("blocks") or [f["block"]])
        if head in ("fn", "apply"):
            return self._function(node)
        return {0: self.none}

    def _symbol(self, name: str) -> Orders:
        kind = self.table.symbols[name]["kind"]
        if self.moves is None:
            return {0: self.none, 1: self.none} if kind in ("vector", "scalar") and self.order else {0: self.none}
        return {2: self.none} if kind == "step" else {0: self.none} | self.moves.get(name, {})

    def _jet(self, blocks: list[str]) -> Orders:
        if self.moves is None:
            return dict.fromkeys(range(self.order + 1), self.none)
        lengths = {b: self.table.symbols[b].get("length") for b in blocks}
        moves = [{n: self.sum_over(lengths[b], d) for n, d in self.moves.get(b, {}).items()} for b in blocks]
        return self.composed(moves, lambda n: self.none)

    def _function(self, node: list[Any]) -> Orders:
        arguments = node[3:] if node[0] == "apply" else node[2:]
        x, name = arguments[-1], node[1]
        inside = [self.of(c) for c in arguments]
        if node[0] == "apply" or name not in ("log", "atan") or self.table.is_frozen(x) or not self.table.sums[x]:
            return self.composed(inside, lambda n: self.none)
        value = self.value(x)
        key = 2 * x  # of the argument itself
        if name == "atan":
            value, key = self.plus(self.none, self.times(value, value)), 2 * x + 1  # of 1 + x^2
        down = self.inverse(value, key)
        rise = self.value(x) if name == "atan" else self.none
        return self.composed(inside, lambda n: self.times(*[down] * n, *[rise] * (n - 1)) if n else self.none)

    def _power(self, node: list[Any]) -> Orders:
        _, base, exponent = node
        n, q, inside = self.table.integer(exponent), self.table.rational(exponent), self.of(base)
        if n is not None and n >= 0:
            result: Orders = {0: self.none}
            for _ in range(n):
                result = self.product_of(result, inside)
            return result
        low = min(inside, default=0)
        if self.moves is not None and q is not None and low > 0:  # it vanishes with the step, whatever the point
            lifted = self.composed([{k - low: d for k, d in inside.items()}], lambda n: self.none)
            return {k + int(low * q): d for k, d in lifted.items()}
        if self.moves is not None and len(inside) > 1 and not any(any(d.top) for d in inside.values()):
            return dict.fromkeys(range(-self.order, self.order + 1), self.none)  # it may vanish with the step
        if n is None or self.table.is_frozen(base) or not self.table.sums[base]:
            return self.composed([inside, self.of(exponent)], lambda n: self.none)
        down = self.inverse(self.value(base), 2 * base)
        return self.composed([inside], lambda k: self.times(*[down] * (k - n)))


# -- deciding that something vanishes for every length -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """``zero`` for every length with an error below 2^-100, ``nonzero`` (``certain`` or not), or ``unknown``; and why."""

    kind: str
    why: str = ""
    certain: bool = False


Test = Callable[[Run], Iterable[int]]


def decide(
    table: Table, primes: tuple[int, ...], test: Test, degree: Degree, free: Mapping[str, int], order: int = 0, rule: bool = False
) -> Answer:
    """Decide whether all the numbers of a test vanish at every point, for every length.

    ``degree`` bounds their numerators, ``free`` is the number of different free indices of each length.
    """
    counts = [range(max(1, free.get(x, 0)), max(1, free.get(x, 0)) + n + 1) for x, n in zip(table.lengths, degree.top, strict=True)]
    if prod(map(len, counts)) > MAX_SIZES or any(r[-1] > MAX_SIZE for r in counts):
        return Answer("unknown", f"it would have to be evaluated for {prod(map(len, counts))} choices of lengths")
    for sizes in product(*counts):
        answer = _vanishes_at(table, primes, test, dict(zip(table.lengths, sizes, strict=True)), order, rule)
        if answer.kind != "zero":
            return answer
    return Answer("zero")


def _vanishes_at(table: Table, primes: tuple[int, ...], test: Test, sizes: Sizes, order: int, rule: bool) -> Answer:
    done, needed, work = 0, 1, 0
    while done < needed:
        run = Run(table, primes, sizes, order, rule)
        run.work = work
        try:
            values = _at_a_point(run, test)
            dependent = _dependent_roots(run)
        except UnableError as error:
            return Answer("unknown", str(error))
        where = ", ".join(f"{x} = {n}" for x, n in sizes.items())
        if any(v % run.p for v in values):
            return Answer("nonzero", f"it is not zero{' at ' + where if where else ''}", run.complete and not dependent)
        if dependent not in POINTS:
            return Answer("unknown", "more than 3 roots depend on one another")
        done, needed, work = done + 1, max(needed, POINTS[dependent]), run.work
    return Answer("zero")


def _at_a_point(run: Run, test: Test) -> list[int]:
    """The numbers of a test at a point where everything under a root is a square and no denominator vanishes."""
    for _ in range(TRIES):
        try:
            return list(test(run))
        except NotSquareError as error:
            run.forget(error.args)
        except ZeroDivisionError:
            run.forget(())
    raise UnableError("no point was found at which it is defined")


def _dependent_roots(run: Run) -> int:
    """How many of the things under roots are, up to squares, products of others.

    Where none is, all branches of the roots are conjugate, and an identity holds on all of them or on none. Independence is certain
    once it is found: a product that is a square has one quadratic character at all points.
    """
    plain = [r for r in sorted(run.roots) if not run.table.rooted[r[0]]]
    basis: dict[int, int] = {}
    for _ in range(len(plain) + 40 if plain else 0):
        probe = Run(run.table, run.primes, run.sizes, 0, run.rule)
        try:
            values = [(probe.number(k, dict(at), level), level) for k, at, level in plain]
        except (ZeroDivisionError, NotSquareError):
            continue
        row = 1
        for value, level in values:
            row = 2 * row + (pow(value, run.primes[level + 1], run.primes[level]) == 1)
        while row and row.bit_length() in basis:
            row ^= basis[row.bit_length()]
        if row:
            basis[row.bit_length()] = row
        if len(basis) > len(plain):
            break
    return len(run.roots) - max(len(basis) - 1, 0) + run.lifted_roots


def chain_for(table: Table) -> tuple[int, ...]:
    """A fresh chain of primes that is long enough for the nested exponents of a table."""
    return prime_chain(1 + min(MAX_NESTED, max(table.nested, default=0)))


def vanishes(table: Table, k: int, primes: tuple[int, ...]) -> Answer:
    """Decide whether a node vanishes for every length; different labels in it are different coordinates."""
    env = _different(table.free[k])
    free = Counter(table.free[k].values())
    return decide(table, primes, lambda run: [run.series(k, env).constant()], Degrees(table, 0).value(k), free)


# -- the certificate ---------------------------------------------------------------------------------------------------------------

Entry = dict[str, int]
Matrix = dict[tuple[str, str], Entry]
CONFIRMED, REJECTED, NOT_CHECKED = "confirmed", "rejected", "not checked"
BOUND = "error below 2^-100"


@dataclass(frozen=True)
class Finding:
    """What was found of one obligation: ``confirmed``, ``rejected`` or ``not checked``, and a sentence."""

    name: str
    status: str
    sentence: str


@dataclass(frozen=True)
class Result:
    """``confirmed``, ``rejected``, ``not confirmed`` or ``not a certificate``; each obligation; and what is taken for granted."""

    status: str
    sentence: str
    findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 confirmed, 1 rejected, 2 not a certificate, 3 not confirmed."""
        return {"confirmed": 0, "rejected": 1, "not a certificate": 2, "not confirmed": 3}[self.status]


@dataclass(frozen=True)
class Rule:
    """An update rule."""

    step: str
    sequential: bool
    pairs: tuple[tuple[str, int], ...]
    target: int


@dataclass(frozen=True)
class Subject:
    """What a certificate is about."""

    kind: str
    state: tuple[str, ...]
    H: int
    D: Matrix
    Q: Matrix | None
    drift: dict[str, int]
    rule: Rule | None
    marginal: tuple[tuple[tuple[str, ...], int], ...]
    factor: Matrix | None


class Reader:
    """Reads the subject of a certificate; every expression must be what its place says: a number, or one coordinate of a block."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def length(self, block: str) -> str | None:
        """The length of a block; None of a scalar one."""
        return self.table.symbols[block].get("length")  # type: ignore[no-any-return]

    def node(self, n: Any, labels: Mapping[int, str | None], where: str) -> int:
        """A node with no other free labels than these."""
        k = self.table.index(n, len(self.table.nodes), where)
        require(all(labels.get(x) == length for x, length in self.table.free[k].items()), f"{where} is of another length")
        return k

    def entry(self, data: Any, row: str | None, column: str | None, where: str) -> Entry:
        """An entry between two lengths."""
        if row is None or column is None:
            keys(data, ("value",), (), where)
            return {"value": self.node(data["value"], {0: row or column} if row or column else {}, where)}
        keys(data, ("diagonal", "kernel"), (), where)
        entry = {
            "diagonal": self.node(data["diagonal"], {0: row}, where),
            "kernel": self.node(data["kernel"], {0: row, -1: column}, where),
        }
        require(row == column or self.table.rational(entry["diagonal"]) == 0, f"{where} is diagonal between two lengths")
        return entry

    def matrix(self, data: Any, state: tuple[str, ...], where: str) -> Matrix:
        """A block matrix."""
        square = isinstance(data, list) and len(data) == len(state)
        require(square and all(isinstance(r, list) and len(r) == len(state) for r in data), f"{where} has another shape")
        return {
            (a, b): self.entry(data[i][j], self.length(a), self.length(b), f"{where}[{a}, {b}]")
            for i, a in enumerate(state)
            for j, b in enumerate(state)
        }

    def subject(self, data: Any) -> Subject:
        """The whole subject."""
        require(isinstance(data, dict) and data.get("kind") in ("recipe", "claim"), "the subject is neither a recipe nor a claim")
        recipe = data["kind"] == "recipe"
        more = ("Q",) if recipe else ("update",)
        keys(data, ("name", "kind", "state", "H", "D", "drift", "marginal", *more), ("noise_factor", "update"), "the subject")
        require(recipe or not (data["marginal"] or "noise_factor" in data), "a claim has no marginal and no noise_factor")
        require(data["name"] is None or isinstance(data["name"], str), "the name of the subject is no text")
        state = self.blocks(data["state"], "the state")
        require(
            set(state) == {n for n, s in self.table.symbols.items() if s["kind"] in ("vector", "scalar")}, "the state lacks a block"
        )
        keys(data["drift"], state, (), "the drift")
        require(
            isinstance(data["marginal"], list) and all(isinstance(m, list) and len(m) == 2 for m in data["marginal"]),
            "marginal is wrong",
        )
        subject = Subject(
            data["kind"],
            state,
            self.node(data["H"], {}, "H"),
            self.matrix(data["D"], state, "D"),
            self.matrix(data["Q"], state, "Q") if recipe else None,
            {b: self.component(data["drift"][b], b, f"the drift of {b}") for b in state},
            self.rule(data["update"], state) if "update" in data else None,
            tuple((self.blocks(kept, "marginal"), self.node(U, {}, "marginal")) for kept, U in data["marginal"]),
            self.matrix(data["noise_factor"], state, "noise_factor") if "noise_factor" in data else None,
        )
        self._no_noise(subject)
        return subject

    def blocks(self, data: Any, where: str) -> tuple[str, ...]:
        """Different blocks."""
        require(
            isinstance(data, list) and data and all(self.table.kind(b) in ("vector", "scalar") for b in data), f"{where} is wrong"
        )
        require(len(set(data)) == len(data), f"{where} names a block twice")
        return tuple(data)

    def component(self, n: Any, block: str, where: str) -> int:
        """One coordinate of a block."""
        length = self.length(block)
        return self.node(n, {0: length} if length else {}, where)

    def rule(self, data: Any, state: tuple[str, ...]) -> Rule:
        """An update rule."""
        keys(data, ("step", "sequential", "rule", "target"), (), "the update")
        require(self.table.kind(data["step"]) == "step" and type(data["sequential"]) is bool, "the update has no step")
        require(sum(s["kind"] == "step" for s in self.table.symbols.values()) == 1, "there are two steps")
        pairs = data["rule"] if isinstance(data["rule"], list) else []
        require(
            0 < len(pairs) <= 64 and all(isinstance(x, list) and len(x) == 2 and x[0] in state for x in pairs), "the rule is wrong"
        )
        require({b for b, _ in pairs} == set(state), "the rule lacks a block")
        require(data["sequential"] or len(pairs) == len(state), "a simultaneous rule names a block twice")
        read = tuple((b, self.component(n, b, f"the rule of {b}")) for b, n in pairs)
        return Rule(data["step"], data["sequential"], read, self.node(data["target"], {}, "the target"))

    def _no_noise(self, s: Subject) -> None:
        roots = [s.H, *s.drift.values(), *(U for _, U in s.marginal)]
        roots += [n for m in (s.D, s.Q or {}, s.factor or {}) for e in m.values() for n in e.values()]
        roots += [s.rule.target] if s.rule else []
        for k in reachable(self.table, roots):
            node = self.table.nodes[k]
            if node[0] in ("sym", "at"):
                kind = self.table.symbols[node[1]]["kind"]
                require(kind != "step" and not kind.endswith("noise"), f"{node[1]!r} stands where neither the step nor noise may")


def reachable(table: Table, roots: Iterable[int]) -> list[int]:
    """The nodes that some nodes are made of."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        k = stack.pop()
        if k not in seen:
            seen.add(k)
            stack += table.parts(k)
    return sorted(seen)


def first(s: Series, x: Place) -> int:
    """A derivative."""
    return s.terms.get((1, (x,)), 0)


def second(s: Series, x: Place, y: Place) -> int:
    """A second derivative."""
    return s.terms.get((2, tuple(sorted((x, y)))), 0) * (2 if x == y else 1)


class Derivation:
    """What follows from H, D, Q and the drift, as tests for ``decide`` with the bounds of their degrees."""

    def __init__(self, table: Table, subject: Subject, primes: tuple[int, ...]) -> None:
        self.table, self.subject, self.primes = table, subject, primes
        self.reader = Reader(table)

    # -- entries

    def entry(self, run: Run, entry: Entry, i: int, j: int, same: bool) -> Series:
        """Entry (i, j) of what stands between two blocks; ``same`` if they have one length."""
        if "value" in entry:
            return run.series(entry["value"], {0: max(i, j)})
        kernel = run.series(entry["kernel"], {0: i, -1: j})
        return run.plus((kernel, run.series(entry["diagonal"], {0: i}))) if same and i == j else kernel

    def at(self, run: Run, matrix: Matrix, x: Place, y: Place) -> Series:
        """An entry of a full matrix."""
        same = self.reader.length(x[0]) == self.reader.length(y[0])
        return self.entry(run, matrix[x[0], y[0]], x[1], y[1], same)

    def is_zero(self, entry: Entry) -> bool:
        """Whether nothing is written there."""
        return all(self.table.rational(n) == 0 for n in entry.values())

    def pairs(self, run: Run) -> Iterator[tuple[Place, Place]]:
        """Pairs of coordinates, one for each way in which two blocks and two indices can meet."""
        for a in self.subject.state:
            for b in self.subject.state:
                i, j = (0 if self.reader.length(c) else -1 for c in (a, b))
                yield (a, i), (b, j)
                length = self.reader.length(a)
                if length and length == self.reader.length(b) and run.sizes[length] > 1:
                    yield (a, 0), (b, 1)

    def firsts(self) -> list[Place]:
        """One coordinate of each block."""
        return [(b, 0 if self.reader.length(b) else -1) for b in self.subject.state]

    def two_free(self) -> dict[str, int]:
        """Two different free indices of every length; they are compared at d = 1 as well."""
        return {length: 2 for b in self.subject.state if (length := self.reader.length(b))}

    def entry_degree(self, degrees: Degrees, entry: Entry) -> Degree:
        """A bound for each entry of the full matrix."""
        return degrees.plus(*(degrees.value(n) for n in entry.values()))

    def contracted(
        self, degrees: Degrees, entry: Entry, row: str, column: str, rest: Callable[[int], Degree | None], both: bool
    ) -> list[Degree]:
        """Bounds for ``sum over j`` (with ``both``, and i) of derivatives of an entry times what ``rest`` gives for their order."""
        lengths = self.reader.length(row), self.reader.length(column)
        found = []
        for part, n in entry.items():
            over = [lengths[1]] if part == "kernel" or lengths[0] is None else []
            over += [lengths[0]] if both else []
            for order, degree in degrees.of(n).items():
                other = rest(order)
                if other is not None:
                    total = degrees.times(degree, other)
                    for length in over:
                        total = degrees.sum_over(length, total)
                    found.append(total)
        return found

    # -- stationarity

    def stationarity(self) -> Answer:
        """div v - v . grad H = 0 with v = f + D grad H - div D."""
        s, degrees = self.subject, Degrees(self.table, 2)
        H = degrees.of(s.H)
        slope, bend = H.get(1, degrees.none), H.get(2, degrees.none)
        found = []
        for a in s.state:
            f, length = degrees.of(s.drift[a]), self.reader.length(a)
            found += [degrees.sum_over(length, f.get(1, degrees.none))]
            found += [degrees.sum_over(length, degrees.times(f.get(0, degrees.none), slope))]
            for b in s.state:
                more = {0: degrees.plus(bend, degrees.times(slope, slope)), 1: slope, 2: degrees.none}
                found += self.contracted(degrees, s.D[a, b], a, b, more.get, both=True)
        return decide(self.table, self.primes, self._residual, degrees.plus(*found), {}, order=2)

    def _residual(self, run: Run) -> Iterator[int]:
        s = self.subject
        H, places = run.series(s.H, {}), list(run.places(s.state))
        slope = {x: first(H, x) for x in places}
        residual = 0
        for x in places:
            f = run.series(s.drift[x[0]], {0: x[1]})
            v = f.constant()
            residual += first(f, x)
            for y in places:
                if self.is_zero(s.D[x[0], y[0]]):
                    continue
                D = self.at(run, s.D, x, y)
                v += D.constant() * slope[y] - first(D, y)
                residual += first(D, x) * slope[y] + D.constant() * second(H, x, y) - second(D, x, y)
            residual -= v * slope[x]
        yield residual

    def formula(self) -> Answer:
        """f = -(D + Q) grad H + div (D + Q), one coordinate of each block."""
        s, degrees = self.subject, Degrees(self.table, 1)
        assert s.Q is not None
        slope = degrees.of(s.H).get(1, degrees.none)
        found = [degrees.value(n) for n in s.drift.values()]
        for m in (s.D, s.Q):
            for (a, b), entry in m.items():
                found += self.contracted(degrees, entry, a, b, {0: slope, 1: degrees.none}.get, both=False)
        free = dict.fromkeys(self.two_free(), 1)
        return decide(self.table, self.primes, self._formula, degrees.plus(*found), free, order=1)

    def _formula(self, run: Run) -> Iterator[int]:
        s = self.subject
        assert s.Q is not None
        H = run.series(s.H, {})
        for x in self.firsts():
            value = run.series(s.drift[x[0]], {0: x[1]}).constant()
            for m in (s.D, s.Q):
                for y in run.places(s.state):
                    if not self.is_zero(m[x[0], y[0]]):
                        entry = self.at(run, m, x, y)
                        value += entry.constant() * first(H, y) - first(entry, y)
            yield value

    def same_gradient(self, one: int, other: int, blocks: Iterable[str]) -> Answer:
        """Two numbers have the same derivatives by some blocks."""
        degrees = Degrees(self.table, 1)
        degree = degrees.plus(degrees.of(one).get(1), degrees.of(other).get(1))
        wanted = [x for x in self.firsts() if x[0] in blocks]

        def test(run: Run) -> list[int]:
            U, V = run.series(one, {}), run.series(other, {})
            return [first(U, x) - first(V, x) for x in wanted]

        return decide(self.table, self.primes, test, degree, dict.fromkeys(self.two_free(), 1), order=1)

    # -- matrices

    def transposed(self, matrix: Matrix, sign: int) -> Answer:
        """M = sign * M^T as full matrices."""
        degrees = Degrees(self.table, 0)
        degree = degrees.plus(*(self.entry_degree(degrees, e) for e in matrix.values()))

        def test(run: Run) -> Iterator[int]:
            for x, y in self.pairs(run):
                yield self.at(run, matrix, x, y).constant() - sign * self.at(run, matrix, y, x).constant()

        return decide(self.table, self.primes, test, degree, self.two_free())

    def product(self, columns: list[dict[str, Any]]) -> Answer:
        """(D + D^T) / 2 = B W B^T, column by column."""
        s, degrees = self.subject, Degrees(self.table, 0)
        degree = degrees.plus(*(self.entry_degree(degrees, e) for e in s.D.values()))
        for c in columns:
            B = degrees.plus(*(self.entry_degree(degrees, e) for e in c["rows"].values()))
            one = degrees.sum_over(c["length"], degrees.times(B, B, degrees.value(c["weight"])))
            degree = degrees.plus(degree, degrees.sum_over(c["length"] if c["matrix"] else None, one))

        def test(run: Run) -> Iterator[int]:
            half = pow(2, -1, run.p)
            for x, y in self.pairs(run):
                D = self.at(run, s.D, x, y).constant() + self.at(run, s.D, y, x).constant()
                yield D * half - sum(self._outer(run, c, x, y) for c in columns)

        return decide(self.table, self.primes, test, degree, self.two_free())

    def _outer(self, run: Run, c: dict[str, Any], x: Place, y: Place) -> int:
        if x[0] not in c["rows"] or y[0] not in c["rows"]:
            return 0
        length = c["length"]

        def B(at: Place, k: int) -> int:
            return self.entry(run, c["rows"][at[0]], at[1], k, self.reader.length(at[0]) == length).constant()

        inside = range(run.sizes[length]) if length else (-1,)
        if c["matrix"] is None:
            return sum(B(x, k) * run.series(c["weight"], {0: k}).constant() * B(y, k) for k in inside)
        weight = run.series(c["weight"], {}).constant()
        return weight * sum(B(x, k) * run.entry_of(c["matrix"], k, n, 0) * B(y, n) for k in inside for n in inside)

    def square(self, factor: Matrix) -> Answer:
        """B B^T = D for a factor with the blocks of the state."""
        s, degrees = self.subject, Degrees(self.table, 0)
        degree = degrees.plus(*(self.entry_degree(degrees, e) for e in s.D.values()))
        for c in s.state:
            B = degrees.plus(*(self.entry_degree(degrees, factor[a, c]) for a in s.state))
            degree = degrees.plus(degree, degrees.sum_over(self.reader.length(c), degrees.times(B, B)))

        def test(run: Run) -> Iterator[int]:
            places = list(run.places(s.state))
            for x, y in self.pairs(run):
                D = self.at(run, s.D, x, y).constant()
                yield D - sum(self.at(run, factor, x, k).constant() * self.at(run, factor, y, k).constant() for k in places)

        return decide(self.table, self.primes, test, degree, self.two_free())

    # -- the limit of an update rule

    def limit(self) -> Answer:
        """With s = sqrt(step), one step is z + s a + s^2 b + ...: E a = 0, E b = f, E a a^T = 2 D."""
        answer = Answer("unknown")
        for order in (2, 4, 6, 8):
            answer = decide(self.table, self.primes, self._limit, self._limit_degree(order), self.two_free(), order, rule=True)
            if answer.why != TOO_SHORT:
                break
        return answer

    def _limit_degree(self, order: int) -> Degree:
        s, moves = self.subject, dict[str, Orders]()
        assert s.rule is not None
        degrees = Degrees(self.table, order, {})
        last: dict[str, Orders] = {}
        found = [degrees.value(n) for n in s.drift.values()] + [self.entry_degree(degrees, e) for e in s.D.values()]
        for block, n in s.rule.pairs:
            now = Degrees(self.table, order, dict(moves) if s.rule.sequential else {}, like=degrees)
            last[block] = now.of(n)
            moves[block] = {k: d for k, d in last[block].items() if k > 0}
        found += [d for orders in last.values() for k, d in orders.items() if k <= 2]
        firsts = [orders[1] for orders in last.values() if 1 in orders]
        return degrees.plus(*found, *(degrees.times(a, b) for a in firsts for b in firsts))

    def _limit(self, run: Run) -> Iterator[int]:
        s = self.subject
        steps = self.steps(run)
        for x, step in steps.items():
            f = run.series(s.drift[x[0]], {0: x[1]}).constant()
            yield from (c for (order, _), c in step.terms.items() if order <= 0)
            yield self.mean(run, self.coefficient(step, 1))
            yield self.mean(run, self.coefficient(step, 2)) - f
        for x, y in self.pairs(run):
            a, b = (self.coefficient(steps[z], 1) for z in (x, y))
            D = self.at(run, s.D, x, y).constant()
            yield self.mean(run, [(u + v, c * d) for u, c in a for v, d in b]) - 2 * D

    def steps(self, run: Run) -> dict[Place, Series]:
        """By how much the rule moves the coordinates that are compared."""
        rule = self.subject.rule
        assert rule is not None
        run.moved = {}
        moved: dict[Place, Series] = {}
        for block, n in rule.pairs:
            for x in run.places([block]):
                new = run.series(n, {0: x[1]})
                if new.known < 2:
                    raise UnableError(TOO_SHORT)
                value = run.symbol(block, (x[1],) if x[1] >= 0 else (), 0)
                moved[x] = run.plus((new, Series({CONSTANT: -value % run.p})))
            if rule.sequential:
                run.move(moved)
        run.move({})
        wanted = {x for pair in self.pairs(run) for x in pair}
        return {x: step for x, step in moved.items() if x in wanted}

    def coefficient(self, s: Series, order: int) -> list[tuple[tuple[Place, ...], int]]:
        """A coefficient, as a polynomial of the noise."""
        return [(names, c) for (k, names), c in s.terms.items() if k == order]

    def mean(self, run: Run, polynomial: list[tuple[tuple[Place, ...], int]]) -> int:
        """The mean over the noise (Isserlis): the sum over all ways to pair its factors."""
        return sum(c * self._moment(run, tuple(sorted(names))) for names, c in polynomial) % run.p

    def _moment(self, run: Run, names: tuple[Place, ...]) -> int:
        if len(names) % 2:
            return 0
        if not names:
            return 1
        run.spend(len(names))
        x, rest = names[0], names[1:]
        return sum(
            self._covariance(run, x, y) * self._moment(run, rest[:k] + rest[k + 1 :]) for k, y in enumerate(rest) if y[0] == x[0]
        )

    def _covariance(self, run: Run, x: Place, y: Place) -> int:
        dense = self.table.symbols[x[0]].get("covariance")
        return run.entry_of(dense, x[1], y[1], 0) if dense else int(x == y)

    # -- signs

    def equal(self, one: int, other: int) -> Answer:
        """Two nodes are equal, different labels being different coordinates."""
        if one == other:
            return Answer("zero")
        degrees = Degrees(self.table, 0)
        labels = {**self.table.free[one], **self.table.free[other]}
        free = Counter(labels.values())
        env = _different(labels)
        degree = degrees.plus(degrees.value(one), degrees.value(other))
        test = lambda run: [run.series(one, env).constant() - run.series(other, env).constant()]  # noqa: E731
        return decide(self.table, self.primes, test, degree, free)


TOO_SHORT = "the expansion is too short"


def _different(labels: Mapping[int, str]) -> dict[int, int]:
    """Different coordinates for the labels of each length."""
    taken: Counter[str] = Counter()
    env = {}
    for label in sorted(labels, reverse=True):
        env[label] = taken[labels[label]]
        taken[labels[label]] += 1
    return env


# -- the check ---------------------------------------------------------------------------------------------------------------------

Step = dict[str, Any]
GRANTED = "exp(-H) is normalisable and the process does not explode (without these a stationary law need not be invariant)"


class Check:
    """Goes through the obligations of one certificate."""

    def __init__(self, table: Table, subject: Subject, steps: dict[str, list[Step]]) -> None:
        self.table, self.subject, self.steps = table, subject, steps
        self.derivation = Derivation(table, subject, chain_for(table))
        self.assumptions: dict[str, None] = {}
        self._limit: list[tuple[str, Answer]] = []

    def find(self, name: str) -> Finding:
        """What comes of an obligation."""
        procedures: dict[str, Callable[[str], Finding]] = {
            "well-defined": self.well_defined, "diffusion-symmetric": self.diffusion_symmetric, "curl-skew": self.curl_skew,
            "diffusion-psd": self.diffusion_psd, "noise-factor": self.noise_factor, "stationarity": self.stationarity,
            "agrees-with-update": self.agrees_with_update, "marginal": self.marginal,
        }  # fmt: skip
        if name not in procedures:
            return Finding(name, NOT_CHECKED, "this checker has no procedure for it")
        try:
            return procedures[name](name)
        except UnableError as error:
            return Finding(name, NOT_CHECKED, str(error))

    def basic(self) -> set[str]:
        """The obligations without which nothing is claimed."""
        s = self.subject
        names = {"well-defined", "diffusion-psd", "stationarity"}
        if s.kind == "recipe":
            names |= {"diffusion-symmetric", "curl-skew"} | ({"agrees-with-update"} if s.rule else set())
            names |= ({"marginal"} if s.marginal else set()) | ({"noise-factor"} if s.factor is not None else set())
        return names | ({"boundary"} if any(self.table.symbols[b]["domain"] is not None for b in s.state) else set())

    @staticmethod
    def judged(name: str, answers: Iterable[tuple[str, Answer]], by: str) -> Finding:
        """One finding from several answers."""
        listed = list(answers)
        for status, kind, certain in (
            (REJECTED, "nonzero", True),
            (NOT_CHECKED, "nonzero", False),
            (NOT_CHECKED, "unknown", False),
        ):
            for what, answer in listed:
                if answer.kind == kind and answer.certain == certain:
                    hedge = ", as far as this checker can tell" if kind == "nonzero" and not certain else ""
                    return Finding(name, status, f"{what}: {answer.why}{hedge}")
        return Finding(name, CONFIRMED, f"{by}, {BOUND}" if listed else by)

    def diffusion_symmetric(self, name: str) -> Finding:
        """D = D^T."""
        return self.judged(name, [("D - D^T", self.derivation.transposed(self.subject.D, 1))], "D = D^T")

    def curl_skew(self, name: str) -> Finding:
        """Q = -Q^T."""
        if self.subject.Q is None:
            return Finding(name, NOT_CHECKED, "a claim has no Q")
        return self.judged(name, [("Q + Q^T", self.derivation.transposed(self.subject.Q, -1))], "Q = -Q^T")

    def stationarity(self, name: str) -> Finding:
        """The residual, and that the drift is that of H, D and Q, or of the rule."""
        answers = [("the residual div v - v . grad H", self.derivation.stationarity())]
        answers += self.limit() if self.subject.kind == "claim" else [("the drift less its formula", self.derivation.formula())]
        self.assumptions[GRANTED] = None
        return self.judged(name, answers, "div v - v . grad H = 0 for the drift of this subject")

    def limit(self) -> list[tuple[str, Answer]]:
        """The rule has this drift and this D, and the law of this H."""
        rule, s = self.subject.rule, self.subject
        assert rule is not None
        if not self._limit:  # of a claim, two obligations rest on it
            target = self.derivation.same_gradient(s.H, rule.target, s.state)
            self._limit.append(("the gradient of H less that of the target", target))
            self._limit.append(("the limit of the rule less f and D", self.derivation.limit()))
        return self._limit

    def agrees_with_update(self, name: str) -> Finding:
        """The limit of the published rule."""
        if self.subject.rule is None:
            return Finding(name, NOT_CHECKED, "no update is given")
        return self.judged(name, self.limit(), "the limit of the rule has this drift and this D")

    def noise_factor(self, name: str) -> Finding:
        """B B^T = D."""
        if self.subject.factor is None:
            return Finding(name, NOT_CHECKED, "no noise_factor is given")
        return self.judged(name, [("B B^T - D", self.derivation.square(self.subject.factor))], "B B^T = D")

    def marginal(self, name: str) -> Finding:
        """H - U does not depend on what is kept."""
        answers = []
        for kept, U in self.subject.marginal:
            answers.append((f"the gradient of H - U by {', '.join(kept)}", self.derivation.same_gradient(self.subject.H, U, kept)))
        if any(a.kind != "zero" for _, a in answers) or not answers:
            return Finding(name, NOT_CHECKED, "H - U depends on what is kept, and nothing is integrated here")
        self.assumptions["exp(-(H - U)) has a finite integral over the other blocks"] = None
        return self.judged(name, answers, "H - U does not depend on what is kept")

    # -- positive semidefinite

    def diffusion_psd(self, name: str) -> Finding:
        """By a factor; a claim's D is a covariance."""
        if self.subject.kind == "claim":
            return self.judged(name, self.limit(), "D is half of a covariance")
        factors = [step for step in self.steps.get(name, []) if step["kind"] == "factor"]
        if factors:
            return self.factored(name, factors)
        if self.subject.factor is not None:
            return self.judged(name, [("B B^T - D", self.derivation.square(self.subject.factor))], "D = B B^T")
        if self._is_plainly_psd():
            return Finding(name, CONFIRMED, "D is diagonal, and its entries are nonnegative by structure")
        return Finding(name, NOT_CHECKED, "the certificate gives no factor of D")

    def _is_plainly_psd(self) -> bool:
        for (a, b), entry in self.subject.D.items():
            for part, n in entry.items():
                zero = self.table.rational(n) == 0
                if not zero and (
                    a != b or not (self.table.signs(n) <= NOT_NEGATIVE if part != "kernel" else self._is_scaled_dense(n))
                ):
                    return False
        return True

    def _is_scaled_dense(self, n: int) -> bool:
        """``c M`` with a positive definite M and a nonnegative number c."""
        node = self.table.nodes[n]
        factors = node[1:] if node[0] == "*" else [n]
        dense = [c for c in factors if self.table.nodes[c][0] == "M"]
        rest = [c for c in factors if c not in dense]
        if len(dense) != 1 or any(self.table.free[c] or not self.table.signs(c) <= NOT_NEGATIVE for c in rest):
            return False
        _, name, i, j = self.table.nodes[dense[0]]
        return self.table.functions[name]["positive"] and {i, j} == {0, -1}  # type: ignore[no-any-return]

    def factored(self, name: str, factors: list[Step]) -> Finding:
        """D = B W B^T with nonnegative weights."""
        columns: list[dict[str, Any]] = []
        for step in factors:
            require(len(step["columns"]) == len(step["signs"]), "a factor needs one sign a column")
            for column, sign in zip(step["columns"], step["signs"], strict=True):
                columns.append(self._column(column))
                same = self.derivation.equal(sign["e"], column["weight"])
                if same.kind != "zero" or sign["sign"] not in ("> 0", ">= 0"):
                    return Finding(name, NOT_CHECKED, "a sign step is not about the weight of its column")
                problem = self.sign_problem(sign, strict=False)
                if problem:
                    return Finding(name, NOT_CHECKED, f"the sign of a weight: {problem}")
        parts = [n for c in columns for n in (c["weight"], *(k for e in c["rows"].values() for k in e.values()))]
        problem = self._undefined(parts, strict=False)
        if problem:
            return Finding(name, NOT_CHECKED, f"the factor: {problem}")
        return self.judged(name, [("D - B W B^T", self.derivation.product(columns))], "D = B W B^T with weights W >= 0")

    def _column(self, data: Any) -> dict[str, Any]:
        """One block of columns of a factor, checked."""
        keys(data, ("length", "rows", "weight", "matrix"), (), "a column")
        reader, length = self.derivation.reader, data["length"]
        require(length is None or length in self.table.lengths, "a column has no declared length")
        require(isinstance(data["rows"], dict) and data["rows"].keys() <= set(self.subject.state), "a column has rows of no block")
        rows = {b: reader.entry(e, reader.length(b), length, "a column") for b, e in data["rows"].items()}
        if data["matrix"] is not None:
            f = self.table.function(data["matrix"], "dense")
            require(f["positive"] and f["row"] == length is not None, "the matrix of a column is not positive definite")
        weight = reader.node(data["weight"], {0: length} if length and data["matrix"] is None else {}, "a weight")
        return {"length": length, "rows": rows, "weight": weight, "matrix": data["matrix"]}

    # -- signs

    def sign_problem(self, step: Step, strict: bool = True) -> str | None:
        """What is wrong with a sign step; None where it holds. Unless it is strict, off a nowhere dense set is enough."""
        if not SIGNS[step["sign"]] >= self.table.signs(step["form"]):
            return f"the form is not seen to be {step['sign']}"
        answer = self.derivation.equal(step["e"], step["form"])
        if answer.kind != "zero":
            return answer.why or "it is not equal to its form"
        return self._undefined([step["form"]], strict)

    def _undefined(self, roots: Iterable[int], strict: bool) -> str | None:
        """A condition of some nodes that is not read off, in words: ``sqrt(A) sqrt(A)`` equals A everywhere in a prime field.

        Unless it is strict, they may be undefined on a nowhere dense set.
        """
        for k in reachable(self.table, roots):
            for base, sign in self._conditions(k):
                if not strict and sign in ("!= 0", "a tangent"):
                    continue
                if self._condition_problem(base, sign if strict else ">= 0", []):
                    return f"node {base} in it must be {sign}, which cannot be read off"
        return None

    def well_defined(self, name: str) -> Finding:
        """Every denominator, logarithm and root has a sign that can be read off, or a sign step."""
        s = self.subject
        matrices = (s.D, s.Q or {}, s.factor or {})
        roots = [
            s.H,
            *s.drift.values(),
            *(U for _, U in s.marginal),
            *(n for m in matrices for e in m.values() for n in e.values()),
        ]
        roots += [n for _, n in s.rule.pairs] + [s.rule.target] if s.rule else []
        steps = [step for steps in self.steps.values() for step in steps if step["kind"] == "sign"]
        count = 0
        for k in reachable(self.table, roots):
            for base, sign in self._conditions(k):
                count += 1
                problem = self._condition_problem(base, sign, steps)
                if problem and self._depends_on_step(base) and self.table.signs_of_small_step(base) <= SIGNS[sign]:
                    self.assumptions["the step is so small that its update rule is defined"] = None
                elif problem:
                    return Finding(name, NOT_CHECKED, f"node {base} must be {sign}: {problem}")
        return Finding(
            name, CONFIRMED, f"{count} conditions on signs, {BOUND}" if count else "no denominators, logarithms or roots"
        )

    def _conditions(self, k: int) -> list[tuple[int, str]]:
        node, table = self.table.nodes[k], self.table
        if node[0] == "fn" and node[1] in ("log", "loggamma", "polygamma"):
            return [(node[-1], "> 0")]
        if node[0] == "fn" and node[1] == "tan":
            return [(k, "a tangent")]
        if node[0] != "^":
            return []
        power, (base, exponent) = table.rational(node[2]), node[1:]
        if power is not None and power.denominator == 1:
            return [(base, "!= 0")] if power < 0 else []
        return [(base, ">= 0" if table.signs(exponent) == POSITIVE else "> 0")]

    def _condition_problem(self, base: int, sign: str, steps: list[Step]) -> str | None:
        if sign == "a tangent":
            return "the zeros of a cosine are not looked at here"
        if self.table.signs(base) <= SIGNS[sign]:
            return None
        problem = "its sign cannot be read off, and no sign step is about it"
        for step in steps:
            if SIGNS[step["sign"]] <= SIGNS[sign] and self._same(step["e"], base):
                problem = self.sign_problem(step) or ""
                if not problem:
                    return None
        return problem

    def _same(self, one: int, other: int) -> bool:
        """Whether two nodes are one but for the names of their labels."""
        a, b = (sorted(self.table.free[k]) for k in (one, other))
        if len(a) != len(b) or len(a) > 3:
            return False
        shape = self.table.shape(other, {label: n for n, label in enumerate(b)})
        return any(self.table.shape(one, dict(zip(a, order, strict=True))) == shape for order in permutations(range(len(a))))

    def _depends_on_step(self, k: int) -> bool:
        nodes = (self.table.nodes[n] for n in reachable(self.table, [k]))
        return any(node[0] == "sym" and self.table.kind(node[1]) == "step" for node in nodes)


SIGNS = {"> 0": POSITIVE, ">= 0": NOT_NEGATIVE, "!= 0": frozenset({-1, 1})}


def check(certificate: Any) -> Result:
    """Check a certificate: every obligation that it requires, from what it says of its subject alone."""
    try:
        return _checked(certificate)
    except CertificateError as error:
        return Result("not a certificate", str(error))
    except RecursionError:
        return Result("not a certificate", "it is nested too deeply")


def _checked(c: Any) -> Result:
    fields = ("version", "recipe_version", "scope", "subject", "obligations", "lengths", "symbols", "functions", "nodes", "sha256")
    keys(c, fields, (), "a certificate")
    require(type(c["version"]) is int and c["version"] == VERSION, f"this checker reads version {VERSION}")
    require(isinstance(c["scope"], str) and isinstance(c["recipe_version"], str), "scope and recipe_version must be texts")
    table = Table(c["nodes"], c["symbols"], c["functions"], c["lengths"])
    subject = Reader(table).subject(c["subject"])
    names, steps = _obligations(c["obligations"], table)
    if c["sha256"] != digest(c):
        return Result("rejected", "the certificate is damaged: its sha256 is another one")
    checks = Check(table, subject, steps)
    missing = checks.basic() - set(names)
    if missing:
        return Result("rejected", f"the certificate does not claim {', '.join(sorted(missing))}, without which it claims nothing")
    findings = tuple(checks.find(name) for name in names)
    found = {f.status for f in findings}
    status = "rejected" if REJECTED in found else "not confirmed" if NOT_CHECKED in found else "confirmed"
    sentence = f"confirmed, {BOUND}" if status == "confirmed" else status
    return Result(status, sentence, findings, tuple(checks.assumptions))


def _obligations(data: Any, table: Table) -> tuple[list[str], dict[str, list[Step]]]:
    """The names of the required obligations, and the steps of all."""
    require(isinstance(data, list) and len(data) <= 64, "obligations must be a list")
    names, steps = [], dict[str, list[Step]]()
    for o in data:
        keys(o, ("name", "verdict", "required", "by", "assumptions", "steps"), (), "an obligation")
        texts = isinstance(o["assumptions"], list) and all(isinstance(a, str) for a in o["assumptions"])
        require(isinstance(o["name"], str) and isinstance(o["by"], str) and texts, "an obligation must be in words")
        require(o["name"] not in steps, f"{o['name']!r} is claimed twice")
        require(o["verdict"] == "proved" and type(o["required"]) is bool, f"{o['name']!r} is not claimed to be proved")
        require(isinstance(o["steps"], list) and len(o["steps"]) <= 1000, f"the steps of {o['name']!r} must be a list")
        steps[o["name"]] = [_step(s, table) for s in o["steps"]]
        names += [o["name"]] if o["required"] else []
    return names, steps


def _step(s: Any, table: Table) -> Step:
    require(isinstance(s, dict) and s.get("kind") in ("sign", "factor"), "a step is neither a sign nor a factor")
    if s["kind"] == "sign":
        keys(s, ("kind", "e", "sign", "form"), (), "a sign step")
        require(isinstance(s["sign"], str) and s["sign"] in SIGNS, "a sign step has no sign")
        for x in ("e", "form"):
            table.index(s[x], len(table.nodes), "a sign step")
        return s  # type: ignore[no-any-return]
    keys(s, ("kind", "columns", "signs"), (), "a factor step")
    require(isinstance(s["columns"], list) and isinstance(s["signs"], list), "a factor step must list columns and signs")
    signs = [_step(x, table) for x in s["signs"]]
    require(all(x["kind"] == "sign" for x in signs), "the signs of a factor step are none")
    return s  # type: ignore[no-any-return]


def digest(certificate: Mapping[str, Any]) -> str:
    """The SHA-256 of everything but the digest itself. It finds damage, not malice."""
    rest = {k: v for k, v in certificate.items() if k != "sha256"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        raise CertificateError("the certificate is not plain JSON") from None
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read(path: str) -> Any:
    """The JSON of a file; a key that occurs twice is refused."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        require(len(data) <= MAX_BYTES, f"the file is longer than {MAX_BYTES} bytes")
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=_without_doubles, parse_constant=_no_constant, parse_float=_no_constant
        )
    except (OSError, RecursionError, ValueError) as error:
        raise CertificateError(f"{path} cannot be read as a certificate: {error}") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    require(len(found) == len(pairs), "a key occurs twice in one object")
    return found


def _no_constant(text: str) -> None:
    raise CertificateError(f"the number {text} is no integer")


def main(arguments: list[str]) -> int:
    """Check one file and say what was found."""
    if len(arguments) != 1:
        print("usage: python checker.py cert.json", file=sys.stderr)
        return 2
    try:
        result = check(read(arguments[0]))
    except CertificateError as error:
        result = Result("not a certificate", str(error))
    width = max((len(f.name) for f in result.findings), default=0)
    for f in result.findings:
        print(f"  {f.name:{width}}  {f.status}: {f.sentence}")
    for line in result.assumptions:
        print(f"  taken for granted: {line}")
    print(result.sentence if result.status != "not a certificate" else f"not a certificate: {result.sentence}")
    return result.exit_status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
