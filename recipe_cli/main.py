"""The command line: composes the rooms below, and turns every mistake into one sentence and an exit
status.

Exit status: 0 good, 1 refuted (or diverged), 2 bad input, 3 undecided, 70 a fault of this program,
130 interrupted (143 by SIGTERM and 129 by SIGHUP, where draws have been saved).
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import recipe as language
from recipe import Recipe, RecipeError
from recipe.printing.derivation import derivation_data, derivation_latex, derivation_text
from recipe_cli import cache, terminal
from recipe_cli.declarations import (
    audits,
    catalog_entries,
    concrete_declaration,
    declarations,
    steps,
)
from recipe_cli.documented import restore_docstrings
from recipe_cli.files import refuse_to_replace, resolved
from recipe_cli.mistakes import mistake_of
from recipe_cli.reports import exit_status, print_report, report_as_json, report_as_markdown, worst
from recipe_cli.terminal import print_line, print_lines
from recipe_cli.watched import Limits, Watch
from recipe_cli.worker import Judged, Refused

app = typer.Typer(
    cls=terminal.PlainUsage,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Declare a sampler H, D, Q; prove that it leaves exp(-H) stationary; compile it; sample"
        " with it."
    ),
    epilog=(
        "Where a command takes FILE it also takes FILE:NAME or a catalog name. A recipe file is a"
        " Python program and is run."
    ),
)

Where = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A recipe file, FILE:NAME, or a catalog name such as sgrhmc."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it is there.")]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="For each obligation, and for running FILE; what takes longer is undecided.",
    ),
]


class Format(StrEnum):
    """How a derivation is printed."""

    text = "text"
    latex = "latex"
    json = "json"


class ReportFormat(StrEnum):
    """How a report is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


def _version(asked: bool) -> None:
    if asked:
        print_line(f"recipe {language.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command("list", epilog="Example: `recipe list`")
def list_catalog(as_json: AsJson = False) -> None:
    """Show the catalog, one line each."""
    entries = catalog_entries()
    if as_json:
        _print_json(
            [{"name": e.name, "file": e.file, "source": e.declared.source} for e in entries]
        )
        return
    width = max(len(e.name) for e in entries)
    for e in entries:
        state = f"({', '.join(b.name for b in e.declared.state)})"
        print_line(f"{e.name:<{width}}  {state:<14}  {e.declared.source or ''}")


@app.command(
    epilog=(
        "Examples: `recipe verify sgrhmc`, `recipe verify my_sampler.py --json`, `recipe verify"
        " FILE:NAME`, `recipe verify sgrhmc --certificate sgrhmc.json`, `recipe verify sgld sghmc"
        " --timeout 10`; one discrete step by a scheme `recipe verify sghmc --scheme baoab`"
        " (`recipe schemes sghmc` lists them). A file is run in a process of its own, more than"
        " once if an obligation takes too long; what it prints goes to stderr."
    )
)
def verify(
    where: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Recipe files, FILE:NAME, or catalog names."),
    ],
    format: Annotated[
        ReportFormat | None, typer.Option(help="text by default; json is for machines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    scheme: Annotated[
        str | None,
        typer.Option(
            help=(
                "Verify one discrete step by this scheme; printed: the published rule as it stands."
            )
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(help="A further obligation that must hold; may be given again."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE.json", help="Write the proof, for `recipe check`."
        ),
    ] = None,
    force: Force = False,
    timeout: Timeout = Limits.seconds,
    memory: Annotated[
        float,
        typer.Option(
            metavar="GB",
            help="Memory for it (not on Windows and macOS); what needs more is undecided.",
        ),
    ] = Limits.gigabytes,
) -> None:
    """Prove, refute or leave undecided each obligation of every recipe and update in FILE."""
    from recipe_cli.certificates import write_certificate

    _check_obligations(require or ())
    limits = Limits(_positive("--timeout", timeout), _positive("--memory", memory))
    if as_json and format not in (None, ReportFormat.json):
        raise RecipeError(f"--json and --format {format} are two formats; say one")
    format = ReportFormat.json if as_json else format or ReportFormat.text
    if certificate is not None:
        if scheme is not None:
            raise RecipeError(
                "--certificate is for recipes; what is proved of a discrete step has none yet, so"
                " leave --scheme out"
            )
        refuse_to_replace(certificate, force, *where)
        if len(where) > 1:
            raise RecipeError(
                f"a certificate is about one recipe, and here are {len(where)} files: say which,"
                " FILE:NAME"
            )
    console, statuses, data = _console(), [], []
    for result in _results(where, scheme, tuple(require or ()), limits, certificate is not None):
        if isinstance(result, Refused):
            print_line(f"recipe: {result.mistake.sentence}", err=True)
            statuses.append(result.mistake.status)
            if result.stop:
                break
            continue
        statuses.append(exit_status(result.declared, result.report))
        if format is ReportFormat.json:
            data.append(report_as_json(result.declared, result.report))
        elif format is ReportFormat.markdown:
            print_lines(report_as_markdown(result.declared, result.report))
        else:
            print_report(console, result.declared, result.report)
        if certificate is not None:
            statuses.append(write_certificate(result, certificate))
    if format is ReportFormat.json:
        _print_json(data)
    raise typer.Exit(worst(statuses))


@app.command(
    epilog=(
        "Examples: `recipe audit --all`, `recipe audit blackjax`, `recipe audit my_rules.py"
        " --json`, `recipe audit FILE:NAME`. Exit status: 0 where every rule comes out as its"
        " expect= says (without expect=, where it is proved), 1 otherwise, 2 bad input, 3"
        " undecided. `recipe verify FILE` shows each obligation."
    )
)
def audit(
    where: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Files, FILE:NAME, or audits of the catalog such as blackjax."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every audit of the catalog.")] = False,
    as_json: AsJson = False,
    timeout: Timeout = Limits.seconds,
    jobs: Annotated[
        int | None,
        typer.Option(help="Files that are worked on at once; one a processor by default."),
    ] = None,
) -> None:
    """Say of update rules found in libraries and papers whether they sample what they are said to,
    as a table.
    """
    from recipe_cli.audit import audit_all, processors

    if not where and not everything:
        raise RecipeError(
            f"say which rules: --all, a file, or an audit of the catalog ({', '.join(audits())})"
        )
    if jobs is not None and jobs < 1:
        raise RecipeError(f"--jobs {jobs}: it must be a positive number")
    files = [*(audits() if everything else ()), *(where or ())]
    limits = Limits(_positive("--timeout", timeout))
    raise typer.Exit(
        audit_all(list(dict.fromkeys(files)), as_json, limits, jobs or processors(), _console())
    )


@app.command(
    epilog=(
        "Examples: `recipe check sgrhmc.json`, `recipe check sgrhmc.json catalog/sgrhmc.py:sgrhmc`"
    )
)
def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="A certificate that recipe verify --certificate has written.",
        ),
    ],
    where: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The recipe that it must be about.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Go through a certificate again with the independent checker, and say whether it is about the
    recipe in FILE.
    """
    from recipe_cli.certificates import check_certificate

    raise typer.Exit(check_certificate(file, where, as_json, _console()))


def _results(
    where: list[str], scheme: str | None, require: tuple[str, ...], limits: Limits, certify: bool
) -> Iterator[Judged | Refused]:
    for w in where:
        load = partial(declarations, w) if scheme is None else partial(steps, w, scheme)
        yield from Watch(load, w, require, limits, certify).results()


def _positive(option: str, value: float) -> float:
    if not 0 < value < math.inf:
        raise RecipeError(f"{option} {value:g}: it must be a positive number")
    return value


def _check_obligations(names: Iterable[str]) -> None:
    known = _obligations()
    for name in names:
        if name not in known:
            raise RecipeError(
                f"there is no obligation {name!r}; the obligations are {', '.join(known)}"
            )


def _obligations() -> dict[str, tuple[str, str]]:
    """Statement and explanation of every obligation, by name."""
    from verify.obligations import KERNEL_OBLIGATIONS, OBLIGATIONS

    of_kernels_only = [
        o for o in KERNEL_OBLIGATIONS if o.name not in {other.name for other in OBLIGATIONS}
    ]
    return {o.name: (o.statement, o.explanation) for o in (*OBLIGATIONS, *of_kernels_only)}


@app.command(epilog="Examples: `recipe explain stationarity`, `recipe explain`")
def explain(
    name: Annotated[
        str | None, typer.Argument(metavar="[OBLIGATION]", help="All of them by default.")
    ] = None,
) -> None:
    """Say what an obligation states, and why it matters."""
    _check_obligations([] if name is None else [name])
    known = _obligations()
    for n in known if name is None else [name]:
        statement, explanation = known[n]
        print_lines(f"{n}: {statement}\n  {explanation}")


@app.command(
    epilog=(
        "Examples: `recipe derive sgnht --format latex`, `recipe derive my_sampler.py --format"
        " json`"
    )
)
def derive(
    where: Where,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Print the correction Gamma, the drift and the stochastic differential equation."""
    found = [(d.name, d.declared) for d in declarations(where) if isinstance(d.declared, Recipe)]
    if not found:
        raise RecipeError(
            f"{where} defines updates only; there is nothing to derive from, `recipe verify"
            f" {where}` judges them"
        )
    if format is Format.json:
        _print_json([derivation_data(declared, name) for name, declared in found])
        return
    for name, declared in found:
        print_lines(
            derivation_latex(declared)
            if format is Format.latex
            else derivation_text(declared, name)
        )


@app.command(
    epilog=(
        "Examples: `recipe schemes sghmc`, `recipe schemes`, `recipe schemes my_sampler.py --json`"
    )
)
def schemes(
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="Recipes that they are to fit; all schemes by default."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the schemes; of a recipe the pieces of its generator and their flows, and why a scheme
    does not fit it.
    """
    from recipe_cli.schemes import list_schemes

    list_schemes(None if where is None else declarations(where), as_json)


Scheme = Annotated[
    str,
    typer.Option(
        help="A scheme such as euler or baoab; `recipe schemes FILE` lists those that fit."
    ),
]
Order = Annotated[
    str | None,
    typer.Option(help="Blocks in the order in which semi-implicit updates them, such as r,theta."),
]
PosteriorFile = Annotated[
    str | None,
    typer.Option("--posterior", metavar="FILE", help="A file that defines one Posterior."),
]
Plots = Annotated[
    Path | None,
    typer.Option(
        "--plots",
        metavar="DIR",
        help="Write trace.png and rank.png of the twelve worst coordinates to DIR.",
    ),
]


@app.command(
    epilog=(
        "Examples: `recipe generate sghmc -o sghmc_kernel.py`; edited, `recipe generate sghmc -o"
        " sghmc_kernel.py --check`"
    )
)
def generate(
    where: Where,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the module.")],
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    posterior: PosteriorFile = None,
    force: Force = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write nothing: is the module that is there, edited, still the step?"
        ),
    ] = False,
) -> None:
    """Write a readable Numba module that needs numpy and numba only; its text is proved to be the
    step before.
    """
    from recipe_cli.sampling import check_module, generate_module

    if check:
        raise typer.Exit(
            check_module(concrete_declaration(where), output, scheme, order, posterior)
        )
    refuse_to_replace(output, force, where, posterior)
    generate_module(
        concrete_declaration(where), resolved(output) or output, scheme, order, posterior
    )
    print_line(f"wrote {output}", err=True)


@app.command(
    epilog=(
        "Examples: `recipe sample sghmc --posterior examples/breast_cancer.py --step-size 0.01"
        " --param C=1 --steps 20000 -o draws.nc`; with minibatches `--batch-size 100"
        " --control-variates`; a long run that can be killed and started again by the same command"
        " `--checkpoint run1`. Ctrl-C, SIGTERM and SIGHUP stop the run and save the draws so far;"
        " exit status 130, 143 and 129."
    )
)
def sample(
    where: Where,
    posterior: Annotated[
        str, typer.Option("--posterior", metavar="FILE", help="A file that defines one Posterior.")
    ],
    step_size: Annotated[float, typer.Option(help="The step size a.")],
    decay: Annotated[
        str | None, typer.Option(metavar="B,C", help="Let it fall as a (1 + t/B)^-C in step t.")
    ] = None,
    cycle: Annotated[
        int | None,
        typer.Option(metavar="LENGTH", help="Let it fall as a cosine from a to 0, repeatedly."),
    ] = None,
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter; may be given again."),
    ] = None,
    steps: Annotated[int, typer.Option(help="Steps of each chain, the warm-up included.")] = 10_000,
    warmup: Annotated[
        int | None, typer.Option(help="First steps that are not kept; a tenth by default.")
    ] = None,
    thin: Annotated[int, typer.Option(help="Keep every so-many-th state.")] = 1,
    batch_size: Annotated[
        int | None, typer.Option(help="Data a step; all of them by default.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Draw the data of a step with replacement.")] = True,
    control_variates: Annotated[
        bool,
        typer.Option(
            "--control-variates",
            help="Estimate the gradient by its difference to that at the mode.",
        ),
    ] = False,
    compensate: Annotated[
        bool,
        typer.Option(
            "--compensate",
            help="Take the estimated noise of the gradient off the noise that is added.",
        ),
    ] = False,
    float32_data: Annotated[
        bool,
        typer.Option(
            "--float32-data",
            help=(
                "Round the data to float32: faster, and the posterior is that of the rounded data."
            ),
        ),
    ] = False,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    threads: Annotated[
        int | None, typer.Option(help="Threads; the draws are the same for any number.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same draws.")] = 0,
    keep: Annotated[
        str | None, typer.Option(help="Blocks to keep, such as theta; all of them by default.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help=(
                "Save the run there; the same command (with --force, if -o is there) goes on from"
                " it, bit for bit."
            ),
        ),
    ] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="How often to save it.")] = 30.0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to save the draws (NetCDF, ArviZ).")
    ] = None,
    force: Force = False,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Sample even where the verifier refutes the recipe.")
    ] = False,
    plots: Plots = None,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler and draw from a posterior; print diagnostics and save the draws as ArviZ
    InferenceData.
    """
    from recipe_cli.known import require_not_refuted
    from recipe_cli.ready import ready_to_diagnose
    from recipe_cli.sampling import options_typed, sample_posterior
    from recipe_cli.saving import Output

    ready_to_diagnose()
    if output is not None:
        refuse_to_replace(output, force, where, posterior)
        output = resolved(output)
    declaration = concrete_declaration(where)
    require_not_refuted(declaration, unproved)
    options = options_typed(
        step_size=step_size,
        decay=decay,
        cycle=cycle,
        scheme=scheme,
        order=order,
        param=param,
        steps=steps,
        warmup=warmup,
        thin=thin,
        batch_size=batch_size,
        replace=replace,
        control_variates=control_variates,
        compensate=compensate,
        float32_data=float32_data,
        chains=chains,
        threads=threads,
        seed=seed,
        keep=keep,
        checkpoint=resolved(checkpoint),
        checkpoint_seconds=checkpoint_seconds,
    )
    saved = Output(output, force, options.folder)
    raise typer.Exit(
        sample_posterior(declaration, posterior, options, saved, _console(), plots, as_json)
    )


@app.command(
    "test",
    epilog=(
        "Examples: `recipe test sgrhmc`, `recipe test my.py:sgnht --scheme baoab`, `recipe test"
        " catalog/hmc.py:ghmc`, `recipe test sgnht --plot pictures`. A potential without meaning is"
        " a fixed one, which is printed. Exit status: 0 the program does what was declared (a note"
        " says if that is refuted or undecided), 1 something differs, 2 bad input, 3 nothing could"
        " be compared, or the error of a coefficient would be missed (see --allow-unseen)."
    ),
)
def compare(
    where: Where,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="As for generate; by default the first that fits of semi-implicit, exact, printed."
        ),
    ] = None,
    step_size: Annotated[
        float,
        typer.Option(
            help="The step size; the test is exact at all, and larger ones show more of a step."
        ),
    ] = 0.3,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="A parameter; may be given again; chosen by default."
        ),
    ] = None,
    length: Annotated[int, typer.Option(help="Coordinates of a vector.")] = 3,
    seed: Annotated[int, typer.Option(help="The same seed gives the same output.")] = 0,
    level: Annotated[
        float,
        typer.Option(
            help="How often a right kernel may differ, at most, in all comparisons together."
        ),
    ] = 1e-6,
    factor: Annotated[
        float,
        typer.Option(
            help=(
                "A coefficient of a step, or a scale after a sweep, that is wrong by this factor is"
                " found."
            )
        ),
    ] = 1.1,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="DIR",
            help="Draw the noise and the bias, or states after some sweeps.",
        ),
    ] = None,
    allow_unseen: Annotated[
        bool, typer.Option(help="Status 0 also where a wrong coefficient would be missed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler, and compare what the program does in a step with what was declared."""
    from recipe_cli.ready import ready_to_test
    from recipe_cli.testing import Asked, compare_declaration

    ready_to_test()
    asked = Asked(scheme, step_size, tuple(param or ()), length, seed, level, factor, allow_unseen)
    raise typer.Exit(
        compare_declaration(concrete_declaration(where), asked, as_json, plot, _console())
    )


@app.command(
    epilog="Examples: `recipe diagnose draws.nc`, `recipe diagnose draws.nc --plots plots --all`"
)
def diagnose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.nc", help="Draws that recipe sample -o has saved.")
    ],
    plots: Plots = None,
    as_json: AsJson = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every coordinate, not the first forty only.")
    ] = False,
) -> None:
    """Say whether saved draws can be used: agreement of the chains, effective draws, and what to
    worry about.
    """
    from recipe_cli.ready import ready_to_diagnose
    from recipe_cli.summary import diagnose_file

    ready_to_diagnose()
    raise typer.Exit(diagnose_file(file, plots, as_json, everything, _console()))


app.add_typer(cache.app, name="cache")
restore_docstrings(app)


def _console() -> Console:
    return terminal.console()


def _print_json(data: Any) -> None:
    print_lines(json.dumps(data, indent=2))


def main() -> None:
    """Run the command; a mistake of the user is one sentence on stderr and exit status 2."""
    try:
        app()
    except Exception as error:
        mistake = mistake_of(error)
        print_line(f"recipe: {mistake.sentence}", err=True)
        sys.exit(mistake.status)
