"""What every test starts from, which cases of a long table run by default, and which files begin
first.
"""

import signal
import warnings
from collections import defaultdict
from contextlib import suppress
from importlib import import_module

import mpmath
import pytest

# A file stays on one worker, so that what it compiles is compiled once; those that take longest
# begin, so that none of them is left alone at the end.
LONGEST = """
    random_verdicts levels_and_power minibatch kernel_code determinism mutation
    translation_mutants translation certificates fresh_clone cache run_many cli transforms
    translation_batch random_battery calculus recipe_test_kernels generate checkpoint
    gradient_evaluations batches elementary verify scheme_figures scheme_code sample examples
    strategies hostile_files reductions arithmetic limits_benchmark complexity spread
    kills_and_errors
"""


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "by_default(count or ids): the cases that run by default, so many or those named; others"
        " are slow",
    )
    config.addinivalue_line("markers", "slow_for(ids): the cases that are slow")
    if getattr(config.option, "numprocesses", None):
        import_arviz()


def import_arviz():
    """Import ArviZ before the workers do: its first import of a day replaces a file in the cache of
    the user, and where two processes do that at once, one of them ends in FileNotFoundError.
    """
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_module("arviz")


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


def slow_cases(cases, whole):
    """Those cases of one test that its markers leave to the slow run; names are checked where all
    cases are there (``whole``).
    """
    for marker in cases[0].iter_markers():
        if marker.name == "by_default" and isinstance(marker.args[0], int):
            rest = [case for case in cases if case.get_closest_marker("slow") is None]
            kept = {n * len(rest) // marker.args[0] for n in range(marker.args[0])}
            yield from (case for n, case in enumerate(rest) if n not in kept)
        elif marker.name in {"by_default", "slow_for"}:
            ids = [case.callspec.id for case in cases]
            if whole and (unknown := set(marker.args) - set(ids)):
                raise pytest.UsageError(
                    f"{cases[0].nodeid}: {marker.name} names no case: {', '.join(sorted(unknown))}"
                )
            default = marker.name == "by_default"
            yield from (
                case
                for case, id_ in zip(cases, ids, strict=True)
                if (id_ in marker.args) != default
            )


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    """A shell starts what runs in the background with SIGINT ignored; the tests of Ctrl-C would
    wait for ever there.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def _digits_of_mpmath():
    """No test works with the digits that another one has left."""
    with mpmath.workdps(60):
        yield
