"""examples/models/binary_network.py: the gradient against differences, the prior near an edge, bad
data, runs that go on, and the table of its page.
"""

import gzip
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax

from codegen import sample

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
SPEC = importlib.util.spec_from_file_location(
    "binary_network", ROOT / "examples" / "models" / "binary_network.py"
)
program = importlib.util.module_from_spec(SPEC)
sys.modules["binary_network"] = program
SPEC.loader.exec_module(program)
import binary_network_jax  # noqa: E402
import binary_network_page as page_of  # noqa: E402
import image_data  # noqa: E402
import page_tables  # noqa: E402


def log_likelihood(weights, x, y, hidden, classes):
    """Of all images, by loops in float64."""
    first = np.reshape(weights[: x.shape[1] * hidden], (x.shape[1], hidden))
    second = np.reshape(weights[x.shape[1] * hidden :], (hidden, classes))
    total = 0.0
    for image, label in zip(x, y, strict=True):
        units = [max(0.0, float(image @ first[:, k]) / 255) for k in range(hidden)]
        total += log_softmax(np.array(units) @ second)[label]
    return total


def small():
    data = program.drawn()
    network = program.Network(25, 4, 3)
    weights = np.random.default_rng(3).uniform(-0.9, 0.9, network.size)
    return data, network, weights, data.x[:40], data.y[:40]


def test_the_gradient_is_that_of_differences():
    """It is in float32."""
    _, network, weights, x, y = small()
    found = network.gradient()(weights, np.arange(40), x, y)
    expected = np.empty_like(found)
    for k in range(network.size):
        up, down = weights.copy(), weights.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        expected[k] = (log_likelihood(down, x, y, 4, 3) - log_likelihood(up, x, y, 4, 3)) / 2e-5
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_the_gradient_of_jax_is_that_of_numpy():
    pytest.importorskip("jax")
    data, network, weights, _, _ = small()
    rows = np.arange(0, 100, 3)
    found = binary_network_jax.gradient_by_jax(data, network.hidden)(weights, rows, None, None)
    expected = network.gradient()(weights, rows, data.x, data.y)
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_estimates_from_single_images_average_to_the_gradient():
    _, network, weights, x, y = small()
    gradient = network.gradient()
    of_one = [gradient(weights, np.array([n]), x, y) for n in range(40)]
    whole = gradient(weights, np.arange(40), x, y)
    np.testing.assert_allclose(np.mean(of_one, axis=0), whole, atol=1e-5 * np.abs(whole).max())


def test_probabilities_are_those_of_the_likelihood():
    _, network, weights, x, y = small()
    p = network.probabilities(weights, x)
    assert np.log(p[np.arange(40), y]).sum() == pytest.approx(
        log_likelihood(weights, x, y, 4, 3), rel=1e-5
    )


def test_the_prior_keeps_its_digits_where_a_weight_rounds_to_one():
    """From phi = 45, where w is 1 in float64, back to the law of arcsine, without data."""
    phi = program.corv_sigmoid.state[0]
    draws = sample(
        program.corv_sigmoid, gradient=np.zeros_like, steps=1000, thin=100, step_size=0.5,
        scheme="euler", params={"a": 0.5, "b": 0.5}, initial={phi: np.full(4000, 45.0)}, warmup=0,
        chains=1, progress=False,
    )  # fmt: skip
    last = draws["w"][0, -1]
    assert np.abs(last.mean()) < 4 * (0.5 / last.size) ** 0.5
    outside = 1 - 2 / np.pi * np.arcsin(0.99)  # 0.09
    assert (np.abs(last) > 0.99).mean() == pytest.approx(outside, abs=0.02)


def test_a_run_learns_and_goes_on_from_its_checkpoint(tmp_path):
    data = program.drawn()
    network = program.Network(25, 6, 3)
    whole = program.sampled(data, network, "softsign", 2e-3, 20, 1)
    program.sampled(data, network, "softsign", 2e-3, 8, 1, tmp_path / "run")
    again = program.sampled(data, network, "softsign", 2e-3, 20, 1, tmp_path / "run")
    np.testing.assert_array_equal(whole, again)
    loss, accuracy = program.averaged(network, np.sign(whole), data.x_test, data.y_test)
    assert accuracy[-1] > 0.75  # 0.93; a third is what guessing gives
    assert loss[-1] < 0.6


@pytest.mark.slow  # four samplers are compiled
def test_the_quick_form_reads_nothing(capsys, monkeypatch):
    monkeypatch.delenv("RECIPE_DATA", raising=False)
    assert program.main(["--quick", "--json"]) == 0
    curves = json.loads(capsys.readouterr().out)
    assert [c["sampler"] for c in curves] == list(program.SAMPLERS)
    assert all(c["accuracy"][-1] > 0.6 for c in curves)


def test_the_predictive_mean_is_over_the_networks_so_far():
    _, network, weights, x, y = small()
    other = -weights
    loss, accuracy = program.averaged(network, np.array([weights, other]), x, y)
    one, two = (network.probabilities(w, x) for w in (weights, other))
    mean = (one + two) / 2
    assert loss == pytest.approx(
        [-np.log(p[np.arange(40), y]).mean() for p in (one, mean)], rel=1e-6
    )
    assert accuracy == [float((p.argmax(axis=1) == y).mean()) for p in (one, mean)]


def images(count=100, pixels=4):
    return np.full((count, pixels), 9, np.uint8), (np.arange(count) % 3).astype(np.uint8)


def bad_label(x, y):
    y[7] = 3


def empty_image(x, y):
    x[5] = 0


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (bad_label, "image 7 has the label 3; labels go from 0 to 2"),
        (empty_image, "image 5 is empty: all of its 4 pixels are 0"),
    ],
)
def test_bad_images_get_one_sentence(spoil, message):
    x, y = images()
    image_data.check(x, y, 3)
    spoil(x, y)
    with pytest.raises(image_data.BadDataError, match=message):
        image_data.check(x, y, 3)


def test_a_column_of_labels_of_another_length_is_refused():
    x, y = images()
    with pytest.raises(image_data.BadDataError, match="100 images and 99 labels"):
        image_data.check(x, y[:-1], 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x08\x01\0\0\0\x03ab", "has 2 bytes and its head says 3: it is damaged"),
        (b"\0\0\x08", "is no idx file of bytes"),
        (b"\0\0\x08\x02\0\0", "ends within its head"),
        (b"hello", "is no idx file of bytes"),
    ],
)
def test_a_damaged_file_gets_one_sentence(content, message, tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(image_data.BadDataError, match=message):
        image_data.idx(path)


def test_a_file_that_is_not_packed_gets_one_sentence(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(b"plain")
    with pytest.raises(image_data.BadDataError, match=r"x\.gz cannot be read"):
        image_data.idx(path)


def test_missing_data_are_said(capsys, tmp_path):
    assert program.main(["--only", "mnist", "--data", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("the digits are not here: put mnist_5k.csv.gz")
    assert error.count("\n") == 1


def test_the_table_of_the_page_is_that_of_the_results():
    folder = ROOT / "docs" / "models"
    curves = [page_of.Curve(**c) for c in json.loads((folder / "binary_network.json").read_text())]
    text = (folder / "binary_network.md").read_text()
    assert page_tables.page(text, {"results": page_of.table(curves)}) == text
    for name, setting in program.SETTINGS.items():
        of = [c for c in curves if c.data == name]
        assert {c.sampler for c in of} == set(program.SAMPLERS)
        assert {len(c.loss) for c in of} == {setting.epochs}
        assert {c.seed for c in of} == set(range(1, setting.seeds + 1))
