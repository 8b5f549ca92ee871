"""Nodes of a certificate as text, close to how a person types expressions; only for messages, never
read back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recipe.language.symbols import index_name
from verify.encode import Node

MAX_TEXT_CHARS = 240  # a table is a graph with shared parts: as text it could be exponentially long

ATOM, POWER, PRODUCT, SUM = range(4)  # precedence of a text, the tightest first

Text = tuple[str, int]


def text_of(nodes: Sequence[Node], index: int) -> str:
    """Return one expression in one line, cut after ``MAX_TEXT_CHARS`` characters."""
    texts: list[Text] = []
    for node in nodes[: index + 1]:
        text, binding = FORMS[node[0]](node, texts)
        texts.append(
            (text, binding)
            if len(text) <= MAX_TEXT_CHARS
            else (text[:MAX_TEXT_CHARS] + "...", ATOM)
        )
    return texts[index][0]


def _parenthesised(text: Text, binding: int) -> str:
    """Return the text, in parentheses if it binds less tightly than ``binding``."""
    return text[0] if text[1] <= binding else f"({text[0]})"


def _at(name: str, label: int | None) -> str:
    """Return a name with its index, without one where it has no label of its own."""
    return name if label in (None, 0) else f"{name}[{index_name(label)}]"


def _number(node: Node, texts: Sequence[Text]) -> Text:
    _, p, q = node
    return (str(p), ATOM if p >= 0 else PRODUCT) if q == 1 else (f"{p}/{q}", PRODUCT)


def _sum(node: Node, texts: Sequence[Text]) -> Text:
    return " + ".join(texts[k][0] for k in node[1:]).replace(" + -", " - "), SUM


def _product(node: Node, texts: Sequence[Text]) -> Text:
    first, *rest = (_parenthesised(texts[k], PRODUCT) for k in node[1:])
    return ("-" + "*".join(rest) if first == "-1" and rest else "*".join([first, *rest])), PRODUCT


def _power(node: Node, texts: Sequence[Text]) -> Text:
    base, exponent = (texts[k] for k in node[1:])
    return f"{_parenthesised(base, ATOM)}**{_parenthesised(exponent, ATOM)}", POWER


def _call(name: str, arguments: Sequence[Any]) -> Text:
    return f"{name}({', '.join(map(str, arguments))})", ATOM


def _applied(node: Node, texts: Sequence[Text]) -> Text:
    _, name, orders, *arguments = node
    raised = f"^({','.join(map(str, orders))})" if any(orders) else ""
    return _call(name + raised, [texts[k][0] for k in arguments])


def _derivative(node: Node, texts: Sequence[Text]) -> Text:
    _, head, label, by = node
    return _call("d", [_at(head, label), *(_at(*x) for x in by)])


def _total(node: Node, texts: Sequence[Text]) -> Text:
    _, body, _, label = node
    return _call(f"total_{index_name(label)}", [texts[body][0]])


FORMS: dict[str, Callable[[Node, Sequence[Text]], Text]] = {
    "num": _number,
    "pi": lambda node, texts: ("pi", ATOM),
    "e": lambda node, texts: ("E", ATOM),
    "sym": lambda node, texts: (node[1], ATOM),
    "at": lambda node, texts: (_at(*node[1:]), ATOM),
    "dim": lambda node, texts: (node[1], ATOM),
    "value": lambda node, texts: (_at(*node[1:]), ATOM),
    "M": lambda node, texts: (f"{node[1]}[{index_name(node[2])}, {index_name(node[3])}]", ATOM),
    "d": _derivative,
    "apply": _applied,
    "fn": lambda node, texts: _call(node[1], [texts[k][0] for k in node[2:]]),
    "total": _total,
    "+": _sum,
    "*": _product,
    "^": _power,
}
