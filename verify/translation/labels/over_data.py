"""The frame of ``draw_labels``: one key, and a loop over the data of a part of a minibatch.

::

    key = stream_key(seed, purpose, chain)
    for s in range(first, last):
        ...
    return -1
"""

from __future__ import annotations

import ast

from verify.translation.labels.roles import Roles
from verify.translation.labels.subject import LabelText
from verify.translation.parse.module import plain_body
from verify.translation.parse.problems import unread

ARGUMENTS = (
    *("starts", "columns", "counts", "first", "last", "labels", "width", "weights", "params"),
    *("seed", "purpose", "chain", "t", "sweeps", "burn_in", "table", "shares", "words", "drawn"),
    *("number", "factors", "cumulative"),
)
ENTRIES = "range(starts[<datum>], starts[<datum> + 1])"
OWN = ("count_factor", "label_weight")  # functions of a text that are read where they stand
OF_LABELS = ("own",)  # what labels have beside their rows, one number each


def loop_over_data(text: LabelText, functions: tuple[str, ...]) -> tuple[ast.For, Roles]:
    """Return the loop over data, and the roles of names in it.

    Args:
        text: the text.
        functions: the functions that a turn calls.

    Raises:
        TranslationError: where the function has another frame, or a function of this release is
            missing.
    """
    arguments = ARGUMENTS if text.own is None else (*ARGUMENTS, *OF_LABELS)
    function = text.function("draw_labels", arguments)
    for name in ("stream_key", *functions):
        if name not in text.trusted and name not in OWN:
            raise unread(function, f"{name} is not a function of this release")
    match plain_body(function):
        case [
            ast.Assign(targets=[ast.Name(id="key")], value=key),
            ast.For() as loop,
            ast.Return(value=ast.expr() as done),
        ] if ast.unparse(key) == "stream_key(seed, purpose, chain)" and ast.unparse(done) == "-1":
            return loop, Roles((*arguments, "key"), functions)
    raise unread(function, "draw_labels is no loop over data with one key")
