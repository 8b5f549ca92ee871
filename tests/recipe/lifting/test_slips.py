"""The repair of a lifted rule that is refuted for a slip which its code shows names this slip."""

from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational, Symbol, sqrt

from recipe import CannotLiftError, Potential, Scalar, Update, Vector, grad, lift, total
from recipe.lifting.slips import meant_by
from verify import verify
from verify.verdict import Verdict

theta = Vector("theta")
p = Vector("p", like=theta)
U = Potential("U", theta)
h = Symbol("h", positive=True)
ONE = {"state": {"x": theta}, "step": h, "target": U, "gradient": {"g": grad(U, theta)}}
TWO = {**ONE, "state": {"x": theta, "v": p}, "target": U + total(p**2) / 2}


def one_number(x, h, g, rng):
    return x - h * g(x) + np.sqrt(2 * h) * rng.normal()


def short_root(x, h, g, rng):
    return x - h * g(x) + 1.414 * np.sqrt(h) * rng.normal(size=x.shape)


def two_short_numbers(x, h, g, rng):
    y, noise = x - h * g(x), np.sqrt(h) * rng.normal(size=x.shape)
    return y + 0.7071 * noise + noise * 0.7071


def short_fraction(x, h, g, rng):
    return x - 0.3333 * h * g(x) + np.sqrt(2 * h / 3) * rng.normal(size=x.shape)


def short_root_and_no_gradient(x, h, g, rng):
    return x + 1.414 * np.sqrt(h) * rng.normal(size=x.shape)


def computed_number(x, h, g, rng):
    scale = np.tanh(1.579)  # 0.91844..., and 11/12 is 0.91666...
    return x - h * scale * g(x) + np.sqrt(11 * h / 6) * rng.normal(size=x.shape)


def rounding_error(x, h, g, rng):
    third = 1 - 2 / 3  # 0.33333333333333337
    return x - third * h * g(x) + np.sqrt(2 * h / 3) * rng.normal(size=x.shape)


def forgotten_root(x, h, g, rng):
    return x - h * g(x) + 1.3 * np.sqrt(h) * rng.normal(size=x.shape)


def repair_of(rule):
    report = verify(rule)
    assert report.verdict is Verdict.REFUTED
    (line,) = [line for line in report.lines if line.name == "stationarity"]
    return line.outcome.repair


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (one_number, "is one number for all coordinates of theta: draw one for each, with size="),
        (short_root, "must be sqrt(2): compute it, or write all of its digits"),
        (two_short_numbers, "0.7071 ("),
        (short_fraction, "must be 1/3: compute it"),
        (rounding_error, "0.33333333333333337 ("),
    ],
)
def test_the_repair_names_the_slip_and_its_line(code, said):
    repair = repair_of(lift(code, **ONE, noise="rng"))
    assert said in repair
    first = code.__code__.co_firstlineno
    assert any(f"test_slips.py, line {first + k})" in repair for k in (1, 2))


def test_a_slip_is_no_repair_where_the_rule_that_was_meant_is_wrong_as_well():
    rule = lift(short_root_and_no_gradient, **ONE, noise="rng")
    assert [text[:6] for text, _ in rule.meant] == ["1.414 "]
    assert "1.414" not in (repair_of(rule) or "")


def test_another_number_is_repaired_as_a_written_rule_is():
    rule = lift(forgotten_root, **ONE, noise="rng")
    assert rule.meant == ()
    assert repair_of(rule) == "the noise sqrt(h)*13*w/10 of theta must be sqrt(2*h)*w"


def test_a_computed_number_that_is_near_by_accident_is_no_slip():
    rule = lift(computed_number, **ONE, noise="rng")
    assert rule.meant == ()
    assert "11/12" not in (repair_of(rule) or "")


def test_a_number_that_is_meant_for_a_number_is_no_slip():
    x = Scalar("x")
    V = Potential("V", x)

    def scalar(z, h, g, rng):
        return z - h * g(z) + np.sqrt(2 * h) * rng.normal()

    claim = {"state": {"z": x}, "step": h, "target": V, "gradient": {"g": grad(V, x)}}
    rule = lift(scalar, **claim, noise="rng")
    assert rule.meant == ()
    assert verify(rule).verdict is Verdict.PROVED


def test_a_decimal_may_stand_for_the_nearest_root_or_fraction():
    assert meant_by(Rational("1.414")) == [sqrt(2)]
    assert meant_by(Rational("-0.5774")) == [-sqrt(3) / 3]
    assert meant_by(Rational("0.667")) == [Rational(2, 3)]
    assert meant_by(Rational("0.5")) == meant_by(Rational("0.999")) == meant_by(Rational(2)) == []
    assert meant_by(Rational("0.666")) == [Rational(2, 3)]  # cut off, not rounded
    assert meant_by(Rational("0.7071068")) == meant_by(Rational("0.70710677")) == [sqrt(2) / 2]
    assert meant_by(Rational("0.9184571117163864")) == meant_by(Rational("0.918")) == []
    assert meant_by(Rational("0.7941578605203566")) == []
    for k in range(1, 2000):  # every answer by hand: it is near, and no short decimal
        decimal = Rational(k, 1000)
        for e in meant_by(decimal):
            assert abs(float(e) / float(decimal) - 1) < 1 / 200
            square = Fraction(float(e) ** 2).limit_denominator(200)
            assert abs(float(square) - float(e) ** 2) < 1e-12
            assert max(square.numerator, square.denominator) <= 144
            assert abs(float(e) * 10**6 - round(float(e) * 10**6)) > 1e-9


def test_a_written_rule_has_no_slips():
    rule = lift(short_root, **ONE, noise="rng")
    assert rule.meant
    assert Update(h, dict(rule.rule), U).meant == ()


class TestOfJax:
    """Slips with keys."""

    @pytest.fixture(autouse=True)
    def jax(self):
        self.random = pytest.importorskip("jax", reason="JAX is not installed").random

    def lifted(self, code, **claim):
        return lift(code, **claim, library="jax")

    def test_one_key_that_is_drawn_from_twice(self):
        normal = self.random.normal

        def in_two_halves(key, x, h, g):
            y = x - h * g(x) + h**0.5 * normal(key, x.shape)
            return y + h**0.5 * normal(key, x.shape)

        repair = repair_of(self.lifted(in_two_halves, **ONE, noise="key"))
        first = in_two_halves.__code__.co_firstlineno + 1
        assert "the key key (" in repair
        assert f"line {first}) draws again (" in repair
        assert f"line {first + 1}), and gives the same numbers" in repair
        assert "jax.random.split(key)" in repair

    def test_one_key_for_two_blocks(self):
        normal = self.random.normal

        def both(key, x, v, h, g):
            x = x - h * g(x) + (2 * h) ** 0.5 * normal(key, x.shape)
            return x, v - h * v + (2 * h) ** 0.5 * normal(key, v.shape)

        repair = repair_of(self.lifted(both, **TWO, noise="key"))
        assert "draws again" in repair

    def test_a_draw_without_a_shape(self):
        normal = self.random.normal

        def shapeless(key, x, h, g):
            return x - h * g(x) + (2 * h) ** 0.5 * normal(key)

        repair = repair_of(self.lifted(shapeless, **ONE, noise="key"))
        assert "is one number for all coordinates of theta" in repair
        assert "with the shape x.shape" in repair

    def test_a_key_that_is_made_anew_in_each_step(self):
        random = self.random

        def own_key(x, h, g):
            key = random.PRNGKey(0)
            return x - h * g(x) + (2 * h) ** 0.5 * random.normal(key, x.shape)

        with pytest.raises(CannotLiftError, match=r"draws from a key of its own.*noise='key'"):
            self.lifted(own_key, **ONE)

    def test_two_keys_are_no_slip(self):
        random = self.random

        def right(key, x, h, g):
            one, two = random.split(key)
            y = x - h * g(x) + h**0.5 * random.normal(one, x.shape)
            return y + h**0.5 * random.normal(two, x.shape)

        rule = self.lifted(right, **ONE, noise="key")
        assert rule.meant == ()
        assert verify(rule).verdict is Verdict.PROVED
