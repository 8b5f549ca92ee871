"""A second decider that shares no code with the first: the one of the checker, on the expression as a table of nodes.

Its zero is probabilistic (error below 2^-100), so it confirms and never proves. Its nonzero is certain only for rational functions
of symbols, exponentials and abstract functions; elsewhere it may miss an identity.
"""

from __future__ import annotations

from sympy import Expr

from recipe import RecipeError
from verify.checker import Answer, CertificateError, Table, vanishes
from verify.encoded import Encoder

# p_k = 2 p_(k+1) + 1. The expressions come from here and not from a stranger, so a chain that everybody knows is good enough.
PRIMES = (
    9522435511399734274750959049369776776260106188926339676799,
    4761217755699867137375479524684888388130053094463169838399,
    2380608877849933568687739762342444194065026547231584919199,
    1190304438924966784343869881171222097032513273615792459599,
)


def second_opinion(e: Expr) -> Answer:
    """Whether the expression vanishes for every length, in the opinion of the second decider."""
    try:
        to = Encoder()
        k = to.node(e)
        declared = to.declarations()
        return vanishes(Table(to.nodes, declared["symbols"], declared["functions"], declared["lengths"]), k, PRIMES)
    except (RecipeError, CertificateError) as error:
        return Answer("unknown", str(error))
