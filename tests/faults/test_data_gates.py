"""One rule for what is a number, whatever holds it; and a value that is not finite is named,
whatever meets it.
"""

from __future__ import annotations

import array
import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sympy import Integer, Matrix, Symbol, exp, log
from typer.testing import CliRunner

import verify
from codegen import Cyclical, Polynomial, read_libsvm, read_table, sample
from codegen.check_arguments import checked_positive
from codegen.inputs.float32_data import with_float32_data
from codegen.inputs.lengths import Lengths
from codegen.inputs.posterior_data import finite_array, resolved_arrays
from codegen.results.draws import Divergence
from recipe import (
    Data,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Vector,
    bind,
    compose,
    discretised,
    metropolis,
    total,
)
from recipe_cli.main import app

ODD = 2**53 + 1  # the first whole number that float64 does not hold

theta = Vector("theta")
U = Potential("U", theta)
x, y = Data("x", like=theta), Data("y")
C = Symbol("C", positive=True)
LANGEVIN = Recipe((theta,), U, Matrix([[C]]), Matrix([[0]]))
LIKELIHOOD = -log(1 + exp(-y * total(x * theta)))


def law(xs, ys, gradient=None):
    return Posterior(theta, LIKELIHOOD, -total(theta**2) / 2, {x: xs, y: ys}, gradient)


def read(ys, xs=None):
    """The arrays of the data, as a run would get them."""
    xs = np.ones((len(ys), 2)) if xs is None else xs
    arrays = resolved_arrays(law(xs, ys), Lengths())
    return arrays[x], arrays[y]


def refused(message, *arguments):
    with pytest.raises(RecipeError, match=message) as said:
        read(*arguments)
    assert "\n" not in str(said.value)


# Text, dates, categories, and values that are missing


TEXTS = {
    "numpy": np.array(["1", "2.5"]),
    "numpy bytes": np.array([b"1", b"2.5"]),
    "numpy objects": np.array(["1", "2.5"], dtype=object),
    "numpy strings": np.array(["1", "2.5"], dtype=np.dtypes.StringDType()),
    "a list": ["1", "2.5"],
    "one of a list": [1.0, "2.5"],
    "a tuple of bytes": (b"1", b"2.5"),
    "one of numpy objects": np.array([1.0, "2.5"], dtype=object),
}


@pytest.mark.parametrize("values", TEXTS.values(), ids=TEXTS)
def test_text_is_no_number(values):
    refused(
        r"the data of y must be .* of floats, not (str|bytes): it has .* in row [01]; convert it",
        values,
    )
    with pytest.raises(RecipeError, match=r"not (str|bytes)"):
        finite_array("params['k']", values, 1)
    with pytest.raises(RecipeError, match=r"not (str|bytes)"):
        with_float32_data(module_of(law(np.ones((2, 2)), values)))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1", "two"], "it has 'two' in row 1; give each category a column"),
        (["1", "nan"], "it has 'nan' in row 1; give each category a column"),
        (["1", "2"], "it has '1' in row 0; convert it to numbers first"),
        ([[1.0, 2.0], [3.0, "x"]], "it has 'x' in row 1, column 1; give each category a column"),
        (["b", "a"], "it has 'b' in row 0; give each category a column"),
    ],
)
def test_text_is_named_where_it_keeps_the_rest_from_being_numbers(values, words):
    rows = values if isinstance(values[0], list) else np.ones((2, 2))
    with pytest.raises(RecipeError, match=re.escape(words)):
        read(values if rows is not values else np.ones(2), rows)


def module_of(posterior):
    from codegen import generate

    return generate(bind(LANGEVIN, {U: posterior}))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "object",
            (
                "the column 'age' of the data of y must be .*, not str: it has '1' in row 0;"
                " convert it to numbers first"
            ),
        ),
        ("str", "the column 'age' of the data of y must be .*, not str: it has '1' in row 0"),
        ("string", "the column 'age' of the data of y must be .*, not str: it has '1' in row 0"),
        ("category", "the column 'age' .* not categories; give the numbers"),
        (
            "datetime64[s]",
            (
                "the column 'age' .* not datetime64; convert them to numbers first, for instance to"
                " days"
            ),
        ),
        ("timedelta64[s]", "the column 'age' .* not timedelta64"),
    ],
)
def test_columns_of_pandas_are_read_as_arrays_of_numpy_are(kind, message):
    pandas = pytest.importorskip("pandas")
    texts = ["1", "2"] if kind in ("object", "str", "string") else [1, 2]
    column = pandas.Series(texts, dtype=kind, name="age")
    refused(message, column)
    table = pandas.DataFrame({"height": [1.5, 2.0], "age": column})
    refused(message.replace("data of y", "data of x"), [0.0, 1.0], table)


def test_values_of_pandas_that_are_missing_are_named():
    pandas = pytest.importorskip("pandas")
    for dtype in ("Int64", "Float64", "boolean", "UInt8"):
        column = pandas.Series([1, 0, None], dtype=dtype)
        refused("the data of y has a missing value in row 2; fill it in", column)
        refused("the column 'c' of the data of y has a missing value in row 2", column.rename("c"))
        table = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": column})
        refused("the column 'b' of the data of x has a missing value in row 2", np.ones(3), table)
    with_objects = pandas.DataFrame({"a": pandas.Series([1.0, pandas.NaT], dtype=object)})
    refused(
        "the column 'a' of the data of x has a missing value in row 1; fill it in",
        np.ones(2),
        with_objects,
    )
    zoned = pandas.Series(pandas.to_datetime(["2020-01-01", "2020-01-02"], utc=True), dtype=object)
    refused("not Timestamp: it has 2020-01-01 .* in row 0; convert them", zoned)
    refused("not Period", pandas.Series(pandas.period_range("2020", periods=2)))


def test_values_of_arrow_that_are_missing_are_named():
    arrow = pytest.importorskip("pyarrow")
    for column in (arrow.array([1, 0, None]), arrow.chunked_array([[1, 0], [None]])):
        refused("the data of y has a missing value in row 2; fill it in", column)
        table = arrow.table({"a": [1.0, 2.0, 3.0], "b": column})
        refused("the column 'b' of the data of x has a missing value in row 2", np.ones(3), table)


def test_numbers_of_pandas_are_numbers():
    pandas = pytest.importorskip("pandas")
    for dtype in ("int8", "uint64", "float32", "bool", "Int64", "Float32", "boolean", "object"):
        _, ys = read(pandas.Series([1, 0, 1], dtype=dtype))
        np.testing.assert_array_equal(ys, [1, 0, 1])
    sparse = pandas.Series(pandas.arrays.SparseArray([1.0, 0.0, 0.0]))
    table = pandas.DataFrame(
        {"a": [1, 2, 3], 7: [0.5, 1.0, 1.5], "s": sparse, "b": [True, False, True]}
    )
    xs, _ = read(np.ones(3), table)
    np.testing.assert_array_equal(xs, [[1, 0.5, 1, 1], [2, 1, 0, 0], [3, 1.5, 0, 1]])
    alike = pandas.DataFrame(np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(read(np.ones(3), alike)[0], alike.to_numpy())


def test_tables_of_arrow_and_polars_are_read_column_by_column():
    arrow = pytest.importorskip("pyarrow")
    tables = [arrow.table, arrow.record_batch]
    columns = [arrow.array]
    try:
        import polars
    except ImportError:
        pass
    else:
        tables, columns = [*tables, polars.DataFrame], [*columns, polars.Series]
    for table in tables:
        good = table({"a": [1, 2, 3], "b": [0.5, 1.0, 1.5]})
        np.testing.assert_array_equal(read(np.ones(3), good)[0], [[1, 0.5], [2, 1], [3, 1.5]])
        said = "the column 'b' of the data of x must be numbers, not str: it has '1'"
        refused(said, np.ones(2), table({"a": [1, 2], "b": ["1", "2"]}))
        said = f"the column 'a' of the data of x has the whole number {ODD} in row 1"
        refused(said, np.ones(2), table({"a": [1, ODD], "b": [0.5, 1.0]}))
        refused(
            "the column 'a' of the data of x .* in row 1",
            np.ones(2),
            table({"a": [1, None], "b": [0.5, 1.0]}),
        )
        refused(
            "the column 'd' .* not datetime64",
            np.ones(1),
            table({"d": [datetime.date(2020, 1, 1)]}),
        )
    for column in columns:
        np.testing.assert_array_equal(read(column([1, 2]))[1], [1, 2])
        refused("not str", column(["1", "2"]))
        refused("the data of y .* in row 1", column([1, None]))
        refused(f"the whole number {ODD} in row 1", column([1, ODD]))
    refused("not categories", arrow.array(["1", "2"]).dictionary_encode())


def test_arrays_of_other_libraries_are_numbers_or_one_sentence():
    class Tensor:
        dtype = "torch.float32"

        def __init__(self, fault=None):
            self.fault = fault

        def __len__(self):
            return 2

        def __array__(self, dtype=None, copy=None):
            if self.fault is not None:
                raise RuntimeError(self.fault)
            return np.array([1.0, 2.0], dtype=np.float32)

    np.testing.assert_array_equal(read(Tensor())[1], [1.0, 2.0])
    fault = "Can't call numpy() on Tensor that requires grad."
    refused(f"not Tensor: {re.escape(fault)}", Tensor(fault))
    xarray = pytest.importorskip("xarray")
    np.testing.assert_array_equal(read(xarray.DataArray([1, 2]))[1], [1, 2])
    refused("not Dataset: cannot directly convert", xarray.Dataset({"a": ("i", [1, 2])}))
    scipy = pytest.importorskip("scipy.sparse")
    refused(
        r"not csr_\w+; give a dense array, \.toarray\(\)", np.ones(2), scipy.csr_array(np.eye(2))
    )


GOOD = {
    "integers of Python": [1, 2],
    "large, but even": [2**60, -(2**63)],
    "beyond any integer of numpy": [2**70, 2**80],
    "fractions": [Fraction(1, 3), Fraction(2)],
    "decimals": [Decimal("0.1"), Decimal("1e15")],
    "numbers of sympy": [Integer(3), Integer(4) / 7],
    "a range": range(2),
    "objects": np.array([1, 2.5], dtype=object),
    "truth values": [True, False],
    "truth values among floats": [True, 0.5],
    "longdouble": np.array([0.5, 1.0], dtype=np.longdouble),
    "big-endian": np.array([1, 2], dtype=">i8"),
    "half precision": np.array([1, 2], dtype=np.float16),
    "the largest that is exact": np.array([2**53, -(2**53)]),
    "the least": np.array([-(2**63), 2**62]),
    "unsigned": np.array([2**64 - 2**11, 0], dtype=np.uint64),
    "a buffer": array.array("d", [1.0, 2.0]),
    "backwards": np.arange(4.0)[::-2],
}


@pytest.mark.parametrize("values", GOOD.values(), ids=GOOD)
def test_numbers_are_numbers(values):
    np.testing.assert_array_equal(read(values)[1], [float(v) for v in values])


BAD = {
    "None": ([1.0, None], "has a missing value in row 1"),
    "a date": (
        np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"),
        "not datetime64; convert them",
    ),
    "a date of Python": (
        [1.0, datetime.date(2020, 1, 1)],
        "not date: it has 2020-01-01 in row 1; convert them",
    ),
    "a duration": (np.array([1, 2], dtype="m8[s]"), "not timedelta64"),
    "complex": (
        [1.0, 1j],
        "is complex; it must be an array .* of real numbers: give its real part",
    ),
    "records": (
        np.array([(1.0, 2), (3.0, 4)], dtype=[("a", float), ("b", int)]),
        r"not records; give one field, for instance \['a'\]",
    ),
    "rows of any length": ([[1.0], [1.0, 2.0]], "not list: its rows differ in length"),
    "arrays in an array": (
        np.array([np.ones(2), None], dtype=object),
        "not ndarray in row 0; give rows of one length",
    ),
    "a dict": ({0: 1.0, 1: 2.0}, "not dict"),
    "a set": ({1.0, 2.0}, "not set"),
    "too large": ([1.0, 10**400], "has a number in row 1 that is too large for float64"),
    "longdouble": (
        np.array([1, np.longdouble(1) / 3], dtype=np.longdouble),
        r"float64 does not hold its number in row 1; .*astype",
    ),
}


@pytest.mark.parametrize("values", BAD.values(), ids=BAD)
def test_what_is_no_number_is_one_sentence(values):
    refused(values[1], values[0])


# Whole numbers beyond 2^53


ROUNDED = {
    "int64": np.array([1, ODD]),
    "negative": np.array([1, -ODD]),
    "uint64": np.array([1, 2**64 - 1], dtype=np.uint64),
    "big-endian": np.array([1, ODD], dtype=">i8"),
    "a list": [1, ODD],
    "a list with a float": [0.5, ODD],
    "a list of numpy": [np.int64(1), np.int64(ODD)],
    "beyond int64": [-1, 2**63 + 1],
    "beyond all": [1, 2**70 + 1],
    "objects": np.array([1.5, ODD], dtype=object),
    "decimals": [Decimal(1), Decimal(ODD)],
    "fractions": [Fraction(1), Fraction(ODD)],
    "sympy": [Integer(1), Integer(ODD)],
}


@pytest.mark.parametrize("values", ROUNDED.values(), ids=ROUNDED)
def test_whole_numbers_that_float64_rounds_are_refused(values):
    said = (
        rf"the data of y has the whole number {int(values[1])} in row 1, which float64 rounds to"
        r" -?\d+; subtract an offset"
    )
    refused(said, values)
    wide = [[0, 0.5], [0.5, values[1]]]
    if isinstance(values, np.ndarray):
        wide = np.stack([np.zeros_like(values), values], axis=1)
    refused(said.replace("of y", "of x"), np.ones(2), wide)


def test_which_integers_are_rounded_is_what_python_says():
    rng = np.random.default_rng(0)
    from recipe.language.numbers import _are_rounded

    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        whole = rng.integers(limits.min, limits.max, 3000, dtype=dtype, endpoint=True)
        near = rng.integers(2**53 - 20, 2**53 + 20, 200).astype(dtype)
        powers = np.array(
            [2**k + d for k in range(52, 63) for d in (-1, 0, 1, 2, 2 ** (k - 52))], dtype=dtype
        )
        ends = np.array([limits.min, limits.max], dtype=dtype)
        even = (whole >> dtype(k) << dtype(k) for k in (10, 11))
        values = np.concatenate([*even, whole, near, powers, ends])
        assert values.dtype == dtype
        assert _are_rounded(values).tolist() == [int(float(int(v))) != int(v) for v in values]


def test_memory_mapped_integers_are_looked_at_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("recipe.language.numbers.BLOCK_BYTES", 64)
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.int64, (100, 2))
    mapped[:] = 7
    read(np.ones(100), mapped)
    mapped[60, 1] = ODD
    refused(f"the data of x has the whole number {ODD} in row 60", np.ones(100), mapped)


def test_parameters_are_not_rounded_either():
    with pytest.raises(
        RecipeError,
        match=rf"params\['C'\] has the whole number {ODD}, which float64 rounds to {2**53}",
    ):
        finite_array("params['C']", ODD, 0)
    with pytest.raises(
        RecipeError, match=r"params\['C'\] .*of float128|params\['C'\] .*of longdouble"
    ):
        finite_array("params['C']", np.longdouble(1) / 3, 0)
    assert finite_array("params['C']", 2**53, 0) == 2.0**53
    assert finite_array("params['C']", float(ODD), 0) == 2.0**53  # knowingly


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_of_files_are_not_rounded(tmp_path, ending):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    def written(values, kind=None):
        table = arrow.table({"a": [0.5, 1.5, 2.5], "b": arrow.array(values, kind)})
        path = tmp_path / f"t.{ending}"
        (csv.write_csv if ending == "csv" else parquet.write_table)(table, path)
        return path

    columns, row = {"x": ["a", "b"]}, "row 4" if ending == "csv" else "row 3"
    for kind in (None, arrow.uint64(), arrow.decimal128(30, 0)):
        with pytest.raises(
            RecipeError,
            match=rf"column 'b' has the whole number {ODD}, which float64 rounds to .*, in {row}",
        ):
            read_table(written([1, 2**60, ODD], kind), columns)
    assert read_table(written([1.0, 2.0**60, float(ODD)]), columns)["x"][2, 1] == 2.0**53
    assert read_table(written([1, 2**53, -(2**60)]), columns)["x"][2, 1] == -(2.0**60)


def test_files_of_libsvm_are_not_rounded(tmp_path):
    path = tmp_path / "t"
    for line in (f"1 1:0.5 2:{ODD}", f"-{ODD} 1:0.5"):
        path.write_text(f"1 1:1e300 2:{2**60} # {ODD}\n{line}\n")
        with pytest.raises(
            RecipeError, match=rf"line 2: .* has the whole number -?{ODD}, which float64 rounds"
        ):
            read_libsvm(path)
    path.write_text(f"1 1:1e300 2:{2**60} # {ODD}\n1 1:0.5 2:{ODD}.0\n")
    assert read_libsvm(path)[0][1, 1] == 2.0**53


def test_the_command_does_not_round_parameters():
    call = [
        "sample",
        "sghmc",
        "--posterior",
        "breast_cancer",
        "--param",
        f"C={ODD}",
        "--steps",
        "5",
    ]
    done = CliRunner().invoke(app, call)
    from recipe_cli.program.typed import parameters_typed

    assert done.exit_code != 0
    with pytest.raises(
        RecipeError,
        match=f"--param C has the whole number {ODD}, which float64 rounds to .*decimal point",
    ):
        parameters_typed((f"C={ODD}",))
    assert parameters_typed((f"C={ODD}.0", "D=1e30", "E=7")) == {"C": 2.0**53, "D": 1e30, "E": 7.0}


# True is no number


@pytest.mark.parametrize("truth", [True, False, np.True_, np.bool_(False)])
@pytest.mark.parametrize(
    "name",
    [
        "step_size",
        "steps",
        "chains",
        "seed",
        "thin",
        "warmup",
        "batch_size",
        "threads",
        "checkpoint_seconds",
    ],
)
def test_a_truth_value_is_no_number(name, truth):
    options = {"step_size": 0.1, "steps": 5, "params": {"C": 1.0}, "progress": False, name: truth}
    with pytest.raises(
        RecipeError, match=rf"{name}={re.escape(repr(truth))} must be a (whole )?number"
    ):
        sample(bind(LANGEVIN, {U: law(np.ones((3, 2)), np.ones(3))}), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"params": {"C": True}},
            r"params\['C'\] must be a number of floats, not bool; write 1.0 or 0.0",
        ),
        ({"params": {"C": np.array(True)}}, r"params\['C'\] must be a number of floats, not bool"),
        (
            {"initial": {"theta": [True, False]}},
            r"initial\['theta'\] must be .*, not bool; write \.astype\(float\)",
        ),
        ({"lengths": {"theta": True}}, r"lengths\[theta\]=True must be a whole number"),
        (
            {"control_variates": {"theta": [True, False]}, "batch_size": 2},
            r"control_variates\['theta'\] must be .*, not bool",
        ),
    ],
)
def test_a_truth_value_is_no_parameter_and_no_state(options, message):
    given = {"step_size": 0.1, "steps": 5, "params": {"C": 1.0}, "progress": False, **options}
    with pytest.raises(RecipeError, match=message):
        sample(bind(LANGEVIN, {U: law(np.ones((3, 2)), np.ones(3))}), **given)


def test_a_truth_value_is_no_part_of_a_schedule():
    for make in (
        lambda v: Polynomial(v, 1, 1),
        lambda v: Polynomial(1, 1, v),
        lambda v: Cyclical(v, 5),
        lambda v: Cyclical(1, v),
    ):
        for value in (True, "0.5", 1j, np.complex128(1), np.timedelta64(1), b"1"):
            with pytest.raises(RecipeError, match="must be a"):
                make(value)
    assert checked_positive("a", np.float32(0.5)) == checked_positive("a", Fraction(1, 2)) == 0.5


def test_the_statistical_verifier_has_the_same_rule():
    def kernel(state, rng):
        raise AssertionError("it is not called")

    def checked(**options):
        given = {
            "step_size": 0.01,
            "params": {"C": 1.0},
            "gradients": {"U": lambda t: t},
            **options,
        }
        verify.check_kernel(kernel, discretised(LANGEVIN, "euler"), seed=1, **given)

    for size in (True, "0.01", np.True_):
        with pytest.raises(RecipeError, match=r"step_size=.* must be a positive number"):
            checked(step_size=size)
    for value, message in (
        (True, "not made of numbers; write 1.0"),
        ("1", "not str"),
        (ODD, "float64 rounds"),
    ):
        with pytest.raises(RecipeError, match=message):
            checked(params={"C": value})


# A value that is not finite, in a file that nobody has read through


def mapped(tmp_path, dtype, bad):
    """Data in a file, with a bad value in row 150."""
    rng = np.random.default_rng(0)
    xs = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", dtype, (200, 2))
    xs[:] = rng.normal(size=(200, 2))
    xs[150, 1] = bad
    return law(xs, np.where(rng.random(200) < 0.5, 1.0, -1.0))


NAMED = "row 150 of the data of x contains a value that is not finite"
RUN = {"step_size": 1e-2, "steps": 20, "chains": 2, "progress": False}


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "bad"), [(np.float64, np.nan), (np.float32, np.inf)])
def test_metropolis_tests_that_cannot_accept_name_the_row(tmp_path, dtype, bad):
    """Every proposal was rejected, and a smaller step was advised, with the status of a good
    run.
    """
    langevin = Recipe((theta,), U, Matrix([[1]]), Matrix([[0]]))
    mala = bind(compose(metropolis(langevin, "euler")), {U: mapped(tmp_path, dtype, bad)})
    draws = sample(mala, **RUN)
    assert draws.warnings == (NAMED, *map(str, draws.divergences))
    assert [d.chain for d in draws.divergences] == [0, 1]
    assert (
        str(draws.divergences[0])
        == f"chain 0 stayed where it began; {NAMED}: correct it, or leave the row out"
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"batch_size": 100}])
def test_a_divergence_names_the_row(tmp_path, options, monkeypatch):
    monkeypatch.setattr("recipe.language.numbers.BLOCK_BYTES", 64)
    posterior = mapped(tmp_path, np.float64, -np.inf)
    draws = sample(bind(LANGEVIN, {U: posterior}), params={"C": 1.0}, **RUN, **options)
    assert draws.warnings == (NAMED, *map(str, draws.divergences))
    for d in draws.divergences:
        said = rf"chain {d.chain} diverged in step \d+: theta is not finite; {NAMED}: correct it"
        assert re.match(said, str(d))
    assert len(draws.divergences) == 2


@pytest.mark.slow
def test_what_is_computed_before_a_run_names_the_row(tmp_path):
    posterior = mapped(tmp_path, np.float64, np.nan)
    with pytest.raises(RecipeError, match=f"no mode was found: {NAMED}; correct it"):
        sample(
            bind(LANGEVIN, {U: posterior}),
            params={"C": 1.0},
            **RUN,
            batch_size=5,
            control_variates=True,
        )


def test_a_divergence_without_bad_data_says_what_it_said():
    assert (
        str(Divergence(0, 3, "theta"))
        == "chain 0 diverged in step 3: theta is not finite; try a smaller step size"
    )
