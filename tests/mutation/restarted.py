"""One child process that answers about mutants one after another, and that is killed and made anew
when an answer takes too long.

Libraries such as JAX have threads, which a fork does not copy, so that the child is a fresh
interpreter; it imports the library once.
"""

import multiprocessing
import warnings
from contextlib import closing

CONTEXT = multiprocessing.get_context("spawn")
NOT_IN_TIME = "out of time"
START = 120  # seconds for the start of a child, and for its first answer


def answers(work, keys, seconds):
    """The answer of ``work`` about each key, in their order; ``NOT_IN_TIME``, or how the process
    ended, where there is none.

    Args:
        work: a function of a module, of one key; what it returns must be plain data.
        keys: the keys.
        seconds: how long an answer may take; the first of a child may take ``START`` longer.
    """
    child = None
    try:
        for key in keys:
            fresh = child is None
            child = child or _Child(work)
            answer, alive = child.answer(key, seconds + START * fresh)
            if not alive:
                child.close()
                child = None
            yield answer
    finally:
        if child is not None:
            child.close()


class _Child:
    """A process that waits for keys."""

    def __init__(self, work):
        self.end, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(work, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def answer(self, key, seconds):
        """The answer, and whether the process goes on."""
        self.end.send(key)
        if not self.end.poll(seconds):
            return NOT_IN_TIME, False
        try:
            return self.end.recv(), True
        except EOFError:
            self.process.join()
            return f"ended with {self.process.exitcode}", False

    def close(self):
        """Kill the process."""
        self.process.kill()
        self.process.join()
        self.end.close()


def _serve(work, end):
    warnings.simplefilter("ignore")  # libraries warn at each import of a changed module
    with closing(end):
        while True:
            try:
                key = end.recv()
            except EOFError:
                return
            end.send(work(key))
