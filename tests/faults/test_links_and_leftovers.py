"""Files that are not ours are neither opened through a link, nor emptied, nor deleted; what killed
processes leave is deleted.
"""

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from programs import STEPS, sampled_with

from codegen import read_table
from recipe import RecipeError
from recipe.files import atomic_write
from recipe.files.atomic_write import UNFINISHED, whole_file


def content_of(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in Path(folder).rglob("*")
        if p.is_file() and not p.is_symlink()
    }


def refused(call, *words):
    with pytest.raises(RecipeError) as error:
        call()
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


# checkpoints


@pytest.mark.slow
def test_a_file_of_the_user_called_lock_is_not_emptied(tmp_path):
    (tmp_path / "lock").write_text("the combination is 12-34-56")
    refused(
        lambda: sampled_with(tmp_path),
        "holds lock and no checkpoint",
        "choose an empty or a new folder",
    )
    assert content_of(tmp_path) == {"lock": b"the combination is 12-34-56"}


def test_a_folder_that_is_refused_is_left_as_it_was(tmp_path):
    (tmp_path / "thesis.tex").write_text("all of it")
    refused(lambda: sampled_with(tmp_path), "holds thesis.tex and no checkpoint")
    assert content_of(tmp_path) == {"thesis.tex": b"all of it"}


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", ["lock", "checkpoint.json", "state", "draws"])
@pytest.mark.parametrize("there", [True, False], ids=["checkpoint", "empty"])
def test_a_link_in_the_folder_of_a_checkpoint_is_not_followed(tmp_path, name, there):
    folder, other = tmp_path / "run", tmp_path / "other.txt"
    other.write_text("mine")
    folder.mkdir()
    if there:
        sampled_with(folder)
    path = next(
        folder.glob(f"{name}*.npz"),
        folder / (name if "." in name or name == "lock" else f"{name}-000001.npz"),
    )
    if there and path.exists():
        other.write_bytes(path.read_bytes())
        path.unlink()
    before = other.read_bytes()
    path.symlink_to(other)
    refused(
        lambda: sampled_with(folder, steps=STEPS + 10),
        "is a link" if there or name == "checkpoint.json" else "and no checkpoint",
    )
    assert other.read_bytes() == before
    assert path.is_symlink()


def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "checkpoint.json")
    refused(lambda: sampled_with(tmp_path), "not a regular file")


def test_a_link_with_the_name_of_an_old_file_is_left_alone(tmp_path):
    sampled_with(tmp_path / "run")
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "run" / "draws-000999.npz").symlink_to(tmp_path / "mine")
    (tmp_path / "run" / "draws-000998.npz").write_text("left by a process that was killed")
    sampled_with(tmp_path / "run", steps=STEPS + 10)
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "run" / "draws-000999.npz").is_symlink()
    assert not (tmp_path / "run" / "draws-000998.npz").exists()


def draws_files(folder):
    return sorted(p.name for p in folder.glob("draws-*.npz"))


@pytest.mark.slow
def test_the_files_of_draws_are_few_however_often_it_is_written(tmp_path):
    """So many writings, and so many draws, that one file for each would be hundreds; and each draw
    is written a few times only.
    """
    written, most = 0, 0
    original = np.savez

    def counted(file, **arrays):
        nonlocal written, most
        written += sum(
            a.nbytes for key, a in arrays.items() if Path(file.name).name.startswith(".draws")
        )
        most = max(most, len(draws_files(tmp_path)))
        original(file, **arrays)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "savez", counted)
        sampled_with(tmp_path, steps=1000, chunk=8)
    standing = json.loads((tmp_path / "checkpoint.json").read_text())
    draws = sum(chain["draws"] for chain in standing["chains"])
    bits = draws.bit_length()
    assert int(standing["state"]["file"][6:-4]) > 100  # writings
    assert most <= bits + 1  # the new one is there before the old ones go
    assert len(standing["draws"]) == len(draws_files(tmp_path)) <= bits
    assert written <= draws * 4 * 8 * bits  # four numbers a draw
    assert sampled_with(tmp_path, steps=1000)["draws"] == sampled_with(steps=1000)["draws"]


# conversions


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    return path


def convert(table, into):
    return read_table(table, {"x": ["a"], "y": "b"}, into=into)


def test_a_planted_link_does_not_lead_a_conversion_to_other_files(tmp_path, table):
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("thesis.tex", "x.npy"):
        (victim / name).write_text("mine")
    (tmp_path / ".into.partial-conversion").symlink_to(victim)
    refused(lambda: convert(table, tmp_path / "into"), "is a link")
    assert content_of(victim) == {"thesis.tex": b"mine", "x.npy": b"mine"}


@pytest.mark.parametrize("planted", ["notes.txt", "folder", "link"])
def test_what_no_conversion_has_written_is_not_deleted(tmp_path, table, planted):
    partial = tmp_path / ".into.partial-conversion"
    partial.mkdir()
    (partial / "x.npy").write_text("left by a process that was killed")
    if planted == "folder":
        (partial / planted).mkdir()
    elif planted == "link":
        (partial / "link.npy").symlink_to(table)
    else:
        (partial / planted).write_text("mine")
    refused(
        lambda: convert(table, tmp_path / "into"), "which no conversion has written", "move it away"
    )
    assert len(list(partial.iterdir())) == 2


def test_what_a_killed_conversion_left_is_deleted(tmp_path, table):
    partial = tmp_path / ".into.partial-conversion"
    partial.mkdir()
    for name in ("x.npy", "z.npy", "conversion.json"):
        (partial / name).write_text("half of it")
    assert convert(table, tmp_path / "into")["y"].tolist() == [2, 4]
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "conversion.json",
        "into",
        "t.csv",
        "x.npy",
        "y.npy",
    ]


@pytest.mark.parametrize("name", ["conversion.json", "x.npy"])
def test_a_conversion_is_not_read_through_a_link(tmp_path, table, name):
    convert(table, tmp_path / "into")
    (tmp_path / "into" / name).rename(tmp_path / "elsewhere")
    (tmp_path / "into" / name).symlink_to(tmp_path / "elsewhere")
    refused(lambda: convert(table, tmp_path / "into"), "is a link")


# temporary files


def left_by(target, waiting=None):
    """A process that is killed, or waits for a pipe to be closed, while it writes a file; and the
    name it writes it under.
    """
    read, write = os.pipe()
    process = os.fork()
    if not process:
        with whole_file(target) as temporary:
            temporary.write_text("half of it")
            os.write(write, temporary.name.encode())
            os.kill(os.getpid(), signal.SIGKILL) if waiting is None else os.read(waiting, 1)
        os._exit(0)
    os.close(write)
    name = os.read(read, 1000).decode()
    os.close(read)
    if waiting is None:
        os.waitpid(process, 0)
    return process, name


def written(target):
    with whole_file(target) as temporary:
        temporary.write_text("new")


def test_what_killed_processes_left_is_deleted_and_nothing_else(tmp_path):
    for _ in range(3):
        _, name = left_by(tmp_path / "draws.nc")
        assert UNFINISHED.fullmatch(name)
        assert len(list(tmp_path.iterdir())) == 1  # of the one before nothing is left
    waiting, end = os.pipe()
    running, at_work = left_by(tmp_path / "other.nc", waiting)
    elsewhere = name.replace(atomic_write._place(), "00000000")
    for mine in (
        elsewhere,
        ".draws.nc.part",
        ".draws.nc.recipe_x",
        "draws.nc.recipe_00000000_1_00000000",
    ):
        (tmp_path / mine).write_text("mine")
    (tmp_path / name.replace("draws", "link")).symlink_to(tmp_path / at_work)
    before = {p.name for p in tmp_path.iterdir()} - {name}
    written(tmp_path / "draws.nc")
    assert {p.name for p in tmp_path.iterdir()} == before | {"draws.nc"}
    os.utime(tmp_path / elsewhere, (time.time() - 2 * atomic_write.LEFTOVER_AGE_SECONDS,) * 2)
    written(tmp_path / "draws.nc")
    assert {p.name for p in tmp_path.iterdir()} == (before | {"draws.nc"}) - {elsewhere}
    os.write(end, b"1")
    os.waitpid(running, 0)
    assert (tmp_path / "other.nc").read_text() == "half of it"


def test_a_link_in_the_place_of_the_temporary_file_is_not_moved(tmp_path):
    (tmp_path / "mine").write_text("mine")

    def swapped():
        with whole_file(tmp_path / "a") as temporary:
            temporary.unlink()
            temporary.symlink_to(tmp_path / "mine")

    refused(swapped, "is a link")
    assert content_of(tmp_path) == {"mine": b"mine"}


@pytest.mark.parametrize(
    "name", ["a" * 250, "a" * 252 + ".nc", "ä" * 120 + ".nc", "x" * 200 + "." + "y" * 50]
)
def test_a_long_name_is_a_name(tmp_path, name):
    written(tmp_path / name)
    assert content_of(tmp_path) == {name: b"new"}


def test_a_file_has_the_permissions_that_new_files_have(tmp_path):
    before = os.umask(0o027)
    try:
        written(tmp_path / "a")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
