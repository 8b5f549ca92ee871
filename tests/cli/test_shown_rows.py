"""Which rows of a long table are shown, and what is said of the others."""

import io

import numpy as np
import pytest
from rich.console import Console

from codegen import Draws, diagnose
from recipe_cli.render.diagnosis import print_diagnosis


def printed(limit=40, **lengths):
    rng = np.random.default_rng(3)
    blocks = {name: rng.normal(size=(2, 20, n)) for name, n in lengths.items()}
    draws = Draws(blocks, np.full(2, 20), (), False, {}, np.ones(20), ())
    out = io.StringIO()
    console = Console(file=out, width=200)
    print_diagnosis(console, diagnose(draws), limit=limit, hint="--all shows them")
    return out.getvalue()


def test_a_long_quantity_leaves_room_for_the_others():
    shown = printed(rate=200, a=3)
    assert [shown.count("\nrate["), shown.count("\na[")] == [20, 3]
    assert "\n... of rate, 180 coordinates more (--all shows them)\n" in shown


@pytest.mark.parametrize(
    ("lengths", "rows", "said"),
    [
        ({"a": 50}, 40, "... of a, 10 coordinates more"),  # nothing else needs the room
        ({"a": 30, "b": 10}, 40, None),
        ({"a": 30, "b": 30, "c": 2}, 40, "... of a and b, 22 coordinates more"),
        (dict.fromkeys("abcdef", 10), 36, "... of 6 blocks, 24 coordinates more"),
        ({**dict.fromkeys("abcdefgh", 1), "z": 100}, 28, "... of z, 80 coordinates more"),
    ],
)
def test_what_is_left_out_is_counted(lengths, rows, said):
    shown = printed(**lengths)
    assert sum(shown.count(f"\n{name}[") for name in lengths) == rows
    assert (said in shown) if said else "coordinates more" not in shown


def test_all_rows_are_shown_where_they_are_wanted():
    assert printed(limit=None, rate=200, a=3).count("\nrate[") == 200
