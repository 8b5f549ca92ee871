"""Each reason why chains disagree has its own sentence, and no other one's."""

import numpy as np
import pytest

from codegen import diagnose
from codegen.results.draws import Draws

WORDS = {
    "labels": "labels are switched",
    "sign": "agree up to the sign",
    "modes": "different modes",
    "moving": "still on their way",
    "slow": "do not agree yet",
}


def noise(*shape):
    return np.random.default_rng(0).normal(size=shape)


def switched_between_chains():
    x = noise(4, 400, 2) + np.array([0.0, 8.0])
    x[2] = x[2, :, ::-1]
    return x


def switched_within_chains():
    x = noise(4, 400, 3) + np.array([-6.0, 0.0, 6.0])
    for c, n in enumerate((50, 210, 300)):
        x[c, n:, :2] = x[c, n:, 1::-1]
    return x


def mirrored():
    x = noise(4, 400, 1) + 5
    x[[1, 3]] *= -1
    return x


def in_modes():
    x = noise(4, 400, 3)
    x[3, :, 1] += 7
    return x


def moving():
    return (
        noise(4, 400, 1) + np.linspace(0, 6, 400)[:, None] * np.array([1, 2, 3, 4])[:, None, None]
    )


def shifted():
    x = noise(4, 400, 3)
    x[2, :, 0] += 1
    return x


CASES = [
    (switched_between_chains, "labels"),
    (switched_within_chains, "labels"),
    (mirrored, "sign"),
    (in_modes, "modes"),
    (moving, "moving"),
    (shifted, "slow"),
]


def said_of(blocks, **attributes):
    number, draws = next(iter(blocks.values())).shape[:2]
    made = Draws(
        blocks,
        counts=np.full(number, draws),
        divergences=(),
        interrupted=False,
        attributes=attributes,
        step_sizes=np.ones(draws),
    )
    return " | ".join(diagnose(made).warnings)


def said(x, **attributes):
    return said_of({"mu": x}, **attributes)


@pytest.mark.parametrize(("made", "cause"), CASES, ids=[f"{m.__name__}" for m, _ in CASES])
def test_a_reason_has_its_own_sentence(made, cause):
    text = said(made())
    assert WORDS[cause] in text
    assert not [other for other, words in WORDS.items() if other != cause and words in text]


def test_more_steps_are_not_advised_where_they_do_not_help():
    for made, cause in CASES:
        assert ("times the steps" in said(made())) <= (cause in ("moving", "slow"))


def test_two_shifted_coordinates_are_no_labels():
    x = noise(4, 400, 2) + np.array([0.0, 8.0])
    x[2] += [4.0, -2.0]
    assert WORDS["labels"] not in said(x)


def test_few_draws_and_a_large_step_are_said_as_such():
    assert "50 draws a chain are too few to judge" in said(noise(4, 50, 2))
    assert "too large: Metropolis tests accept 0.02" in said(noise(4, 400, 2), acceptance_rate=0.02)
    assert "step size" not in said(noise(4, 400, 2), acceptance_rate=0.6)


def autoregression(effective, draws, coordinates, seed):
    """Slow chains, which are worth so many independent draws each."""
    rng = np.random.default_rng(seed)
    rho = (draws - effective) / (draws + effective)
    x = rng.normal(size=(draws, 4, coordinates))
    for t in range(1, draws):
        x[t] = rho * x[t - 1] + np.sqrt(1 - rho**2) * x[t]
    return x.transpose(1, 0, 2)


@pytest.mark.parametrize("effective", [5, 30, 100])
def test_slow_chains_of_a_regression_are_neither_labels_nor_modes(effective):
    for seed in range(10):
        x = autoregression(effective, 800, 3, seed) + np.array([0.0, 1.0, 5.0])
        text = said(x)
        assert WORDS["labels"] not in text
        assert WORDS["modes"] not in text
        assert WORDS["sign"] not in text


def test_numbers_that_are_blocks_change_places_too():
    x = switched_between_chains()
    blocks = {"m": x[..., 0], "n": x[..., 1], "s": shifted()[..., 0]}
    text = said_of(blocks)
    assert WORDS["labels"] in text
    assert WORDS["slow"] in text  # s has no partner
    assert WORDS["modes"] not in text


def test_a_derived_constant_is_no_coordinate_that_never_moved():
    blocks = {"m": noise(4, 400), "q": np.full((4, 400), 2.0)}
    assert "never moved: q" in said_of(blocks)
    assert "never moved" not in said_of(blocks, derived="q")


def test_chains_that_never_moved_sit_in_no_modes():
    text = said(np.broadcast_to(np.arange(4.0)[:, None, None], (4, 400, 1)))
    assert "never moved" in text
    assert not [words for words in WORDS.values() if words in text]
