"""Two uniform numbers of a counter, one after the other.

::

    if i & np.uint64(1) == np.uint64(0):
        u, other = two_uniforms(key, t, counter)
        counter += np.uint64(1)
    else:
        u = other

stands once at the top of the body of a loop over i = 0, 1, 2, ... Each turn then has a number of
its own: an even one takes the first of a new counter, the odd one behind it the second. Nothing
else names ``other`` in the loop. ``counter`` begins at ``s 2^40`` for datum s, and only ever grows
by one, behind its use; so no counter is used twice in a step (docs/labels.md says how many draws of
a datum that is for).
"""

from __future__ import annotations

import ast

from verify.translation.labels.roles import KEPT, Roles, assigned_in, read_in
from verify.translation.parse.problems import unread, wrong
from verify.verdict import Witness

UNIFORM, COUNTER = "<uniform>", KEPT
FIRST_COUNTER = "np.uint64(<datum>) << np.uint64(40)"


def read_uniform(roles: Roles, index: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """Read the statement that gives a turn its uniform number, at the top of the body of a loop.

    Args:
        roles: the roles of names; that of the number is ``UNIFORM`` from then on.
        index: the role of the index of the loop.
        body: the body of the loop.

    Returns:
        The statements behind it.

    Raises:
        TranslationError: where the loop begins otherwise.
    """
    match body:
        case [
            ast.If(
                test=test,
                body=[
                    ast.Assign(
                        targets=[ast.Tuple(elts=[ast.Name() as u, ast.Name(id=other)])], value=drawn
                    ),
                    *more,
                ],
                orelse=[ast.Assign(targets=[ast.Name(id=same)], value=ast.Name(id=second))],
            ) as whole,
            *rest,
        ] if u.id == same and other == second:
            pass
        case _:
            raise unread(body[0] if body else None, "a turn must begin with its uniform number")
    roles.require(test, f"{index} & np.uint64(1) == np.uint64(0)")
    roles.require(drawn, f"two_uniforms(key, t, {COUNTER})")
    match more:
        case [ast.AugAssign(target=ast.Name(id=counter), op=ast.Add(), value=one)] if (
            roles.role(counter) == COUNTER and roles.said(one) == "np.uint64(1)"
        ):
            grows = True
        case []:
            grows = False
        case _:
            raise unread(whole, "the counter was not shown to grow by 1 when it is used")
    if assigned_in(rest).count(other) or read_in(rest).count(other) or other == u.id:
        raise unread(whole, f"{other} is named behind the statement that draws it")
    if any(roles.role(n) == COUNTER for n in assigned_in(rest)):
        raise unread(whole, "the counter changes in another place")
    if not grows:
        repeated = Witness({"items": "0 and 2"}, "they get one and the same number")
        raise wrong(whole, "the counter does not grow, so that numbers are repeated", repeated)
    roles.bind(u, UNIFORM)
    return rest
