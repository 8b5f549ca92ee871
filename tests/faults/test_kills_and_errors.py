"""Whatever writes a file is killed at its N-th file-system call, or has that call fail: nothing is
lost, and nothing is silent.

By default some calls are tried; all of them by ``pytest -m "slow or not slow"
tests/faults/test_kills_and_errors.py``.
"""

import errno
import json
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
from injection import ERRORS, Trials, failing, killed, sampled

from recipe.files.atomic_write import UNFINISHED

CSV = "a,b,c\n" + "".join(f"{n},{n / 2},{n * n}\n" for n in range(50))


@dataclass(frozen=True)
class Program:
    """A function of ``programs`` that writes into a folder.

    Args:
        name: of the function.
        arguments: by the folder.
        kept: the files that may be there at its end, and no other.
        changed: the file that it replaces, which is old or new, and whole, whenever it is stopped.
        exits: whether it ends the process with a status.
    """

    name: str
    arguments: tuple[str, ...]
    kept: tuple[str, ...]
    changed: str | None = None
    exits: bool = False


PROGRAMS = {
    "checkpoint": Program("sampled_with", ("{}/run",), ("run/",)),
    "draws": Program("saved", ("{}/draws.nc",), ("draws.nc",), "draws.nc"),
    "conversion": Program("converted", ("{}/t.csv", "{}/into"), ("t.csv", "into/")),
    "generate": Program(
        "commanded", ("generate", "sgld", "-o", "{}/m.py", "--force"), ("m.py",), "m.py", exits=True
    ),
    "certificate": Program(
        "commanded",
        ("verify", "sgld", "--certificate", "{}/c.json", "--force"),
        ("c.json",),
        "c.json",
        exits=True,
    ),
    "store": Program("stored", ("{}/cache",), ("cache/",)),
}


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    with Trials("programs:warm", tmp_path_factory.mktemp("trials")) as trials:
        yield trials


class Workplace:
    """One folder after another for a program, and what it does there without a fault."""

    def __init__(self, program, trials, folder):
        self.program, self.trials, self.folder = program, trials, folder / "workplace"
        self.prepare()
        self.calls = self.run(failing(self.folder, 2**61, errno.EIO)).calls
        self.prepare()
        outcome = self.run(killed(self.folder, 2**61))
        self.changes = outcome.calls
        assert self.well(outcome), outcome
        self.right, self.content = outcome.value, self.changed()

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "t.csv").write_text(CSV)
        if self.program.changed:
            (self.folder / self.program.changed).write_text("old")

    def run(self, fault=None):
        arguments = [a.format(self.folder) for a in self.program.arguments]
        return self.trials.run(f"programs:{self.program.name}", arguments, fault)

    def changed(self):
        """The content of the file that is replaced; of netCDF, whether it is right."""
        if not self.program.changed:
            return None
        path = self.folder / self.program.changed
        if path.suffix == ".nc":
            return path.read_bytes() == b"old" or programs.read_back(path)
        return path.read_text()

    def well(self, outcome):
        """Whether it came to its end, or was refused, as its users are told."""
        if outcome.status != 0 or outcome.traceback:
            return False
        if self.program.exits:
            return outcome.exit == 0 or (
                outcome.exit == 2 and bool(outcome.stderr) and "Traceback" not in outcome.stderr
            )
        return outcome.refused is None or "\n" not in outcome.refused

    def succeeded(self, outcome):
        return outcome.exit == 0 if self.program.exits else outcome.refused is None

    def right_again(self):
        """A run without a fault, in the folder as it was left: it is right, and nothing
        piles up.
        """
        outcome = self.run()
        assert outcome.status == 0, outcome
        assert self.succeeded(outcome), outcome
        self.is_right(outcome)
        left = [str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if not p.is_dir()]
        strange = [
            name for name in left if name != "t.csv" and not name.startswith(self.program.kept)
        ]
        assert strange == []
        assert not any(UNFINISHED.fullmatch(Path(name).name) for name in left), left
        return left

    def is_right(self, outcome):
        if self.program.name == "sampled_with":
            assert outcome.value["draws"] == self.right["draws"]
        else:
            assert outcome.value == self.right
        assert self.changed() == self.content


def stands_at(folder):
    """How far the chains of a checkpoint are."""
    return {
        chain["done"] for chain in json.loads((folder / "checkpoint.json").read_text())["chains"]
    }


def some_and_all(some):
    """So many of the calls by default, all of them in the slow run."""
    return pytest.mark.parametrize(
        "tried", [some, pytest.param(None, marks=pytest.mark.slow, id="all")]
    )


@pytest.mark.by_default(1)
@some_and_all(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_process_that_is_killed_at_a_call_loses_nothing(trials, tmp_path, name, tried):
    place = Workplace(PROGRAMS[name], trials, tmp_path)
    assert place.changes >= 5
    for at in sampled(place.changes, tried):
        place.prepare()
        outcome = place.run(killed(place.folder, at))
        assert outcome.status == -signal.SIGKILL or at > 0.9 * place.changes, (
            at,
            outcome,
        )  # a run may have fewer calls
        if place.program.changed:
            assert place.changed() in ("old", place.content), at
        left = place.right_again()
        if name == "checkpoint":
            assert len(left) <= 12, left
    print(f"{name}: {place.changes} calls that change something", file=sys.__stderr__)


@pytest.mark.by_default(1)
@some_and_all(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_that_fails_is_said_or_does_no_harm(trials, tmp_path, name, tried):
    """Each with an error of its own in turn, once, or from there on."""
    place = Workplace(PROGRAMS[name], trials, tmp_path)
    found = {"refused": 0, "said": 0, "harmless": 0}
    for n, at in enumerate(sampled(place.calls, tried)):
        error, lasting = ERRORS[n % 4], n % 8 >= 4 or n == 2
        place.prepare()
        outcome = place.run(failing(place.folder, at, error, lasting))
        assert place.well(outcome), (at, error, lasting, outcome)
        said = bool(outcome.value["said"]) if name == "checkpoint" and outcome.value else False
        if not place.succeeded(outcome):
            found["refused"] += 1
        else:
            place.is_right(outcome)
            found["said" if said else "harmless"] += 1
            if name == "checkpoint" and not said:
                assert stands_at(place.folder / "run") == {programs.STEPS}, (at, error, lasting)
        if place.program.changed:
            assert place.changed() in ("old", place.content), (at, error, lasting)
        place.right_again()
    assert found["refused"] > 0
    print(f"{name}: {place.calls} calls, {found}", file=sys.__stderr__)
