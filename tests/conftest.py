"""What every test starts from, and which files begin first."""

import signal

import pytest

# A file stays on one worker, so that what it compiles is compiled once; those that take longest begin, so that none of them is left
# alone at the end.
LONGEST = """
    minibatch kernel_code translation_mutants translation determinism cache many cli generate checkpoint one_gradient bundles
    scheme_code sample examples hostile reductions arithmetic limits complexity spread
"""


def pytest_collection_modifyitems(items):
    rank = {f"test_{name}.py": n for n, name in enumerate(LONGEST.split())}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    """A shell starts what runs in the background with SIGINT ignored; the tests of Ctrl-C would wait for ever there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
