"""Python samples a refuted rule only where the user insists, as the command does."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic, perf_counter, sleep

import numpy as np
import pytest
from sympy import Matrix, Symbol, sqrt

from catalog.hmc import hmc
from catalog.posteriors.bioassay import posterior as bioassay
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import sample, verdict_before
from codegen.system.stopped_after import TimeIsUp, stopped_after
from recipe import Noise, Posterior, Potential, Recipe, RecipeError, Update, Vector, grad, total
from verify import Report, verify
from verify.engine import decided
from verify.report.before_a_run import before_a_run

theta = Vector("theta")
U = Potential("U", theta)
eps, w = Symbol("epsilon", positive=True), Noise("w", like=theta)
QUIET = {"steps": 20, "step_size": 0.1, "lengths": {"theta": 2}, "progress": False, "chains": 2}


def of_a_normal(theta):
    return theta


def rule(noise):
    return Update(step=eps, target=U, rule={theta: theta - eps * grad(U, theta) + noise * w})


WRONG = rule(sqrt(eps))


def test_a_refuted_rule_is_refused_with_what_it_keeps_and_the_repair():
    with pytest.raises(RecipeError) as refused:
        sample(WRONG, gradient=of_a_normal, name="printed", **QUIET)
    said = str(refused.value)
    assert said.startswith("printed is refuted (stationarity): the residual is total(grad(U, theta")
    assert "leaves exp(-H') stationary, with H' = 2*U" in said
    assert "repair: the noise sqrt(epsilon)*w of theta must be sqrt(2*epsilon)*w" in said
    assert "unproved=True samples it all the same" in said
    assert "\n" not in said


def test_whoever_insists_gets_draws_that_say_it():
    draws = sample(WRONG, gradient=of_a_normal, unproved=True, **QUIET)
    assert draws.warnings[0].startswith("this sampler is refuted (stationarity): ")
    right = sample(rule(sqrt(2 * eps)), gradient=of_a_normal, **QUIET)
    assert not any("stationarity" in w for w in right.warnings)
    with pytest.raises(RecipeError, match="unproved"):
        sample(WRONG, gradient=of_a_normal, unproved="yes", **QUIET)


def test_a_rule_that_nothing_can_be_asked_of_runs_where_the_user_insists():
    """Its second block adds up what the first one is: a step of 0 moves it."""
    added = Vector("added", like=theta)
    rule = {theta: theta - eps * grad(U, theta) + sqrt(2 * eps) * w, added: added + theta}
    counted = Update(step=eps, target=U, rule=rule, name="counted")
    with pytest.raises(RecipeError, match=r"counted is not judged: .* unproved=True samples it"):
        sample(counted, gradient=of_a_normal, **QUIET)
    draws = sample(counted, gradient=of_a_normal, unproved=True, **QUIET)
    assert draws.warnings[0].startswith("counted is not judged: ")
    assert np.isfinite(draws["theta"]).all()


def test_it_is_refused_before_anything_is_tuned():
    normal = Posterior(theta, total(-(theta**2)), 0, {})
    wrong = Recipe(theta, U, 1, 0, marginal={theta: 2 * U})
    with pytest.raises(RecipeError, match=r"is refuted \(marginal\)"):
        sample(wrong, normal, step_size="auto", progress=False)


def test_what_is_undecided_runs_with_a_note(monkeypatch):
    monkeypatch.setattr(verdict_before, "MAX_SECONDS", -1.0)
    slow = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]))
    draws = sample(slow, gradient=of_a_normal, **QUIET)
    assert draws.warnings[0].startswith("this sampler is undecided (")
    assert "recipe verify takes its time" in draws.warnings[0]


def endless(name):
    """Decide all obligations but one, which takes for ever."""

    def discharge(obligation, subject, outcomes):
        while obligation.name == name:
            pass
        return decided(obligation, subject, outcomes)

    return discharge


def test_an_obligation_that_takes_for_ever_is_stopped_and_said(monkeypatch):
    monkeypatch.setattr(verdict_before, "STOP_SECONDS", 0.3)
    monkeypatch.setattr("verify.engine.decided", endless("stationarity"))
    what = Recipe(theta, U, Matrix([[2]]), Matrix([[0]]))
    began = monotonic()
    note = verdict_before.verdict_before(what, "mine", False).note
    assert monotonic() - began < 5
    assert note.startswith("mine is undecided (stationarity): it was stopped after ")
    assert "`recipe verify FILE --timeout SECONDS`" in note
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def never(*_):
    while True:
        pass


def test_what_takes_for_ever_between_obligations_is_stopped_and_said(monkeypatch):
    monkeypatch.setattr(verdict_before, "STOP_SECONDS", 0.3)
    monkeypatch.setattr("verify.engine.subjects_of", never)
    what = Recipe(theta, U, Matrix([[2]]), Matrix([[0]]))
    assert "it was stopped after" in verdict_before.verdict_before(what, "mine", False).note
    assert id(what) not in verdict_before._known


def test_a_refutation_is_not_lost_while_its_repair_is_searched_for(monkeypatch):
    """Such a rule once ran, with the note that it is undecided."""
    monkeypatch.setattr(verdict_before, "STOP_SECONDS", 0.5)
    monkeypatch.setattr("verify.obligations.process.stationarity.find_repair", never)
    what = rule(sqrt(eps) / 3)
    with pytest.raises(RecipeError) as refused:
        verdict_before.verdict_before(what, "mine", False)
    assert str(refused.value).startswith("mine is refuted (stationarity): the residual is ")
    assert "repair:" not in str(refused.value)


def test_two_threads_leave_out_the_oldest_verdict_of_many(monkeypatch):
    class Slow(dict):
        def __iter__(self):
            oldest = min(self.keys())
            sleep(0.1)  # the other thread comes as far
            yield oldest

    monkeypatch.setattr(verdict_before, "_known", Slow({n: (n, None) for n in range(-64, 0)}))
    monkeypatch.setattr("verify.engine.verify", lambda what, **_: Report("it", "recipe", "", ()))
    whats = [Recipe(theta, U, Matrix([[n]]), Matrix([[0]])) for n in (4, 5)]
    with ThreadPoolExecutor(2) as pool:
        assert len(list(pool.map(verdict_before._report, whats))) == 2
    assert len(verdict_before._known) == verdict_before.MAX_KNOWN


def test_a_timer_that_was_set_before_goes_on_afterwards():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 60.0)
    try:
        with pytest.raises(TimeIsUp), stopped_after(0.05):
            never()
        assert 50 < signal.getitimer(signal.ITIMER_REAL)[0] < 60
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_time_limit_holds_in_another_thread(monkeypatch):
    monkeypatch.setattr("codegen.system.stopped_after.AGAIN", 0.1)

    def within(seconds, work):
        with stopped_after(seconds):
            return work()

    def stopped_again():
        """One stop is caught within, and the next one comes."""
        try:
            never()
        except TimeIsUp:
            never()

    with ThreadPoolExecutor(1) as pool:
        for work in (never, stopped_again):
            began = perf_counter()
            with pytest.raises(TimeIsUp):
                pool.submit(within, 0.05, work).result(timeout=20)
            assert perf_counter() - began < 10
        assert pool.submit(within, 60.0, lambda: 5).result(timeout=20) == 5
        assert pool.submit(sum, range(100_000)).result(timeout=20) == sum(range(100_000))
    assert not [t for t in threading.enumerate() if "time limit" in t.name]


def test_no_stop_comes_after_the_end_in_another_thread():
    def one(seconds):
        with suppress(TimeIsUp), stopped_after(seconds):
            sum(range(2000))
        return sum(range(20_000))  # a late one would end it

    with ThreadPoolExecutor(1) as pool:
        for k in range(300):
            assert pool.submit(one, 1e-6 * (k % 60)).result(timeout=20) == sum(range(20_000))


AFTERWARDS = """
import sys, threading
from codegen.system.stopped_after import TimeIsUp, stopped_after

def limited():
    try:
        with stopped_after(0.01):
            while True:
                pass
    except TimeIsUp:
        pass
    for k in range(100):
        try:
            with stopped_after(1e-6 * k):
                sum(range(2000))
        except TimeIsUp:
            pass
    with stopped_after(60):
        pass

thread = threading.Thread(target=limited)
thread.start()
thread.join()
sys.setprofile(lambda *_: None)
print("ended", (lambda: 1)())
"""


def test_a_profiler_or_debugger_runs_after_a_limit_in_another_thread():
    """The interpreter was once left looking for an exception, and a traced call never ended."""
    found = subprocess.run(
        [sys.executable, "-c", AFTERWARDS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert found.stdout == "ended 1\n", found.stderr


def test_a_verdict_in_another_thread_is_stopped_and_said(monkeypatch):
    monkeypatch.setattr(verdict_before, "STOP_SECONDS", 0.3)
    monkeypatch.setattr("verify.engine.decided", endless("stationarity"))
    what = Recipe(theta, U, Matrix([[3]]), Matrix([[0]]))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(verdict_before.verdict_before, what, None, False)
        assert "this sampler is undecided (stationarity" in asked.result(timeout=60).note


def test_a_verdict_whose_time_was_over_is_not_remembered(monkeypatch):
    wrong = rule(sqrt(eps))
    monkeypatch.setattr(verdict_before, "MAX_SECONDS", -1.0)
    assert "undecided" in verdict_before.verdict_before(wrong, None, False).note
    monkeypatch.undo()
    for _ in range(2):
        with pytest.raises(RecipeError, match="is refuted"):
            verdict_before.verdict_before(wrong, None, False)


def test_a_remembered_sampler_keeps_its_identity():
    """The id of an object that nothing holds is soon that of another one."""
    verdict_before.verdict_before(rule(sqrt(2 * eps)), None, False)
    for key, (what, _) in verdict_before._known.items():
        assert id(what) == key


def test_the_catalog_pays_nothing_and_others_once(monkeypatch):
    asked = []

    def counted(what, **options):
        asked.append(what)
        return verify(what, **options)

    monkeypatch.setattr("verify.engine.verify", counted)
    assert verdict_before.verdict_before(sgld, None, False) == verdict_before.SaidBefore()
    assert verdict_before.verdict_before(sghmc, None, False) == verdict_before.SaidBefore()
    own = Recipe(theta, U, Matrix([[3]]), Matrix([[0]]))
    for _ in range(3):
        assert verdict_before.verdict_before(own, None, False) == verdict_before.SaidBefore()
    assert asked == [own]


def test_a_printed_rule_of_the_catalog_is_asked():
    from catalog.sgrld_simplex_reduced_mean import sgrld_simplex_reduced_mean_as_printed as printed

    assert not verdict_before._is_of_the_catalog(printed)
    assert verdict_before._is_of_the_catalog(sgld)
    assert not verdict_before._is_of_the_catalog(Recipe(theta, U, 1, 0))


def test_the_rule_is_that_of_the_command():
    report = verify(WRONG)
    assert before_a_run(report, "it", False).refusal == "it is refuted (stationarity)"
    assert before_a_run(report, "it", True).note == "it is refuted (stationarity)"
    assert before_a_run(verify(sgld), "it", False) == before_a_run(verify(sgld), "it", True)
    assert np.all([part is None for part in vars(before_a_run(verify(sgld), "it", False)).values()])


def test_a_refuted_rule_with_a_posterior_runs_where_the_user_insists():
    """It once said that unproved=True samples it, and was then no sampler."""
    normal = Posterior(theta, total(-(theta**2)), 0, {})
    with pytest.raises(RecipeError, match=r"refuted.*unproved=True samples it all the same"):
        sample(WRONG, normal, **QUIET)
    draws = sample(WRONG, normal, unproved=True, **QUIET)
    assert draws.warnings[0].startswith("this sampler is refuted (stationarity): ")
    assert "proved" not in draws.attributes


def test_a_flow_is_no_sampler_though_the_catalog_has_it():
    """``hmc`` keeps its energy, and with it the law of the momenta that it began with."""
    with pytest.raises(RecipeError, match=r"leaves its target .* other laws, too.*: H never"):
        sample(hmc, bioassay, step_size=0.05, steps=100)
    draws = sample(hmc, bioassay, step_size=0.05, steps=100, unproved=True, progress=False)
    assert "leaves its target stationary, and other laws, too" in draws.warnings[0]
