"""Start of the command: it handles Ctrl-C and closed streams before it imports anything that takes
time.
"""

from __future__ import annotations

import signal
import sys

from recipe_cli.interruption import INTERRUPTED_LINE, INTERRUPTED_STATUS, end_at_once

BAD_INPUT_STATUS, FAULT_STATUS = 2, 70  # exit statuses


def main() -> None:
    """Run the command, and end with its exit status."""
    # A shell may have made its children ignore SIGINT: then it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    from recipe_cli.lost_signals import hear_lost_signals
    from recipe_cli.streams import close_streams, open_streams

    open_streams()
    hear_lost_signals()
    status, line = _status()
    # The rest takes no time, and nothing would catch an interruption there.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stderr.write(line)
    sys.exit(close_streams(status))


def _status() -> tuple[int, str]:
    """Run the command; return its exit status, and a last line for the user that may be empty."""
    try:
        from recipe_cli.main import main as command

        if signal.getsignal(signal.SIGINT) is end_at_once:
            # From here on an interruption is an exception that the running command may catch.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else FAULT_STATUS
        # Typer turns an interruption into the exit status 130. A command that has told the user
        # how a signal ended it exits with that status too.
        cause = getattr(end.__context__, "__cause__", None)
        is_interrupted = status == INTERRUPTED_STATUS and isinstance(cause, KeyboardInterrupt)
        return status, INTERRUPTED_LINE if is_interrupted else ""
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS, INTERRUPTED_LINE
    except Exception as error:
        from recipe.printing.plain_text import without_codes
        from recipe_cli.shortage import shortage_of

        missing = shortage_of(error)
        reason = missing or f"it could not be started: {type(error).__name__}: {error}"
        line = f"recipe: {without_codes(' '.join(reason.split()))}\n"
        return BAD_INPUT_STATUS if missing else FAULT_STATUS, line
    return 0, ""
