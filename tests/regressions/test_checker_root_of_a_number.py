"""Found on 21 November 2026: the checker took the root of a number with a sign that depends on the
prime, and *confirmed* differences that are not zero.
"""

import pytest

from verify.checker import Table, prime_chain, vanishes

ROOTS = [
    ["num", 1369, 1],
    ["num", 1, 2],
    ["^", 0, 1],
    ["num", 37, 1],
    ["num", -37, 1],
    ["num", 2, 1],
    ["sym", "A"],
]
# of numbers, whose signs no random point changes: all of them hold modulo every second prime
WRONG_ROOTS = {
    "of a square": [["+", 2, 3]],
    "of a square, written as one": [["^", 4, 5], ["^", 7, 1], ["+", 8, 3]],
    "of a square times something positive": [
        ["*", 0, 6],
        ["^", 7, 1],
        ["^", 6, 1],
        ["*", 3, 9],
        ["+", 8, 10],
    ],
    "of the square of a root": [
        ["^", 5, 1],
        ["num", -1, 1],
        ["*", 8, 7],
        ["num", 1, 1],
        ["+", 9, 10],
        ["^", 11, 5],
        ["^", 12, 1],
        ["*", 8, 11],
        ["+", 13, 14],
    ],
}


@pytest.mark.parametrize("name", WRONG_ROOTS)
def test_a_root_of_a_number_has_one_sign(name):
    positive = {"A": {"kind": "parameter", "facts": ["positive"], "domain": None}}
    table = Table([*ROOTS, *WRONG_ROOTS[name]], positive, {}, [])
    for _ in range(8):
        assert vanishes(table, len(table.nodes) - 1, prime_chain(2)).kind != "zero"
