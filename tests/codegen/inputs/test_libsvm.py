"""The reader of libsvm lines beside scikit-learn's, on random files of every form and on broken
ones.
"""

import gzip
import os
from io import BytesIO
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from codegen import read_libsvm
from codegen.files import libsvm_lines, reading
from codegen.files.libsvm_lines import Lines, rows_of
from recipe import RecipeError

A9A = Path(os.environ.get("RECIPE_DATA", Path(__file__).parents[4] / "shared" / "data")) / "a9a"
SPACES = [b" ", b" ", b" ", b"\t", b"  ", b" \t "]
ENDS = [b"\n", b"\n", b" \n", b"\r\n", b" # why: 3:4\n", b"#\n"]
NUMBERS = [
    lambda rng: repr(float(rng.normal() * 10.0 ** rng.integers(-300, 16))),
    lambda rng: f"{rng.normal():.6g}",
    lambda rng: f"{rng.integers(-9, 9)}",
    lambda rng: f"{rng.normal():+.3E}",
    lambda rng: f".{rng.integers(1, 99)}",
    lambda rng: f"{rng.integers(99)}.",
    lambda rng: "0.1000000000000000055511151231257827021181583404541015625001",
    lambda rng: "4.9e-324",
    lambda rng: "-0.0",
]


def number(rng):
    return NUMBERS[rng.integers(len(NUMBERS))](rng).encode()


def random_line(rng, queries, columns=60):
    if rng.random() < 0.05:
        return [b"\n", b"   \n", b"# a comment 1:2\n", b"\r\n"][rng.integers(4)]
    words = [number(rng)]
    if queries:
        words.append(b"qid:%d" % rng.integers(9))
    picked = np.flatnonzero(rng.random(columns) < rng.choice([0.0, 0.05, 0.5])) + 1
    words += [b"%d:%s" % (k, number(rng)) for k in picked]
    space = SPACES[rng.integers(len(SPACES))]
    return b" " * rng.integers(2) + space.join(words) + ENDS[rng.integers(len(ENDS))]


def random_text(seed):
    rng = np.random.default_rng(seed)
    lines = [random_line(rng, seed % 3 == 2) for _ in range(rng.integers(1, 60))]
    return b"".join(lines).removesuffix(b"\n" if seed % 2 else b"")


def same(rows, X, y):
    """Every bit of what two readers found, and which entries are written at all."""
    np.testing.assert_array_equal(rows.row, np.repeat(np.arange(len(y)), np.diff(X.indptr)))
    np.testing.assert_array_equal(rows.index, X.indices + 1)
    assert rows.value.tobytes() == X.data.tobytes()
    assert rows.label.tobytes() == y.tobytes()


@pytest.mark.parametrize("seed", range(60))
def test_random_files_are_read_as_scikit_learn_reads_them(seed):
    text = random_text(seed)
    if not text.split():
        return
    X, y = load_svmlight_file(BytesIO(text), zero_based=False)
    lines = Lines(Path("a"), 1, BytesIO(text).readlines())
    same(rows_of(lines), X, y)
    same(libsvm_lines._at_once(text), X, y)
    same(libsvm_lines._line_by_line(lines, None), X, y)


@pytest.mark.parametrize(
    "text",
    [
        b"1 +3:4\n",
        b"1 03:4 0005:6\n",
        b"1 1_0:2_0\n",
        b"1_0 2:3\n",
        b"1 1234567890:1\n",
        b"1 3:1e400e\n",
        b"1 \xef\xbc\x91:2\n",
        b"1 1: 2:3\x1c4\n",
        b"1 1:2:3\n",
        b"1 1:\n",
        b"1 :1\n",
        b"1 ::1\n",
        b": 1:1\n",
        b"1:1\n",
        b"1 qid 1:2\n",
        b"1 qid:3\n",
        b"1 1:2 qid:3\n",
        b"qid:3 1:2\n",
        b"1 0:3\n",
        b"1 -1:3\n",
        b"1 1.0:3\n",
        b"1 1:0x10\n",
        b"1 2:3 2:3\n",
        b"1 1:3\x00\n",
        b"1 1:3 \x1f\n",
        b"1\xa01:3\n",
    ],
)
def test_texts_at_the_edge_are_read_or_refused_as_scikit_learn_does(text):
    lines = Lines(Path("a"), 1, [b"1 1:2\n", text])
    try:
        X, y = load_svmlight_file(BytesIO(b"1 1:2\n" + text), zero_based=False)
    except (ValueError, OverflowError):
        with pytest.raises(RecipeError, match="a, line 2: "):
            rows_of(lines)
    else:
        same(rows_of(lines), X, y)


@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_byte_is_read_or_refused_as_scikit_learn_does(seed):
    """A number that is not finite, or that float64 rounds, is refused by ours alone."""
    rng = np.random.default_rng(seed)
    broken = bytearray(random_text(seed))
    for _ in range(rng.integers(1, 4)):
        broken[rng.integers(len(broken))] = rng.choice(list(b"0:# \t\r\n-+e.q1\x00\xff"))
    text = bytes(broken)
    lines = Lines(Path("a"), 1, BytesIO(text).readlines())
    try:
        X, y = load_svmlight_file(BytesIO(text), zero_based=False)
    except (ValueError, OverflowError):
        with pytest.raises(RecipeError, match=r"a, line \d+: "):
            rows_of(lines)
        return
    sizes = np.abs([*X.data, *y, 0.0])
    if (sizes < 2**53).all():
        same(rows_of(lines), X, y)
    elif not np.isfinite(sizes).all():
        with pytest.raises(RecipeError, match=r"missing or infinite|which float64 rounds"):
            rows_of(lines)


@pytest.mark.parametrize("seed", range(40))
def test_the_guilty_line_is_the_first_that_is_refused_alone(seed):
    rng = np.random.default_rng(seed)
    lines = BytesIO(random_text(seed)).readlines()
    wrong = [
        b"1 2\n",
        b"x 1:2\n",
        b"1 3:1 2:1\n",
        b"1 99:1\n",
        b"1 1:nan\n",
        b"1 1:%d\n" % (2**53 + 1),
    ]
    places = sorted(rng.integers(0, len(lines) + 1, 2))
    for place in reversed(places):
        lines.insert(place, wrong[rng.integers(len(wrong))])
    guilty = lines[places[0]]
    with pytest.raises(RecipeError) as alone:
        rows_of(Lines(Path("a"), places[0] + 7, [guilty]), 60)
    with pytest.raises(RecipeError) as said:
        rows_of(Lines(Path("a"), 7, lines), 60)
    assert str(said.value) == str(alone.value)
    assert f"a, line {places[0] + 7}: " in str(said.value)


def test_arrays_do_not_depend_on_the_batches(tmp_path, monkeypatch):
    text = random_text(4) + b"\n" + random_text(6)
    (tmp_path / "a").write_bytes(text)
    X, y = load_svmlight_file(BytesIO(text), zero_based=False, n_features=60)
    for size in (1, 100, 1 << 20):
        monkeypatch.setattr(reading, "BATCH_BYTES", size)
        for columns, intercept in ((60, False), (None, True)):
            got, labels = read_libsvm(tmp_path / "a", columns, intercept=intercept)
            wide = X.toarray()[:, : columns or X.indices.max() + 1]
            ones = np.ones((len(y), int(intercept)))
            np.testing.assert_array_equal(got, np.column_stack([ones, wide]))
            np.testing.assert_array_equal(labels, y)


def test_a9a_is_read_as_scikit_learn_reads_it():
    if not (A9A / "a9a.t.gz").is_file():
        pytest.skip("the a9a data are not here; examples/a9a_data.py says where to get them")
    X, y = load_svmlight_file(str(A9A / "a9a.t.gz"), zero_based=False, n_features=123)
    got, labels = read_libsvm(A9A / "a9a.t.gz", 123)
    np.testing.assert_array_equal(got, X.toarray())
    np.testing.assert_array_equal(labels, y)
    with gzip.open(A9A / "a9a.t.gz") as file:
        assert libsvm_lines._at_once(file.read()) is not None


@pytest.mark.slow
def test_lines_are_read_half_as_fast_as_scikit_learn_reads_them_at_least():
    rng = np.random.default_rng(0)
    entries = rng.normal(size=(2000, 100)).tolist()
    written = ["1 " + " ".join(f"{k + 1}:{v!r}" for k, v in enumerate(row)) for row in entries]
    text = "\n".join(written).encode()
    lines = Lines(Path("a"), 1, BytesIO(text).readlines())

    def seconds(read):
        took = []
        for _ in range(5):
            began = process_time()
            read()
            took.append(process_time() - began)
        return min(took)

    theirs = seconds(lambda: load_svmlight_file(BytesIO(text), zero_based=False))
    assert seconds(lambda: rows_of(lines)) < 2 * theirs
