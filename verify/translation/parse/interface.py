"""What comes with the text of a module: what its names stand for, and the texts that are taken for
granted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Symbol

from recipe.language.abstract import Potential
from recipe.language.symbols import Block


@dataclass(frozen=True)
class Legend:
    """What the fields of a module are called: the contract with whoever calls it.

    ``fields`` are those of ``State`` by block, ``settings`` those of ``Params`` by parameter or
    matrix, ``factors`` those that hold the Cholesky factor of a matrix, ``data`` those of ``Data``
    by potential and datum. ``potentials`` is the order of a tuple of gradients. ``modes`` are the
    fields of ``Data`` with the mode and the gradient there, by potential with control variates, and
    ``variances`` those of ``State`` with the running variance, by potential; both by block.
    """

    fields: Mapping[Block, str]
    settings: Mapping[Symbol, str] = field(default_factory=dict)
    factors: Mapping[Symbol, str] = field(default_factory=dict)
    data: Mapping[Potential, Mapping[Symbol, str]] = field(default_factory=dict)
    potentials: tuple[Potential, ...] = ()
    modes: Mapping[Potential, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    variances: Mapping[Potential, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Trusted:
    """Texts of this release that have tests of their own: device functions by name, what may stand
    at the top of a module, and the statements about ``eights``, which stand there in their order if
    they stand there at all.
    """

    functions: Mapping[str, str]
    header: tuple[str, ...]
    eights: tuple[str, ...] = ()
