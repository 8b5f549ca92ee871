"""What every test starts from, which cases of a long table run by default, and which files begin first."""

import signal
from collections import defaultdict

import pytest

# A file stays on one worker, so that what it compiles is compiled once; those that take longest begin, so that none of them is left
# alone at the end.
LONGEST = """
    minibatch kernel_code translation_mutants translation determinism cache many cli generate checkpoint one_gradient bundles
    scheme_code sample examples hostile reductions arithmetic limits complexity spread
"""


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "by_default(count or ids): the cases that run by default, so many or those named; others are slow"
    )
    config.addinivalue_line("markers", "slow_for(ids): the cases that are slow")


@pytest.hookimpl(tryfirst=True)  # before pytest itself leaves out what is slow
def pytest_collection_modifyitems(config, items):
    cases = defaultdict(list)
    for item in items:
        cases[item.path, item.originalname].append(item)
    whole = not any("::" in argument for argument in config.args)
    for of_one in cases.values():
        for item in slow_cases(of_one, whole):
            item.add_marker(pytest.mark.slow)
    rank = {f"test_{name}.py": n for n, name in enumerate(LONGEST.split())}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


def slow_cases(items, whole):
    """Those cases of one test that its markers leave to the slow run; names are checked where all cases are there (``whole``)."""
    for name, chosen in (("by_default", True), ("slow_for", False)):
        marker = items[0].get_closest_marker(name)
        if marker is None:
            continue
        if isinstance(marker.args[0], int):
            count = min(marker.args[0], len(items))
            yield from (item for n, item in enumerate(items) if n not in {k * len(items) // count for k in range(count)})
            continue
        ids = [item.callspec.id for item in items]
        if whole and (unknown := set(marker.args) - set(ids)):
            raise pytest.UsageError(f"{items[0].nodeid}: {name} names no case: {', '.join(sorted(unknown))}")
        yield from (item for item, id_ in zip(items, ids, strict=True) if (id_ in marker.args) != chosen)


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    """A shell starts what runs in the background with SIGINT ignored; the tests of Ctrl-C would wait for ever there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
