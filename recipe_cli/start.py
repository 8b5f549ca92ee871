"""Where the command begins: ready for Ctrl-C and for closed streams before anything is imported that takes time."""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED, BAD_INPUT, FAULT = 130, 2, 70
WORD = "recipe: interrupted\n"
AGAIN = 0.05  # seconds, after which an interruption is sent again that nobody could hear


class _Interruption:
    """How Ctrl-C is taken: while this program is being loaded it ends at once, later it is raised as usual."""

    def __init__(self) -> None:
        self.heard = False
        self.loading = True

    def __call__(self, number: int, frame: object) -> None:
        self.heard = True
        if self.loading:  # nothing was begun, and an exception inside an import may go astray
            os.write(2, WORD.encode())
            os._exit(INTERRUPTED)
        raise KeyboardInterrupt

    def not_raised(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Send an interruption again that came where Python can raise nothing, as in a callback."""
        import threading

        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            timer = threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT))
            timer.daemon = True
            timer.start()
        else:
            sys.__unraisablehook__(unraisable)


def main() -> None:
    """Run the command, and end with its status."""
    interruption = _Interruption()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell has it ignored
        signal.signal(signal.SIGINT, interruption)
    from recipe_cli.streams import close_streams, open_streams

    open_streams()
    sys.unraisablehook = interruption.not_raised
    status = _status(interruption)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left to do takes no time, and cannot be raised from
    if status == INTERRUPTED and interruption.heard:
        sys.stderr.write(WORD)
    sys.exit(close_streams(status))


def _status(interruption: _Interruption) -> int:
    """The exit status of the command."""
    try:
        from recipe_cli.main import main as command

        interruption.loading = False
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        from recipe_cli.shortage import shortage_of

        missing = shortage_of(error)
        reason = missing or f"it could not be started: {type(error).__name__}: {error}"
        sys.stderr.write(f"recipe: {' '.join(reason.split())}\n")
        return BAD_INPUT if missing else FAULT
    return 0
