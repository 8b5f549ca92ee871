"""Commands that read what others wrote are stopped at a limit of time or memory."""

import json
import os
import signal
import time
import warnings
from functools import partial

import pytest
from helpers.command import command
from sympy import Symbol

from recipe import RecipeError
from recipe_cli.errors import FailedError, mistake_of
from recipe_cli.sandbox.child import FORK_IS_SAFE, StoppedError, rehearse, within_limits
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.sandbox.time_limit import within_seconds
from verify.decide.asymptotics.growth import expanded

pytestmark = pytest.mark.skipif(not FORK_IS_SAFE, reason="processes are not forked here")


def kill_oneself():
    signal.raise_signal(signal.SIGKILL)


def refuse():
    raise RecipeError("no")


def fill_memory():
    return len(bytearray(3 * 2**30))


def test_what_a_function_returns_or_raises_is_passed_on():
    assert within_limits(partial(divmod, 7, 2), Limits(20)) == (3, 1)
    with pytest.raises(RecipeError, match="no"):
        within_limits(refuse, Limits(20))


def test_what_takes_too_long_is_stopped():
    began = time.monotonic()
    with pytest.raises(StoppedError, match=r"no answer within 0\.5 seconds"):
        within_limits(partial(time.sleep, 60), Limits(0.5))
    assert time.monotonic() - began < 20


def test_what_takes_too_much_memory_or_dies_is_named():
    with pytest.raises(StoppedError, match="more than 1 GB of memory"):
        within_limits(fill_memory, Limits(60, gigabytes=1))
    with pytest.raises(StoppedError, match="was ended by SIGKILL"):
        within_limits(kill_oneself, Limits(60))


def refuse_by_a_class_of_its_own():
    class OwnError(RecipeError):  # which no other process knows
        def __init__(self, one, two):
            super().__init__(one)

    raise OwnError("no", 2)


def fail():
    return 1 // 0


def interrupt():
    raise KeyboardInterrupt


def test_what_a_function_raises_is_passed_on_whatever_its_class():
    with pytest.raises(RecipeError, match="no"):
        within_limits(refuse_by_a_class_of_its_own, Limits(20))
    with pytest.raises(FailedError) as raised:
        within_limits(fail, Limits(20))
    assert mistake_of(raised.value).status == 70
    assert "ZeroDivisionError" in mistake_of(raised.value).sentence
    with pytest.raises(RecipeError, match="KeyboardInterrupt"):
        within_limits(interrupt, Limits(20))


def test_a_rehearsal_tells_only_that_there_is_no_end(capfd):
    for call in (refuse, fail, interrupt, partial(os.write, 1, b"said\n")):
        rehearse("it", call, Limits(20))
    assert capfd.readouterr() == ("", "")
    with pytest.raises(RecipeError, match="it could not be run to its end: no answer within 1 "):
        rehearse("it", partial(time.sleep, 60), Limits(1))


LANGEVIN = """
from sympy import Matrix
from recipe import Potential, Recipe, Vector
theta = Vector("theta")
langevin = Recipe((theta,), Potential("U", theta), D=Matrix([[1]]), Q=Matrix([[0]]))
"""
HANGS = {"a loop": "while True: pass", "one operation": "n = 3**(10**10)"}
VERBS = [
    ["derive", "{file}"],
    ["schemes", "{file}"],
    ["verify", "{file}"],
    ["audit", "{file}"],
    ["generate", "{file}", "-o", "{kernel}"],
    ["generate", "{file}", "-o", "{kernel}", "--check"],
    ["check", "{certificate}", "{file}"],
    ["test", "{file}"],
    ["sample", "{file}", "--posterior", "bioassay", "--step-size", "0.1", "--steps", "10"],
]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("verb", "hang"),
    [(verb, hang) for verb in VERBS for hang in HANGS if verb is VERBS[0] or hang == "a loop"],
    ids=lambda part: part if isinstance(part, str) else " ".join(part),
)
def test_every_verb_stops_a_file_that_does_not_end(tmp_path, certificate, verb, hang):
    file, kernel = tmp_path / "langevin.py", tmp_path / "kernel.py"
    file.write_text(LANGEVIN + HANGS[hang])
    call = [part.format(file=file, kernel=kernel, certificate=certificate) for part in verb]
    began = time.monotonic()
    done = command(*call, "--timeout", "2")
    assert time.monotonic() - began < 60
    assert "no answer within 2 seconds" in done.stdout + done.stderr
    assert done.returncode == (3 if verb[0] == "generate" else 2)
    assert not kernel.exists()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    path = tmp_path_factory.mktemp("proof") / "certificate.json"
    assert command("verify", "sghmc", "--certificate", path).returncode == 0
    return path


def test_a_file_that_takes_too_much_memory_is_stopped(tmp_path):
    file = tmp_path / "langevin.py"
    file.write_text(LANGEVIN + "much = bytearray(3 * 2**30)\n")
    done = command("derive", file, "--memory", "1")
    assert done.returncode == 2
    assert "it needed more than 1 GB of memory; --memory allows more" in done.stderr
    assert command("derive", file, "--memory", "0").returncode == 2


def test_what_a_file_prints_goes_to_stderr(tmp_path):
    file = tmp_path / "langevin.py"
    file.write_text(LANGEVIN + "print('said')\n")
    done = command("derive", file, "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["name"] == "langevin"
    assert done.stderr == "said\n"


def test_a_certificate_that_takes_too_long_is_not_confirmed(tmp_path):
    file = tmp_path / "sghmc.json"
    assert command("verify", "sghmc", "--certificate", file).returncode == 0
    assert command("check", file).returncode == 0
    done = command("check", file, "--timeout", "0.001")
    assert done.returncode == 3
    assert "the check was stopped: no answer within 0.001 seconds" in done.stdout
    assert command("check", file, "--timeout", "0").returncode == 2


def test_a_text_whose_proof_takes_too_long_is_undecided(tmp_path):
    file = tmp_path / "kernel.py"
    assert command("generate", "sgld", "-o", file).returncode == 0
    done = command("generate", "sgld", "-o", file, "--check", "--timeout", "0.001")
    assert done.returncode == 3
    assert "is not proved to be sgld" in done.stdout
    assert "no answer within 0.001 seconds" in done.stdout
    assert command("generate", "sgld", "-o", file, "--check").returncode == 0


def test_a_certificate_beside_a_kernel_is_about_another_thing(certificate):
    done = command("check", certificate, "hmc:ghmc")
    assert done.returncode == 1
    assert "is about a recipe, and this is a kernel" in done.stdout


def test_a_huge_power_of_a_sum_is_not_multiplied_out():
    x = Symbol("x")
    assert expanded((1 + x) ** (10**9)) == (1 + x) ** (10**9)
    assert expanded((1 + x) ** 3) == x**3 + 3 * x**2 + 3 * x + 1


@pytest.mark.by_default(1)
@pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["run", "dry run"])
@pytest.mark.parametrize("hang", [*HANGS, "a loop that catches all"])
def test_a_posterior_that_does_not_end_is_stopped(tmp_path, hang, more):
    file = tmp_path / "law.py"
    catches = "while True:\n    try:\n        n = 1\n    except Exception: pass"
    file.write_text(HANGS.get(hang, catches))
    call = ["sample", "sgld", "--posterior", str(file), "--step-size", "0.1", "--steps", "10"]
    began = time.monotonic()
    done = command(*call, "--timeout", "2", *more)
    assert time.monotonic() - began < 60
    assert done.returncode == 2
    assert f"{file} could not be run to its end: no answer within 2 seconds" in done.stderr
    assert "--timeout allows more" in done.stderr


def test_a_time_limit_leaves_the_timer_as_it_was():
    before = signal.getsignal(signal.SIGALRM)
    with within_seconds("it", Limits(60)):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_limit_beyond_what_the_system_counts_is_none():
    done = command("verify", "sgld", "--timeout", "1e300", "--memory", "1e300")
    assert done.returncode == 0, done.stderr


ENDLESS_REPAIR = """
from sympy import Symbol, sqrt
from recipe import Noise, Potential, Update, Vector, grad
from verify.obligations.process import stationarity

def never(*_):
    while True:
        pass

stationarity.find_repair = never
theta = Vector("theta")
U, w = Potential("U", theta), Noise("w", like=theta)
h = Symbol("h", positive=True)
wrong = Update(step=h, target=U, rule={theta: theta - h * grad(U, theta) + sqrt(h) * w})
"""


@pytest.mark.slow
def test_a_refutation_is_not_lost_while_its_repair_is_searched_for(tmp_path):
    """It was once undecided."""
    path = tmp_path / "wrong.py"
    path.write_text(ENDLESS_REPAIR)
    done = command("verify", path, "--timeout", "3", "--json")
    (report,) = json.loads(done.stdout)
    assert report["verdict"] == "refuted"
    assert done.returncode == 1


JAX_SAYS = "os.fork() was called. os.fork() is incompatible with multithreaded code, and JAX is"


def test_a_child_is_forked_without_the_warning_of_jax(monkeypatch):
    """JAX warns at every fork after its import, and the command forks two or three times."""
    said = [JAX_SAYS, "another warning"]

    def before():
        for sentence in said:
            warnings.warn(sentence, RuntimeWarning, stacklevel=2)

    os.register_at_fork(before=before)
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            assert within_limits(lambda: 7, Limits(30, 2)) == 7
    finally:
        said.clear()  # the function stays registered
    assert [str(w.message) for w in heard if w.category is RuntimeWarning] == ["another warning"]
