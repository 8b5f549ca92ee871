"""A second decider that shares no code with the first: the checker's, run on the expression as a
table of nodes.

Its answer "zero" is probabilistic (error below 2^-100), so it confirms and never proves. Its answer
"nonzero" is certain only for rational functions of symbols, exponentials and abstract functions;
elsewhere it may miss an identity.
"""

from __future__ import annotations

from itertools import product

from sympy import Abs, Expr, S, Symbol, sign

from recipe import RecipeError
from recipe.language.symbols import GENERIC, Indexed
from verify.checker import Answer, CertificateError, Table, vanishes
from verify.encode import Encoder

# p_k = 2 p_(k+1) + 1. The expressions are this program's own, not those of an adversary who could
# choose them for known primes, so a fixed chain is good enough.
PRIMES = (
    9522435511399734274750959049369776776260106188926339676799,
    4761217755699867137375479524684888388130053094463169838399,
    2380608877849933568687739762342444194065026547231584919199,
    1190304438924966784343869881171222097032513273615792459599,
)


def second_opinion(e: Expr) -> Answer:
    """Ask the second decider whether the expression vanishes for every length.

    Absolute values and signs are replaced by one side each: the coordinates of a block are all
    positive or all negative. "nonzero" on such a side contradicts a proof; "zero" on all of them
    gives "unknown", as coordinates with different signs were not considered. So does an argument
    that is no coordinate: ``|x (x + 1)|`` and ``|x^2 + x|`` have one sign, not two.
    """
    if not all(isinstance(s.args[0], Symbol | Indexed) for s in e.atoms(Abs, sign)):
        return Answer("unknown", "it was asked only about absolute values and signs of coordinates")
    branches = _branches(e)
    answers = [_opinion(branch) for branch in branches]
    nonzero = next((answer for answer in answers if answer.kind == "nonzero"), None)
    if nonzero is not None or len(branches) == 1:
        return nonzero or answers[0]
    return Answer("unknown", "it was asked only where all coordinates have one sign")


def _branches(e: Expr) -> list[Expr]:
    """The expression on every choice of one sign for each block under an absolute value or a
    sign.
    """
    blocks = sorted(
        {
            s.args[0].at(GENERIC) if isinstance(s.args[0], Indexed) else s.args[0]
            for s in e.atoms(Abs, sign)
        },
        key=str,
    )
    return [
        _on_one_side(e, dict(zip(blocks, sides, strict=True)))
        for sides in product((1, -1), repeat=len(blocks))
    ]


def _on_one_side(e: Expr, sides: dict[Expr, int]) -> Expr:
    def side_of(x: Expr) -> int:
        return sides[x.at(GENERIC) if isinstance(x, Indexed) else x]

    kinks = {
        a: side_of(a.args[0]) * (a.args[0] if isinstance(a, Abs) else S.One)
        for a in e.atoms(Abs, sign)
    }
    return e.xreplace(kinks)


def _opinion(e: Expr) -> Answer:
    try:
        to = Encoder()
        k = to.node(e)
        declared = to.declarations()
        return vanishes(
            Table(to.nodes, declared["symbols"], declared["functions"], declared["lengths"]),
            k,
            PRIMES,
        )
    except (RecipeError, CertificateError) as error:
        return Answer("unknown", str(error))
