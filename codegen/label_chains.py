"""``sample_label_chains``: several chains over data with labels, and their diagnosis."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer
from codegen.files.counts import CountTable
from codegen.labels.arguments import checked_data, fetched
from codegen.labels.fit import Fit
from codegen.labels.reducers import Reducer
from codegen.labels.sample import LabelRun, never, sample_labels
from codegen.labels.side_by_side import SideBySide
from codegen.results.diagnosed import Diagnosed
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.save_groups import save_groups
from codegen.system.progress_bar import progress_bar
from recipe.language.errors import RecipeError
from recipe.latent.posterior import LabelledPosterior

Reducers = Callable[[int], tuple[Reducer, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class LabelRuns(Diagnosed):
    """Chains over data with labels. A prompt and a notebook show the diagnosis of their scores:
    numbers of each draw that do not depend on the order of labels.

    Attributes:
        runs: the end of each chain, with its reducers.
        scores: by name, numbers of the shape (chains, draws), from reducers that have ``scores``.
        attributes: what is said about the run.
        warnings: sentences about it.
    """

    runs: tuple[LabelRun, ...]
    scores: Mapping[str, np.ndarray]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a score by its name, or the last state of a block of all chains, of the shape
        (chains, labels, columns); of a number of a label, of the shape (chains, labels).

        Raises:
            KeyError: where there is neither.
        """
        if name in self.scores:
            return self.scores[name]
        return np.array([{**run.weights, **run.blocks}[name] for run in self.runs])

    def posterior_group(self) -> Group:
        """Return the scores as variables with the dimensions chain and draw."""
        variables = {n: Variable(("chain", "draw"), values) for n, values in self.scores.items()}
        warnings = {"warnings": "\n".join(self.warnings)} if self.warnings else {}
        group = Group(variables, {}, {**self.attributes, **warnings})
        points = {dim: Variable((dim,), np.arange(size)) for dim, size in group.sizes.items()}
        return replace(group, coordinates=points)

    def groups(self) -> dict[str, Group]:
        """Return the scores as the group posterior, and as the group ``last_rows`` the last state
        of each block, with the dimensions chain, label and column, the numbers that labels have
        beside their rows, and the steps of each chain.
        """
        blocks = {name: self[name] for name in {**self.runs[0].weights, **self.runs[0].blocks}}
        dims = ("chain", *(_unlike(name, blocks) for name in ("label", "column")))
        variables = {n: Variable(dims[: a.ndim], a) for n, a in blocks.items()}
        steps = Variable(("chain",), np.array([run.steps for run in self.runs]))
        last = Group(variables | {_unlike("steps", blocks): steps})
        return {"posterior": self.posterior_group(), "last_rows": last}

    def save(self, path: str | Path) -> Path:
        """Write the scores and the last rows as netCDF, for ``read_draws`` and for ArviZ. A reader
        of the file sees all of it or none.

        Args:
            path: the file, which is replaced if it exists.

        Returns:
            The path.

        Raises:
            RecipeError: where the file cannot be written; an old file is then unchanged.
        """
        return save_groups(self.groups(), Path(path))


def sample_label_chains(
    model: LabelledPosterior,
    sampler: Any,
    data: Any,
    *,
    steps: int,
    chains: int = 4,
    warmup: int | None = None,
    every: int | None = None,
    fit_data: Any = None,
    reducers: Reducers = lambda chain: (),
    checkpoint: str | os.PathLike[str] | None = None,
    stop: Callable[[], bool] = never,
    side_by_side: int = 1,
    **options: Any,
) -> LabelRuns:
    """Sample several chains, and diagnose numbers that do not depend on the
    order of labels: the log likelihood of some data, how concentrated labels are, and the scores of
    further reducers.

    Args:
        model, sampler, data: as for ``sample_labels``.
        steps: the number of steps of each chain.
        chains: the number of chains, which are independent.
        warmup: no scores before this many steps; by default half of them.
        every: scores after each multiple of this many steps; by default 100 scores a chain.
        fit_data: the counts whose log likelihood is taken; by default at most 200 of the data,
            evenly spaced.
        reducers: makes further reducers of a chain, from its number; those that have ``scores``
            must be updated as often.
        checkpoint: a folder with a file for each chain. The same call goes on from there.
        stop: asked after each step; all chains end, and are saved, where it returns True.
        side_by_side: how many chains run at a time, each with its ``threads``. Draws do not depend
            on it.
        options: further arguments of ``sample_labels``, but for ``chain``.

    Returns:
        All chains, and their scores.

    Raises:
        RecipeError: as ``sample_labels``; where scores are of different draws; where a folder is no
            folder.

    Source:
        R-hat and effective sizes: Vehtari, Gelman, Simpson, Carpenter & Buerkner (2021),
            "Rank-normalization, folding, and localization", Bayesian Analysis.
    """
    if "chain" in options:
        raise RecipeError("chain= is the number of one chain; chains= says how many there are")
    steps, chains = checked_integer("steps", steps, 1), checked_integer("chains", chains, 1, 10_000)
    warmup = checked_integer("warmup", steps // 2 if warmup is None else warmup, 0, steps - 1)
    every = checked_integer("every", max(1, (steps - warmup) // 100) if every is None else every, 1)
    side_by_side = checked_integer("side_by_side", side_by_side, 1, 1024)
    folder = _folder(checkpoint)
    chosen = fitted(data) if fit_data is None else fit_data
    progress = options.get("progress", True)
    if side_by_side > 1:  # checked and compiled here, by a step of the first chain, before threads
        sample_labels(model, sampler, data, steps=steps, stop=lambda: True, **_quiet(options))
        options = {**_quiet(options), "check": None}

    def one(chain: int, stopping: Callable[[], bool]) -> LabelRun:
        own = (Fit(chosen, every=every, after=warmup), *reducers(chain))
        path = None if folder is None else folder / f"chain-{chain}.npz"
        title = f"chain {chain + 1} of {chains}"
        given = {"checkpoint": path, "stop": stopping, "title": title, "chain": chain, **options}
        return sample_labels(model, sampler, data, steps=steps, reducers=own, **given)

    began = perf_counter()
    with progress_bar(
        f"{chains} chains", steps * chains, wanted=progress and side_by_side > 1
    ) as show:
        runs = SideBySide(side_by_side, stop, show).each(one, chains)
    finished = all(run.steps >= steps for run in runs) and len(runs) == chains
    said = () if finished else (f"{len(runs)} of {chains} chains were begun, and not all ended",)
    took = perf_counter() - began
    seconds = took if side_by_side > 1 else sum(run.seconds for run in runs)
    attributes: dict[str, Any] = {"recipe": model.name or "labels", "seconds": seconds, "labels": 1}
    scores = _scores(runs)
    attributes["derived"] = " ".join(scores)  # none of them has a step that is accepted or not
    attributes |= {} if finished else {"interrupted": 1}
    return LabelRuns(tuple(runs), scores, attributes, said)


def _quiet(options: Mapping[str, Any]) -> dict[str, Any]:
    return {**options, "progress": False}


def _unlike(name: str, blocks: Mapping[str, Any]) -> str:
    """Return a name that no block has."""
    while name in blocks:
        name += "_"
    return name


def _folder(checkpoint: str | os.PathLike[str] | None) -> Path | None:
    if checkpoint is None:
        return None
    folder = Path(checkpoint)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise RecipeError(
            f"checkpoint={str(folder)!r} cannot be a folder: {error.strerror or error}"
        ) from None
    return folder


def fitted(data: Any, most: int = 200) -> CountTable:
    """Return the data whose log likelihood is taken: at most so many of all, evenly spaced.

    Args:
        data: all data, as for ``sample_labels``.
        most: how many.

    Raises:
        RecipeError: for data that are no counts.
    """
    source = checked_data(data)
    which = np.unique(np.linspace(0, len(source) - 1, min(most, len(source))).astype(np.int64))
    return CountTable(*fetched(source, which), source.width)


def _scores(runs: list[LabelRun]) -> dict[str, np.ndarray]:
    """The scores of all chains, as far as each of them has come."""
    found: dict[str, list[np.ndarray]] = {}
    for run in runs:
        for reducer in run.reducers:
            for name, values in getattr(reducer, "scores", dict)().items():
                found.setdefault(name, []).append(values)
    lengths = {name: {len(v) for v in values} for name, values in found.items()}
    every = {tuple(sorted(sizes)) for sizes in lengths.values()}
    if len(every) > 1:
        listed = ", ".join(f"{name}: {max(sizes)}" for name, sizes in lengths.items())
        raise RecipeError(
            f"the scores are of different numbers of draws ({listed}); give their reducers the same"
            " every= and after="
        )
    shortest = min((len(v) for values in found.values() for v in values), default=0)
    return {name: np.array([v[:shortest] for v in values]) for name, values in found.items()}
