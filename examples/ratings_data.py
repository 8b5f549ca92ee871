"""Ratings of items by users: MovieLens-100k, and a small set that is drawn here.

MovieLens-100k (Harper & Konstan 2015) has 100,000 ratings, from 1 to 5, of 1,682 films by 943
users. GroupLens forbids to distribute it again, so it is not part of this repository. The wheel of
recbole contains it as recbole/dataset_example/ml-100k/ml-100k.inter: ``pip download --no-deps
recbole``, unzip, and put the file into the folder ml-100k below the folder that is given, or else
that the environment variable RECIPE_DATA names.

The ratings are split once and for all by a fixed permutation, 75 : 12.5 : 12.5, as in Yokoi, Otsuka
& Sato (2020).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from experiment_command import BadDataError

SPLIT_SEED = 2026


@dataclass(frozen=True, eq=False)
class Part:
    """Some ratings: users and items, numbered from 0, and the ratings, each of the shape (n,)."""

    user: np.ndarray
    item: np.ndarray
    rating: np.ndarray


@dataclass(frozen=True, eq=False)
class Ratings:
    """All of them, in three parts."""

    name: str
    users: int
    items: int
    fitted: Part
    valid: Part
    test: Part


def load(folder: Path | None = None) -> Ratings:
    """Read MovieLens-100k.

    Raises:
        BadDataError: where the file is not there or is not what it should be.
    """
    found = folder or os.environ.get("RECIPE_DATA")
    path = None if found is None else Path(found) / "ml-100k" / "ml-100k.inter"
    if path is None or not path.is_file():
        raise BadDataError(
            "MovieLens-100k is not here: put ml-100k.inter, from recbole/dataset_example/ml-100k of"
            " the wheel of recbole, into FOLDER/ml-100k and give --data FOLDER, or set RECIPE_DATA"
            " to FOLDER"
        )
    try:
        user, item, rating = np.loadtxt(
            path, skiprows=1, usecols=(0, 1, 2), unpack=True, delimiter="\t"
        )
    except (ValueError, IndexError, UnicodeDecodeError):
        raise BadDataError(
            f"{path.name} must have a line of names, and then lines of a user, an item and a"
            " rating, divided by tabs"
        ) from None
    return split("ml-100k", user - 1, item - 1, rating)


def split(name: str, user: np.ndarray, item: np.ndarray, rating: np.ndarray) -> Ratings:
    """Check the ratings, and split them."""
    check(user, item, rating)
    whole = rating.astype(np.int8) if np.all(rating == np.round(rating)) else rating
    every = Part(user.astype(np.int32), item.astype(np.int32), whole)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(rating))
    eighth = len(rating) // 8
    cuts = np.split(order, [len(rating) - 2 * eighth, len(rating) - eighth])
    parts = [Part(every.user[rows], every.item[rows], every.rating[rows]) for rows in cuts]
    return Ratings(name, int(user.max()) + 1, int(item.max()) + 1, *parts)


def check(user: np.ndarray, item: np.ndarray, rating: np.ndarray) -> None:
    """Raise ``BadDataError`` for what is no table of ratings; the message names the first fault."""
    if not len(user) == len(item) == len(rating) or len(rating) < 8:
        raise BadDataError(
            f"there are {len(user)} users, {len(item)} items and {len(rating)} ratings; give three"
            " columns of the same length, at least 8"
        )
    wrong = np.flatnonzero(~np.isfinite(rating) | (rating < 0) | (rating > 127))
    if wrong.size:
        raise BadDataError(
            f"rating {wrong[0]} is {rating[wrong[0]]:g}; ratings are numbers from 0 to 127"
        )
    for kind, labels in (("user", user), ("item", item)):
        wrong = np.flatnonzero((labels < 0) | (labels != np.round(labels)))
        if wrong.size:
            raise BadDataError(
                f"rating {wrong[0]} is of {kind} {labels[wrong[0]]:g}; they are numbered 0, 1, ..."
            )
        count = np.bincount(labels.astype(np.int64))
        if not count.all():
            raise BadDataError(
                f"{kind} {np.argmin(count)} has no rating: leave it out, and number without gaps"
            )
        total = np.bincount(labels.astype(np.int64), weights=rating)
        if not total.all():
            raise BadDataError(
                f"all ratings of {kind} {np.argmin(total)} are 0, which says nothing: leave it out"
            )


def drawn(seed: int = 0) -> Ratings:
    """Poisson counts of 60 users and 80 items from three factors, of every second pair; nothing is
    read.
    """
    rng = np.random.default_rng(seed)
    mean = rng.gamma(2, 0.6, (60, 3)) @ rng.gamma(2, 0.6, (3, 80))
    user, item = np.nonzero(rng.random(mean.shape) < 0.5)
    return split("drawn", user, item, rng.poisson(mean[user, item]))
