"""The pytest plug-in: ``assert_samples``, for the suites of other people's samplers.

It is loaded into every run of pytest, so that it imports what it needs on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

SEED = "statistics_seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--statistics-seed``: the seed of every statistical test; the same one gives the same
    numbers.
    """
    group = parser.getgroup("statistics", "statistical verification of samplers")
    group.addoption(
        "--statistics-seed",
        dest=SEED,
        type=int,
        default=0,
        help="seed of assert_samples (default 0)",
    )


@pytest.fixture
def assert_samples(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``assert_samples(step, against, step_size=..., ...)`` fails where the kernel is not what it
    is compared with.

    With ``against`` an ``Update``, a ``Discretisation`` or a kernel of moves, the law of one step
    is compared (``verify.check_kernel``); with a ``Kernel`` that accepts and rejects, or repeats,
    one sweep (``verify.check_sweep``); with ``target=``, the law that it leaves invariant
    (``verify.check_invariance``); with both, both. Returns what was found, one or two ``Findings``.
    ``allow_unseen=True`` passes although a coefficient would be missed.
    """
    seed = request.config.getoption(SEED)

    def asserted(
        step: Any,
        against: Any = None,
        *,
        target: Any = None,
        allow_unseen: bool = False,
        **how: Any,
    ) -> tuple[Any, ...]:
        found = _found(step, against, target, {"seed": seed, "name": request.node.name, **how})
        for findings in found:
            print(findings)
            if findings.differing:
                pytest.fail(str(findings), pytrace=False)
            if findings.unseen and not allow_unseen:
                pytest.fail(
                    f"{findings}\nraise replicas= or most=, or step_size=, or say"
                    " allow_unseen=True",
                    pytrace=False,
                )
        return found

    return asserted


def _found(step: Any, against: Any, target: Any, how: dict[str, Any]) -> tuple[Any, ...]:
    from recipe import Kernel
    from recipe.kernel import Move
    from verify.statistics import LEVEL, battery, check_invariance, check_kernel, check_sweep

    if against is None and target is None:
        raise TypeError("assert_samples needs what to compare with: an update rule, or target=")
    by_sweep = isinstance(against, Kernel) and not all(
        isinstance(part, Move) for part in against.parts
    )
    of_rule = {} if against is None else _taken(how, check_sweep if by_sweep else battery)
    of_law = {} if target is None else _taken(how, check_invariance)
    if unknown := [name for name in how if name not in {*of_rule, *of_law, "name"}]:
        raise TypeError(f"assert_samples: {unknown[0]}= is nothing that these comparisons take")
    found = []
    shared = {
        "name": how["name"],
        "level": how.get("level", LEVEL) / ((against is not None) + (target is not None)),
    }
    if against is not None:
        found.append(
            (check_sweep if by_sweep else check_kernel)(step, against, **{**of_rule, **shared})
        )
    if target is not None:
        found.append(check_invariance(step, target, **{**of_law, **shared}))
    return tuple(found)


def _taken(how: dict[str, Any], by: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that a function takes by their names."""
    names = signature(by).parameters
    return {name: value for name, value in how.items() if name in names}
