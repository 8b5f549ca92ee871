"""What is said of the order of answers that are words, where nobody may have chosen it."""

from __future__ import annotations

from codegen.module import Module
from recipe.declare.ordered_answers import answers_in_order, is_of_the_alphabet


def said_of_orders(module: Module) -> tuple[str, ...]:
    """Return a sentence for the answers of each ordered logistic law whose order is that of the
    alphabet, as libraries give it to categories that are called ordered and have no order of their
    own.
    """
    said: dict[str, None] = {}
    for posterior in dict.fromkeys(e.gradient.posterior for e in module.estimators.values()):
        for y, order in answers_in_order(posterior.laws, posterior.categories).items():
            if is_of_the_alphabet(posterior.categories[y]):
                said[
                    f"the order of the answers {y} is {order}, that of the alphabet, as"
                    " .cat.as_ordered() makes it; unless it is meant, give the order,"
                    f" {y}.astype(pandas.CategoricalDtype([the lowest, ..., the highest],"
                    " ordered=True))"
                ] = None
    return tuple(said)
