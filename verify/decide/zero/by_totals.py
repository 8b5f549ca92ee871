"""A sum of totals over one length is zero if the total of all summands is: if these add up to zero
at every coordinate.
"""

from __future__ import annotations

from sympy import Add, Expr, Mul, S, expand_mul

from recipe.language.calculus import freeze, thaw
from recipe.language.symbols import GENERIC, OTHER, Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.form import Form, Prove


def gather_summands(form: Form, prove: Prove) -> bool:
    """Return True if for every length the summands of all totals are proved to add up to zero, and
    so does what is left; a length itself is the total of 1.
    """
    e = form.written
    label = next((k for k in (GENERIC, OTHER) if k not in labels(e)), None)
    if label is None or not e.has(Total):
        return False
    frozen, stands_for = freeze(e)
    bodies: dict[Length, Expr] = {}
    left = S.Zero
    lengths = {t.index.length for t in stands_for if isinstance(t, Total)}
    for term in Add.make_args(thaw(expand_mul(frozen), stands_for)):
        factors = Mul.make_args(term)
        gathered = next((f for f in factors if isinstance(f, Total) or f in lengths), None)
        if gathered is None:
            left += term
            continue
        length = gathered if isinstance(gathered, Length) else gathered.index.length
        body = S.One if gathered is length else _opened(gathered, label)
        bodies[length] = bodies.get(length, S.Zero) + body * (term / gathered)
    return (left == 0 or prove(left)) and all(prove(body) for body in bodies.values())


def _opened(t: Total, label: int) -> Expr:
    return relabel(t.body, t.index.label, label)
