"""``recipe tune``: find the setting of a sampler for a posterior within a budget."""

from __future__ import annotations

from typing import Annotated

import typer

from recipe_cli.commands.options import (
    CHAINS,
    MINIBATCHES,
    MODEL,
    POSTERIOR,
    TUNING,
    AsJson,
    MaxError,
    MemoryLimit,
    ProgramTimeLimit,
    RequireValidated,
    limits_typed,
    unproved_option,
    whole,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading

EPILOG = (
    "Examples: `recipe tune hmc_kernel --posterior eight_schools`; `recipe tune sghmc --posterior"
    " breast_cancer --max-bias 0.05 --json`; `recipe tune --posterior my_model.py` compares"
    " hmc_kernel, mala, sghmc and sgld. `recipe sample ... --step-size auto` tunes in the same way"
    " and samples at once. Exit status: 0 a setting was found, 1 the sampler is refuted, 2 bad"
    " input, 3 nothing can be predicted, or no setting is within the budget."
)


def tune(
    posterior: Annotated[str, POSTERIOR],
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help=(
                "Recipe file, FILE:NAME for one declaration in it, or catalog name such as sghmc;"
                " by default the common samplers of the catalog are compared."
            ),
        ),
    ] = None,
    max_bias: Annotated[
        float,
        typer.Option(
            rich_help_panel=TUNING,
            help=(
                "Largest bias, in posterior standard deviations: of means, and relative of"
                " standard deviations."
            ),
        ),
    ] = 0.1,
    max_error: MaxError = 0.05,
    scheme: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            help="Discretisation of a recipe, such as baoab; by default it is chosen.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME=VALUE",
            help=(
                "Value of a parameter, such as C=1; one that is left out, such as a friction, is"
                " chosen. Repeat the option for several."
            ),
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        whole(MINIBATCHES, "Rows of data in a minibatch; by default it is chosen."),
    ] = None,
    control_variates: Annotated[
        bool | None,
        typer.Option(
            "--control-variates/--no-control-variates",
            show_default=False,
            rich_help_panel=MINIBATCHES,
            help=(
                "Consider minibatches with control variates only, or without them only; by default"
                " it is chosen."
            ),
        ),
    ] = None,
    chains: Annotated[int, whole(CHAINS, "Number of chains.")] = 4,
    threads: Annotated[
        int | None,
        whole(CHAINS, "Number of threads. What is found does not depend on it."),
    ] = None,
    seed: Annotated[
        int,
        whole(CHAINS, "Seed of the random numbers; the same seed finds the same setting."),
    ] = 0,
    unproved: Annotated[
        bool, unproved_option("Tune even if the verifier refutes the sampler.")
    ] = False,
    validated: RequireValidated = False,
    timeout: ProgramTimeLimit = 300.0,
    memory: MemoryLimit = Limits.gigabytes,
    as_json: AsJson = False,
) -> None:
    """Find step size, scales, friction, minibatch, scheme and number of steps for a posterior, and
    print why, what the alternatives cost, and the command that samples so.
    """
    with loading("the compiler and the diagnostics"):
        from recipe_cli.program.preflight import require_to_diagnose

        require_to_diagnose()
        from recipe_cli.declarations.choose import concrete_declaration
        from recipe_cli.program.generating import require_to_be_tuned
        from recipe_cli.program.known_verdict import require_not_refuted
        from recipe_cli.program.typed import parameters_typed
        from recipe_cli.sampling.tune_posterior import (
            COMPARED,
            TuneRequest,
            print_tuning,
            tune_posterior,
        )
        from recipe_cli.sandbox.child import rehearse

    limits = limits_typed(timeout, memory)
    typed = COMPARED if where is None else (where,)
    if where is not None:
        rehearse(where, lambda: concrete_declaration(where), limits)
    samplers = [(name, concrete_declaration(name)) for name in typed]
    if where is not None:  # those of the catalog that are compared are proved
        require_to_be_tuned(samplers[0][1])
        require_not_refuted(samplers[0][1], unproved)
    options = {
        "--max-bias": (max_bias, 0.1),
        "--max-error": (max_error, 0.05),
        "--scheme": (scheme, None),
        "--batch-size": (batch_size, None),
        "--chains": (chains, 4),
        "--seed": (seed, 0),
    }
    given = [w for o, (v, default) in options.items() if v != default for w in (o, f"{v}")]
    given += [o for o, v in (("--unproved", unproved), ("--require-validated", validated)) if v]
    control = {True: ["--control-variates"], False: ["--no-control-variates"]}
    given += [] if control_variates is None else control[control_variates]
    given += [word for value in param or () for word in ("--param", value)]
    params = parameters_typed(tuple(param or ()))
    request = TuneRequest(
        posterior,
        params,
        given,
        max_bias,
        max_error,
        scheme,
        batch_size,
        control_variates,
        chains,
        seed,
        threads,
        validated,
    )
    print_tuning(tune_posterior(samplers, request, limits), samplers, request, as_json)
