"""A polynomial whose coefficients are algebraic numbers is zero if every coefficient is."""

from __future__ import annotations

from verify.decide.identities.algebraic_number import is_algebraic, is_zero_number
from verify.decide.zero.form import Form, Prove


def vanish_coefficients(form: Form, prove: Prove) -> bool:
    """Return True if the coefficients of all products of generators that are no algebraic numbers
    are proved to be 0.

    That is enough whatever the generators are. It is not needed: they may be related.
    """
    numbers = {
        k for k in form.used() if not form.meaning(k).free_symbols and is_algebraic(form.meaning(k))
    }
    return bool(numbers) and all(
        is_zero_number(form.expression(c)) for c in form.grouped(numbers).values()
    )
