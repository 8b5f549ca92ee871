"""What every test starts from."""

import signal

import pytest


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    """A shell starts what runs in the background with SIGINT ignored; the tests of Ctrl-C would wait for ever there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
