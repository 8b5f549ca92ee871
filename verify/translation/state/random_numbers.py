"""The random numbers that a text has drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sympy import Symbol


@dataclass
class RandomNumbers:
    """The draws that have been read, and the minibatches among them.

    Attributes:
        keys: for each purpose of random numbers the draw that uses it, with its clock.
        minibatch_drawn: purpose, clock and size of the minibatch whose rows are in the state; None
            where there is none.
        ahead: the arrays whose numbers are drawn ahead at present, with their key, clock and
            length.
        ever_ahead: every array whose numbers are drawn ahead in some loop, with its key and length.
        estimates: the purpose and the clock of each potential's last minibatch, in the steps.
        estimates_before: the same before the first step.
        potential_of_purpose: the potential whose minibatches are drawn for each purpose.
        law_fields: for each field with chi-squared draws the two fields with the parameters of its
            law.
        parameters_of_draw: these two fields for each such draw.
    """

    keys: dict[int, Any] = field(default_factory=dict)
    minibatch_drawn: Any = None
    ahead: dict[str, Any] = field(default_factory=dict)
    ever_ahead: dict[str, Any] = field(default_factory=dict)
    estimates: dict[Any, tuple[int, str]] = field(default_factory=dict)
    estimates_before: dict[Any, tuple[int, str]] = field(default_factory=dict)
    potential_of_purpose: dict[int, Any] = field(default_factory=dict)
    law_fields: dict[str, tuple[str, str]] = field(default_factory=dict)
    parameters_of_draw: dict[Symbol, tuple[str, str]] = field(default_factory=dict)
