"""The pytest plug-in: ``assert_samples``, for the suites of other people's samplers.

It is loaded into every run of pytest, so that it imports what it needs on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SEED = "statistics_seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--statistics-seed``: the seed of every statistical test; the same one gives the same numbers."""
    group = parser.getgroup("statistics", "statistical verification of samplers")
    group.addoption("--statistics-seed", dest=SEED, type=int, default=0, help="seed of assert_samples (default 0)")


@pytest.fixture
def assert_samples(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``assert_samples(step, against, step_size=..., ...)`` fails where the kernel is not what it is compared with.

    With ``against`` an ``Update``, a ``Discretisation`` or a kernel of moves, the law of one step is compared
    (``verify.check_kernel``); with a ``Kernel`` that accepts and rejects, or repeats, one sweep (``verify.check_sweep``); with
    ``target=``, the law that it leaves invariant (``verify.check_invariance``); with both, both.
    Returns what was found, one or two ``Findings``. ``allow_unseen=True`` passes although a coefficient would be missed.
    """
    seed = request.config.getoption(SEED)

    def asserted(step: Any, against: Any = None, *, target: Any = None, allow_unseen: bool = False, **how: Any) -> tuple[Any, ...]:
        found = _found(step, against, target, {"seed": seed, "name": request.node.name, **how})
        for findings in found:
            print(findings)
            if findings.differing:
                pytest.fail(str(findings), pytrace=False)
            if findings.unseen and not allow_unseen:
                pytest.fail(f"{findings}\nraise replicas= or most=, or step_size=, or say allow_unseen=True", pytrace=False)
        return found

    return asserted


BOTH = ("seed", "level", "power", "factor", "batched", "replicas", "most", "name")
OF_LAW = (*BOTH, "steps", "features")


def _found(step: Any, against: Any, target: Any, how: dict[str, Any]) -> tuple[Any, ...]:
    from recipe import Kernel
    from recipe.kernel import Move
    from verify.statistics import check_invariance, check_kernel, check_sweep

    if against is None and target is None:
        raise TypeError("assert_samples needs what to compare with: an update rule, or target=")
    found = []
    if against is not None:
        by_sweep = isinstance(against, Kernel) and not all(isinstance(part, Move) for part in against.parts)
        check = check_sweep if by_sweep else check_kernel
        found.append(check(step, against, **{k: v for k, v in how.items() if k in BOTH or k not in OF_LAW}))
    if target is not None:
        found.append(check_invariance(step, target, **{k: v for k, v in how.items() if k in OF_LAW}))
    return tuple(found)
