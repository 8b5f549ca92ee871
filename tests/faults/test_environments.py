"""Environments in which a program crashes or hangs: each command works there, or says one sentence
with the right status.
"""

import os
import resource
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from helpers.command import ROOT, command
from limited import Ended, environment_of, limited

import codegen
from recipe import RecipeError
from recipe_cli.errors import mistake_of

BAD_INPUT, INTERRUPTED = 2, 130
POSTERIOR = """
import numpy as np
from recipe import Data, Posterior, Vector, total
theta = Vector("theta")
x = Data("x", like=theta)
data = {x: np.ones((20, 2))}
posterior = Posterior((theta,), -total((x - theta)**2) / 2, -total(theta**2) / 2, data)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A cache, a posterior, a certificate and draws, made once."""
    made = tmp_path_factory.mktemp("environments")
    (made / "posterior.py").write_text(POSTERIOR)
    assert command("verify", "sgld", "--certificate", made / "sgld.json").returncode == 0
    return made


def sampling(folder, *more):
    return [
        "sample",
        "sgld",
        "--posterior",
        folder / "posterior.py",
        "--step-size",
        "0.01",
        "--steps",
        "200",
        *more,
    ]


# -- streams
# --------------------------------------------------------------------------------------------------

COMMANDS = {
    "list": ["list"],
    "verify": ["verify", "sgld"],
    "verify-json": ["verify", "sgld", "--json"],
    "check": ["check", "sgld.json"],
    "schemes": ["schemes", "sghmc"],
    "explain": ["explain"],
    "derive": ["derive", "sgld"],
    "cache": ["cache"],
    "audit": ["audit", "blackjax"],
    "help": ["--help"],
    "test": ["test", "sgld"],
    "sample": ["sample"],
}


def typed(folder, name):
    words = COMMANDS[name]
    if name == "sample":
        return sampling(folder, "--steps", "400", "--warmup", "100")
    return [folder / word if word.endswith(".json") else word for word in words]


COMMAND = pytest.mark.parametrize("name", COMMANDS)


@pytest.mark.by_default("verify")
@COMMAND
def test_a_full_output_is_one_sentence(folder, name):
    limited(*typed(folder, name), cache=folder, shell=">/dev/full").says(
        BAD_INPUT, "the output could not be written: No space left"
    )


@pytest.mark.by_default("verify")
@COMMAND
def test_closed_streams_change_no_verdict(folder, name):
    done = limited(*typed(folder, name), cache=folder, shell="<&- >&- 2>&-")
    assert done == Ended(0, "", "")


@pytest.mark.slow
@COMMAND
def test_an_error_stream_that_is_full_or_closed_changes_nothing(folder, name):
    for stream in (">&-", ">/dev/full"):
        done = limited(*typed(folder, name), cache=folder, shell=f"2{stream}")
        assert done.status == 0
        assert done.stdout


@pytest.mark.slow
def test_a_mistake_has_its_status_where_nothing_can_be_said(folder):
    assert limited("verify", "nobody", cache=folder, shell=">&- 2>/dev/full").status == BAD_INPUT


def test_a_reader_that_stops_ends_the_command_without_a_word(folder):
    done = limited("list", cache=folder, shell="| head -1; exit ${PIPESTATUS[0]}")
    assert done.stderr == ""
    assert done.status in (0, 128 + signal.SIGPIPE)


ASCII = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"TERM": "dumb", "COLUMNS": "1"},
    {"COLUMNS": "0"},
]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ASCII, ids=["ascii", "C", "dumb", "no-columns"])
@pytest.mark.by_default("ascii")
def test_names_that_a_terminal_cannot_show_are_escaped(folder, environment):
    named = folder / "théta.py"
    named.write_text(Path(ROOT, "catalog/sgld.py").read_text())
    for arguments in (["verify", named], ["verify", named, "--json"], ["derive", named]):
        done = limited(*arguments, cache=folder, **environment)
        assert done.status == 0, done
        done.is_quiet()
        assert done.stdout.isascii() or "PYTHONIOENCODING" not in environment


@pytest.mark.slow
def test_what_is_typed_may_be_no_text_at_all(folder):
    done = limited(os.fsdecode(b"verify"), os.fsdecode(b"\xff.py"), cache=folder)
    done.says(BAD_INPUT, "there is no file \\udcff.py")


# -- limits
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [150_000, 300_000, 400_000, 500_000, 600_000, 800_000])
def test_too_little_address_space_is_said_before_a_library_aborts_or_hangs(folder, kilobytes):
    """At 500 MB this hung for ever, at 300 MB it was an internal error."""
    done = limited(*sampling(folder), cache=folder, limits=[(resource.RLIMIT_AS, kilobytes * 1024)])
    done.says(BAD_INPUT, "address space")


@pytest.mark.slow
def test_what_needs_no_numba_works_in_600_megabytes(folder):
    for arguments in (
        ["list"],
        ["verify", "sgld"],
        ["check", folder / "sgld.json"],
        ["generate", "sgld", "-o", folder / "k.py"],
    ):
        done = limited(*arguments, cache=folder, limits=[(resource.RLIMIT_AS, 600_000 * 1024)])
        assert done.status == 0, done


@pytest.mark.slow
def test_eight_files_are_enough_or_are_said_to_be_too_few(folder):
    few = [(resource.RLIMIT_NOFILE, 8)]
    assert limited("list", cache=folder, limits=few).status == 0
    done = limited("verify", "sgld", cache=folder, limits=few)
    done.says(BAD_INPUT, "too many files are open; allow more (ulimit -n)")


def test_no_thread_and_no_process():
    """The limit is of a user, and does not hold for the superuser: the sentences are those of the
    system's errors.
    """
    for error in (
        RuntimeError("can't start new thread"),
        BlockingIOError(11, "Resource temporarily unavailable"),
    ):
        mistake = mistake_of(error)
        assert (mistake.status, "ulimit -u" in mistake.sentence) == (BAD_INPUT, True)
    assert (
        mistake_of(MemoryError()).status
        == mistake_of(OSError(30, "Read-only file system", "/x")).status
        == BAD_INPUT
    )
    assert (
        mistake_of(RuntimeError("something else")).status == mistake_of(KeyError("x")).status == 70
    )


@pytest.mark.slow
def test_no_folder_for_temporary_files(folder):
    done = limited(
        "generate", "sgld", "-o", folder / "kernel.py", "--force", cache=folder, TMPDIR="/nowhere"
    )
    assert (done.status, (folder / "kernel.py").exists()) == (0, True), done


# -- Numba's switches
# --------------------------------------------------------------------------------------------------

SWITCHES = {  # what is said
    "NUMBA_DISABLE_JIT=1": "NUMBA_DISABLE_JIT is set",
    "NUMBA_OPT=fast": "'NUMBA_OPT' is defined but its associated value 'fast' could not be parsed",
    "NUMBA_NUM_THREADS=0": "Number of threads specified must be > 0",
    "NUMBA_CPU_FEATURES=avx": "NUMBA_CPU_FEATURES names 'avx'",
}


@pytest.mark.slow
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_of_numba_under_which_nothing_runs_is_said(folder, switch):
    name, _, value = switch.partition("=")
    done = limited("generate", "sgld", "-o", folder / "never.py", cache=folder, **{name: value})
    done.says(BAD_INPUT, SWITCHES[switch])
    assert not (folder / "never.py").exists()


@pytest.mark.slow
def test_disable_jit_stops_sample_and_test_too(folder):
    for arguments in (sampling(folder), ["test", "sgld"]):
        limited(*arguments, cache=folder, NUMBA_DISABLE_JIT="1").says(
            BAD_INPUT, "NUMBA_DISABLE_JIT is set"
        )


# -- python itself
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_draws_need_no_docstrings(folder, tmp_path):
    done = limited(*sampling(folder, "-o", tmp_path / "d.nc"), cache=folder, python=["-OO"])
    assert (done.status, done.stderr) == (0, ""), done


def words(shown):
    """The words of an output, less the line that says how Python was started."""
    return shown.rpartition("[OPTIONS]")[2].split()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--help"], ["sample", "--help"], ["cache", "--help"]], ids=" ".join
)
@pytest.mark.by_default("--help")
def test_the_help_is_there_without_docstrings(folder, arguments):
    done = limited(*arguments, cache=folder, python=["-OO"])
    assert (done.status, words(done.stdout)) == (0, words(command(*arguments).stdout))


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["-OO", "-O", "-B", "-P", "-Werror", "-X utf8"])
def test_switches_of_python_change_no_verdict_and_no_module(folder, switch):
    python = switch.split()
    arguments = ["verify", "sghmc", "--scheme", "baoab", "--json"]
    done, plain = limited(*arguments, cache=folder, python=python), command(*arguments)
    done.is_quiet()
    assert (done.status, done.stdout) == (plain.returncode, plain.stdout)
    done = limited(
        "generate", "sghmc", "-o", folder / "theirs.py", "--force", cache=folder, python=python
    )
    assert done.status == 0, done
    command("generate", "sghmc", "-o", folder / "ours.py", "--force")
    assert (folder / "theirs.py").read_text() == (folder / "ours.py").read_text()


# -- paths
# --------------------------------------------------------------------------------------------------


@pytest.fixture
def odd(tmp_path):
    """Paths that are no regular file: a pipe, a device, links in a circle, a folder, a name that is
    too long.
    """
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "circle.py").symlink_to("circle.py")
    (tmp_path / "folder.py").mkdir()
    return {
        "pipe": tmp_path / "pipe.py",
        "device": Path("/dev/zero"),
        "circle": tmp_path / "circle.py",
        "folder": tmp_path / "folder.py",
        "name": tmp_path / ("a" * 300),
    }


KINDS = pytest.mark.parametrize("kind", ["pipe", "device", "circle", "folder", "name"])


@pytest.mark.slow
@KINDS
def test_what_is_no_file_is_never_waited_for(odd, folder, kind):
    path = odd[kind]
    for arguments in (
        ["check", path],
        ["check", folder / "sgld.json", path],
        ["derive", path],
        ["verify", path],
        ["diagnose", path],
        ["generate", "sgld", "--check", "-o", path],
        ["sample", "sgld", "--posterior", path, "--step-size", "1"],
    ):
        done = command(*arguments)
        assert done.returncode == BAD_INPUT, (arguments, done)
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.by_default("circle")
@KINDS
def test_an_output_that_cannot_be_a_file_is_refused_before_the_work(odd, folder, kind):
    path = odd[kind]
    for arguments in (
        ["generate", "sgld", "-o", path],
        ["verify", "sgld", "--certificate", path],
        sampling(folder, "-o", path),
    ):
        done = command(*arguments)
        assert done.returncode == BAD_INPUT, (arguments, done)
        assert len(done.stderr.splitlines()) == 1
    assert odd["circle"].is_symlink()  # it was once replaced


def test_the_checker_alone_waits_for_nothing_and_says_what_it_cannot_write(odd, folder):
    checker = [sys.executable, "-I", "-S", str(ROOT / "verify" / "checker.py")]
    for path in odd.values():
        done = subprocess.run(
            [*checker, path], capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (BAD_INPUT, "")
    certificate = str(folder / "sgld.json")
    full = ["bash", "-c", '"$@" >/dev/full', "bash", *checker, certificate]
    done = subprocess.run(full, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (BAD_INPUT, 1), done
    for closed in (">&-", ">&- 2>&-"):
        call = ["bash", "-c", f'"$@" {closed}', "bash", *checker, certificate]
        assert subprocess.run(call, capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.by_default(".py", ".json")
@pytest.mark.parametrize("suffix", [".py", ".json", ".nc"])
def test_a_name_of_250_letters_is_a_name(tmp_path, folder, suffix):
    path = tmp_path / ("a" * (250 - len(suffix)) + suffix)
    call = {
        ".py": ["generate", "sgld", "-o", path],
        ".json": ["verify", "sgld", "--certificate", path],
        ".nc": sampling(folder, "-o", path),
    }[suffix]
    done = command(*call, cache=folder)
    assert (done.returncode, path.exists()) == (0, True), done
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_data_are_never_read_from_a_pipe_or_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe")
    for read in (
        lambda: codegen.memory_mapped(tmp_path / "pipe"),
        lambda: codegen.memory_mapped("/dev/zero"),
        lambda: codegen.read_libsvm(tmp_path / "pipe"),
        lambda: codegen.read_table(tmp_path / "pipe.csv", {"x": "a"}),
    ):
        with pytest.raises(RecipeError, match="is not a regular file"):
            read()


# -- Ctrl-C
# --------------------------------------------------------------------------------------------------


def interrupted(arguments, cache, delay):
    """Status, stdout and stderr of a command that hears Ctrl-C so long after its first line."""
    ready = "import sys; sys.stderr.write('ready\\n'); sys.stderr.flush(); "
    call = [
        sys.executable,
        "-c",
        ready + "from recipe_cli.start import main; main()",
        *map(str, arguments),
    ]
    process = subprocess.Popen(
        call,
        cwd=ROOT,
        env=environment_of(cache),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "ready\n"
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return Ended(process.returncode, out, err)


STOPS = "recipe: SIGINT: the run stops here, and its draws are kept\n"
WAITS = "recipe: SIGINT waits until the draws are safe; only SIGKILL would not\n"


def check_interruption(arguments, cache, delay, output=None):
    """An interruption is said once: in the run, while draws are saved, or after that."""
    done = interrupted(arguments, cache, delay)
    done.is_quiet()
    assert done.status == INTERRUPTED or (done.status == 0 and delay > 0.5), (delay, done)
    if done.status == INTERRUPTED:
        saved = f"recipe: the draws are saved in {output}\n"
        kept = output is not None and output.exists()
        allowed = {STOPS, saved, WAITS + saved} if kept else {"recipe: interrupted\n"}
        assert done.stderr in allowed, (delay, done)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("delay", [0.03 + 0.05 * n for n in range(40)])
def test_an_interruption_at_the_start_is_one_word(folder, delay):
    check_interruption(["verify", "sghmc"], folder, delay)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.05 + 0.25 * n for n in range(48)])
def test_an_interruption_of_imports_proofs_and_compilation_is_one_word(tmp_path, folder, delay):
    """With a cache of its own, so that it compiles; nothing unfinished is left beside the
    output.
    """
    output = tmp_path / "draws.nc"
    check_interruption(sampling(folder, "-o", output), tmp_path / "cache", delay, output)
    assert {p.name for p in tmp_path.iterdir()} <= {"cache", "draws.nc"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "hearing"),
    [
        ("SIGINT", "nullcontext()"),
        ("SIGINT", "Signals((RAISES, ENDS), last=True)"),
        ("SIGTERM", "Signals((RAISES, ENDS), last=True)"),
    ],
)
def test_an_interruption_that_python_cannot_raise_is_sent_again(number, hearing):
    code = f"""
import os, signal, sys, time
from contextlib import nullcontext
from codegen.system.signals import ENDS, RAISES, Signals
from recipe_cli.lost_signals import hear_lost_signals
hear_lost_signals()
class Deaf:
    def __del__(self):
        os.kill(os.getpid(), signal.{number})
        time.sleep(0.1)
deaf = Deaf()
with {hearing}:
    try:
        del deaf
        time.sleep(30)
    except KeyboardInterrupt:
        print("heard")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("heard\n", "")


IN_A_CALLBACK = """
    deaf = Deaf()
    with Signals((RAISES, ENDS), last=True):
        del deaf
        raise RuntimeError("no compiled object yet")
"""
PRINTED_BY_C = """
    with Signals((RAISES, ENDS), last=True):
        try:
            Deaf().__del__()
        except KeyboardInterrupt:
            sys.excepthook(*sys.exc_info())
        raise ImportError("numba._devicearray failed to import")
"""


@pytest.mark.slow
@pytest.mark.parametrize("lost", [IN_A_CALLBACK, PRINTED_BY_C], ids=["callback", "printed"])
@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_what_a_lost_interruption_breaks_is_no_fault(number, status, lost):
    """Numba loses the exception of a signal in a callback, and then finds no compiled object; its C
    code prints the exception while it is imported, and then fails.
    """
    code = f"""
import os, signal, sys
from codegen.system.signals import ENDS, RAISES, Signals
from recipe_cli import main, start
class Deaf:
    def __del__(self):
        os.kill(os.getpid(), signal.{number})
def broken():{lost}
main.app = broken
start.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    said = "recipe: interrupted\n" if number == "SIGINT" else ""
    assert (done.returncode, done.stderr) == (status, said)


def test_the_command_is_started_by_what_hears_an_interruption():
    assert (
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["recipe"]
        == "recipe_sampler.command:main"
    )
    code = (
        "import sys; import recipe_sampler.command, recipe_cli.start; print({'sympy', 'typer',"
        " 'rich', 'numpy', 'recipe_cli.main'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "set()\n"
