"""Files of draws that are damaged, or made to read another file, to run a program or to fill the
memory: one sentence.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import time
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
import xarray
from helpers.command import command

from codegen import Draws, read_draws
from codegen.results import netcdf_reader, read_netcdf
from recipe import RecipeError

SECRET = np.arange(32.0).reshape(2, 8, 2)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Draws as recipe sample -o writes them."""
    rng = np.random.default_rng(5)
    values = {"theta": rng.normal(size=(2, 8, 2)), "xi": rng.normal(size=(2, 8))}
    attributes = {"recipe": "sgld", "seconds": 1.0}
    draws = Draws(values, np.array([8, 8]), (), False, attributes, np.full(8, 0.1))
    return draws.save(tmp_path_factory.mktemp("draws") / "whole.nc")


@pytest.fixture
def path(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path / "draws.nc"))


@pytest.fixture(autouse=True)
def _no_limit_of_this_process(monkeypatch):
    monkeypatch.setattr(netcdf_reader, "_limit_memory", lambda more: None)


def said(path):
    """What the process that reads would say first, here."""
    out = io.BytesIO()
    netcdf_reader.main(str(path), out)
    return json.loads(out.getvalue().partition(b"\n")[0])


def sentence(path):
    with pytest.raises(RecipeError) as error:
        read_draws(path)
    assert "\n" not in str(error.value)
    return str(error.value)


# -- what leads out of the file --------------------------------------------------------------------


def elsewhere(path):
    """Another file of the user, raw and as HDF5."""
    raw, other = path.with_name("raw"), path.with_name("other.h5")
    raw.write_bytes(SECRET.tobytes())
    with h5py.File(other, "w") as file:
        file["theta"] = SECRET
        file["posterior/theta"] = SECRET
    return str(raw), str(other)


def replaced(path, make):
    raw, other = elsewhere(path)
    with h5py.File(path, "r+") as file:
        posterior = file["posterior"]
        scales = [dim[0] for dim in posterior["theta"].dims]
        del posterior["theta"]
        make(file, posterior, raw, other)
        if isinstance(posterior.get("theta", getlink=True), h5py.HardLink):
            for dim, scale in zip(posterior["theta"].dims, scales, strict=True):
                dim.attach_scale(scale)


def external(file, posterior, raw, other):
    posterior.create_dataset("theta", SECRET.shape, "f8", external=[(raw, 0, SECRET.nbytes)])


def virtual(file, posterior, raw, other):
    layout = h5py.VirtualLayout(SECRET.shape, "f8")
    layout[...] = h5py.VirtualSource(other, "theta", SECRET.shape)
    posterior.create_virtual_dataset("theta", layout)


def external_link(file, posterior, raw, other):
    posterior["theta"] = h5py.ExternalLink(other, "/theta")


def soft_link(file, posterior, raw, other):
    posterior["elsewhere"] = h5py.ExternalLink(other, "/")
    posterior["theta"] = h5py.SoftLink("/posterior/elsewhere/theta")


def linked_group(file, posterior, raw, other):
    del file["posterior"]
    file["posterior"] = h5py.ExternalLink(other, "/posterior")


def in_another_group(file, posterior, raw, other):
    posterior["theta"] = SECRET
    file["sample_stats"].create_dataset(
        "energy", SECRET.shape, "f8", external=[(raw, 0, SECRET.nbytes)]
    )


LEADS_OUT = {
    external: "has the numbers of /posterior/theta in another file",
    virtual: "takes the numbers of /posterior/theta from other files",
    external_link: "has a link at /posterior/theta, which may lead to another file",
    soft_link: "has a link at /posterior/",
    linked_group: "has a link at /posterior, which may lead to another file",
    in_another_group: "has the numbers of /sample_stats/energy in another file",
}


@pytest.mark.parametrize("make", LEADS_OUT, ids=lambda make: make.__name__)
def test_a_file_that_leads_to_another_one_is_refused(path, make):
    replaced(path, make)
    with h5py.File(path) as file:  # HDF5 itself follows
        assert make is in_another_group or np.array_equal(file["posterior/theta"][...], SECRET)
    assert said(path)["refused"].startswith(LEADS_OUT[make])


@pytest.mark.slow
def test_the_command_refuses_it_in_one_sentence(path, tmp_path):
    replaced(path, external)
    done = command("diagnose", path, cache=tmp_path / "cache")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == f"recipe: {path} has the numbers of /posterior/theta in another file; recipe reads a"
        " file of draws that stands alone only\n"
    )


def test_a_filter_that_hdf5_would_have_to_load_is_refused(path):
    """LZF stands for all of them: h5py brings it, and HDF5 does not."""
    replaced(
        path,
        lambda file, posterior, *_: posterior.create_dataset(
            "theta", data=SECRET, compression="lzf"
        ),
    )
    assert (
        "packed by filter 32000, which is a program that HDF5 would have to load"
        in said(path)["refused"]
    )


def test_one_object_in_two_places_is_refused(path):
    """A group within itself has no end."""
    with h5py.File(path, "r+") as file:
        file["posterior/itself"] = file["posterior"]
    assert "is damaged: " in said(path)["refused"]


# -- what fills the memory -------------------------------------------------------------------------


@pytest.mark.parametrize("chunks", [None, (2, 1000)], ids=["in one piece", "in chunks"])
def test_numbers_that_are_claimed_and_not_there_are_refused(path, chunks):
    with h5py.File(path, "r+") as file:
        file["posterior"].create_dataset("many", (2, 5 * 10**11), "f8", chunks=chunks)
    assert path.stat().st_size < 50_000
    assert (
        "/posterior/many has 1000000000000 numbers, and 0 bytes in the file"
        in said(path)["refused"]
    )


def test_draws_that_are_packed_as_well_as_can_be_are_read(tmp_path):
    """A coordinate that never moved: 8 MB in a few kilobytes."""
    draws = Draws(
        {"theta": np.ones((2, 500_000))}, np.array([500_000] * 2), (), False, {}, np.ones(500_000)
    )
    path = draws.save(tmp_path / "draws.nc")
    with h5py.File(path) as file:
        packed = file["posterior/theta"].id.get_storage_size()
    assert "refused" not in said(path)
    assert packed == 8_000_000 or packed < 20_000


# -- damage ----------------------------------------------------------------------------------------


def read_apart(content, path, seconds):
    """What the process that reads says of a content: it is forked, so that a thousand of them take
    a minute.
    """
    path.write_bytes(content)
    answer = path.with_suffix(".answer")
    process = os.fork()
    if process == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(seconds)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        status = 1
        try:
            with answer.open("wb") as out:
                netcdf_reader.main(str(path), out)
            status = 0
        except SystemExit:
            status = netcdf_reader.UNREADABLE
        finally:
            os._exit(status)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return f"stopped by {signal.Signals(os.WTERMSIG(status)).name}"
    if os.WEXITSTATUS(status) == netcdf_reader.UNREADABLE:
        return "unreadable"
    assert os.WEXITSTATUS(status) == 0, "an exception that nobody caught"
    line, _, numbers = answer.read_bytes().partition(b"\n")
    told = json.loads(line)
    if "refused" in told:
        assert "\n" not in told["refused"]
        return "refused"
    held = [
        np.dtype(v["dtype"]).itemsize * int(np.prod(v["shape"]))
        for group in told["groups"].values()
        for v in group["variables"]
        if v["dtype"]
    ]
    assert len(numbers) == sum(held)
    return "read"


def damaged(content, step):
    for n in range(step // 2, len(content), step):
        for mask in (0xFF, 1 << n % 8):
            flipped = bytearray(content)
            flipped[n] ^= mask
            yield bytes(flipped)
    for n in range(0, len(content), 10 * step):
        yield content[:n]


@pytest.mark.slow
@pytest.mark.parametrize("step", [997, pytest.param(31, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused_and_nothing_else_is_said(saved, tmp_path, step):
    """Where HDF5 crashes or has no end, the process is stopped, and the tests below say what is
    said then.
    """
    outcomes = [
        read_apart(content, tmp_path / "damaged.nc", 3)
        for content in damaged(saved.read_bytes(), step)
    ]
    assert outcomes.count("refused") > len(outcomes) / 10
    assert set(outcomes) <= {
        "refused",
        "unreadable",
        "read",
        "stopped by SIGALRM",
        "stopped by SIGSEGV",
    }


def test_numbers_that_cannot_be_unpacked_are_one_sentence(path):
    with h5py.File(path, "r+") as file:
        posterior = file["posterior"]
        posterior.create_dataset("packed", data=np.zeros((2, 8)), compression="gzip", chunks=(2, 8))
        place = posterior["packed"].id.get_chunk_info(0)
    content = bytearray(path.read_bytes())
    content[place.byte_offset : place.byte_offset + place.size] = bytes(place.size)
    path.write_bytes(content)
    assert "is damaged: its numbers cannot be unpacked; sample again" in sentence(path)


def test_a_damaged_file_leaves_one_line_on_stderr(saved, path, tmp_path):
    """Before, h5netcdf printed a traceback of its own when its object was thrown away."""
    content = bytearray(saved.read_bytes())
    content[content.index(b"OHDR") + 20] ^= 255
    path.write_bytes(content)
    done = command("diagnose", path, cache=tmp_path / "cache")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"recipe: {path} cannot be read as netCDF: " in done.stderr


HEADER = {
    "attributes": {},
    "coordinates": [],
    "variables": [
        {
            "name": "theta",
            "dims": ["chain", "draw"],
            "shape": [2, 3],
            "attributes": {},
            "dtype": "<f8",
            "text": None,
        }
    ],
}
PROGRAMS = {
    "hangs": ("import time; time.sleep(100)", "had no answer within 1 seconds"),
    "hangs later": (
        f"print({json.dumps(HEADER)!r}, flush=True); import time; time.sleep(100)",
        "no answer within 1 seconds",
    ),
    "crashes": ("import os; os.kill(os.getpid(), 11)", "the process that read it ended by SIGSEGV"),
    "cannot unpack": (
        f"print({json.dumps(HEADER)!r}); raise SystemExit(3)",
        "is damaged: its numbers cannot be unpacked",
    ),
    "is cut short": ("print('{', end='')", "the process that read it ended with the status 0"),
    "gives too few": (f"print({json.dumps(HEADER)!r}); print('x' * 20)", "ended with the status 0"),
    "gives dimensions twice": (
        f"print({json.dumps(HEADER).replace('draw', 'chain')!r}); print('x' * 48, end='')",
        "is damaged: ",
    ),
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("what", PROGRAMS)
def test_a_process_that_crashes_or_never_ends_is_one_sentence(path, what, monkeypatch, capfd):
    text, expected = PROGRAMS[what]
    program = path.with_name("program.py")
    program.write_text(f"print('ready', flush=True); {text}")
    monkeypatch.setattr(netcdf_reader, "__file__", str(program))
    monkeypatch.setattr(read_netcdf, "MAX_SILENT_SECONDS", 1.0 if "no answer" in expected else 60.0)
    began = time.monotonic()
    assert expected in sentence(path)
    assert time.monotonic() - began < 30
    assert capfd.readouterr() == ("", "")


def test_the_process_that_reads_loads_no_program_whatever_the_environment_says(path, monkeypatch):
    """HDF5 runs what it finds in HDF5_PLUGIN_PATH; with this value of another variable it does not
    look.
    """
    program = path.with_name("program.py")
    program.write_text(
        'import json, os; print("ready"); print(json.dumps({"refused":'
        ' os.environ["HDF5_PLUGIN_PRELOAD"]}))'
    )
    monkeypatch.setattr(netcdf_reader, "__file__", str(program))
    monkeypatch.setenv("HDF5_PLUGIN_PRELOAD", "/tmp/of-somebody")
    assert sentence(path) == f"{path} ::"


def test_a_process_that_does_not_start_is_one_sentence(path, monkeypatch):
    monkeypatch.setattr(netcdf_reader, "__file__", str(path.with_name("nowhere.py")))
    assert "Python could not be started for it" in sentence(path)


# -- what is no file -------------------------------------------------------------------------------


def bound(path):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(path.name)


NO_FILES = {
    "a fifo": os.mkfifo,
    "a folder": Path.mkdir,
    "a socket": bound,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path),
    "nothing": lambda path: None,
}


@pytest.mark.parametrize("what", NO_FILES)
def test_what_is_no_file_is_not_waited_for(tmp_path, what, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NO_FILES[what](tmp_path / "draws.nc")
    assert "there is no file" in sentence(tmp_path / "draws.nc")


# -- what is right ---------------------------------------------------------------------------------


def test_all_that_a_file_may_hold_comes_back_as_xarray_reads_it(tmp_path, monkeypatch):
    """Names of coordinates, kinds of numbers, gaps, nothing at all; and variables that are sent in
    several blocks.
    """
    rng = np.random.default_rng(3)
    variables = {
        "theta": (("chain", "draw", "school"), rng.normal(size=(3, 50, 2)), {"unit": "m"}),
        "gaps": (("chain", "draw"), np.where(rng.random((3, 50)) < 0.1, np.nan, 1.0)),
        "count": (("chain", "draw"), rng.integers(0, 9, (3, 50))),
        "good": (("chain", "draw"), rng.random((3, 50)) < 0.5),
        "single": (("chain", "draw"), rng.normal(size=(3, 50)).astype(np.float32)),
        "none": (("chain", "draw", "empty"), np.zeros((3, 50, 0))),
        "words": (("school",), np.array(["a", "b"])),
        "number": ((), 3.5),
    }
    coordinates = {
        "chain": [0, 2, 5],
        "draw": np.arange(50),
        "school": ["Zoë", "b"],
        "half": ("draw", np.arange(50) / 2),
    }
    whole = xarray.Dataset(variables, coordinates, {"recipe": "x", "seconds": 1.5, "list": [1, 2]})
    path = tmp_path / "draws.nc"
    packed = {
        "theta": {"zlib": True, "chunksizes": (2, 10, 1)},
        "good": {"zlib": True, "fletcher32": True},
    }
    whole.to_netcdf(path, group="posterior", engine="h5netcdf", encoding=packed)
    expected = xarray.load_dataset(path, group="posterior", engine="h5netcdf", decode_times=False)
    found = read_draws(path).to_arviz().posterior
    xarray.testing.assert_identical(found, expected)
    text = {"U": "O"}  # of any length, which takes no more memory than the file has
    assert {n: v.dtype.kind for n, v in found.variables.items()} == {
        n: text.get(v.dtype.kind, v.dtype.kind) for n, v in expected.variables.items()
    }
    whole.to_netcdf(path, group="sample_stats", engine="h5netcdf", mode="a", encoding=packed)
    again = read_draws(read_draws(path).save(tmp_path / "again.nc")).to_arviz()
    for group in ("posterior", "sample_stats"):
        kept = again[group]
        kept.attrs.pop("created_at")
        xarray.testing.assert_identical(getattr(kept, "ds", kept).load(), expected)
    monkeypatch.setattr(netcdf_reader, "BLOCK_BYTES", 100)
    with h5netcdf.File(path, "r") as file:
        blocks = list(netcdf_reader._blocks(file["posterior"].variables["theta"], "<f8"))
        assert len(blocks) == 2
        assert b"".join(blocks) == expected["theta"].to_numpy().tobytes()


def test_numbers_that_stand_for_none_are_nan_as_xarray_reads_them(tmp_path):
    whole = xarray.Dataset(
        {
            "count": (("chain", "draw"), np.array([[1, -9, 3], [-9, 5, 6]])),
            "small": (("chain", "draw"), np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int8)),
            "real": (("chain", "draw"), np.array([[1.5, -1.0, np.nan], [0, 5, 6]])),
            "old": (("chain", "draw"), np.array([[1.5, -1.0, 7.0], [0, 5, 6]], dtype=np.float32)),
        }
    )
    for name, key, number in (
        ("count", "_FillValue", -9),
        ("small", "_FillValue", 4),
        ("real", "_FillValue", -1.0),
        ("old", "missing_value", 7.0),
    ):
        whole[name].attrs[key] = whole[name].dtype.type(number)
    path = tmp_path / "draws.nc"
    whole.to_netcdf(path, group="posterior", engine="h5netcdf")
    expected = xarray.load_dataset(path, group="posterior", engine="h5netcdf")
    found = read_draws(path).to_arviz().posterior
    xarray.testing.assert_identical(found, expected)
    assert {n: v.dtype for n, v in found.items()} == {n: v.dtype for n, v in expected.items()}
    assert np.isnan(found["count"].to_numpy()).sum() == 2


@pytest.mark.parametrize("how", [{"scale_factor": 0.1}, {"add_offset": 2.0}])
def test_packed_numbers_are_refused(path, how):
    with h5py.File(path, "r+") as file:
        for key, number in how.items():
            file["posterior/theta"].attrs[key] = number
    assert sentence(path) == (
        f"{path} has theta packed as smaller numbers ({', '.join(how)}), which recipe does not"
        " unpack; write it unpacked"
    )


def test_draws_of_a_file_are_taken_by_name(saved):
    found = read_draws(saved)
    assert found["theta"].shape == (2, 8, 2)
    assert found.attributes["recipe"] == "sgld"
    assert found.posterior.points("theta_dim") == [0, 1]
    with pytest.raises(RecipeError, match="there are no draws of phi; the file has theta, xi"):
        found["phi"]
