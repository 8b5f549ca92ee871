"""Long sums that several expressions hold: each gets one name, and nothing else changes."""

from sympy import Symbol, exp, symbols

from codegen.lowering.names import local_namer
from codegen.lowering.places import Array
from codegen.lowering.shared_sums import share_long_sums
from codegen.lowering.stable_forms import Largest, ScaledSum

x = symbols("x:12", real=True)
y, z = Symbol("y", real=True), Symbol("z", real=True)
LONG = sum(x)


def shared(*expressions):
    names, written = share_long_sums(dict(enumerate(expressions)), local_namer())
    return names, list(written.values())


def put_back(names, e):
    for name, value in reversed(names):
        e = e.xreplace({name: value})
    return e


def test_a_long_sum_at_two_places_is_computed_once():
    names, (first, second) = shared(y * LONG, exp(z) * LONG**2)
    ((name, value),) = names
    assert value == LONG
    assert (first, second) == (y * name, exp(z) * name**2)


def test_a_sum_and_its_negative_are_one():
    names, (first, second) = shared(y * LONG, exp(-LONG))
    assert len(names) == 1
    assert put_back(names, first) == y * LONG
    assert put_back(names, second) == exp(-LONG)


def test_equal_factors_count_at_each_of_their_places():
    names, _ = shared(y / LONG, z / LONG)
    assert len(names) == 1


def test_a_sum_within_a_sum_comes_first():
    inner = sum(x[:9]) ** 2
    outer = sum(x[2:]) + inner * y
    names, written = shared(z * outer, y * outer, inner)
    assert [put_back(names, e) for e in written] == [z * outer, y * outer, inner]
    assert [put_back(names, name) for name, _ in names] == [sum(x[:9]), outer]
    assert not names[0][1].free_symbols & {name for name, _ in names}


def test_what_stands_once_or_is_short_stays():
    short = sum(x[:5])
    assert shared(y * LONG, z * short, y * short) == ([], [y * LONG, z * short, y * short])


def test_what_varies_in_a_loop_stays():
    e = LONG + Array("state", "theta")["i"]
    assert shared(y * e, z * e) == ([], [y * e, z * e])


def test_the_largest_exponent_of_a_long_sum_has_a_name():
    exponents = [-(v**2) for v in x]
    names, written = shared(y / ScaledSum(*exponents), z / ScaledSum(*exponents))
    assert isinstance(names[0][1], Largest)
    assert len(names) == 2
    assert put_back(names, written[0]) == y / ScaledSum(*exponents).written_out()
