"""Bundles of chains, each of which ``run_many`` moves at once; every chain has the draws that it
would have alone.

A bundle is run, stopped and saved as a single chain is, and threads take bundles as they take
chains. The innermost loop of ``run_many`` goes over the chains of a bundle. The number of threads
does not change which chains a bundle has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions
from codegen.inputs.schedule import step_sizes
from codegen.lowering.batch_form import refusal_of_many
from codegen.module import Module
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from codegen.system.collector import collector_paused
from recipe.language.blocks import Scalar

CHAINS_PER_BUNDLE = 256  # chains: so that several rows of a bundle fit in the first-level cache
MIN_CHAINS = 64  # chains; with fewer, bundles gain less time than their compilation takes
# coordinates; a single chain of a longer block fills the vector registers by itself
MAX_BLOCK_LENGTH = 32


def in_bundles(module: Module, options: SamplingOptions, lengths: Lengths) -> bool:
    """Return True if chains are to be run in bundles, which changes their speed and no draw."""
    if options.chains < MIN_CHAINS or options.schedules or refusal_of_many(module.plan) is not None:
        return False
    return all(
        isinstance(b, Scalar) or lengths.of(b) <= MAX_BLOCK_LENGTH for b in module.plan.state
    )


@dataclass(frozen=True)
class Bundles:
    """A compiled module that moves bundles of chains. A ``Chain`` stands for a bundle here, and its
    number is the number of the bundle.

    Attributes:
        kernel: the compiled module with its arguments.
    """

    kernel: Compiled

    @property
    def unit(self) -> str:
        """The name of the unit that is run at once."""
        return f"bundle of {CHAINS_PER_BUNDLE} chains"

    def begin(self, starts: Iterator[Mapping[str, np.ndarray]]) -> list[Chain]:
        """Return bundles at the first states of their chains, with arrays for their draws."""
        options = self.kernel.options
        firsts = range(0, options.chains, CHAINS_PER_BUNDLE)
        return [
            self._bundle(
                n, [next(starts) for _ in range(min(CHAINS_PER_BUNDLE, options.chains - c))]
            )
            for n, c in enumerate(firsts)
        ]

    def _bundle(self, number: int, starts: Sequence[Mapping[str, np.ndarray]]) -> Chain:
        """Return a bundle whose chains start at these states, with arrays for their draws."""
        blocks = {f: np.stack([first[f] for first in starts], axis=1) for f in starts[0]}
        draws = self.kernel.allocate_draws(
            {f: block.shape for f, block in blocks.items()}, (1, len(starts))
        )
        return Chain(number, self.kernel.loaded.allocate_many(*blocks.values()), draws)

    def advance(
        self, state: Any, draws: Any, bundle: int, begin: int, count: int
    ) -> tuple[int, int]:
        """Move a bundle by ``count`` steps; return the steps done, and the number of the block that
        stopped it or -1.
        """
        options, (_, _, params) = self.kernel.options, self.kernel.arguments()
        sizes, first = (
            step_sizes(options.schedule, begin, count),
            np.uint64(bundle * CHAINS_PER_BUNDLE),
        )
        return self.kernel.loaded.run_many(  # type: ignore[no-any-return]
            state,
            draws,
            sizes,
            params,
            np.uint64(options.seed),
            first,
            begin,
            options.warmup,
            options.thin,
        )

    def stays_finite(self, state: Any, chain: int, begin: int, count: int, size: float) -> bool:
        """Move one chain by ``count`` steps of this size; return True if no block stopped it."""
        blocks, loaded = state[: len(self.kernel.module.plan.state)], self.kernel.loaded
        many, draws = (
            loaded.allocate_many(*(block[:, None] for block in blocks)),
            self.kernel.no_draws(dimensions=3),
        )
        _, _, params = self.kernel.arguments()
        seed, sizes = np.uint64(self.kernel.options.seed), np.full(count, size)
        _, bad = loaded.run_many(many, draws, sizes, params, seed, np.uint64(chain), begin, 0, 1)
        for block, moved in zip(blocks, many, strict=False):
            block[:] = moved[:, 0]
        return bool(bad < 0)

    def compile(self, bundle: Chain) -> None:
        """Compile the module by a call with no step."""
        with collector_paused():
            self.advance(bundle.state, bundle.draws, bundle.number, 0, 0)

    def first_state(self, bundles: Sequence[Chain]) -> Any:
        """Return a copy of the state of the first chain."""
        return self._state(bundles[0].state[: len(self.kernel.module.plan.state)], 0)

    def chains(self, bundles: Sequence[Chain]) -> list[Chain]:
        """Return the chains of bundles that have run, each as if it had run alone."""
        return [chain for bundle in bundles for chain in self._chains(bundle)]

    def _chains(self, bundle: Chain) -> Iterator[Chain]:
        """Yield the chains of a bundle. A chain that stopped has its last state, and NaN in place
        of later draws.
        """
        blocks = len(self.kernel.module.plan.state)
        now, last = bundle.state[:blocks], bundle.state[-blocks:]
        stopped, stopped_by = (numbers[0] for numbers in bundle.state[-blocks - 2 : -blocks])
        for c in range(stopped.size):
            number, draws = (
                bundle.number * CHAINS_PER_BUNDLE + c,
                self.kernel.loaded.Draws(*(array[..., c] for array in bundle.draws)),
            )
            if stopped[c] < 0:
                yield Chain(number, self._state(now, c), draws, bundle.done)
                continue
            done = int(stopped[c])
            for array in draws:  # the bundle has moved its column on
                array[self.kernel.options.draws_after(done) :] = np.nan
            yield Chain(number, self._state(last, c), draws, done, int(stopped_by[c]))

    def _state(self, blocks: Sequence[np.ndarray], c: int) -> Any:
        """Return the state of the chain in column ``c``."""
        return self.kernel.allocate([block[:, c] for block in blocks])
