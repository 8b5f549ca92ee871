"""The pytest plug-in: the fixture ``assert_samples``, for the test suites of other samplers.

Every run of pytest loads it, so it imports what it needs on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

SEED = "statistics_seed"  # the name under which pytest keeps the option


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--statistics-seed``: the seed of every statistical test."""
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
    """Return the function ``assert_samples(step, against, step_size=..., ...)``, which fails if a
    kernel differs from what it is compared with.

    With ``against`` an ``Update``, a ``Discretisation`` or a kernel of moves, it compares the law
    of one step (``verify.check_kernel``). With a ``Kernel`` that accepts and rejects, or repeats,
    it compares one sweep (``verify.check_sweep``). With ``target=`` it compares the law that the
    kernel leaves invariant (``verify.check_invariance``). With both ``against`` and ``target=`` it
    makes both comparisons.

    The function returns one or two ``Findings``. It also fails if the error of a coefficient might
    be missed, unless ``allow_unseen=True``.
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
                    f"{findings}\nraise replicas=, most= or step_size=, or add allow_unseen=True",
                    pytrace=False,
                )
        return found

    return asserted


def _found(step: Any, against: Any, target: Any, how: dict[str, Any]) -> tuple[Any, ...]:
    """Make the comparisons that the arguments ask for, and return their findings."""
    from recipe import Kernel
    from recipe.kernel import Move
    from verify.statistics import LEVEL, battery, check_invariance, check_kernel, check_sweep

    if against is None and target is None:
        raise TypeError("assert_samples needs something to compare with: a rule, or target=")
    by_sweep = isinstance(against, Kernel) and not all(
        isinstance(part, Move) for part in against.parts
    )
    of_rule = {} if against is None else _taken(how, check_sweep if by_sweep else battery)
    of_law = {} if target is None else _taken(how, check_invariance)
    if unknown := [name for name in how if name not in {*of_rule, *of_law, "name"}]:
        raise TypeError(f"assert_samples: {unknown[0]}= is no argument of these comparisons")
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
    """Return the arguments that a function takes."""
    names = signature(by).parameters
    return {name: value for name, value in how.items() if name in names}
