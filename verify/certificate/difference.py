"""Is a certificate about this very declaration? The first difference, in the declaration's own
words.

Two tables of nodes agree if their expressions have equal parts, whatever the order of the table, of
summands and of factors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from verify.certificate.node_text import text_of
from verify.certificate.write import any_subject_of, canonical, encoded, steps_of
from verify.encode import Data, Encoder, Node
from verify.scope import Declared
from verify.subject import KernelSubject, Subject

AnySubject = Subject | KernelSubject
FIRST_REFERENCE = {
    "+": 1,
    "*": 1,
    "^": 1,
    "fn": 2,
    "apply": 3,
}  # of a node: the index of its first reference to another


def first_difference(certificate: Data, declared: Declared) -> str | None:
    """Return the first difference between a certificate and a declaration; None if the certificate
    is about this very one.

    The certificate must be well formed (``verify.checker`` has tested that). The name of a recipe
    makes no difference.
    """
    subject = any_subject_of(declared)
    to = Encoder(steps_of(declared))
    own = {"subject": encoded(declared, subject, to)} | to.declarations() | {"nodes": to.nodes}
    written = _differences(_Side(certificate), _Side(own), subject)
    return next(chain(written, _mapped_otherwise(certificate, own)), None)


@dataclass
class _Side:
    """A certificate, or the part of one that a declaration determines, with a digest of every
    expression in it.
    """

    data: Data

    def __post_init__(self) -> None:
        self.subject: Data = self.data["subject"]
        self.nodes: list[Node] = self.data["nodes"]
        self.digests = digests_of(self.nodes)

    def text(self, index: int) -> str:
        """Return an expression as text."""
        return text_of(self.nodes, index)

    def domain(self, symbol: Data) -> Any:
        """Return the domain of a symbol with its ends as digests."""
        return _ends(symbol["domain"], self.digests)


def digests_of(nodes: Sequence[Node]) -> list[str]:
    """Return one digest for each expression: equal where the parts are equal, up to the order of
    summands and factors.
    """
    digests: list[str] = []
    for node in nodes:
        start = FIRST_REFERENCE.get(node[0], len(node))
        own, parts = list(node[:start]), [digests[k] for k in node[start:]]
        if node[0] == "total":
            own[1] = digests[own[1]]
        text = canonical([own, sorted(parts) if node[0] in ("+", "*") else parts])
        digests.append(hashlib.sha256(text.encode("ascii")).hexdigest())
    return digests


def _differences(theirs: _Side, ours: _Side, subject: AnySubject) -> Iterator[str]:
    """Yield the differences, those that a reader must know first."""
    if theirs.subject["kind"] != ours.subject["kind"]:
        yield (
            f"the certificate is about a {theirs.subject['kind']}, and this is a"
            f" {ours.subject['kind']}"
        )
    elif theirs.subject["state"] != ours.subject["state"]:
        names = [", ".join(side.subject["state"]) for side in (theirs, ours)]
        yield f"the state: the certificate has ({names[0]}), the {subject.kind} ({names[1]})"
    else:
        yield from _declared_otherwise(theirs, ours, subject)
        yield from _written_otherwise(theirs, ours, subject)
        yield from _declared_on_one_side(theirs, ours, subject)
        if theirs.subject["kind"] == "kernel":
            yield from _composed_otherwise(theirs, ours)
        for key in ("update", "scheme"):
            yield from _ruled_otherwise(theirs.subject.get(key), ours.subject.get(key))
        if theirs.data["scope"] != subject.scope and "scheme" not in theirs.subject:
            yield (
                f"the scope: the certificate says {theirs.data['scope']!r}, and it is"
                f" {subject.scope!r}"
            )
        yield from _not_required(theirs.data, subject)


def _declared_otherwise(theirs: _Side, ours: _Side, subject: AnySubject) -> Iterator[str]:
    """Yield symbols with other assumptions or domains, and abstract functions of another kind."""
    for kind in ("symbols", "functions"):
        one, other = theirs.data[kind], ours.data[kind]
        for name in sorted(one.keys() & other.keys()):
            if _comparable(one[name], theirs) != _comparable(other[name], ours):
                shown = _shown(one[name], theirs), _shown(other[name], ours)
                yield f"{name}: the certificate declares {shown[0]}, the {subject.kind} {shown[1]}"


def _written_otherwise(theirs: _Side, ours: _Side, subject: AnySubject) -> Iterator[str]:
    """Yield the places at which the two have different expressions, or only one has any."""
    first, second = _expressions(theirs.subject), _expressions(ours.subject)
    for place in first | second:
        if place not in first or place not in second:
            yield _only_one(place, "has", place in first, subject)
        elif theirs.digests[first[place]] != ours.digests[second[place]]:
            yield (
                f"{place}: the certificate has {theirs.text(first[place])}, the {subject.kind}"
                f" {ours.text(second[place])}"
            )


def _declared_on_one_side(theirs: _Side, ours: _Side, subject: AnySubject) -> Iterator[str]:
    """Yield names that only one of the two declares."""
    for kind in ("symbols", "functions", "lengths"):
        one, other = set(theirs.data[kind]), set(ours.data[kind])
        for name in sorted(one ^ other):
            yield _only_one(name, "declares", name in one, subject)


def _only_one(what: str, verb: str, theirs: bool, subject: AnySubject) -> str:
    has, lacks = ("certificate", subject.kind) if theirs else (subject.kind, "certificate")
    return f"{what}: the {has} {verb} it, the {lacks} does not"


def _comparable(declaration: Data, side: _Side) -> Data:
    """Return a declaration in a form that is equal where the meaning is."""
    if "domain" not in declaration:
        return declaration
    return declaration | {"facts": sorted(declaration["facts"]), "domain": side.domain(declaration)}


def _shown(declaration: Data, side: _Side) -> str:
    """Return a declaration in one line: ``a positive parameter``."""
    more = {k: v for k, v in declaration.items() if k not in ("kind", "facts", "domain")}
    words = [
        *declaration.get("facts", ()),
        declaration["kind"],
        *(f"{k} {v}" for k, v in more.items()),
    ]
    return " ".join([*words, *_domain_words(declaration.get("domain"), side)])


def _domain_words(domain: Any, side: _Side) -> list[str]:
    if domain is None:
        return []
    if domain[0] == "simplex":
        return ["on the open simplex"]
    _, *ends, left_open, right_open = domain
    start, end = (side.text(x) if type(x) is int else x for x in ends)
    return [f"on {'(' if left_open else '['}{start}, {end}{')' if right_open else ']'}"]


def _expressions(subject: Data) -> dict[str, int]:
    """Return the index of every expression of a subject, by its place in words."""
    found = {"H": subject["H"]}
    if subject["kind"] == "kernel":
        return found | dict(_expressions_of_parts(subject["parts"], "part"))
    for letter in ("D", "Q", "noise_factor"):
        for row, entries in zip(subject["state"], subject.get(letter, ()), strict=False):
            for column, entry in zip(subject["state"], entries, strict=True):
                for part, index in sorted(entry.items()):
                    found[
                        f"{letter}[{row}, {column}]"
                        + (" off the diagonal" if part == "kernel" else "")
                    ] = index
    found |= {f"the drift of {block}": index for block, index in subject["drift"].items()}
    found |= {
        f"marginal[{', '.join(kept)}], number {k}": index
        for k, (kept, index) in enumerate(subject["marginal"], 1)
    }
    for key, words in (("update", "the update"), ("scheme", "the step")):
        if (update := subject.get(key)) is not None:
            found[f"the target of {words}"] = update["target"]
            found |= {
                f"rule {k} of {words}, for {block}": index
                for k, (block, index) in enumerate(update["rule"], 1)
            }
    return found


def _expressions_of_parts(parts: Sequence[Data], where: str) -> Iterator[tuple[str, int]]:
    """Yield the index of every expression in the parts of a kernel, by its place in words."""
    for k, part in enumerate(parts, 1):
        place = f"{where} {k}"
        inner = part.get("parts") or [part[key] for key in ("around", "test") if key in part]
        yield from _expressions_of_parts(inner, f"{place}, part")
        for n, (block, index) in enumerate(part.get("rule", ()), 1):
            yield f"{place}, rule {n}, for {block}", index
        if "cost" in part:
            yield f"{place}, the cost", part["cost"]


def _composed_otherwise(theirs: _Side, ours: _Side) -> Iterator[str]:
    """Yield differences of kernels beside their expressions: kinds and numbers of parts, and the
    conditions of the scope.
    """
    if [_shape(p) for p in theirs.subject["parts"]] != [_shape(p) for p in ours.subject["parts"]]:
        yield "the parts: the certificate has other ones, or in another order"
    first, second = (
        sorted([side.digests[c["e"]], c["sign"]] for c in side.subject["conditions"])
        for side in (theirs, ours)
    )
    if first != second:
        yield "the scope: the certificate has other conditions on the step"


def _shape(part: Data) -> Data:
    """Return a part of a kernel without its expressions."""
    shape = {k: v for k, v in part.items() if k not in ("rule", "cost")}
    for key in ("around", "test"):
        if key in part:
            shape[key] = _shape(part[key])
    if "parts" in part:
        shape["parts"] = [_shape(p) for p in part["parts"]]
    return shape


def _ruled_otherwise(one: Data | None, other: Data | None) -> Iterator[str]:
    """Yield differences of a rule beside its expressions: the order of its assignments and the name
    of its step.
    """
    if one is None or other is None:
        return  # the comparison of expressions names this difference
    if one["sequential"] != other["sequential"]:
        words = {True: "sequential", False: "simultaneous"}
        yield (
            f"the update is {words[one['sequential']]} in the certificate, and"
            f" {words[other['sequential']]} here"
        )
    if one.get("splitting") != other.get("splitting"):
        yield "the step is a splitting in one of both, and none in the other"
    if one["step"] != other["step"]:
        yield f"the step is {one['step']} in the certificate, and {other['step']} here"


def _mapped_otherwise(theirs: Data, ours: Data) -> Iterator[str]:
    """Yield changes of variable that are others: maps, their inverses, or the original process."""
    first, second = (_maps_of(data) for data in (theirs, ours))
    for name in sorted(first.keys() | second.keys()):
        if first.get(name) != second.get(name):
            yield f"{name}: it is another one in the certificate"


def _maps_of(data: Data) -> Data:
    """Return everything about changes of variable in a form that is equal where the meaning is."""
    subject, found = data["subject"], {}
    outer = digests_of(data["nodes"])
    for block, m in subject.get("maps", {}).items():
        inverse = m["inverse"]
        found[f"the map of {block}"] = [
            m["image"],
            _ends(m["domain"], outer),
            outer[m["forward"]],
            outer[m["slope"]],
        ]
        found[f"the inverse of the map of {block}"] = inverse and [
            digests_of(inverse["nodes"])[inverse["value"]],
            _declarations(inverse),
        ]
    if "transform" in subject:
        original = subject["transform"]["original"]
        digests = digests_of(original["nodes"])
        expressions = _expressions({"kind": "recipe", "marginal": []} | original)
        found["the original of the transform"] = [
            subject["transform"]["kind"],
            subject["transform"]["block"],
            original["state"],
            {place: digests[index] for place, index in expressions.items()},
            _declarations(original),
        ]
    return found


def _declarations(table: Data) -> Data:
    """Return the declarations of an inner table, with digests for the ends of domains."""
    digests = digests_of(table["nodes"])
    symbols = {
        name: s | {"facts": sorted(s["facts"]), "domain": _ends(s["domain"], digests)}
        for name, s in table["symbols"].items()
    }
    return {"symbols": symbols, "functions": table["functions"], "lengths": table["lengths"]}


def _ends(domain: Any, digests: Sequence[str]) -> Any:
    return domain and [digests[x] if type(x) is int else x for x in domain]


def _not_required(certificate: Data, subject: AnySubject) -> Iterator[str]:
    """Yield the obligations that the declaration requires and the certificate does not."""
    proved = {line["name"] for line in certificate["obligations"] if line["required"]}
    for name in getattr(subject.declared, "require", ()):
        if name not in proved:
            yield f"{name}: the recipe requires it, the certificate does not"


__all__ = ["digests_of", "first_difference"]
