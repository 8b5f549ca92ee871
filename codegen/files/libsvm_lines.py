"""Lines of libsvm text as numbers.

A block of lines of the plain form is taken apart by a few passes over all of its bytes. A block in
which any byte, index or number is out of the ordinary is read line by line; this finds the guilty
line, or the numbers where there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from codegen.files.reading import Read, line_blocks
from recipe.language.errors import RecipeError
from recipe.language.numbers import MAX_EXACT_INTEGER, rounded_text

COMMENT = re.compile(rb"#[^\n]*")
QUERY = re.compile(rb"^([^\S\n]*[^\s:]+[^\S\n]+)qid[^\s:]*:\S*", re.MULTILINE)
MAX_INDEX_DIGITS = 9
MAX_INDEX = 2**31 - 1
FORM = "is not libsvm, 'label index:value index:value ...' with indices ascending from 1"

# What begins at a byte. A word is what stands between spaces.
NEWLINE, FEATURE, COLON, LABEL = range(4)
# which of these may follow which: a row per first one
FOLLOWS = np.zeros((4, 4), dtype=bool)
FOLLOWS[NEWLINE, [NEWLINE, LABEL]] = True
FOLLOWS[LABEL, [NEWLINE, FEATURE]] = True
FOLLOWS[FEATURE, COLON] = True
FOLLOWS[COLON, [NEWLINE, FEATURE]] = True
IS_SPACE = np.isin(np.arange(256), list(b" \t\n\r\v\f"))


@dataclass(frozen=True)
class Lines:
    """Some lines of a file, each but the last of the file with its newline.

    Attributes:
        path: the file, for messages.
        number: the number in the file of the first of them, from 1.
        texts: the lines.
    """

    path: Path
    number: int
    texts: list[bytes]


def blocks_of(path: Path) -> Read[Lines]:
    """Yield the lines of a file, some megabytes at a time."""
    for fraction, (number, texts) in line_blocks(path):
        yield fraction, Lines(path, number, texts)


@dataclass(frozen=True, eq=False)
class Rows:
    """What lines say, a row per line that has a label.

    Attributes:
        label: the label of each row.
        row: the row of each feature that is written, in ascending order, from 0.
        index: the index of each such feature, from 1.
        value: the value of each such feature.
    """

    label: np.ndarray
    row: np.ndarray
    index: np.ndarray
    value: np.ndarray


def shown(text: bytes) -> str:
    """Return bytes of a file as a message shows them."""
    return repr(text.decode(errors="replace"))


class _FaultError(Exception):
    """What is wrong with a line, and the repair, to stand behind the line in a sentence."""


def rows_of(lines: Lines, columns: int | None = None) -> Rows:
    """Return what the lines say.

    Args:
        lines: the lines.
        columns: the largest index that may occur; None for any.

    Raises:
        RecipeError: naming the first wrong line.
    """
    rows = _at_once(b"".join(lines.texts))
    if rows is None or not _usual(rows, columns):
        return _line_by_line(lines, columns)
    return rows


def _usual(rows: Rows, columns: int | None) -> bool:
    """Return whether the indices ascend from 1 in each row up to ``columns``, and float64 holds
    every number that a text could mean.
    """
    ascend = (np.diff(rows.index) > 0) | (np.diff(rows.row) > 0)
    if not (ascend.all() and rows.index.min(initial=1) >= 1):
        return False
    if columns is not None and rows.index.max(initial=0) > columns:
        return False
    sizes = (np.abs(rows.value).max(initial=0), np.abs(rows.label).max(initial=0))
    return all(size < MAX_EXACT_INTEGER for size in sizes)  # false for NaN


def _at_once(text: bytes) -> Rows | None:
    """Return what a text in the plain form says; None for any other text."""
    if b"#" in text:
        text = COMMENT.sub(b"", text)
    if b"qid" in text:
        text = QUERY.sub(rb"\1", text)
    letters = np.frombuffer(text + b"\n", dtype=np.uint8)
    at, kind = _marks(letters)
    if not FOLLOWS[np.append(NEWLINE, kind[:-1]), kind].all():
        return None
    begin, colon = at[kind == FEATURE], at[kind == COLON]
    index = _whole_numbers(letters, begin, colon)
    if index is None or IS_SPACE[letters[colon + 1]].any():
        return None
    numbers = _numbers(letters, begin, colon)
    words = kind[(kind == LABEL) | (kind == FEATURE)]
    if numbers is None or len(numbers) != len(words):
        return None
    row = np.cumsum(words == LABEL)[words == FEATURE] - 1
    return Rows(numbers[words == LABEL], row, index, numbers[words == FEATURE])


def _marks(letters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where lines end, words begin and colons stand, and which of these is where."""
    space, colon = IS_SPACE[letters], letters == ord(":")
    begins = ~space
    begins[1:] &= space[:-1]
    at = np.flatnonzero(begins | colon | (letters == ord("\n")))
    kind = np.where(begins[at], FEATURE, np.where(colon[at], COLON, NEWLINE))
    kind[(kind == FEATURE) & (np.append(NEWLINE, kind[:-1]) == NEWLINE)] = LABEL
    return at, kind


def _whole_numbers(letters: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray | None:
    """Return the whole numbers that are written from ``begin`` up to ``end``, one or more digits
    each; None if anything else is.
    """
    length = end - begin
    longest = int(length.max(initial=1))
    if longest > MAX_INDEX_DIGITS or length.min(initial=1) < 1:
        return None
    found = np.zeros(len(begin), dtype=np.int64)
    for k in range(longest):
        digit = letters[np.minimum(begin + k, end - 1)] - np.uint8(ord("0"))  # wraps below "0"
        if digit.max(initial=0) > 9:
            return None
        found = np.where(k < length, found * 10 + digit, found)
    return found


def _numbers(letters: np.ndarray, begin: np.ndarray, colon: np.ndarray) -> np.ndarray | None:
    """Return the labels and values, all that is left without the indices; None if one is no
    number.
    """
    change = np.zeros(len(letters), dtype=np.int8)
    change[begin], change[colon] = 1, -1
    blank = np.cumsum(change, dtype=np.int8).view(bool)
    blank[colon] = True
    try:
        words = np.where(blank, np.uint8(ord(" ")), letters).tobytes().decode("ascii").split()
        return np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:  # also for letters beyond ASCII
        return None


def _line_by_line(lines: Lines, columns: int | None) -> Rows:
    """Return what the lines say, one after another, or name the first wrong one."""
    labels: list[float] = []
    row: list[int] = []
    index: list[int] = []
    value: list[float] = []
    for k, text in enumerate(lines.texts):
        words = text.partition(b"#")[0].split()
        if not words:
            continue
        try:
            label, features = _one_line(words, columns)
        except _FaultError as fault:
            raise RecipeError(
                f"{lines.path}, line {lines.number + k}: {shown(text[:40])} {fault}"
            ) from None
        row += [len(labels)] * len(features)
        labels.append(label)
        index += [i for i, _ in features]
        value += [v for _, v in features]
    return Rows(
        np.array(labels, dtype=np.float64),
        np.array(row, dtype=np.int64),
        np.array(index, dtype=np.int64),
        np.array(value, dtype=np.float64),
    )


def _one_line(words: list[bytes], columns: int | None) -> tuple[float, list[tuple[int, float]]]:
    """Return the label and the features of a line that is split at spaces."""
    label, *written = words
    if written and written[0].startswith(b"qid") and b":" in written[0]:
        written = written[1:]
    texts = [label]
    features = []
    for word in written:
        before, colon, after = word.partition(b":")
        if not colon:
            raise _form_fault(f"{shown(word[:40])} has no colon")
        features.append((_index(before), _number(after)))
        texts.append(after)
    found = _number(label), features
    for (last, _), (i, _) in pairwise(features):
        if i <= last:
            raise _form_fault(f"the index {i} stands behind {last}")
    if columns is not None and features and features[-1][0] > columns:
        largest = features[-1][0]
        raise _FaultError(
            f"has the feature index {largest}, beyond columns={columns}; give columns={largest} or"
            " more"
        )
    if not np.isfinite([found[0], *(v for _, v in features)]).all():
        raise _FaultError(
            "has a value that is missing or infinite; leave the line out or correct it"
        )
    fault = next(filter(None, (rounded_text(text.decode()) for text in texts)), None)
    if fault is not None:
        raise _FaultError(fault)
    return found


def _index(text: bytes) -> int:
    try:
        found = int(text)
    except ValueError:
        raise _form_fault(f"{shown(text[:40])} is no index") from None
    if not 1 <= found <= MAX_INDEX:
        raise _form_fault(f"the index {text[:40].decode()} is not in 1 to {MAX_INDEX}")
    return found


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise _form_fault(f"{shown(text[:40])} is no number") from None


def _form_fault(reason: str) -> _FaultError:
    return _FaultError(f"{FORM} ({reason}); correct the line")
