"""Draws are never lost at the end: signals, disks that are full, homes that cannot be written, and
two commands with one output.
"""

import errno
import fcntl
import json
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.command import INSTALLED, ROOT, _called, forked, hear_signals

import codegen.results.save_groups
import codegen.results.write_netcdf
import codegen.running.checkpoint
from codegen import Draws, diagnose, read_draws
from codegen.running.chains import Chain, run_chains
from codegen.system.signals import ENDS, RAISES, Signals, Stopped
from recipe import RecipeError
from recipe_cli.output import saving
from recipe_cli.output.claim import CLAIM_MARK, claimed

POSTERIOR = """
import numpy as np
from sympy import exp, log
from recipe import Data, Posterior, Vector, total
theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")
rng = np.random.default_rng(0)
posterior = Posterior(theta, -log(1 + exp(-y * total(x * theta))), -total(theta**2) / 2,
                      data={x: rng.normal(size=(20, 2)),
                            y: np.where(rng.random(20) < 0.5, -1.0, 1.0)})
"""
SHORT = ("--steps", "40")
ENDLESS = (
    "--steps",
    str(10**9),
    "--warmup",
    "0",
    "--thin",
    str(10**4),
    "--checkpoint",
    "run",
    "--checkpoint-seconds",
    "0.1",
)
SECONDS = 120


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


class Command:
    """``recipe sample`` in a process of its own, which has begun; ``prepare`` is called in it
    first.
    """

    def __init__(self, folder, cache, *options, prepare=None):
        (folder / "posterior.py").write_text(POSTERIOR)
        self.folder, self.err, self.out = folder, folder / "err", folder / "out"
        call = [
            "sample",
            "sgld",
            "--posterior",
            "posterior.py",
            "--step-size",
            "0.01",
            "--chains",
            "2",
            "--unproved",
            *options,
        ]
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "RECIPE_CACHE": str(cache)}
        self.process = forked(
            _prepared, prepare, call, str(folder), environment, str(self.out), str(self.err)
        )

    def under_way(self):
        """Wait until it has drawn."""
        manifest = self.folder / "run" / "checkpoint.json"
        self.wait_for(lambda: manifest.exists() and json.loads(manifest.read_text())["draws"])
        return self

    def wait_for(self, condition):
        began = time.monotonic()
        while not condition():
            assert self.process.is_alive(), self.err.read_text()
            assert time.monotonic() - began < SECONDS
            time.sleep(0.02)

    def send(self, number):
        os.kill(self.process.pid, number)
        return self

    def ended(self):
        """The exit status, and what it said on stderr."""
        self.process.join(SECONDS)
        assert self.process.exitcode is not None
        return self.process.exitcode, self.err.read_text()


def _prepared(prepare, *arguments):
    if prepare is not None:
        prepare()
    _called(*arguments)


def some_draws(draws=500, coordinates=3, chains=2):
    values = np.random.default_rng(1).normal(size=(chains, draws, coordinates))
    return Draws(
        {"theta": values},
        np.full(chains, draws),
        (),
        False,
        {"recipe": "sgld"},
        np.full(draws, 0.1),
    )


def in_a_process_of_its_own(function, *arguments):
    """What a crash of native code would be: an exit status below 0."""
    process = forked(function, *arguments)
    process.join(SECONDS)
    return process.exitcode


# What is written fails


def _fails_at_every_write(folder):
    real, counted, target, first = os.pwrite, [], Path(folder, "draws.nc"), 10**9
    data = some_draws().groups()

    def failing(*arguments):
        counted.append(0)
        if len(counted) >= first:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    os.pwrite = failing
    target.touch()
    codegen.results.write_netcdf.write_netcdf(data, target)
    for first in range(1, len(counted) + 1):  # noqa: B007 it is what failing() sees
        counted.clear()
        target.write_bytes(b"")
        with pytest.raises(OSError, match="No space left on device"):
            codegen.results.write_netcdf.write_netcdf(data, target)


@pytest.mark.slow
def test_hdf5_is_never_told_of_a_write_that_fails(tmp_path):
    """It would end the process by a segmentation fault."""
    assert in_a_process_of_its_own(_fails_at_every_write, str(tmp_path)) == 0


def _files_are_limited(folder):
    refuse = codegen.results.save_groups.refuse_full_disk
    codegen.results.save_groups.refuse_full_disk = lambda *_: (
        None
    )  # the limit is hit while it is written, as a disk that others fill
    for most in (0, 1, 1000, 8000, 20_000, 40_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        with pytest.raises(
            RecipeError, match=r"draws.nc cannot be written: File too large; choose another path$"
        ):
            some_draws(5000).save(Path(folder, "draws.nc"))
        assert not os.listdir(folder)
    with pytest.raises(
        RecipeError, match=r"it needs 1\.4 MB, and a file may have 0\.0 MB \(ulimit -f\)"
    ):
        refuse(Path(folder, "draws.nc"), some_draws(5000).bytes)


def test_a_limit_on_files_is_one_sentence(tmp_path):
    assert in_a_process_of_its_own(_files_are_limited, str(tmp_path)) == 0


def test_what_is_saved_is_what_arviz_saves(tmp_path):
    import arviz

    draws = some_draws()
    ours = arviz.from_netcdf(draws.save(tmp_path / "ours.nc"))
    built = arviz.from_dict(
        posterior=dict(draws.values),
        sample_stats={"step_size": np.full((2, 500), 0.1)},
        dims={"theta": ["theta_dim"]},
    )
    theirs = arviz.from_netcdf(built.to_netcdf(str(tmp_path / "theirs.nc"), engine="h5netcdf"))
    for group in ("posterior", "sample_stats"):
        assert ours[group].drop_attrs().identical(theirs[group].drop_attrs())
        assert ours[group].attrs.keys() >= theirs[group].attrs.keys() - {"arviz_version"}
    how = {k: v for k, v in ours.posterior.attrs.items() if k != "created_at"}
    assert how == {"recipe": "sgld", "interrupted": 0, "divergences": "", "warnings": ""}


def _disk_fills_up():
    """While it is written, where it should go; nowhere else."""
    whole = codegen.results.save_groups.write_netcdf

    def write(data, path):
        # The trial before the run goes well.
        if path.parent.name == "full" and data["posterior"].sizes["draw"] > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(data, path)

    codegen.results.save_groups.write_netcdf = write


@pytest.mark.slow
def test_draws_that_cannot_be_saved_go_elsewhere(tmp_path, cache, monkeypatch):
    """And the sentence says where."""
    (tmp_path / "full").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    status, said = Command(
        tmp_path, cache, *SHORT, "-o", "full/draws.nc", prepare=_disk_fills_up
    ).ended()
    assert status == 2
    (found,) = [*(tmp_path / "full").iterdir(), *elsewhere.iterdir()]
    assert (
        said
        == f"recipe: {tmp_path}/full/draws.nc cannot be written: No space left on device; choose"
        f" another path; the draws are saved in {found}\n"
    )
    with np.load(found, allow_pickle=False) as kept:
        assert kept["theta"].shape == (2, 36, 2)
        assert json.loads(str(kept["attributes of recipe"]))["recipe"] == "sgld"


def test_places_that_take_nothing_are_all_tried(tmp_path, monkeypatch):
    output = saving.Output(tmp_path / "draws.nc")
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1000)
    )
    output.save(some_draws())
    assert output.saved is None
    assert output.fault.endswith("no other folder takes the draws, so they are lost")
    output = saving.Output(tmp_path / "draws.nc", checkpoint=tmp_path / "run")
    output.save(some_draws())
    assert output.fault.endswith(f"the same command gets them from the checkpoint {tmp_path}/run")
    assert not list(tmp_path.iterdir())


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    output = saving.Output(tmp_path / "draws.nc")
    with output.claimed():
        output.path.write_text("of another program")
        output.save(some_draws())
    assert output.path.read_text() == "of another program"
    assert "another program made " in output.fault
    assert diagnose(read_draws(output.saved)).draws == 500


# What saving needs is tried before the run


@pytest.mark.slow
@pytest.mark.parametrize(
    "home", ["/proc/nonexistent", "/dev/null", "/"], ids=lambda home: Path(home).name or "root"
)
def test_a_home_that_cannot_be_written_loses_nothing(tmp_path, home):
    code = (
        "import numpy as np, sys; from codegen import Draws, diagnose, read_draws\ndraws ="
        " Draws({'theta': np.random.default_rng(1).normal(size=(2, 50))}, np.full(2, 50), (),"
        " False, {}, np.full(50, 0.1))\nprint(diagnose(read_draws(draws.save(sys.argv[1]))).draws)"
    )
    environment = {
        **os.environ,
        "HOME": home,
        "XDG_CACHE_HOME": "/proc/nonexistent",
        "XDG_CONFIG_HOME": "/proc/nonexistent",
    }
    environment.pop("MPLCONFIGDIR", None)
    call = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "draws.nc")]
    done = subprocess.run(
        call, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "50\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("home", ["/proc/nonexistent", "/dev/null", None])
def test_a_command_without_a_home(tmp_path, home):
    """No cache of modules, none of machine code, none of pictures: everything that wants a folder
    at home.
    """
    (tmp_path / "posterior.py").write_text(POSTERIOR)
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("HOME", "MPLCONFIGDIR", "RECIPE_CACHE", "XDG_CACHE_HOME")
    }
    environment |= {"XDG_CACHE_HOME": "/proc/nonexistent", "PYTHONPATH": str(INSTALLED)} | (
        {"HOME": home} if home else {}
    )
    call = [
        sys.executable,
        "-m",
        "recipe_cli",
        "sample",
        "sgld",
        "--posterior",
        "posterior.py",
        "--step-size",
        "0.01",
        *SHORT,
    ]
    call += ["-o", "draws.nc", "--plots", "plots"]
    done = subprocess.run(
        call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert diagnose(read_draws(tmp_path / "draws.nc")).draws == 36
    assert (tmp_path / "plots" / "trace.png").exists()


def _no_h5netcdf():
    sys.modules["h5netcdf"] = None  # its import fails


def _no_hdf5():
    def write(data, path):
        raise OSError(errno.EIO, "Input/output error")

    saving.write_netcdf = write


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [(_no_h5netcdf, "h5netcdf"), (_no_hdf5, "cannot be written: Input/output error")],
)
def test_what_cannot_be_saved_is_said_before_the_run(tmp_path, cache, prepare, sentence):
    command = Command(tmp_path, cache, *ENDLESS, "-o", "draws.nc", prepare=prepare)
    status, said = command.ended()  # the run itself would not end
    assert status in (2, 70)
    assert sentence in said
    assert said.count("\n") == 1
    left = {path.name for path in tmp_path.iterdir()} - {"__pycache__"}  # of posterior.py
    assert left == {"posterior.py", "err", "out"}


def test_a_disk_that_is_too_small_is_said_before_the_run(tmp_path, cache):
    status, said = Command(
        tmp_path, cache, *ENDLESS, "-o", "draws.nc", prepare=_small_files
    ).ended()
    assert status == 2
    assert (
        "draws.nc cannot be written: it needs 5.8 MB, and a file may have 1.0 MB (ulimit -f)"
        in said
    )


def _small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, resource.RLIM_INFINITY))


@pytest.mark.slow
@pytest.mark.by_default("sghmc")
@pytest.mark.parametrize("name", ["sgld", "sghmc", "hmc_kernel"])
def test_the_trial_is_of_the_kind_that_comes(name):
    from catalog.hmc import hmc_kernel
    from catalog.sghmc import sghmc
    from catalog.sgld import sgld
    from codegen import sample
    from codegen.sample import Caller
    from recipe import Potential, bind, total

    what = {"sgld": sgld, "sghmc": sghmc, "hmc_kernel": hmc_kernel}[name]
    (U,) = [a for a in what.abstract if isinstance(a, Potential)]
    theta = what.state[0]
    seen = []
    draws = sample(
        bind(what, {U: total(theta**2) / 2}),
        steps=30,
        step_size=0.1,
        params={"C": 1.0} if name == "sghmc" else None,
        lengths={theta.name: 4},
        chains=3,
        progress=False,
        caller=Caller(lambda *found: seen.append(found)),
    )
    ((one, size),) = seen
    assert {k: v.shape[2:] for k, v in one.values.items()} == {
        k: v.shape[2:] for k, v in draws.values.items()
    }
    assert one.attributes.keys() == draws.attributes.keys()
    assert size == draws.bytes


# Signals


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=lambda given: getattr(given, "name", str(given)),
)
def test_a_signal_ends_the_run_and_keeps_its_draws(tmp_path, cache, number, status):
    command = Command(tmp_path, cache, *ENDLESS, "-o", "draws.nc").under_way().send(number)
    ended, said = command.ended()
    assert ended == status
    assert said == f"recipe: {number.name}: the run stops here, and its draws are kept\n"
    found = read_draws(tmp_path / "draws.nc").posterior
    assert found.attributes["interrupted"] == 1
    assert found.sizes["draw"] > 0
    assert np.isfinite(found.variables["theta"].values).all()
    chains = json.loads((tmp_path / "run" / "checkpoint.json").read_text())["chains"]
    assert min(chain["draws"] for chain in chains) == found.sizes["draw"]  # of the same moment
    assert "draws.nc" in command.out.read_text()
    assert not list(tmp_path.glob(".*"))


def _signals_come_while_it_saves():
    whole = codegen.results.write_netcdf._write_group

    def write(there, group, taken):
        if group.sizes["draw"] > 1:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                os.kill(os.getpid(), number)
        whole(there, group, taken)

    codegen.results.write_netcdf._write_group = write


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_signals_while_it_saves_wait(tmp_path, cache, stopped):
    command = Command(
        tmp_path,
        cache,
        *(ENDLESS if stopped else SHORT),
        "-o",
        "draws.nc",
        prepare=_signals_come_while_it_saves,
    )
    if stopped:
        command.under_way().send(signal.SIGTERM)
    status, said = command.ended()
    assert status == (143 if stopped else 130)
    lines = said.splitlines()
    assert "recipe: SIGINT waits until the draws are safe; only SIGKILL would not" in lines
    assert lines[-1] == f"recipe: the draws are saved in {tmp_path}/draws.nc"
    assert diagnose(read_draws(tmp_path / "draws.nc")).draws > 0
    assert command.out.read_text() == ""  # what waited has come


def test_a_signal_before_the_run_leaves_nothing(tmp_path, cache):
    command = Command(tmp_path, cache, *ENDLESS, "-o", "draws.nc", prepare=_import_is_slow)
    claim = tmp_path / ".draws.nc.claim"
    command.wait_for(lambda: claim.exists() and claim.stat().st_size)  # it is taken
    assert command.send(signal.SIGTERM).ended() == (143, "")
    assert not list(tmp_path.glob(".*"))


def _import_is_slow():
    saving.refuse_full_disk = lambda *_: time.sleep(SECONDS)


def _hang_up_is_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@pytest.mark.slow
def test_nohup_is_respected(tmp_path, cache):
    command = Command(
        tmp_path, cache, *ENDLESS, "-o", "draws.nc", prepare=_hang_up_is_ignored
    ).under_way()
    command.send(signal.SIGHUP)
    time.sleep(1)
    assert command.process.is_alive()
    status, said = command.send(signal.SIGINT).ended()
    assert status == 130
    assert "SIGHUP" not in said


def _advance_until(done, act):
    def advance(state, draws, chain, begin, count):
        done.append(chain)
        if len(done) == 20:
            act()
        return begin + count, -1

    return advance


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_in_python_only_signals_that_raise_keyboard_interrupt_stop_a_run(number):
    """``signal.signal(SIGTERM, default_int_handler)`` is how a program asks for it; what else is
    there stays, and is called.
    """
    heard = []
    before = signal.signal(number, lambda *_: heard.append(1))
    try:
        assert not run_chains(
            _advance_until([], lambda: os.kill(os.getpid(), number)),
            [Chain(0, None, None)],
            10**7,
            1,
            False,
        )
        assert heard == [1]
        signal.signal(number, RAISES)
        chains = [Chain(0, None, None)]
        assert run_chains(
            _advance_until([], lambda: os.kill(os.getpid(), number)), chains, 10**12, 1, False
        )
        assert signal.getsignal(number) is RAISES
    finally:
        signal.signal(number, before)


def test_a_handler_of_the_users_own_that_raises_stops_a_run():
    def own(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, own)  # the fixture of all tests puts it back
    act = _advance_until([], lambda: os.kill(os.getpid(), signal.SIGINT))
    assert run_chains(act, [Chain(0, None, None)], 10**12, 1, progress=False)
    assert signal.getsignal(signal.SIGINT) is own


def test_a_thread_replaces_no_handler():
    ended = []

    def run():
        with Signals() as signals:
            ended.append(
                (
                    signals._before,
                    run_chains(_advance_until([], int), [Chain(0, None, None)], 100, 1, False),
                )
            )

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [({}, False)]


def test_signals_that_are_not_held_are_raised_and_handlers_come_back():
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with pytest.raises(Stopped) as stopped, Signals((RAISES, ENDS)):
        os.kill(os.getpid(), signal.SIGTERM)
    assert stopped.value.number == signal.SIGTERM
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_ctrl_c_while_draws_are_saved_from_python_waits(tmp_path, monkeypatch):
    whole = codegen.results.write_netcdf._write_group
    monkeypatch.setattr(
        codegen.results.write_netcdf,
        "_write_group",
        lambda *a: (os.kill(os.getpid(), signal.SIGINT), whole(*a)),
    )
    with pytest.raises(KeyboardInterrupt):
        some_draws().save(tmp_path / "draws.nc")
    assert diagnose(read_draws(tmp_path / "draws.nc")).draws == 500
    assert signal.getsignal(signal.SIGINT) is RAISES


def test_a_ctrl_c_between_the_run_and_its_draws_costs_nothing(monkeypatch):
    """While the step size is judged, or the draws are put together."""
    from sympy import Matrix

    from codegen import sample
    from codegen.step_size import advice
    from recipe import Recipe, Vector, total

    monkeypatch.setattr(
        advice, "step_size_warnings", lambda *_: os.kill(os.getpid(), signal.SIGINT) or 1 / 0
    )
    theta = Vector("theta")
    recipe = Recipe((theta,), total(theta**2) / 2, Matrix([[1]]), Matrix([[0]]))
    draws = sample(recipe, step_size=0.1, steps=50, lengths={theta: 2}, progress=False)
    assert draws["theta"].shape == (4, 50, 2)
    assert draws.interrupted  # so that a loop of runs can be stopped
    assert "could not be judged (ZeroDivisionError" in draws.warnings[0]


# Terminals and pipes that go away


@pytest.mark.slow
def test_a_terminal_that_is_closed_costs_nothing(tmp_path, cache):
    """It sends SIGHUP, and takes no more of what is written, the progress bar first of all."""
    (tmp_path / "posterior.py").write_text(POSTERIOR)
    call = [
        sys.executable,
        "-m",
        "recipe_cli",
        "sample",
        "sgld",
        "--posterior",
        "posterior.py",
        "--step-size",
        "0.01",
        *ENDLESS,
    ]
    child, ours = pty.fork()
    if child == 0:
        hear_signals()
        os.chdir(tmp_path)
        os.execve(
            call[0],
            [*call, "-o", "draws.nc"],
            {**os.environ, "PYTHONPATH": str(INSTALLED), "RECIPE_CACHE": str(cache)},
        )
    began, manifest = time.monotonic(), tmp_path / "run" / "checkpoint.json"
    while not (manifest.exists() and json.loads(manifest.read_text())["draws"]):
        assert time.monotonic() - began < SECONDS
        time.sleep(0.05)
    os.close(ours)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    assert read_draws(tmp_path / "draws.nc").posterior.sizes["draw"] > 0


def _nobody_reads_and_no_checkpoint_is_written():
    def write(*_):
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, 2)
        raise OSError(errno.ENOSPC, "No space left on device")

    codegen.running.checkpoint.Checkpoint._write = write


@pytest.mark.slow
def test_warnings_that_nobody_reads_cost_no_draws(tmp_path, cache):
    options = (*SHORT, "--checkpoint", "run", "--checkpoint-seconds", "0.001", "-o", "draws.nc")
    status, _ = Command(
        tmp_path, cache, *options, prepare=_nobody_reads_and_no_checkpoint_is_written
    ).ended()
    assert status == 0
    assert diagnose(read_draws(tmp_path / "draws.nc")).draws == 36


def test_a_progress_bar_never_ends_a_run(monkeypatch):
    class Gone:
        encoding = "utf-8"

        def isatty(self):
            return True

        def write(self, text):
            raise OSError(errno.EIO, "Input/output error")

        def flush(self):
            self.write("")

    monkeypatch.setattr(sys, "stderr", Gone())
    monkeypatch.setenv("TERM", "xterm")

    def advance(state, draws, chain, begin, count):
        time.sleep(0.2)
        return begin + count, -1

    chains = [Chain(0, None, None)]
    assert not run_chains(advance, chains, 3, 1, progress=True)
    assert chains[0].done == 3


def _plots_fail():
    import recipe_cli.render.diagnosis

    def plot(*_, **__):
        raise ValueError("no picture")

    recipe_cli.render.diagnosis.plot = plot


@pytest.mark.slow
def test_plots_that_fail_say_so_and_cost_no_draws(tmp_path, cache):
    status, said = Command(
        tmp_path, cache, *SHORT, "-o", "draws.nc", "--plots", "plots", prepare=_plots_fail
    ).ended()
    assert status == 70
    assert said.splitlines()[0] == f"recipe: the draws are saved in {tmp_path}/draws.nc"
    assert "ValueError: no picture" in said
    assert diagnose(read_draws(tmp_path / "draws.nc")).draws == 36
    assert not list((tmp_path / "plots").iterdir())


# Two commands, one output


def test_a_second_command_with_the_same_output_is_refused(tmp_path, cache):
    first = Command(tmp_path, cache, *ENDLESS, "-o", "draws.nc").under_way()
    other = tmp_path / "other"
    other.mkdir()
    status, said = Command(other, cache, *SHORT, "-o", "../draws.nc", "--force").ended()
    assert status == 2
    assert (
        said == f"recipe: another process is writing {tmp_path}/draws.nc; choose another path, or"
        " wait for that process\n"
    )
    first.send(signal.SIGINT)
    assert first.ended()[0] == 130
    assert read_draws(tmp_path / "draws.nc").attributes["interrupted"] == 1


def test_what_a_killed_command_leaves_blocks_nobody(tmp_path, cache):
    command = Command(tmp_path, cache, *ENDLESS, "-o", "draws.nc").under_way().send(signal.SIGKILL)
    assert command.ended()[0] == -signal.SIGKILL
    claim = tmp_path / ".draws.nc.claim"
    assert claim.read_bytes().startswith(CLAIM_MARK)
    with (
        claimed(tmp_path / "draws.nc"),
        pytest.raises(RecipeError, match="another process"),
        claimed(tmp_path / "draws.nc"),
    ):
        pass
    assert not claim.exists()


@pytest.mark.parametrize("kind", ["file", "link", "fifo"])
def test_a_claim_takes_no_file_of_somebody_else(tmp_path, kind):
    path, theirs = tmp_path / ".draws.nc.claim", tmp_path / "theirs"
    theirs.write_text("theirs")
    if kind == "file":
        theirs.rename(path)
    elif kind == "link":
        path.symlink_to(theirs)
    else:
        os.mkfifo(path)
    with pytest.raises(RecipeError, match=r"draws\.nc"), claimed(tmp_path / "draws.nc"):
        pass
    assert path.exists()
    if kind != "fifo":
        assert path.read_text() == "theirs"


def test_a_claim_that_goes_while_it_is_taken_is_taken_again(tmp_path, monkeypatch):
    """The one before is unlinked between opening and locking: a lock on it would keep nobody
    out.
    """
    path, real = tmp_path / ".draws.nc.claim", fcntl.flock

    def flock(descriptor, how):
        if not seen:
            seen.append(path.unlink())
        real(descriptor, how)

    seen = []
    monkeypatch.setattr(fcntl, "flock", flock)
    with claimed(tmp_path / "draws.nc"):
        assert path.exists()
    assert not path.exists()


def test_file_systems_without_locks_and_long_names(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with claimed(tmp_path / ("ä" * 125)):
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())
