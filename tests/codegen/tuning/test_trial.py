"""Trials that are made longer until their autocorrelations are known."""

import numpy as np
import pytest

from codegen.tuning import trial
from codegen.tuning.trial import MAX_SWEEPS, ROUNDS, Trial


class RandomWalk(Trial):
    """One chain whose states are known: it never makes as many effective draws as are wanted."""

    def __init__(self):
        self.states_of_all_sweeps = np.cumsum(np.random.default_rng(3).standard_normal(MAX_SWEEPS))
        self.sweeps, self._stopped = 0, False

    def move(self, size, count):
        self.sweeps += count
        return 0.8

    def positions(self):
        return self.states_of_all_sweeps[self.sweeps - 1].reshape(1, 1)


def test_a_trial_that_is_made_longer_keeps_draws_and_their_distances(monkeypatch):
    seen, judged = [], trial.convergence

    def convergence(draws):
        seen.append(draws[0, :, 0])
        return judged(draws)

    monkeypatch.setattr(trial, "convergence", convergence)
    walk = RandomWalk()
    shown = walk.judged(0.1)
    assert walk.sweeps == MAX_SWEEPS
    assert not shown.enough
    assert shown.acceptance == pytest.approx(0.8)
    assert [len(draws) for draws in seen] == [ROUNDS] * 3
    for draws, apart in zip(seen, (1, 4, 16), strict=True):
        there = walk.states_of_all_sweeps[apart - 1 : apart * ROUNDS : apart]
        np.testing.assert_array_equal(draws, there)
