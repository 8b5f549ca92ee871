"""Commands that read what others wrote are stopped at a limit of time or memory."""

import signal
import time
from functools import partial

import pytest
from helpers.command import command

from recipe import RecipeError
from recipe_cli.sandbox.child import FORK_IS_SAFE, StoppedError, within_limits
from recipe_cli.sandbox.process_limits import Limits

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
