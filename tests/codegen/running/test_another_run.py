"""What tells another run from that of a checkpoint, in words."""

import pytest

from catalog.sghmc import sghmc
from codegen import generate
from codegen.running.another_run import described, differences, is_another
from recipe import Data, Ordered, Posterior, Scalar, Vector, bind
from recipe.laws import categorical, dirichlet, half_normal, normal, ordered_logistic

A = Scalar("a", prior=normal(0, 1))
HEX = "0123456789abcdef"


def run(posterior, scheme="baoab", **more):
    """A fingerprint; every model has another digest of its module."""
    module = generate(bind(sghmc, posterior), scheme=scheme)
    return {**described(module), "module": module.hash, **more}


def model(*terms, prior=None):
    y = Data("y", [1.0, 2.0])
    mean = sum(terms, A if prior is None else Scalar("a", prior=prior))
    return Posterior(log_likelihood=normal(y, mean, 1))


def labels(*numbers):
    w = Vector("w", prior=dirichlet([2, 1, 5]))
    return Posterior(log_likelihood=categorical(Data("y", list(numbers)), w))


BEFORE = run(model(), seed=1)
CASES = {
    "another prior": (
        run(model(prior=normal(0, 2)), seed=1),
        "the prior of a was normal(0, 1) and is normal(0, 2)",
    ),
    "another block": (
        run(model(Scalar("b", prior=half_normal(2))), seed=1),
        "block b is new, a Scalar on Interval.open(0, oo)",
    ),
    "another likelihood": (
        run(model(1), seed=1),
        "the log likelihood was -(-a + y)**2/2 - log(2*pi)/2 and is -(-a + y - 1)**2/2 - log",
    ),
    "another scheme": (run(model(), "euler", seed=1), "scheme was baoab and is euler"),
    "other versions": (
        BEFORE | {"model: versions": "recipe 9", "module": "z"},
        " and is recipe 9",
    ),
    "other options": (
        BEFORE | {"seed": 2, "first state of chain 0": f"float64 (2,) {HEX * 2}"},
        "seed was 1 and is 2",
    ),
    "nothing but the text": (BEFORE | {"module": "z"}, f"module was {BEFORE['module']} and is z"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_differs_is_named_and_what_follows_from_it_is_not(case):
    now, said = CASES[case]
    found = differences(BEFORE, now)
    assert is_another(BEFORE, now)
    assert said in found
    assert ("module was" in found) == (case == "nothing but the text")
    assert "first state" not in found
    assert HEX not in found


def test_a_block_that_is_gone():
    found = differences(run(model(Scalar("b", prior=normal(0, 2)))), BEFORE)
    assert "block b is gone, a Scalar on Reals" in found
    assert "the prior of b is gone, normal(0, 2)" in found


def test_data_have_the_names_of_the_user_and_no_digests():
    before, now = f"uint32 (8,) {HEX * 2}", f"uint32 (8,) {HEX[::-1] * 2}"
    field = "data y_but_last_in_d_w"
    one = run(labels(0, 1, 2), **{field: before, "data z": f"float64 (8,) {HEX * 2}"})
    other = run(labels(0, 1, 2), **{field: now, "data z": f"float64 (9,) {HEX * 2}"})
    found = differences(one, other)
    assert found == "data y is of other numbers, data z was float64 (8,) and is float64 (9,)"


def answers(*order):
    pandas = pytest.importorskip("pandas")
    c = Ordered("c", 2, prior=normal(0, 3))
    y = pandas.Categorical([order[k] for k in (0, 1, 2, 1)], categories=order, ordered=True)
    return run(Posterior(log_likelihood=ordered_logistic(Data("y", y), A, c)))


def test_other_words_of_the_same_numbers_are_another_run():
    before, now = answers("low", "medium", "high"), answers("bad", "fair", "good")
    assert is_another(before, now)
    said = "the list of categories of y was low, medium, high and is bad, fair, good"
    assert differences(before, now) == said
    assert not is_another(before, answers("low", "medium", "high"))
    old = {key: value for key, value in before.items() if "categories" not in key}
    assert not is_another(old, now)  # of a checkpoint that does not know the words
    assert differences(old, now | {"seed": 2}) == "seed is new, 2"


def test_what_is_described_is_for_messages_alone():
    """A checkpoint that was written before anything was described goes on."""
    old = {key: value for key, value in BEFORE.items() if not key.startswith(("model: ", "name: "))}
    assert not is_another(old, BEFORE)
    assert differences(old, BEFORE | {"seed": 2}) == "seed was 1 and is 2"
    assert not is_another(BEFORE | {"model: scheme": "x"}, BEFORE)


def test_long_expressions_are_cut_and_told_apart_and_few_differences_are_shown():
    terms = [Scalar(f"b{k}", prior=normal(0, k + 1)) for k in range(9)]
    found = differences(run(model(*terms)), run(model(*terms[1:])))
    assert len(found) < 1500
    assert "block b0 is gone" in found
    many = differences(BEFORE, run(model(*terms)))
    assert many.count(" is new") == 6
    assert many.endswith(" differences more")
