"""The counts of a datum while one item is looked at: which label it has, what ``number`` and
``factors`` hold, and which label was drawn.

``number`` is known by how far it is from the counts of the labels in ``drawn``: a whole number for
each label that a name of the text stands for. Two names may stand for the same label; then their
numbers add up. ``factors`` are those of ``number``, but for the labels in ``late``: a cell that is
no cell of these holds ``count_factor(number[k], params)``.

Where a number or a factor is another one than it must be, the text is refuted if the factor of a
count tells the two apart, at a count that is shown: a weight in which counts do not occur is right
whatever they are.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from verify.translation.parse.problems import unread, wrong
from verify.verdict import Witness

Label = int  # a name for what one statement gave; two of them may be the same label
BEFORE = 0  # the label that the item has before its turn


@dataclass
class Counts:
    """The state of a turn.

    Attributes:
        holds: the label of the item; None if it has none yet.
        against: a count whose factor is another one for some shift of it; None if there is none.
        ahead: by how much ``number`` is more than the counts of the labels in ``drawn``.
        late: the labels whose factors may not be those of their numbers, and by how much these
            numbers have changed since, where no other name stands for the label.
        summed: whether ``cumulative`` holds the weights of the item, given the other labels.
        open: labels that may be none, as nothing was looked at yet.
        made: how many labels there are.
    """

    holds: Label | None
    against: Callable[[int], Witness | None]
    ahead: Counter[Label] = field(default_factory=Counter)
    late: dict[Label, int] = field(default_factory=dict)
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
        self.late[label] = self.late.get(label, 0) + change
        self.summed = False

    def refresh(self, label: Label, at: ast.AST) -> None:
        """Note that the factor of a label is computed anew."""
        self._check(label, at)
        self.late.pop(label, None)
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
            raise unread(at, "the item has no label yet")
        found = Counter(self.ahead)
        found[self.holds] += 1
        self._require(
            found,
            at,
            "number holds other counts than those of the other items: the item must be taken out of"
            " the count of its label, and of no other",
        )
        self.require_factors(at)
        self.summed = True

    def draw(self, at: ast.AST) -> Label:
        """Return the label that is drawn with the weights that are summed."""
        if not self.summed:
            raise unread(at, "what is drawn from was not shown to be the weights of this item")
        self.summed = False
        return self.fresh(may_be_none=True)

    def settle(self, at: ast.AST) -> None:
        """Require, at the end of the turn, that ``number`` holds the counts of the labels."""
        self._require(
            self.ahead, at, "number does not hold the counts of the labels when the turn ends"
        )

    def require_factors(self, at: ast.AST) -> None:
        """Require that all factors are those of their numbers."""
        self._require(
            {label: -change for label, change in self.late.items()},
            at,
            "a factor is that of an earlier count",
        )
        if self.late:
            raise unread(at, "a factor was not shown to be that of its count")

    def _require(self, shifts: Mapping[Label, int], at: ast.AST, why: str) -> None:
        """Require that there are no shifts; the text is refuted where a factor shows one."""
        wrongly = [shift for shift in shifts.values() if shift]
        for shift in wrongly:
            witness = self.against(shift)
            if witness is not None:
                raise wrong(at, f"{why} (one is {shift:+d} off)", witness)
        if wrongly:
            raise unread(at, f"{why} (one is {wrongly[0]:+d} off)")

    def _check(self, label: Label, at: ast.AST) -> None:
        if label in self.open:
            raise unread(at, "the label may be none: whether there is one must be looked at first")
