"""Where the command begins: ready for Ctrl-C and for closed streams before anything is imported
that takes time.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED_STATUS, BAD_INPUT_STATUS, FAULT_STATUS = 130, 2, 70
INTERRUPTED_LINE = "recipe: interrupted\n"
RESEND_DELAY_SECONDS = (
    0.05  # seconds, after which an interruption is sent again that nobody could hear
)


def _end_at_once(number: int, frame: object) -> None:
    """What Ctrl-C does while this program is loaded: nothing was begun, and an exception inside an
    import may go astray.
    """
    os.write(2, INTERRUPTED_LINE.encode())
    os._exit(INTERRUPTED_STATUS)


def _not_raised(unraisable: sys.UnraisableHookArgs) -> None:
    """Send an interruption again that came where Python can raise nothing, as in a callback."""
    import threading

    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        timer = threading.Timer(RESEND_DELAY_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def main() -> None:
    """Run the command, and end with its status."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # not where a shell has it ignored
        signal.signal(signal.SIGINT, _end_at_once)
    from recipe_cli.streams import close_streams, open_streams

    open_streams()
    sys.unraisablehook = _not_raised
    status = _status()
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # what is left to do takes no time, and cannot be raised from
    if status == INTERRUPTED_STATUS:
        sys.stderr.write(INTERRUPTED_LINE)
    sys.exit(close_streams(status))


def _status() -> int:
    """The exit status of the command."""
    try:
        from recipe_cli.main import main as command

        if signal.getsignal(signal.SIGINT) is _end_at_once:
            signal.signal(
                signal.SIGINT, signal.default_int_handler
            )  # from here on, whoever is at work takes it
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else FAULT_STATUS
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except Exception as error:
        from recipe.language.plain_text import without_codes
        from recipe_cli.shortage import shortage_of

        missing = shortage_of(error)
        reason = missing or f"it could not be started: {type(error).__name__}: {error}"
        sys.stderr.write(f"recipe: {without_codes(' '.join(reason.split()))}\n")
        return BAD_INPUT_STATUS if missing else FAULT_STATUS
    return 0
