"""A text of an estimator that is not the expected one is refuted with numbers, or undecided.

The numbers of a witness are put into numpy: once into the formula of the estimate, typed by hand,
and once into the changed text, which runs as plain Python.
"""

import re
from fractions import Fraction

import numpy as np
import pytest
from cases.translations import LOGISTIC, Case, case, recipe_called, theta
from helpers.plain_python import plainly

from recipe import Posterior, bind
from recipe.language.abstract import Potential
from recipe.scheme import discretise

CALL = "gradient_U(state.gradient_U_at_snapshot_theta, theta, data, params, gradient, rows[:0])"
KNOWN = "data.gradient_U_at_mode_theta, state.estimate_U_at_mode_theta)"
SEEN = "join_table(g_theta, state.mean_U_theta, state.seen_U_theta, state.one_U_theta, rows[n],"
OF_ROWS = "state.variance_U_theta, state.squares_theta, rows.size, data.x.shape[0]"

# texts that give other estimates
DIFFERENT = [
    ("controlled", KNOWN, "state.estimate_U_at_mode_theta, data.gradient_U_at_mode_theta)"),
    ("controlled", KNOWN, "data.mode_theta, state.estimate_U_at_mode_theta)"),
    ("controlled", "data.mode_theta, data", "theta, data"),
    ("controlled", f"    add_difference(g_theta, {KNOWN}\n", ""),
    ("svrg", "% data.every_U[0] == 0.0", "% data.every_U[0] != 0.0"),
    ("svrg", "state.calls_U[0] += 1.0", "state.calls_U[0] += 2.0"),
    ("svrg", CALL, CALL.replace("rows[:0]", "rows")),
    ("svrg", "take(state.snapshot_theta, theta)", "take(theta, state.snapshot_theta)"),
    ("svrg", "state.snapshot_theta, data, params", "theta, data, params"),
    ("saga", "take(g_theta, state.mean_U_theta)", "take(state.mean_U_theta, g_theta)"),
    ("saga", f"{SEEN} rows.size", f"{SEEN} data.x.shape[0]"),
    ("saga", f"{SEEN} rows.size, data.x.shape[0]", f"{SEEN} rows.size, rows.size"),
    ("saga", SEEN, SEEN.replace("rows[n]", "n")),
    ("saga", "state.calls_U[0] == 0.0", "state.calls_U[0] == 1.0"),
]
OF_VARIANCES = [
    (OF_ROWS, OF_ROWS.replace("rows.size, data.x.shape[0]", "data.x.shape[0], rows.size")),
    (OF_ROWS, OF_ROWS.replace("squares", "one")),
    ("state.table.size > 0", "state.table.size >= 0"),
    ("0, state.calls_U[0])", "0, 1.0)"),
    ("rows[n : n + 1]", "rows[: n + 1]"),
]
# texts that mean the same, and one that divides by 0
OPEN = [
    ("controlled", "rows)\n    gradient_U(", "rows)\n    rows[0] = rows[0]\n    gradient_U("),
    ("svrg", CALL, CALL.replace("rows[:0]", "rows[0:0]")),
    ("svrg", "state.calls_U[0] += 1.0", "state.calls_U[0] += 2.0 - 1.0"),
    ("saga", "        rows[0] = first\n", ""),  # every row was seen just before, at the same state
    ("saga", "state.calls_U[0] == 0.0", "state.calls_U[0] < 1.0"),
    ("compensated", "    state.calls_U[0] += 1.0\n", ""),
    ("compensated", "state.squares_theta", "state.r"),
]


def changed(name, old, new):
    text = case(name).text
    assert text.count(old) == 1 or name == "compensated"
    return text.replace(old, new)


def names(mistake):
    return f"{mistake[0]}: {mistake[-1].strip()[-40:]!r}"


def numbers(value):
    return np.array([float(Fraction(x)) for x in ([value] if isinstance(value, str) else value)])


class World:
    """The numbers of a witness, and the logistic posterior of the cases, by hand."""

    def __init__(self, witness):
        self.point = witness.point
        self.x = np.array([numbers(self.point[f"x of row {n}"]) for n in range(5)])
        self.y = np.array([numbers(self.point[f"y of row {n}"])[0] for n in range(5)])
        self.k = numbers(self.point["k"])[0]
        found = re.fullmatch(
            r"call (\d) of \w+: coordinate (\d) of (.+) is (\S+), and must be (\S+)",
            witness.finding,
        )
        self.calls, self.coordinate = int(found[1]), int(found[2]) - 1
        self.what, self.found, self.wanted = found[3], float(found[4]), float(found[5])

    def state(self, call):
        return numbers(self.point[f"theta at call {call}"])

    def rows(self, call):
        return np.array([int(n) for n in self.point[f"rows of call {call}"]])

    def gradient(self, t, rows):
        rows = np.arange(5) if len(rows) == 0 else rows
        x, y = self.x[rows], self.y[rows]
        return 5 / len(rows) * (1 / (1 + np.exp(-x @ t)) - y) @ x + t / self.k**2

    def controlled(self):
        mode, t, rows = numbers(self.point["theta at the mode"]), self.state(1), self.rows(1)
        assert self.calls == 1
        return self.gradient(t, rows) + self.gradient(mode, []) - self.gradient(mode, rows)

    def svrg(self):
        every = int(self.point["calls from one snapshot to the next"])
        snapshot = self.state(1 + (self.calls - 1) // every * every)
        t, rows = self.state(self.calls), self.rows(self.calls)
        return self.gradient(t, rows) + self.gradient(snapshot, []) - self.gradient(snapshot, rows)

    def saga(self):
        seen = [self.gradient(self.state(1), [n]) for n in range(5)]
        for call in range(1, self.calls + 1):
            estimate = np.mean(seen, axis=0)
            for n in self.rows(call):
                new = self.gradient(self.state(call), [n])
                estimate = estimate + (new - seen[n]) / 3
            for n in self.rows(call):
                seen[n] = self.gradient(self.state(call), [n])
        return estimate

    def of_text(self, name, text):
        """What the changed text gives, run as plain Python."""
        module, mode = plainly(text), self.point.get("theta at the mode")
        known = {"x": self.x, "y": self.y}
        if mode is not None:
            at_mode = self.gradient(numbers(mode), [])
            known |= {"mode_theta": numbers(mode), "gradient_U_at_mode_theta": at_mode}
        if name == "svrg":
            known["every_U"] = numbers(self.point["calls from one snapshot to the next"])
        data, params = module.Data(**known), module.Params(k=self.k, C=1.0)
        more = {"data_rows": 5} if name == "saga" else {}
        start = (np.zeros(2), np.zeros(2))
        state, g = module.allocate(*start, batch_size=3, replace=False, **more), np.zeros(2)
        for call in range(1, self.calls + 1):
            t = self.state(call)
            estimator = getattr(module, f"{name}_U")
            estimator(g, t, data, params, None, self.rows(call), state)
        return g if self.what == "the estimate by theta" else t


@pytest.mark.by_default(9)
@pytest.mark.parametrize("mistake", DIFFERENT, ids=names)
def test_another_estimate_is_refuted_with_numbers(mistake):
    name, text = mistake[0], changed(*mistake)
    outcome = case(name).outcome(text)
    assert outcome.verdict.value == "refuted"
    world = World(outcome.witness)
    assert world.wanted == pytest.approx(getattr(world, name)()[world.coordinate], rel=1e-9)
    assert world.found == pytest.approx(world.of_text(name, text)[world.coordinate], rel=1e-9)
    assert world.found != pytest.approx(world.wanted, rel=1e-6)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("mistake", OF_VARIANCES, ids=lambda m: repr(m[1][-40:]))
def test_another_running_variance_is_refuted_with_numbers(mistake):
    outcome = case("compensated").outcome(changed("compensated", *mistake))
    assert outcome.verdict.value == "refuted"
    assert outcome.witness.point["theta at call 1"]
    assert ", and must be " in outcome.witness.finding


def test_the_first_running_variance_is_that_of_a_mean():
    text = changed("compensated", *OF_VARIANCES[0])
    world = World(case("compensated").outcome(text).witness)
    assert world.calls == 1
    one = [world.gradient(world.state(1), [n]) for n in world.rows(1)]
    without = world.point["rows are drawn"] == "without replacement"
    wanted = np.var(one, axis=0, ddof=1) / 3 * (1 - 3 / 5 if without else 1)
    assert world.wanted == pytest.approx(wanted[world.coordinate], rel=1e-9)


@pytest.mark.parametrize("mistake", OPEN, ids=names)
def test_a_text_that_is_not_shown_to_differ_is_undecided(mistake):
    outcome = case(mistake[0]).outcome(changed(*mistake))
    assert outcome.verdict.value == "undecided"
    assert outcome.witness is None
    assert outcome.by.startswith("line ")


def test_the_estimator_of_a_gradient_of_the_user_is_refuted_with_its_numbers():
    def of_rows(theta, rows, x, y, g):
        raise AssertionError("a proof calls nothing")

    sghmc = recipe_called("sghmc")
    U = next(a for a in sghmc.abstract if isinstance(a, Potential))
    posterior = Posterior(
        theta, LOGISTIC.log_likelihood, LOGISTIC.log_prior, dict(LOGISTIC.data), gradient=of_rows
    )
    bound = bind(sghmc, {U: posterior})
    ours = Case(bound, discretise(bound, "euler"), scheme="euler", control_variates=True)
    assert ours.verdict() == "proved"
    outcome = ours.outcome(ours.text.replace("data.mode_theta, data", "theta, data"))
    assert outcome.verdict.value == "refuted"
    assert any(key.startswith("gradient by theta of row ") for key in outcome.witness.point)
    order = ours.text.replace(
        "gradient(theta, rows, data.x, data.y", "gradient(theta, rows, data.y, data.x"
    )
    assert order != ours.text
    assert ours.verdict(order) == "undecided"
