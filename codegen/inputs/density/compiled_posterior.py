"""A posterior as compiled functions: its potential, the gradient of the potential, and a mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from codegen.inputs.density.density_functions import functions_of_a_kernel, functions_of_a_posterior
from codegen.inputs.density.minimise import minimise
from codegen.inputs.density.unbounded import as_real, nearer_an_edge, real_slopes
from codegen.inputs.evaluate import Values
from codegen.inputs.initial_states import given_blocks, in_domain
from codegen.inputs.lengths import Lengths, learn_given
from codegen.inputs.not_finite import state_values, why_not_finite
from codegen.inputs.parameters import resolved_values
from codegen.inputs.posterior_data import bad_rows, resolved_arrays
from codegen.module import Module
from codegen.store.records import as_named
from codegen.system.collector import collector_paused
from recipe.declare.other_data import require_all_data
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Block, Vector
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

ALL_ROWS = np.zeros(0, dtype=np.int64)  # how a compiled function is asked for all of the data
MAX_RELATIVE_SLOPE = 1e-4  # of U at a mode, against the slope where the search began


class Density:
    """The compiled law ``exp(-U)`` of a posterior, with ``U = -log_prior - sum of log_likelihood``.

    Blocks are given by symbol or name, a vector block as an array of the shape (length,) and a
    scalar block as a number. ``rows`` is an array of row numbers; None stands for all of the data.

    Args:
        posterior: a posterior with a ``log_likelihood``; its own gradient is not used.
        params: the value of each of its parameters, by symbol or name.
        lengths: the number of coordinates of a block, by block, where neither data nor parameters
            determine it.
        kernel: the module of a kernel of the same law, whose functions are taken where they fit.

    Attributes:
        blocks: the blocks that U depends on.
        ordered: the ordered blocks, whose scalars are among these.
        arrays: the arrays of the data, checked.
        data: the same arrays by the symbols of the data.
        rows: the number of rows of the data; 1 without data.
        lengths: what is known of the lengths of blocks and of the names of their coordinates.

    Raises:
        RecipeError: for a parameter or a length that is missing, data that do not fit, or an
            expression that has no compiled form.

    Example:
        >>> from codegen import Density
        >>> from recipe import Data, Posterior, Vector, total
        >>> theta = Vector("theta")
        >>> x = Data("x", like=theta)
        >>> prior, likelihood = -total(theta**2) / 2, -total((x - theta) ** 2) / 2
        >>> density = Density(Posterior(theta, likelihood, prior, data={x: [[1.0], [2.0]]}))
        >>> round(float(density.mode()[theta][0]), 6)
        1.0
    """

    def __init__(
        self,
        posterior: Posterior,
        params: Mapping[Any, Any] | None = None,
        *,
        lengths: Mapping[Any, int] | None = None,
        kernel: Module | None = None,
    ) -> None:
        if posterior.log_likelihood is None:
            raise RecipeError("this posterior has no log_likelihood to compile; give it one")
        require_all_data(posterior, "the density")
        self.blocks: tuple[Block, ...] = posterior.blocks
        self.ordered = posterior.ordered
        self._posterior = posterior
        self.lengths = Lengths()
        learn_given(self.lengths, lengths, self.blocks)
        arrays = resolved_arrays(posterior, self.lengths)
        self.arrays = tuple(arrays.values())
        self.data = arrays
        self._named = {name_of(s): value for s, value in (params or {}).items()}
        self.rows = next((a.shape[0] for a in self.arrays), 1)
        made = None if kernel is None else functions_of_a_kernel(kernel, posterior, arrays)
        if made is None:
            made = functions_of_a_posterior(posterior)
        values = {
            **resolved_values(made.settings, params, (), self.lengths),
            **made.unread,
        }
        self._module = made.load()
        self._potential = getattr(self._module, made.potential)
        self._gradient = getattr(self._module, made.gradient)
        self._order = made.order
        self._data = (
            self._module.Data(**{made.fields[s]: a for s, a in arrays.items()}) if arrays else ()
        )
        self._params = self._module.Params(**values) if values else ()
        self._values = {s: values[field] for s, field in made.settings.items()}
        self._entry_points: dict[Any, Any] = {}

    def __repr__(self) -> str:
        named = ", ".join(b.name for b in self.blocks)
        return (
            f"Density of ({named}) with {self.dimension} coordinates and {self.rows} rows of data\n"
            "  .potential(values), .gradient(values) and .mode()"
        )

    @property
    def dimension(self) -> int:
        """The number of coordinates of all blocks together."""
        return sum(self.sizes)

    def potential(self, values: Mapping[Any, Any], rows: np.ndarray | None = None) -> float:
        """Return U, or its unbiased estimate from n of N rows: N/n times the sum over these rows,
        plus the part of the prior.

        Args:
            values: the value of every block, by symbol or name.
            rows: the numbers of the rows, shape (n,); all of the data by default.

        Raises:
            RecipeError: for a block without a value, or a value outside of its domain.
        """
        return self.value(self._arrays(values), rows)

    def gradient(
        self, values: Mapping[Any, Any], rows: np.ndarray | None = None
    ) -> dict[Block, np.ndarray]:
        """Return the gradient of U by block, or its estimate from some rows.

        Args:
            values: the value of every block, by symbol or name.
            rows: as for ``potential``.

        Raises:
            RecipeError: as ``potential``.
        """
        return self._by_block(self.slopes(self._arrays(values), rows))

    def slopes(self, at: Sequence[np.ndarray], rows: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the gradient as one array a block.

        Args:
            at: one array a block, in the order of ``blocks``, of the shape (length,).
            rows: as for ``potential``.
        """
        results = [np.zeros_like(a) for a in at]
        given = (*(results[k] for k in self._order), *(at[k] for k in self._order))
        self._called(
            self._gradient,
            (*given, self._data, self._params, (), ALL_ROWS if rows is None else rows),
        )
        return results

    def prior_slopes(self, at: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the gradient of minus the log prior as one array a block.

        Args:
            at: one array a block, in the order of ``blocks``, of the shape (length,).
        """
        given = zip(self.blocks, at, strict=True)
        draws = {b: a[None] if isinstance(b, Vector) else a for b, a in given}
        draws |= {s: np.asarray(v)[None] for s, v in self._values.items()}
        lengths = {b.length: self.lengths.of(b) for b in self.blocks if isinstance(b, Vector)}
        values = Values(draws, sizes=lengths)
        slopes = self._posterior.prior_gradient
        return [
            np.broadcast_to(values.at(slopes[b]).reshape(-1), (a.size,))
            for b, a in zip(self.blocks, at, strict=True)
        ]

    def mode(self, start: Mapping[Any, Any] | None = None) -> dict[Block, np.ndarray]:
        """Return a local minimum of U by block: the maximum a posteriori, inside of the domains.

        Args:
            start: the values of all blocks from which L-BFGS begins; by default the centre of each
                domain: 0 on the real line, 1 where a block is positive.

        Raises:
            RecipeError: where the search does not end at a point where the gradient vanishes, or
                ends at an edge of a domain.
        """
        return self._by_block(self.minimum(None if start is None else self._arrays(start)))

    def minimum(self, start: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        """Return the mode as ``mode`` does, with one array a block of the shape (length,).

        Args:
            start: the point from which L-BFGS begins, one array a block; as for ``mode``.

        Raises:
            RecipeError: as ``mode``.
        """
        domains = [b.domain for b in self.blocks]
        first = (
            np.zeros(self.dimension)
            if start is None
            else np.concatenate(list(map(as_real, domains, start)))
        )

        def value_and_gradient(z: np.ndarray) -> tuple[float, np.ndarray]:
            at = list(map(in_domain, domains, self._split(z)))
            return self.value(at), np.concatenate(
                list(map(real_slopes, domains, at, self.slopes(at)))
            )

        with np.errstate(all="ignore"):
            found = minimise(value_and_gradient, first)
        slope = found.last.steepest
        bad = [] if np.isfinite(slope) else bad_rows([self._posterior])
        if bad:
            raise RecipeError(
                f"no mode was found: {'; '.join(bad)}; correct it, or leave the row out"
            )
        if not slope <= MAX_RELATIVE_SLOPE * max(1.0, found.first.steepest):
            raise RecipeError(
                f"no mode was found: after {found.iterations} iterations the largest derivative of"
                f" U is {slope:.3g}; give a start, or the mode itself"
            )
        self._require_inside(self._split(found.last.point))
        return list(map(in_domain, domains, self._split(found.last.point)))

    def _require_inside(self, found: Sequence[np.ndarray]) -> None:
        """Require that U does not fall from a point, given as real numbers, to an edge close by."""
        at = [in_domain(b.domain, z) for b, z in zip(self.blocks, found, strict=True)]
        here = self.value(at)
        for k, block in enumerate(self.blocks):
            for z in nearer_an_edge(block.domain, found[k]):
                nearer = [*at[:k], in_domain(block.domain, z), *at[k + 1 :]]
                if self.value(nearer) <= here:
                    raise RecipeError(
                        f"no mode was found inside of the domain {block.domain} of {block}: the"
                        f" density still rises towards its edge, near {block} ="
                        f" {np.array2string(at[k], precision=3, threshold=4)}"
                    )

    @property
    def sizes(self) -> list[int]:
        """The number of coordinates of each block."""
        return [self.lengths.of(b) if isinstance(b, Vector) else 1 for b in self.blocks]

    def value(self, at: Sequence[np.ndarray], rows: np.ndarray | None = None) -> float:
        """Return U.

        Args:
            at: one array a block, in the order of ``blocks``, of the shape (length,).
            rows: as for ``potential``.
        """
        blocks = (at[k] for k in self._order)
        given = (*blocks, self._data, self._params, ALL_ROWS if rows is None else rows)
        return float(self._called(self._potential, given))

    def why_not_finite(self, at: Sequence[np.ndarray]) -> str | None:
        """Return why U is not finite at a point, a sentence with a repair; None where it is finite,
        or nothing in it tells.

        Args:
            at: one array a block, in the order of ``blocks``, of the shape (length,).
        """
        values = dict(zip(self.blocks, at, strict=True))
        found = state_values(self._posterior, values, self.data, self._named)
        return why_not_finite(self._posterior, found)

    def _called(self, function: Any, given: tuple[Any, ...]) -> Any:
        """Call a function of the module by its machine code, which is looked up once for each
        choice of types: Numba's own look-up takes a millisecond where other modules of the process
        have data of the same names.
        """
        arrays = [a for a in given if type(a) is np.ndarray]
        flags = [(a.flags.c_contiguous, a.flags.writeable, a.flags.aligned) for a in arrays]
        key = (function, *(a.dtype for a in arrays), *flags)
        if key not in self._entry_points:
            with collector_paused():
                types = tuple(as_named(function.typeof_pyval(value)) for value in given)
                self._entry_points[key] = function.compile(types)
        return self._entry_points[key](*given)

    def _split(self, z: np.ndarray) -> list[np.ndarray]:
        return np.split(z, np.cumsum(self.sizes)[:-1])

    def _by_block(self, arrays: Sequence[np.ndarray]) -> dict[Block, np.ndarray]:
        return {
            b: a if isinstance(b, Vector) else a[0]
            for b, a in zip(self.blocks, arrays, strict=True)
        }

    def _arrays(self, values: Mapping[Any, Any]) -> list[np.ndarray]:
        given = given_blocks(values, self.blocks, 1, self.lengths)
        missing = [b for b in self.blocks if b not in given]
        if missing:
            raise RecipeError(f"there is no value for the block {missing[0]}; give one")
        return [np.array(given[b][0]) for b in self.blocks]
