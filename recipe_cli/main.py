"""The application: it registers the commands, and turns every mistake into one sentence and an exit
status.

Exit status: 0 good, 1 refuted (or diverged), 2 bad input, 3 undecided, 70 a fault of this program,
130 interrupted (143 by SIGTERM and 129 by SIGHUP, if draws have been saved).
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Annotated

import typer

import recipe
from recipe_cli.commands import (
    audit,
    cache,
    check,
    derive,
    diagnose,
    explain,
    generate,
    labels,
    lift,
    list_catalog,
    predict,
    sample,
    schemes,
    test,
    tune,
    verify,
)
from recipe_cli.commands.help_text import restore_docstrings
from recipe_cli.commands.usage import CompleteUsage
from recipe_cli.errors import mistake_of
from recipe_cli.lost_signals import lost_signals
from recipe_cli.terminal.printing import PlainUsage, print_line, warn_in_sentences

app = typer.Typer(
    cls=PlainUsage,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Declare a sampler by its energy H and its matrices D and Q, prove that it leaves exp(-H)"
        " stationary, compile it, and sample with it."
    ),
    epilog=(
        "FILE is a recipe file, FILE:NAME for one declaration in it, or the name of a sampler in"
        " the catalog (`recipe list`). A recipe file is a Python program, and commands run it."
    ),
)


def _version(requested: bool) -> None:
    if requested:
        print_line(f"recipe {recipe.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Declare the options of the command itself."""


PROVE, RUN, LOOK_UP = "Prove", "Compile and sample", "Look up"
# In the order in which the help lists them.
_COMMANDS: tuple[tuple[str, Callable[..., None], str, str], ...] = (
    ("verify", verify.verify, verify.EPILOG, PROVE),
    ("audit", audit.audit, audit.EPILOG, PROVE),
    ("check", check.check_certificate, check.EPILOG, PROVE),
    ("sample", sample.sample, sample.EPILOG, RUN),
    ("labels", labels.labels, labels.EPILOG, RUN),
    ("tune", tune.tune, tune.EPILOG, RUN),
    ("diagnose", diagnose.diagnose, diagnose.EPILOG, RUN),
    ("predict", predict.predict, predict.EPILOG, RUN),
    ("generate", generate.generate, generate.EPILOG, RUN),
    ("test", test.compare, test.EPILOG, RUN),
    ("list", list_catalog.list_catalog, list_catalog.EPILOG, LOOK_UP),
    ("schemes", schemes.schemes, schemes.EPILOG, LOOK_UP),
    ("lift", lift.lift, lift.EPILOG, LOOK_UP),
    ("derive", derive.derive, derive.EPILOG, LOOK_UP),
    ("explain", explain.explain, explain.EPILOG, LOOK_UP),
)
for _name, _function, _epilog, _panel in _COMMANDS:
    app.command(_name, cls=CompleteUsage, epilog=_epilog, rich_help_panel=_panel)(_function)
app.add_typer(cache.app, name="cache", rich_help_panel=RUN)
restore_docstrings(app)


def main() -> None:
    """Run the command; print a mistake as one sentence on stderr, and end with its exit status."""
    warn_in_sentences()
    try:
        app()
    except Exception as error:
        if lost_signals:  # the exception of a signal was lost in a library, which then failed
            if lost_signals[0] == signal.SIGINT:
                raise KeyboardInterrupt from error
            sys.exit(128 + lost_signals[0])
        mistake = mistake_of(error)
        print_line(f"recipe: {mistake.sentence}", err=True)
        sys.exit(mistake.status)
