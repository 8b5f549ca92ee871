"""Where two calls differ."""

import ast


def exchanged(removed, added):
    """The names at the places where two calls differ."""
    if len(removed) != 1 or len(added) != 1:
        return {"several"}
    one, other = (
        [n for n in ast.walk(ast.parse(x.strip().rstrip(":"))) if isinstance(n, ast.Call)]
        for x in (*removed, *added)
    )
    differ = [
        (a.args, b.args) for a, b in zip(one, other, strict=True) if ast.dump(a) != ast.dump(b)
    ]
    if not differ:
        return {"no call"}
    inner, changed = differ[-1]  # the call inside of all others that differ with it
    return {
        ast.unparse(a) for a, b in zip(inner, changed, strict=True) if ast.dump(a) != ast.dump(b)
    }
