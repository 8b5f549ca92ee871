"""Found on 22 November 2026: modules were *proved* to be their rule although a loop, whose head
reads as it should, goes through other coordinates, as something that the head names is changed
inside.
"""

from functools import cache

import pytest
from cases.lookalike_texts import ASKED, HALVES, MOVED, REFRESHED, U, changed
from cases.lookalike_texts import called as named
from cases.translations import Case, h, theta, total

from recipe import Update

EIGHTS = "for i in range(np.uint64(0), n - n % EIGHT, EIGHT):\n        at = whole(i)\n"
PIECES = (
    "for first in range(np.uint64(0), n, np.uint64(64)):\n        size = min(np.uint64(64), n -"
    " first)\n"
)
IN_PIECES = "for k in range(np.uint64(0), size - size"
FUSED = REFRESHED[
    REFRESHED.index("            for i in range(fused):") : REFRESHED.index(
        "            draw_ahead("
    )
]
REST = REFRESHED[
    REFRESHED.index("            for i in range(fused, pairs):") : REFRESHED.index(
        "            if pairs < half:"
    )
]
STEP = "        finite = True\n"
BEGUN = "    total_by_eight = eight(0.0)\n"
JOINS = "for k in range(tile):\n                theta_sum"
TILE = "            factor_2_of[k] = factor_2\n"
JOIN = "total_by_eight = inside"
AGAIN = "@device\ndef again(i, out, state):\n    out.theta[i] = state.theta[i]\n\n\n"
FORGETS = (
    HALVES.replace("finite &= move_theta(", "again(")
    .replace("params, step_size", "")
    .replace(", )", ")")
)
FORGETS = FORGETS.replace("(pairs):\n", "(pairs):\n            finite = 1.0\n").replace(
    "half:\n", "half:\n            finite = 1.0\n"
)


def through(loop, name):
    """The loop, with another name for its index."""
    for old, new in (
        ("for i ", "for {} "),
        (", i)", ", {})"),
        ("(i,", "({},"),
        ("+ i", "+ {}"),
        ("i - ", "{} - "),
    ):
        loop = loop.replace(old, new.format(name))
    return loop


# (case, the function that is changed, what stands there and in its place, ...)
OVERWRITTEN = [
    (
        "sgnht",
        "sums",
        EIGHTS,
        EIGHTS.replace("for i", "for n").replace("whole(i)", "whole(n)"),
    ),  # the rest is left out
    (
        "sgnht",
        "sums",
        BEGUN,
        f"{BEGUN}    m = n\n",
        f"        {JOIN}",
        f"        n = m >> np.uint64(1)\n        {JOIN}",
    ),
    ("parameters", "run", MOVED, through(HALVES, "pairs")),
    (
        "parameters",
        "run",
        MOVED,
        HALVES.replace("(pairs):\n", "(pairs):\n            pairs = 0.0\n"),
    ),
    ("parameters", "", MOVED, MOVED + FORGETS, ASKED, AGAIN + ASKED),
    ("repeated", "run", FUSED, through(FUSED, "fused")),
    ("repeated", "run", FUSED, through(FUSED, "pairs")),
    ("repeated", "run", REST, through(REST, "pairs")),
    ("simplex", "sums", PIECES, PIECES.replace("first", "n"), "first + k", "n + k"),
    (
        "simplex",
        "sums",
        PIECES,
        PIECES.replace("size", "n"),
        "range(size)",
        "range(n)",
        "size - size %",
        "n - n %",
        "if size %",
        "if n %",
        "EIGHT, size)",
        "EIGHT, n)",
    ),
    (
        "simplex",
        "sums",
        PIECES,
        f"{PIECES}        n = m >> np.uint64(1)\n",
        "    for first",
        "    m = n\n    for first",
    ),
    (
        "simplex",
        "sums",
        IN_PIECES,
        IN_PIECES.replace("for k", "for size"),
        "whole(k)",
        "whole(size)",
    ),
    ("posterior", "gradient_U", TILE, f"{TILE}            first = np.uint64(1)\n"),
    (
        "posterior",
        "gradient_U",
        JOINS,
        JOINS.replace("for k", "for scale"),
        "row_of[k], factor_2_of[k])",
        "row_of[scale], factor_2_of[scale])",
    ),
    (
        "simplex",
        "sums",
        IN_PIECES,
        IN_PIECES.replace("for k", "for total_2_by_eight"),
        "whole(k)",
        "whole(total_2_by_eight)",
    ),
    ("posterior", "gradient_U", TILE, f"{TILE}            used = np.uint64(1)\n"),
    (
        "parameters",
        "run",
        MOVED,
        MOVED.replace("for i", "for i in range(n_theta):\n         for i"),
    ),
    (
        "sgnht",
        "run",
        STEP,
        f"{STEP}        for finite in range(n_theta):\n            state.g_U_theta[finite] = 0.0\n",
    ),
]


@pytest.mark.by_default(9)
@pytest.mark.parametrize("mistake", OVERWRITTEN, ids=lambda m: f"{m[0]}: {m[3].strip()[:50]!r}")
def test_what_a_loop_goes_through_stays_what_it_was(mistake):
    assert named(mistake[0]).verdict(changed(*mistake)) != "proved"


SUMMED = "            total = add_sums(i, total, out, state, params, step_size)\n"
OF_ALL = (
    "            for j in range(n):\n                total = fma(state.theta[i], state.theta[j],"
    " total)\n"
)
BY_EIGHTS = """\
        products = eight(0.0)
        for j in range(np.uint64(0), n - n % EIGHT, EIGHT):
            other = whole(j)
            products = inside({0}, {1}, products)
        if n % EIGHT > 0:
            other = lanes(n - n % EIGHT, n)
            products = inside({0}, {1}, products)
        total_by_eight = inside(at, {2}, total_by_eight)
"""
JOINED = (
    "        total_by_eight = inside(at, add_sums(at, total_by_eight, out, state, params,"
    " step_size), total_by_eight)\n"
)
ONE = (
    "@device\ndef add_sums(i, total, out, state, params, step_size):\n    return total +"
    " state.theta[i]\n\n\n"
)


@cache
def square():
    return Case(Update(h, {theta: theta + h * total(theta) ** 2}, U))


@pytest.mark.parametrize(
    "inner",
    [
        (
            "other",
            "fma(state.theta[at], state.theta[other], products)",
            "total_by_eight + pairwise(products)",
        ),  # one by one
        (
            "at",
            "products + state.theta[other]",
            "fma(state.theta[at], pairwise(products), total_by_eight)",
        ),  # those of the outer one
    ],
)
def test_eights_do_not_meet_other_eights(inner):
    alone, begin, many = square().text.partition("class Chains(")
    for old, new in (
        (ONE, ""),
        (SUMMED, OF_ALL),
        (JOINED, BY_EIGHTS.format(*inner)),
        ("step_size * total ** 2", "step_size * total"),
    ):
        assert old in alone
        alone = alone.replace(old, new)
    assert square().verdict(alone + begin + many) != "proved"
