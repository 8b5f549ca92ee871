"""Topics of the words of one document, by going through every labelling with exact fractions.

Nothing of the product is imported. The joint law is written with rising factorials; derivatives are
those of numbers ``value + slope * e`` with ``e^2 = 0``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Labelling = tuple[int, ...]
Weight = Callable[[int, int, list[int], int], Fraction]


@dataclass(frozen=True)
class Document:
    """A document and its parameters.

    Attributes:
        words: the column of each word.
        theta: K rows of positive numbers, one for each topic.
        alpha: the parameter of the Dirichlet prior of the topics of a document.
    """

    words: tuple[int, ...]
    theta: tuple[tuple[Fraction, ...], ...]
    alpha: Fraction

    def labellings(self) -> Iterator[Labelling]:
        """Every way to give each word a topic."""
        return product(range(len(self.theta)), repeat=len(self.words))

    def joint(self, z: Labelling) -> Fraction:
        """p(x, z | theta), up to a factor of the document."""
        value = Fraction(1)
        for k, row in enumerate(self.theta):
            mine = [w for w, topic in zip(self.words, z, strict=True) if topic == k]
            for step, w in enumerate(mine):
                value *= (self.alpha + step) * row[w] / sum(row)
        return value

    def law(self) -> dict[Labelling, Fraction]:
        """p(z | x, theta)."""
        joint = {z: self.joint(z) for z in self.labellings()}
        whole = sum(joint.values())
        return {z: p / whole for z, p in joint.items()}

    def conditional(self, z: Labelling, i: int) -> list[Fraction]:
        """p(z_i = k | all other labels, x, theta), for each k."""
        joint = [self.joint((*z[:i], k, *z[i + 1 :])) for k in range(len(self.theta))]
        return [p / sum(joint) for p in joint]

    def drawn_with(self, weight: Weight, z: Labelling, i: int) -> list[Fraction]:
        """The probabilities of a draw of the label i by printed weights.

        Args:
            weight: ``weight(k, word, others, own)`` with the counts of the other words, and 1 where
                the word has topic k before its draw.
            z: the labels before the draw.
            i: the number of the word.
        """
        others = [sum(z[j] == k for j in range(len(z)) if j != i) for k in range(len(self.theta))]
        weights = [weight(k, self.words[i], others, int(z[i] == k)) for k in range(len(others))]
        return [w / sum(weights) for w in weights]

    def after_sweep(self, weight: Weight) -> dict[Labelling, Fraction]:
        """The law of the labels after a sweep that begins with ``law``."""
        law = self.law()
        for i in range(len(self.words)):
            moved = dict.fromkeys(law, Fraction(0))
            for z, p in law.items():
                for k, chance in enumerate(self.drawn_with(weight, z, i)):
                    moved[(*z[:i], k, *z[i + 1 :])] += p * chance
            law = moved
        return law

    def marginal_slope(self, k: int, w: int) -> Fraction:
        """The derivative of log p(x | theta) by theta_kw, of the sum over all labellings."""
        value, slope = Fraction(0), Fraction(0)
        for z in self.labellings():
            v, s = self._joint_with_slope(z, k, w)
            value, slope = value + v, slope + s
        return slope / value

    def _joint_with_slope(self, z: Labelling, k: int, w: int) -> tuple[Fraction, Fraction]:
        """The joint law and its derivative by theta_kw, factor by factor."""
        value, slope = Fraction(1), Fraction(0)
        seen = [0] * len(self.theta)
        for word, topic in zip(self.words, z, strict=True):
            row, whole = self.theta[topic], sum(self.theta[topic])
            factor = (self.alpha + seen[topic]) * row[word] / whole
            own = Fraction(0)
            if topic == k:
                own = (self.alpha + seen[topic]) * (
                    ((word == w) * whole - row[word]) / Fraction(whole) ** 2
                )
            value, slope = value * factor, slope * factor + value * own
            seen[topic] += 1
        return value, slope
