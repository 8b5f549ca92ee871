"""The counts of a datum while one item is looked at: which label it has, what ``number`` and
``factors`` hold, and which label was drawn.

``number`` is known by how far it is from the counts of the labels in ``drawn``: a whole number for
each label that a name of the text stands for. Two names may stand for the same label; then their
numbers add up. ``factors`` are those of ``number``, but for the labels in ``stale``: a cell that is
no cell of these holds ``count_factor(number[k], params)``.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from verify.translation.parse.problems import unread, wrong

Label = int  # a name for what one statement gave; two of them may be the same label
BEFORE = 0  # the label that the item has before its turn


@dataclass
class Counts:
    """The state of a turn.

    Attributes:
        holds: the label of the item; None if it has none yet.
        ahead: by how much ``number`` is more than the counts of the labels in ``drawn``.
        stale: the labels whose factors are not those of their numbers.
        summed: whether ``cumulative`` holds the weights of the item, given the other labels.
        open: labels that may be none, as nothing was looked at yet.
        made: how many labels there are.
    """

    holds: Label | None
    ahead: Counter[Label] = field(default_factory=Counter)
    stale: set[Label] = field(default_factory=set)
    summed: bool = False
    open: set[Label] = field(default_factory=set)
    made: int = BEFORE

    def fresh(self, may_be_none: bool) -> Label:
        """Return a new label."""
        self.made += 1
        if may_be_none:
            self.open.add(self.made)
        return self.made

    def count(self, label: Label, change: int, at: ast.AST) -> None:
        """Note that ``number`` of a label changes."""
        self._check(label, at)
        self.ahead[label] += change
        self.stale.add(label)
        self.summed = False

    def refresh(self, label: Label, at: ast.AST) -> None:
        """Note that the factor of a label is computed anew."""
        self._check(label, at)
        self.stale.discard(label)
        self.summed = False

    def give(self, label: Label, at: ast.AST) -> None:
        """Note that the item gets a label."""
        self._check(label, at)
        if self.holds is not None:
            self.ahead[self.holds] += 1
        self.ahead[label] -= 1
        self.holds = label
        self.summed = False

    def sum_weights(self, at: ast.AST) -> None:
        """Note that the weights of all labels are summed, and require that they are those of the
        item given the labels of all others.
        """
        if self.holds is None:
            raise wrong(at, "the item has no label yet, so that the counts are not those of others")
        expected = Counter({self.holds: -1})
        if self.by_label() != expected:
            raise wrong(
                at,
                "number holds other counts than those of the other items: the item must be taken"
                " out of the count of its label, and of no other",
            )
        if self.stale:
            raise wrong(at, "a factor is that of an earlier count")
        self.summed = True

    def draw(self, at: ast.AST) -> Label:
        """Return the label that is drawn with the weights that are summed."""
        if not self.summed:
            raise wrong(at, "what is drawn from are not the weights of this item")
        self.summed = False
        return self.fresh(may_be_none=True)

    def by_label(self) -> Counter[Label]:
        """By how much ``number`` is ahead, without the labels for which it is not."""
        return Counter({label: n for label, n in self.ahead.items() if n})

    def settle(self, at: ast.AST) -> None:
        """Require, at the end of the turn, that ``number`` holds the counts of the labels."""
        if self.holds is None:
            raise wrong(at, "the item gets no label")
        if self.by_label():
            raise wrong(at, "number does not hold the counts of the labels when the turn ends")

    def _check(self, label: Label, at: ast.AST) -> None:
        if label in self.open:
            raise unread(at, "the label may be none: whether there is one must be looked at first")
