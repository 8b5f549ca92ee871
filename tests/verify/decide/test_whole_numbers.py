"""Signs of rational functions of one whole number, in the program and in the checker, compared with
their values at the first 200 numbers.
"""

from random import Random

import pytest
from sympy import Mul, Poly, Rational, Symbol, expand, fraction, together

from recipe import Vector
from recipe.signs.sign import possible_signs
from recipe.signs.whole_numbers import signs_at_whole_numbers
from verify import checker
from verify.encode import Encoder

positive = Symbol("n", integer=True, positive=True)
nonnegative = Symbol("k", integer=True, nonnegative=True)
negative = Symbol("l", integer=True, negative=True)
any_whole = Symbol("m", integer=True)
length = Vector("theta").dim
real = Symbol("b", real=True)
NUMBERS = {
    positive: range(1, 201),
    nonnegative: range(201),
    negative: range(-200, 0),
    any_whole: range(-200, 201),
    length: range(1, 201),
}


def random_function(random: Random, s: Symbol):
    """A product of linear factors, some with roots at whole numbers, some just beside them."""
    factors = [
        s - random.randint(-15, 30) + random.choice([0, 0, Rational(1, 2), Rational(-1, 100)])
        for _ in range(random.randint(1, 4))
    ]
    e = expand(Mul(*factors) * random.choice([1, -1, Rational(1, 3)]))
    e += random.choice([0, 0, Rational(1, 7), Rational(-1, 7)])
    return e / (s + Rational(random.randint(1, 40), 3)) if random.random() < 0.3 else e


def signs_of_values(e, s: Symbol) -> set[int]:
    above, below = (Poly(p, s) for p in fraction(together(e)))
    values = [above(k) / below(k) for k in NUMBERS[s] if below(k) != 0]
    return {int(bool(v > 0)) - int(bool(v < 0)) for v in values}


@pytest.mark.by_default(25)
@pytest.mark.parametrize("s", NUMBERS, ids=lambda s: f"{s}")
@pytest.mark.parametrize("seed", range(16))
def test_the_signs_are_those_of_the_values(s, seed):
    e = random_function(Random(f"{s} {seed}"), s)
    found = signs_at_whole_numbers(e)
    if not e.free_symbols:
        return
    assert found == signs_of_values(e, s)  # all roots are below 200
    assert possible_signs(e) >= found


@pytest.mark.by_default(25)
@pytest.mark.parametrize("s", NUMBERS, ids=lambda s: f"{s}")
@pytest.mark.parametrize("seed", range(16))
def test_the_checker_finds_the_signs_of_the_values(s, seed):
    e = random_function(Random(f"{s} {seed}"), s)
    encoder = Encoder()
    k = encoder.node(e)
    declared = encoder.declarations()
    table = checker.Table(
        encoder.nodes, declared["symbols"], declared["functions"], declared["lengths"]
    )
    found = checker.signs(table, k)
    assert found >= signs_of_values(e, s)
    if (e.is_Add or e.is_Mul) and len(signs_of_values(e, s)) < 3:
        assert found == signs_of_values(e, s)


@pytest.mark.parametrize(
    "e",
    [
        real**2 - 3 * real + 2,  # negative between its roots, where a real number may be
        positive**2 * real - 1,
        any_whole * positive,
        2**positive - 2,  # no rational function
        positive**30 - positive,  # of a degree that is not tried
        positive - 10**6,  # with a root beyond all numbers that are tried
    ],
    ids=str,
)
def test_nothing_is_said_of_other_expressions(e):
    assert signs_at_whole_numbers(e) is None


def test_a_name_of_a_length_is_read_as_a_whole_number():
    assert possible_signs((length - 1) * (length - 2)) == {0, 1}
    assert possible_signs((length - 1) * (length - 3)) == {-1, 0, 1}
    assert possible_signs((length - Rational(3, 2)) * (length - 2)) == {0, 1}
