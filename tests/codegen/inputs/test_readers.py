"""Files as arrays: what they hold, every mistake in one sentence, and folders that hold a whole
conversion or nothing.
"""

import bz2
import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.command import INSTALLED
from sympy import Matrix

from codegen import memory_mapped, read_libsvm, read_table, sample
from codegen.files import convert as conversion
from codegen.files import reading, tables
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Vector, bind, total

ROWS = 200
PICK = {"x": ["age", "height"], "y": "income"}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(reading, "BATCH_BYTES", 256)


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    return {
        "name": [f"n{i}" for i in range(ROWS)],
        "income": rng.normal(size=ROWS),
        "age": rng.integers(0, 99, ROWS),
        "height": rng.normal(size=ROWS),
        "smokes": rng.random(ROWS) < 0.5,
    }


def write_csv(path, table):
    lines = [
        ",".join(table),
        *(",".join(str(v) for v in row) for row in zip(*table.values(), strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_parquet(path, table):
    pq.write_table(pa.table(table), path, row_group_size=77)
    return path


def write_libsvm(path, X, y):
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
        for label, row in zip(y, X.tolist(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def sparse(rows=ROWS, columns=5):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.6)
    X[3, -1] = 1.5
    return X, rng.choice([-1.0, 1.0], rows)


def packed(path):
    """The same file, packed in the three ways that are read."""
    made = []
    for suffix, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        made.append(path.with_name(path.name + suffix))
        made[-1].write_bytes(pack(path.read_bytes()))
    return made


def refused(call, *said):
    with pytest.raises(RecipeError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for text in said:
        assert text in message, message
    return message


# What files hold


def test_a_table_is_what_was_written(tmp_path, table):
    files = [write_csv(tmp_path / "t.csv", table), write_parquet(tmp_path / "t.parquet", table)]
    for path in files + packed(files[0]):
        got = read_table(path, PICK | {"s": "smokes"})
        assert list(got) == ["x", "y", "s"]
        assert all(a.dtype == np.float64 for a in got.values())
        np.testing.assert_array_equal(got["x"], np.column_stack([table["age"], table["height"]]))
        np.testing.assert_array_equal(got["y"], table["income"])
        np.testing.assert_array_equal(got["s"], table["smokes"])


def test_a_list_of_one_column_is_an_array_of_two_dimensions(tmp_path):
    path = write_csv(tmp_path / "t.csv", {"a": [" 1 ", "2.5"]})
    got = read_table(path, {"x": ["a"], "y": "a"})
    np.testing.assert_array_equal(got["x"], [[1.0], [2.5]])
    np.testing.assert_array_equal(got["y"], [1.0, 2.5])


def test_csv_with_quotes_blank_lines_windows_ends_and_a_mark(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbfa,"b, c",n\r\n1,"2","x\r\ny"\r\n\r\n3,4,z')
    np.testing.assert_array_equal(read_table(path, {"x": ["a", "b, c"]})["x"], [[1, 2], [3, 4]])


def test_parquet_types_become_floats(tmp_path):
    columns = {
        "i": pa.array([1, 2], pa.uint8()),
        "h": pa.array([1.5, 2], pa.float16()),
        "d": pa.array([1, 2], pa.decimal128(5, 2)),
    }
    path = write_parquet(tmp_path / "t.parquet", columns)
    np.testing.assert_array_equal(
        read_table(path, {"x": ["i", "h", "d"]})["x"], [[1, 1.5, 1], [2, 2, 2]]
    )


@pytest.mark.by_default(3)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("columns", [None, 5, 8])
def test_libsvm_is_what_was_written(tmp_path, columns, intercept):
    X, y = sparse()
    path = write_libsvm(tmp_path / "a.t", X, y)
    wide = np.zeros((ROWS, columns or 5))
    wide[:, :5] = X
    if intercept:
        wide = np.column_stack([np.ones(ROWS), wide])
    for file in [path, *packed(path)]:
        got, labels = read_libsvm(file, columns, intercept=intercept)
        np.testing.assert_array_equal(got, wide)
        np.testing.assert_array_equal(labels, y)


def test_libsvm_with_comments_blank_lines_and_rows_of_zeros(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("# head\n1 2:3 # why\n\n0\n-1 1:2")
    X, y = read_libsvm(path)
    np.testing.assert_array_equal(X, [[0, 3], [0, 0], [2, 0]])
    np.testing.assert_array_equal(y, [1, 0, -1])


def test_libsvm_against_scikit_learn(tmp_path):
    from sklearn.datasets import load_svmlight_file

    path = write_libsvm(tmp_path / "a", *sparse())
    X, y = load_svmlight_file(str(path), zero_based=False)
    got, labels = read_libsvm(path)
    np.testing.assert_array_equal(got, X.toarray())
    np.testing.assert_array_equal(labels, y)


@pytest.mark.slow
def test_draws_are_the_same_from_arrays_in_memory_and_memory_mapped(tmp_path):
    theta = Vector("theta")
    x, U = Data("x", like=theta), Potential("U", theta)
    langevin = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]))
    path = write_libsvm(tmp_path / "a", *sparse())

    def drawn(X):
        normal = Posterior(theta, -total((x - theta) ** 2) / 2, -total(theta**2) / 2, {x: X})
        return sample(
            bind(langevin, {U: normal}),
            step_size=0.001,
            steps=50,
            batch_size=20,
            chains=2,
            progress=False,
        )["theta"]

    np.testing.assert_array_equal(
        drawn(read_libsvm(path)[0]), drawn(read_libsvm(path, into=tmp_path / "into")[0])
    )


# Mistakes


LINES = ["1 1:2 3:4"] * 60


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 0:2", "the index 0 is not in 1 to"),
        ("1 -1:2", "from 1"),
        ("1 3:2 2:1", "ascending"),
        ("1 2:b", "'b'"),
        ("1 2", "is not libsvm"),
        ("1,2 1:3", "is not libsvm"),
        ("name 1:3", "is not libsvm"),
        ("1 99999999999999999999:3", "is not libsvm"),
        ("1 4:1", "has the feature index 4, beyond columns=3; give columns=4"),
        ("1 1:nan", "missing or infinite"),
        ("inf 1:1", "missing or infinite"),
        ("\x00\x01", "is not libsvm"),
    ],
)
def test_a_bad_line_of_libsvm_is_named(tmp_path, line, said):
    path = tmp_path / "a.libsvm"
    path.write_text("\n".join(["# comment", "", *LINES, line, *LINES]))
    refused(lambda: read_libsvm(path, 3), f"{path}, line 63: ", said)


def test_libsvm_without_rows_or_features(tmp_path):
    path = tmp_path / "a"
    path.write_text("")
    refused(lambda: read_libsvm(path), str(path), "nothing at all")
    refused(lambda: read_libsvm(path, 3), "has no rows")
    path.write_text("1\n-1\n")
    refused(lambda: read_libsvm(path), "has no features")
    assert read_libsvm(path, 3)[0].shape == (2, 3)


@pytest.mark.parametrize("columns", [0, -1, True, 2.5, "3"])
def test_columns_of_libsvm_are_a_positive_integer(tmp_path, columns):
    refused(
        lambda: read_libsvm(tmp_path / "a", columns), f"columns={columns!r}", "positive integer"
    )


@pytest.mark.parametrize("name", ["a.libsvm.gz", "a.csv.gz", "a.csv.bz2", "a.csv.xz"])
def test_a_damaged_packed_file(tmp_path, name):
    path = tmp_path / name
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[path.suffix]
    whole = pack(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 97) for i in range(3000)))
    if "libsvm" in name:
        whole = pack(b"".join(b"%d 1:%d\n" % (i, i * i % 97) for i in range(3000)))
    broken = bytearray(whole)
    broken[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
    for content in (whole[:-20], bytes(broken), b"not packed at all"):
        path.write_bytes(content)
        refused(
            lambda: read_table(path, {"x": "a"}) if "csv" in name else read_libsvm(path, 1),
            str(path),
        )


def test_files_that_cannot_be_opened(tmp_path, monkeypatch):
    refused(lambda: read_table(tmp_path / "no.csv", PICK), "there is no file", "no.csv")
    refused(lambda: read_libsvm(tmp_path / "no", into=tmp_path / "into"), "there is no file")
    refused(lambda: memory_mapped(tmp_path / "no.npy"), "there is no file")
    (tmp_path / "folder.csv").mkdir()
    refused(
        lambda: read_table(tmp_path / "folder.csv", PICK), "folder.csv cannot be read", "directory"
    )
    refused(lambda: read_libsvm(3), "path=3 must be the path")

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    refused(
        lambda: read_table(tmp_path / "secret.csv", PICK),
        "secret.csv may not be read",
        "permissions",
    )


@pytest.mark.parametrize("name", ["t.tsv", "t.csv.zip", "t", "t.feather"])
def test_an_extension_that_is_not_known(tmp_path, name):
    refused(lambda: read_table(tmp_path / name, PICK), name, ".csv", ".parquet")


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_an_unknown_column_and_the_closest(tmp_path, table, write):
    path = write(tmp_path / f"t.{write.__name__[6:]}", table)
    refused(
        lambda: read_table(path, {"x": ["hieght"]}),
        str(path),
        "no column 'hieght'",
        "did you mean 'height'?",
        "'income'",
    )
    wide = {f"c{i}": [1.0] for i in range(30)}
    refused(lambda: read_table(write(path, wide), {"x": "unlike"}), "it has 'c0'", "and 20 more")


@pytest.mark.parametrize(
    "columns",
    [
        {},
        ["a"],
        "a",
        {"x": []},
        {"x": 3},
        {"x": ["a", 3]},
        {3: "a"},
        {"../x": "a"},
        {"": "a"},
        {"a.b": "a"},
    ],
)
def test_columns_of_a_table_are_names(tmp_path, columns):
    refused(lambda: read_table(tmp_path / "t.csv", columns), "income")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "a missing value"),
        ("NA", "a missing value"),
        ("nan", "a missing value"),
        ("inf", "an infinite value"),
        ("1e400", "an infinite value"),
        ("tall", "is not a number in row 152 (the header is row 1), but 'tall'"),
        ("1,5", "is not a number"),
        ("true", "is not a number"),
    ],
)
def test_a_bad_value_in_a_csv_file(tmp_path, table, value, said):
    path = write_csv(
        tmp_path / "t.csv",
        table | {"height": [*table["height"][:150], f'"{value}"', *table["height"][151:]]},
    )
    refused(
        lambda: read_table(path, PICK),
        str(path),
        "column 'height'",
        "row 152 (the header is row 1)",
        said,
    )
    np.testing.assert_array_equal(read_table(path, {"y": "income"})["y"], table["income"])


def test_text_that_is_not_utf8_is_named_only_where_it_is_asked_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,\xe9\n")
    assert read_table(path, {"x": "a"})["x"] == [1.0]
    refused(lambda: read_table(path, {"x": "b"}), "'b'", "row 2")


def test_csv_files_of_a_wrong_form(tmp_path):
    path = tmp_path / "t.csv"
    good = "".join(f"{i},{i}\n" for i in range(90))
    for text, said in (
        ("", "Empty"),
        ("a,b\n", "has no rows"),
        ("a,b\n" + good + "1,2,3\n" + good, "Row #92"),
        ('a,b\n1,"2\n' + good, "a quote that is not closed"),
        ("a,a\n1,2\n", "2 columns with the name 'a'"),
    ):
        path.write_text(text)
        refused(lambda: read_table(path, {"x": "a"}), str(path), said)


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "a missing value"), (np.nan, "a missing value"), (-np.inf, "an infinite value")],
)
def test_a_bad_value_in_a_parquet_file(tmp_path, table, value, said):
    heights = [*table["height"][:150], value, *table["height"][151:]]
    path = write_parquet(tmp_path / "t.parquet", table | {"height": heights})
    refused(lambda: read_table(path, PICK), str(path), "column 'height'", said, "row 151;")


def test_parquet_files_of_a_wrong_form(tmp_path, table):
    path = write_parquet(tmp_path / "t.parquet", table)
    refused(lambda: read_table(path, {"x": "name"}), "column 'name'", "string", "not numbers")
    whole = path.read_bytes()
    for content in (
        b"",
        b"a,b\n1,2\n",
        whole[:-30],
        whole[: len(whole) // 3] + bytes(60) + whole[len(whole) // 3 + 60 :],
    ):
        path.write_bytes(content)
        refused(lambda: read_table(path, PICK), str(path))
    write_parquet(path, {"a": pa.array([], pa.float64())})
    refused(lambda: read_table(path, {"x": "a"}), "has no rows")


# Folders


def convert(path, into, columns=PICK):
    return read_table(path, columns, into=into)


def test_a_folder_holds_the_same_arrays_and_is_used_again(tmp_path, table, monkeypatch):
    into = tmp_path / "deep" / "into"
    path = write_csv(tmp_path / "t.csv", table)
    here, there = read_table(path, PICK), convert(path, into)
    assert sorted(os.listdir(into.parent)) == ["into"]
    assert sorted(os.listdir(into)) == ["conversion.json", "x.npy", "y.npy"]
    monkeypatch.setattr(tables, "_batches", lambda *_: pytest.fail("the source is read again"))
    for arrays in (there, convert(path, into), convert(path, os.fspath(into))):
        assert list(arrays) == ["x", "y"]
        for name, array in arrays.items():
            assert isinstance(array, np.memmap)
            assert not array.flags.writeable
            np.testing.assert_array_equal(array, here[name])
            np.testing.assert_array_equal(
                np.load(into / f"{name}.npy", allow_pickle=False), here[name]
            )


@pytest.mark.parametrize("columns", [None, 7])
def test_libsvm_into_a_folder(tmp_path, columns):
    path = write_libsvm(tmp_path / "a", *sparse())
    (tmp_path / "into").mkdir()
    mapped = read_libsvm(path, columns, intercept=True, into=tmp_path / "into")
    again = read_libsvm(path, columns, intercept=True, into=tmp_path / "into")
    for a, b, c in zip(read_libsvm(path, columns, intercept=True), mapped, again, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    refused(lambda: read_libsvm(path, columns, into=tmp_path / "into"), "another options")


def test_a_folder_that_holds_anything_else_is_refused(tmp_path, table):
    path, into = write_csv(tmp_path / "t.csv", table), tmp_path / "into"
    convert(path, into)
    before = {p.name: p.read_bytes() for p in into.iterdir()}
    refused(lambda: convert(path, into, {"x": "age"}), str(into), "another options")
    refused(lambda: convert(write_csv(tmp_path / "u.csv", table), into), "another source")
    os.utime(path, ns=(1, 1))
    refused(lambda: convert(path, into), "another source")
    assert before == {p.name: p.read_bytes() for p in into.iterdir()}
    for name in ("notes.txt", "x.npy"):
        other = tmp_path / f"other_{name}"
        other.mkdir()
        (other / name).write_text("mine")
        refused(lambda folder=other: convert(path, folder), name, "choose a folder that is empty")
        assert os.listdir(other) == [name]
    refused(lambda: convert(path, path), "cannot be used", "Not a directory")
    refused(lambda: convert(path, path / "in"), "Not a directory")
    refused(lambda: convert(path, 3), "into=3")
    refused(lambda: convert(path, "/"), "holds other files")


def test_a_conversion_that_was_damaged_is_refused(tmp_path, table):
    path, into = write_csv(tmp_path / "t.csv", table), tmp_path / "into"
    convert(path, into)
    whole = (into / "x.npy").read_bytes()
    (into / "x.npy").write_bytes(whole[:-8])
    refused(lambda: convert(path, into), "x.npy is not a whole .npy file")
    np.save(into / "x.npy", np.ones((ROWS, 3)))
    refused(lambda: convert(path, into), "not those of its conversion.json", "delete it")
    (into / "x.npy").unlink()
    refused(lambda: convert(path, into), "there is no file", "x.npy")
    (into / "conversion.json").write_text('{"version"')
    refused(lambda: convert(path, into), "conversion.json is damaged")
    for text in ("[]", "{}", "null"):
        (into / "conversion.json").write_text(text)
        refused(lambda: convert(path, into), str(into))


def test_a_record_says_where_the_arrays_come_from(tmp_path, table):
    path = write_csv(tmp_path / "t.csv", table)
    convert(path, tmp_path / "into")
    record = json.loads((tmp_path / "into" / "conversion.json").read_text())
    assert record["source"] == {
        "path": str(path.resolve()),
        "size": path.stat().st_size,
        "mtime_ns": path.stat().st_mtime_ns,
    }
    assert record["arrays"] == {
        "x": {"dtype": "<f8", "shape": [ROWS, 2]},
        "y": {"dtype": "<f8", "shape": [ROWS]},
    }


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecipeError, MemoryError])
def test_an_interruption_leaves_nothing(tmp_path, table, monkeypatch, error):
    path, into, read = (
        write_csv(tmp_path / "t.csv", table),
        tmp_path / "out" / "into",
        tables._batches,
    )

    def interrupted(*arguments):
        for k, batch in enumerate(read(*arguments)):
            yield batch
            if k == 3:
                assert os.listdir(into.parent) == [".into.partial-conversion"]
                raise error("now")

    monkeypatch.setattr(tables, "_batches", interrupted)
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else RecipeError):
        convert(path, into)
    assert os.listdir(into.parent) == []
    monkeypatch.setattr(tables, "_batches", read)
    assert len(convert(path, into)["y"]) == ROWS


def test_a_source_that_changes_while_it_is_read(tmp_path, table, monkeypatch):
    path, into, read = (
        write_csv(tmp_path / "t.csv", table),
        tmp_path / "out" / "into",
        tables._batches,
    )

    def changed(*arguments):
        yield from read(*arguments)
        os.utime(path, ns=(1, 1))

    monkeypatch.setattr(tables, "_batches", changed)
    refused(lambda: convert(path, into), "changed while it was read")
    assert os.listdir(into.parent) == []


def test_two_at_once(tmp_path, table):
    path, into = write_csv(tmp_path / "t.csv", table), tmp_path / "into"
    with conversion._moved_when_whole(into) as partial:
        (partial / "x.npy").write_bytes(b"the work of the other one")
        refused(lambda: convert(path, into), "is being written by another process")
        assert os.listdir(partial) == ["x.npy"]
    assert os.listdir(into) == ["x.npy"]


def run(tmp_path, code):
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom codegen.files import reading, tables\n"
        + textwrap.dedent(code)
    )
    environment = os.environ | {"PYTHONPATH": os.fspath(INSTALLED)}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_nothing_that_looks_complete(tmp_path, table):
    path = write_csv(tmp_path / "t.csv", table)
    ended = run(
        tmp_path,
        """
        reading.BATCH_BYTES, read = 256, tables._batches
        def killed(*arguments):
            for k, batch in enumerate(read(*arguments)):
                yield batch
                if k == 5:
                    os.kill(os.getpid(), 9)
        tables._batches = killed
        tables.read_table("t.csv", {"x": "age", "y": "income"}, into="into")
        """,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert sorted(os.listdir(tmp_path)) == [".into.partial-conversion", "t.csv"]
    np.testing.assert_array_equal(convert(path, tmp_path / "into")["y"], table["income"])
    assert sorted(os.listdir(tmp_path)) == ["into", "t.csv"]


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    write_csv(tmp_path / "t.csv", {"age": range(4000), "income": range(4000)})
    ended = run(
        tmp_path,
        """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        from recipe.language.errors import RecipeError
        try:
            tables.read_table("t.csv", {"x": "age", "y": "income"}, into="into")
        except RecipeError as error:
            print(error)
        """,
    )
    assert (
        ended.stdout
        == f"{tmp_path.resolve() / 'into'} cannot be written: File too large; make room there or"
        " choose another folder\n"
    )
    assert os.listdir(tmp_path) == ["t.csv"]


# .npy files


def test_memory_mapped_opens_what_numpy_saves(tmp_path):
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.array([True, False]),
    ):
        np.save(tmp_path / "a.npy", array)
        got = memory_mapped(tmp_path / "a.npy")
        assert isinstance(got, np.memmap)
        assert not got.flags.writeable
        np.testing.assert_array_equal(got, array)


def test_memory_mapped_refuses_what_is_not_a_whole_array_of_numbers(tmp_path):
    path = tmp_path / "a.npy"
    for array in (
        np.array(["a"]),
        np.array([1j]),
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        np.array([{}], dtype=object),
    ):
        np.save(path, array, allow_pickle=True)
        refused(lambda: memory_mapped(path), str(path))
    np.savez(tmp_path / "b.npz", np.ones(3))
    refused(lambda: memory_mapped(tmp_path / "b.npz"), "not a whole .npy file")
    np.save(path, np.ones(30))
    whole = path.read_bytes()
    for content in (
        b"",
        b"text",
        whole[:50],
        whole[:-1],
        whole.replace(b"(30,)", b"(-3,)"),
        whole.replace(b"}", b" "),
    ):
        path.write_bytes(content)
        refused(lambda: memory_mapped(path), str(path))


def test_a_damaged_header_is_never_anything_but_refused_or_read(tmp_path):
    path, rng = tmp_path / "a.npy", np.random.default_rng(3)
    np.save(path, np.ones(30))
    whole = path.read_bytes()
    for _ in range(300):
        broken = bytearray(whole)
        broken[rng.integers(len("\x93NUMPY1.0h") + 60)] = rng.integers(256)
        path.write_bytes(bytes(broken))
        with suppress(RecipeError):
            assert memory_mapped(path).dtype.kind in "fiub"


# Time and memory


def test_a_bar_is_shown_on_a_terminal_after_a_while_and_goes_away(
    tmp_path, table, monkeypatch, capsys
):
    path = write_csv(tmp_path / "t.csv", table)
    read_table(path, PICK)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(reading, "BAR_AFTER_SECONDS", 0.0)
    read_table(path, PICK)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    read_table(path, PICK)
    out, err = capsys.readouterr()
    assert out == ""
    assert "reading t.csv" in err


MEASURE = """
    import threading, time
    import numpy as np, pyarrow.csv, pyarrow.parquet, pyarrow.compute
    from codegen.files import libsvm
    def anonymous():
        lines = open("/proc/self/status").read().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
    before, most, done = anonymous(), 0, False
    def watch():
        global most
        while not done:
            most = max(most, anonymous())
            time.sleep(0.005)
    thread = threading.Thread(target=watch)
    thread.start()
    arrays = {call}
    done = True
    thread.join()
    print(most - before, sum(a.nbytes for a in arrays))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["csv", "parquet", "libsvm"])
def test_a_conversion_never_holds_the_whole(tmp_path, kind):
    rng, rows, names = np.random.default_rng(4), 1_500_000, [f"c{i}" for i in range(20)]
    path, columns = tmp_path / f"t.{kind}", {"x": names[1:], "y": names[0]}
    call = f"tables.read_table('{path.name}', {columns}, into='into').values()"
    if kind == "parquet":
        pq.write_table(
            pa.table({name: rng.normal(size=rows) for name in names}), path, row_group_size=rows
        )
    elif kind == "csv":
        block = "".join(
            ",".join(map(repr, row)) + "\n" for row in rng.normal(size=(1000, 20)).round(6).tolist()
        )
        path.write_text(",".join(names) + "\n" + block * (rows // 1000))
    else:
        path.write_text("".join(f"{i % 2} 7:{i} 20:{i % 13}\n" for i in range(rows)))
        call = f"libsvm.read_libsvm('{path.name}', into='into')"
    ended = run(tmp_path, MEASURE.format(call=call))
    assert ended.returncode == 0, ended.stderr
    grown, size = map(int, ended.stdout.split())
    assert size >= 8 * 20 * rows
    assert grown < size / 2, f"{grown / 1e6:.0f} MB for arrays of {size / 1e6:.0f} MB"
