"""The a9a table: UCI Adult ("does this person earn more than 50,000 dollars a year?") as 123 binary
features, from LIBSVM.

The files are not part of this repository.  Get ``a9a`` and ``a9a.t`` from the LIBSVM data sets page
(binary classification; made from UCI Adult), gzip them, and put them at ``a9a/a9a.gz`` and
``a9a/a9a.t.gz`` below the folder that the environment variable RECIPE_DATA names (by default the
folder ``shared/data`` beside the checkout).

A row x has 124 entries: a one (the intercept) and the 123 features.  A label y is -1 or +1.  The
32,561 training rows are split once and for all, 80 to 20, into rows to fit and rows held out; the
16,281 test rows are LIBSVM's own.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codegen import read_libsvm

FEATURES = 123  # has to be said: no row of the test file has the last feature
FITTED_SHARE = 0.8
SPLIT_SEED = 2026
SOURCE = (
    "the LIBSVM data sets page,"
    " https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a (made from UCI Adult)"
)


@dataclass(frozen=True, eq=False)
class A9a:
    """Design matrices (rows x 124, float64) and labels (-1 or +1) of the three parts."""

    x: np.ndarray  # 26,049 rows to fit
    y: np.ndarray
    x_held: np.ndarray  # the other 6,512 training rows
    y_held: np.ndarray
    x_test: np.ndarray  # 16,281 rows
    y_test: np.ndarray


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows, each with a one in front, and the labels of one file."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("RECIPE_DATA") or default) / "a9a" / name
    if not path.is_file():
        raise FileNotFoundError(
            f"the a9a data are not here: {path} does not exist; set the environment variable"
            f" RECIPE_DATA to the folder that holds a9a/{name}, which is {name.removesuffix('.gz')}"
            f" of {SOURCE}, compressed with gzip"
        )
    return read_libsvm(path, FEATURES, intercept=True)


def load() -> A9a:
    """Read both files and split the training rows by a fixed permutation."""
    x, y = read("a9a.gz")
    x_test, y_test = read("a9a.t.gz")
    order = np.random.default_rng(SPLIT_SEED).permutation(len(y))
    fitted, held = np.split(order, [round(FITTED_SHARE * len(y))])
    return A9a(x[fitted], y[fitted], x[held], y[held], x_test, y_test)
