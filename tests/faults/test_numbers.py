"""Numbers that no run can have: each argument takes what is a number in its bounds, and refuses the
rest in one sentence.
"""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from helpers.command import command
from limited import environment_of

import codegen
from catalog.sgld import U, sgld, theta
from codegen.check_arguments import checked_integer, checked_positive, short_text
from codegen.system import memory
from recipe import Data, Posterior, RecipeError, bind, total

x = Data("x", like=theta)
DATA = np.arange(40.0).reshape(20, 2) / 40
LAW = Posterior((theta,), -total((x - theta) ** 2) / 2, -total(theta**2) / 2, {x: DATA})
SAMPLER = bind(sgld, {U: LAW})


def sample(**more):
    given = {"step_size": 0.01, "steps": 4, "chains": 2, "progress": False}
    return codegen.sample(SAMPLER, **{**given, **more})


# -- numbers above 0
# --------------------------------------------------------------------------------------------------

GOOD = [
    0.25,
    1,
    5e-324,
    Fraction(1, 4),
    Decimal("0.25"),
    np.float32(0.25),
    np.float64(0.25),
    np.float16(0.25),
    np.int8(1),
    np.array(0.25),
    sympy.Rational(1, 4),
    sympy.Float("0.25"),
    sympy.Integer(1),
    sympy.pi,
    10**308,
]
TOO_FAR = [
    10**400,
    10**5000,
    Fraction(1, 10**400),
    Fraction(10**400),
    Decimal("1e-5000"),
    Decimal("1e5000"),
    sympy.Integer(10) ** 400,
    sympy.Rational(1, 10**400),
]
BAD = [
    -1,
    0,  # it is said to be 0, and not that it is too small for a float
    -0.0,
    float("inf"),
    sympy.oo,
    float("nan"),
    Decimal("nan"),
    Decimal("sNaN"),
    "0.1",
    "1",
    b"1",
    True,
    np.True_,
    np.False_,
    sympy.true,
    None,
    1j,
    sympy.I,
    sympy.zoo,
    sympy.nan,
    sympy.Symbol("q"),
    [0.1],
    (0.1,),
    {},
    np.array([0.1]),
    np.array("0.1"),
    np.complex128(1),
    object,
]


@pytest.mark.parametrize("value", GOOD, ids=short_text)
def test_what_is_a_positive_number_is_taken(value):
    assert checked_positive("step_size", value) == float(value)


@pytest.mark.parametrize(
    ("value", "bounds"), [*((v, True) for v in TOO_FAR), *((v, False) for v in BAD)], ids=short_text
)
def test_what_is_none_is_refused_in_one_short_sentence(value, bounds):
    with pytest.raises(RecipeError) as refused:
        checked_positive("step_size", value)
    said = str(refused.value)
    assert said.startswith("step_size=")
    assert "above 0" in said
    assert len(said) < 200
    assert len(said.splitlines()) == 1
    assert ("4.9e-324 and 1.8e+308" in said) == bounds


FLOATS = ["step_size", "checkpoint_seconds"]
SCHEDULES = {
    "Polynomial: a": lambda v: codegen.Polynomial(v, 1, 1),
    "Polynomial: b": lambda v: codegen.Polynomial(1, v, 1),
    "Polynomial: c": lambda v: codegen.Polynomial(1, 1, v),
    "Cyclical: a": lambda v: codegen.Cyclical(v, 5),
    "step_size": codegen.Constant,
}


@pytest.mark.parametrize(
    "value", [10**400, Fraction(1, 10**400), "0.1", float("nan"), sympy.oo], ids=short_text
)
def test_every_argument_that_is_a_positive_number_is_checked_so(value):
    for argument in FLOATS:
        with pytest.raises(RecipeError, match=f"^{argument}="):
            sample(**{argument: value})
    for argument, schedule in SCHEDULES.items():
        with pytest.raises(RecipeError, match=f"^{argument}="):
            schedule(value)


# -- whole numbers
# --------------------------------------------------------------------------------------------------

COUNTS = ["steps", "chains", "seed", "batch_size", "warmup", "thin", "threads"]
NO_COUNTS = [
    10**400,
    10**5000,
    -1,
    2.0,
    "5",
    True,
    np.float64(5),
    np.True_,
    Fraction(5),
    Decimal(5),
    np.array([5]),
    sympy.Rational(5, 2),
]


@pytest.mark.parametrize("value", NO_COUNTS, ids=short_text)
def test_every_count_is_a_whole_number_in_its_bounds(value):
    for argument in COUNTS:
        with pytest.raises(RecipeError, match=rf"^{argument}=.* must be a whole number") as refused:
            sample(**{argument: value})
        assert len(str(refused.value)) < 200
    with pytest.raises(RecipeError, match="Cyclical: length"):
        codegen.Cyclical(1.0, value)


@pytest.mark.parametrize(
    "value", [5, np.int64(5), np.uint8(5), sympy.Integer(5), np.array(5)], ids=short_text
)
def test_what_is_a_whole_number_is_taken(value):
    assert (checked_integer("n", value, 1), type(checked_integer("n", value, 1))) == (5, int)


def test_values_of_a_parameter_or_a_state_are_floats():
    for value in (10**400, [10**400, 1], [Fraction(10**400), 1]):
        with pytest.raises(RecipeError, match=r"too large for float64|must be|not finite"):
            sample(initial={"theta": value})
    with pytest.raises(RecipeError, match="too large for float64"):
        codegen.sample(
            bind(
                sgld,
                {
                    U: Posterior(
                        (theta,), -total((x - theta) ** 2), -total(theta**2), {x: [[10**400, 1]]}
                    )
                },
            ),
            step_size=1,
            steps=1,
        )


TYPED = ["1e400", "-1e400", "nan", "1e-400", "10**400", "9" * 5000, "1/3", "0x1", "", "1_0", "٣"]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("value", TYPED, ids=lambda v: v[:8])
def test_every_number_that_is_typed_is_checked_before_anything_runs(tmp_path, value):
    posterior = tmp_path / "posterior.py"
    posterior.write_text("raise SystemExit('it was run')")
    start = ["sample", "sgld", "--posterior", posterior]
    for arguments in (
        [*start, "--step-size", "1", "--steps", value],
        ["test", "sgld", "--step-size", f"-{value}"],
        ["test", "sgld", "--level", value],
        ["verify", "sgld", "--timeout", f"-{value}"],
    ):
        done = command(*arguments)
        if done.returncode == 0 and value in ("1_0", "٣"):  # Python reads them as 10 and 3
            continue
        assert done.returncode == 2, (arguments, done)
        assert "Traceback" not in done.stderr
        assert "internal" not in done.stderr


def test_more_memory_than_there_are_numbers_for_is_no_limit():
    assert command("verify", "sgld", "--memory", "1e300").returncode == 0


# -- memory
# --------------------------------------------------------------------------------------------------

HUGE = [
    {"chains": 10**9},
    {"chains": 2**62},
    {"steps": 10**13},
    {"steps": 2**62},
    {"chains": 10**6, "steps": 10**6},
    {"chains": 10**9, "keep": ["theta"], "initial": {"theta": [0.0, 0.0]}},
    {"chains": 10**9, "batch_size": 5, "replace": False},
    {"chains": 10**9, "batch_size": 5, "control_variates": True},
]


@pytest.mark.parametrize("more", HUGE, ids=str)
def test_a_run_that_cannot_fit_is_refused_before_anything_is_allocated(more):
    with pytest.raises(
        RecipeError,
        match=r"do not fit into memory; raise thin= .*: .* GB would be needed, and there is .* GB",
    ):
        sample(**more)


def test_a_huge_length_is_refused():
    free = bind(sgld, {U: total(theta**2) / 2})
    with pytest.raises(RecipeError, match=r"do not fit into memory; .* GB would be needed"):
        codegen.sample(free, step_size=0.1, steps=10, lengths={"theta": 10**12}, progress=False)


@pytest.mark.slow
def test_the_estimate_is_what_a_run_takes(tmp_path):
    """The peak of memory of a run beside what the estimate says: it is not below, and not far
    above.
    """
    code = """
import sys
sys.path.insert(0, "tests/faults")
from test_numbers import SAMPLER, codegen
from codegen.running import memory_needed as room
said = []
room.require_memory = lambda needed, what, repair: said.append(needed)
def status(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
codegen.sample(SAMPLER, step_size=0.01, steps=4, chains=3, progress=False)
before = status("VmRSS")
codegen.sample(SAMPLER, step_size=0.01, steps=1_500_000, chains=3, progress=False)
print(said[-1], status("VmHWM") - before)
"""
    call = [sys.executable, "-c", code]
    done = subprocess.run(
        call,
        env=environment_of(tmp_path, PYTHONPATH="tests"),
        capture_output=True,
        text=True,
        check=False,
    )
    needed, taken = map(int, done.stdout.split()[-2:])
    assert 0.8 * taken < needed < 1.5 * taken, done


def test_the_least_of_all_limits_counts(tmp_path, monkeypatch):
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    for name, value in {
        "box/memory.max": "3000000",
        "box/memory.current": "2500000",
        "memory.max": "max",
        "memory.current": "1",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(value)
    (tmp_path / "box/memory.stat").write_text("anon 5\ninactive_file 100000\n")
    (tmp_path / "cgroup").write_text("0::/box\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "PROCESS", tmp_path)
    assert memory.available_memory() == 3_000_000 - 2_500_000 + 100_000
    (tmp_path / "box/memory.max").write_text("max")
    assert memory.available_memory() == 5000 * 1024
    with pytest.raises(
        RecipeError,
        match=r"^they do not fit into memory; go: 6 MB would be needed, and there is 5.12 MB$",
    ):
        memory.require_memory(6_000_000, "they", "go")


def test_data_that_do_not_fit_are_refused_while_they_are_read(tmp_path, monkeypatch):
    table = tmp_path / "table.csv"
    table.write_text("a\n" + "1\n" * 1000)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(
        RecipeError, match=r"the next rows of the data do not fit into memory; give into="
    ):
        codegen.read_table(table, {"x": "a"})


def test_draws_that_could_not_be_diagnosed_are_refused_by_the_command(tmp_path):
    posterior = tmp_path / "posterior.py"
    posterior.write_text(
        "from recipe import *\ntheta = Vector('theta')\nx = Data('x', like=theta)\n"
        "posterior = Posterior((theta,), -total((x - theta)**2), -total(theta**2), {x: [[1.0]]})\n"
    )
    call = [
        "sample",
        "sgld",
        "--posterior",
        posterior,
        "--step-size",
        "0.1",
        "--chains",
        "1000000000",
    ]
    done = command(*call)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done
    assert "do not fit into memory" in done.stderr
