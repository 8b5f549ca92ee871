"""A checkpoint in which a bit is flipped, or that is cut short, is refused in one sentence, or
gives the very same draws.

By default one bit of every byte of the manifest and of every 11th byte of the arrays; every bit of
every byte by ``pytest -m "slow or not slow" tests/faults/test_flipped_bytes.py``.
"""

import copy
import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from injection import flipped
from programs import STEPS, sampled_with

from codegen.running.chains import Chain
from codegen.running.checkpoint import Checkpoint
from codegen.running.manifest import digest_of
from recipe import RecipeError


def content_of(chain):
    """Where a chain stands, its state and its draws, bit for bit."""
    arrays = b"".join(np.ascontiguousarray(a).tobytes() for a in (*chain.state, *chain.draws))
    return f"{chain.done} {chain.stopped_by}".encode() + arrays


@dataclass
class Written:
    """A checkpoint that was written, with chains as they are before it is read, and as they are
    after.
    """

    checkpoint: Checkpoint
    fresh: list[Chain]
    right: bytes = b""

    def read(self):
        """Everything that it gives to a run; RecipeError where it is refused."""
        mine, running = (
            replace(self.checkpoint, _draws_files=(), _copied={}, _lock=None),
            copy.deepcopy(self.fresh),
        )
        try:
            assert mine.open(running, STEPS)
        finally:
            mine.release()
        return b"".join(map(content_of, running))

    def outcome(self):
        """What is to be said of it: one sentence, or that all is as it was."""
        try:
            return "harmless" if self.read() == self.right else "OTHER DRAWS"
        except RecipeError as error:
            return "OTHER LINES" if "\n" in str(error) else str(error)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("written") / "run", []
    original = Checkpoint.open

    def seen(self, running, steps):
        found.append(Written(copy.copy(self), copy.deepcopy(list(running))))
        return original(self, running, steps)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "open", seen)
        sampled_with(folder, steps=STEPS // 2)
        sampled_with(folder)
    sampled_with(folder)
    found[-1].right = found[-1].read()
    assert len(json.loads((folder / "checkpoint.json").read_text())["draws"]) >= 2
    return found[-1]


def kinds(written):
    """The files, by kind: the manifest, and those of arrays."""
    folder = written.checkpoint.folder
    return {"manifest": [folder / "checkpoint.json"], "arrays": sorted(folder.glob("*.npz"))}


@pytest.mark.by_default(1)
@pytest.mark.parametrize("kind", ["manifest", "arrays"])
def test_a_flipped_bit_is_refused_or_harmless(written, kind):
    for path in kinds(written)[kind]:
        for place in range(0, path.stat().st_size, 1 if kind == "manifest" else 11):
            before = flipped(path, place, 1 << (place % 8))
            try:
                outcome = written.outcome()
            finally:
                path.write_bytes(before)
            assert "OTHER" not in outcome, (path.name, place)
            assert outcome == "harmless" or str(written.checkpoint.folder) in outcome
    assert written.outcome() == "harmless"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["manifest", "arrays"])
def test_every_bit_of_every_byte(written, kind):
    found = {}
    for path in kinds(written)[kind]:
        for place in range(path.stat().st_size):
            for bit in range(8):
                before = flipped(path, place, 1 << bit)
                outcome = written.outcome()
                path.write_bytes(before)
                assert "OTHER" not in outcome, (path.name, place, bit)
                found[outcome] = found.get(outcome, 0) + 1
    print(f"{kind}: {sum(found.values())} flips, {found.get('harmless', 0)} harmless")


@pytest.mark.parametrize("kind", ["manifest", "arrays"])
def test_a_file_that_is_cut_short_is_refused(written, kind):
    for path in kinds(written)[kind]:
        before = path.read_bytes()
        for length in range(0, len(before), 37):
            path.write_bytes(before[:length])
            outcome = written.outcome()
            assert "damaged" in outcome, (path.name, length)
        path.write_bytes(before)


def test_a_number_that_was_changed_and_signed_again_is_refused(written):
    """Not the digest alone: the numbers of a manifest must agree with one another, and with the
    run.
    """
    path = written.checkpoint.folder / "checkpoint.json"
    before = path.read_text()
    for chain in range(2):
        for key in ("done", "stopped_by", "draws"):
            for change in (-1000, -3, 1, 3, 1000):
                body = json.loads(before)
                del body["sha256"]
                body["chains"][chain][key] += change
                path.write_text(json.dumps({**body, "sha256": digest_of(body)}, indent=1))
                outcome = written.outcome()
                known = body["chains"][chain]["stopped_by"] in (
                    0,
                    1,
                )  # a block of the state, which no number contradicts
                assert "damaged" in outcome or "beyond steps" in outcome or known, (
                    chain,
                    key,
                    change,
                )
    path.write_text(before)


def test_what_stands_in_a_manifest_sends_no_codes_to_a_terminal(written):
    path = written.checkpoint.folder / "checkpoint.json"
    before = path.read_text()
    body = json.loads(before)
    del body["sha256"]
    body["run"]["module"] = "\x1b]0;owned\x07\n" + "x" * 10_000
    path.write_text(json.dumps({**body, "sha256": digest_of(body)}, indent=1))
    outcome = written.outcome()
    path.write_text(before)
    assert r"is of another run: module was \x1b]0;owned\x07\nxxx" in outcome
    assert outcome.isprintable()
    assert len(outcome) < 1000


@pytest.mark.slow
def test_flips_through_the_whole_program(written):
    """Some bytes of every file, as a user meets them."""
    right = sampled_with(steps=STEPS + 20)
    for path in (p for files in kinds(written).values() for p in files):
        for place in range(5, path.stat().st_size, path.stat().st_size // 3):
            before = flipped(path, place, 4)
            with pytest.raises(RecipeError) as error:
                sampled_with(written.checkpoint.folder, steps=STEPS + 20)
            assert "\n" not in str(error.value)
            path.write_bytes(before)
    assert sampled_with(written.checkpoint.folder, steps=STEPS + 20) == right
