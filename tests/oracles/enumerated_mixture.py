"""A mixture of multinomials, with equal weights or with weights that have a Dirichlet law, by going
through every labelling of the data with exact fractions. Nothing of the product is imported.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

Counts = tuple[int, ...]
Row = tuple[Fraction, ...]


def label_law(x: Counts, rows: tuple[Row, ...], given: Row | None = None) -> list[Fraction]:
    """p(z = k | x, rows, weights) of one datum, item by item."""
    weights = _weights(x, rows, given)
    return [w / sum(weights) for w in weights]


def _weights(x: Counts, rows: tuple[Row, ...], given: Row | None) -> list[Fraction]:
    weights = []
    for k, row in enumerate(rows):
        items = [row[w] / sum(row) for w, n in enumerate(x) for _ in range(n)]
        weights.append(prod(items, start=Fraction(1) if given is None else given[k]))
    return weights


def slope_by_weight(x: Counts, rows: tuple[Row, ...], given: Row, k: int) -> Fraction:
    """The derivative of the log of ``sum over j of w_j p(x | row j)`` by w_k. The sum is linear in
    w_k, so that its derivative is its growth when w_k grows by one.
    """
    more = tuple(w + (j == k) for j, w in enumerate(given))
    before = sum(_weights(x, rows, given))
    return (sum(_weights(x, rows, more)) - before) / before


def _rising(a: Fraction, n: int) -> Fraction:
    return prod((a + i for i in range(n)), start=Fraction(1))


def _evidence(counts: Counts, beta: Fraction) -> Fraction:
    """The chance of the items of one label, with a Dirichlet(beta, ..., beta) row put in."""
    top = prod((_rising(beta, n) for n in counts), start=Fraction(1))
    return top / _rising(beta * len(counts), sum(counts))


def posterior(
    data: tuple[Counts, ...], labels: int, beta: Fraction, alpha: Fraction | None = None
) -> dict[tuple[int, ...], Fraction]:
    """p(all labels | data), with the rows integrated out, and weights that have the law
    Dirichlet(alpha, ..., alpha); they are equal where alpha is None.
    """
    found = {}
    for z in product(range(labels), repeat=len(data)):
        members = tuple(z.count(k) for k in range(labels))
        of_labels = Fraction(1) if alpha is None else _evidence(members, alpha)
        found[z] = prod(
            (_evidence(counts_of(data, z, k), beta) for k in range(labels)), start=of_labels
        )
    whole = sum(found.values())
    return {z: p / whole for z, p in found.items()}


def counts_of(data: tuple[Counts, ...], z: tuple[int, ...], k: int) -> Counts:
    """The items of the data with label k, by column."""
    mine = [x for x, label in zip(data, z, strict=True) if label == k]
    return tuple(sum(x[w] for x in mine) for w in range(len(data[0])))


def mean_square_of_weights(
    data: tuple[Counts, ...], labels: int, beta: Fraction, alpha: Fraction
) -> Fraction:
    """The posterior mean of the sum over labels of the squared share of the weights that each has,
    which does not depend on the order of labels.
    """
    mean, whole = Fraction(0), labels * alpha + len(data)
    for z, p in posterior(data, labels, beta, alpha).items():
        shapes = [alpha + z.count(k) for k in range(labels)]
        mean += p * sum(a * (a + 1) / (whole * (whole + 1)) for a in shapes)
    return mean


def mean_square_of_shares(
    data: tuple[Counts, ...], labels: int, beta: Fraction, alpha: Fraction | None = None
) -> Fraction:
    """The posterior mean of the sum over labels and columns of the squared shares of rows, which
    does not depend on the order of labels.
    """
    mean = Fraction(0)
    for z, p in posterior(data, labels, beta, alpha).items():
        for k in range(labels):
            shapes = [beta + n for n in counts_of(data, z, k)]
            whole = sum(shapes)
            mean += p * sum(a * (a + 1) / (whole * (whole + 1)) for a in shapes)
    return mean
