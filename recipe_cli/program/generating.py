"""Generate the module of a declaration and write it to a file, or compare a file with it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from codegen import generate as generate_kernel
from codegen.generate import Module
from recipe import Kernel, Potential, Recipe, RecipeError, Update, bind
from recipe.files.atomic_write import whole_file
from recipe_cli.declarations import Declaration, posterior_in
from recipe_cli.output.paths import text_of
from recipe_cli.program.translation import proof_of_translation, translation_of
from recipe_cli.program.typed import block_names
from recipe_cli.sandbox.child import StoppedError, within_limits
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import print_line
from verify.certificate import canonical
from verify.certificate.translation import certificate_of_translation
from verify.verdict import Verdict, undecided

MAX_TEXT_BYTES = 10_000_000  # of the file of a module


def generate_module(
    declaration: Declaration,
    output: Path,
    scheme: str,
    order: str | None,
    posterior: str | None,
    certificate: Path | None = None,
) -> None:
    """Write the module of a declaration to a file, and the certificate of its translation to
    another one.

    Args:
        declaration: a recipe, a printed rule or a kernel.
        output: the file to write.
        scheme: the name of a discretisation scheme.
        order: the blocks in the order in which the scheme updates them, such as ``r,theta``; None
            for the default order.
        posterior: the file of a posterior to bind; None leaves the potential abstract.
        certificate: the file for the certificate; None for none.

    Raises:
        RecipeError: if the scheme, the order or the posterior does not fit, or the rule is outside
            of what a certificate can hold.
        NotTranslatedError: if the text of the module is not proved to be the declared step.
    """
    module = _module_of(declaration, scheme, order, posterior)
    outcome = proof_of_translation(module)
    if certificate is None:
        module.write(output)
        return
    written = certificate_of_translation(
        module.source.encode("utf-8"), module.moves, declaration.name, module.scheme, outcome
    )
    module.write(output)
    with whole_file(certificate) as temporary:
        temporary.write_text(canonical(written) + "\n", encoding="ascii")


def check_module(
    declaration: Declaration,
    file: Path,
    scheme: str,
    order: str | None,
    posterior: str | None,
    limits: Limits,
) -> Verdict:
    """Decide whether the text of a file is the step of a declaration, and print the answer.

    The text is read and never run, and the proof is stopped at the limits. The other arguments are
    those of ``generate_module``.

    Returns:
        The verdict: proved if the text is the step, refuted if it is not.
    """
    module = _module_of(declaration, scheme, order, posterior)
    text = text_of(file, MAX_TEXT_BYTES)
    try:
        outcome = within_limits(partial(translation_of, replace(module, source=text)), limits)
    except StoppedError as stopped:
        outcome = undecided(stopped.reason)
    relation = {Verdict.PROVED: "is proved to be", Verdict.REFUTED: "is not"}.get(
        outcome.verdict, "is not proved to be"
    )
    print_line(
        f"the text of {file} {relation} {declaration.name} by the scheme {module.scheme}:"
        f" {outcome.by}"
    )
    return outcome.verdict


def _module_of(
    declaration: Declaration, scheme: str, order: str | None, posterior: str | None
) -> Module:
    declared = declaration.declared
    assert isinstance(declared, Recipe | Update | Kernel)  # a file declares nothing else
    posteriors = {}
    if posterior is not None:
        posteriors = {single_potential(declaration): posterior_in(posterior)}
        if isinstance(declared, Recipe):
            declared, posteriors = bind(declared, posteriors), {}
    return generate_kernel(
        declared,
        scheme=scheme,
        order=block_names(order),
        posteriors=posteriors,
        name=declaration.name,
    )


def single_potential(declaration: Declaration) -> Potential:
    """Return the only potential of a declaration, which a posterior file gives a meaning.

    Raises:
        RecipeError: if the declaration has no potential, or several.
    """
    potentials = [a for a in declaration.declared.abstract if isinstance(a, Potential)]
    if len(potentials) == 1:
        return potentials[0]
    names = ", ".join(map(str, potentials)) or "none"
    raise RecipeError(
        f"{declaration.name} has the potentials {names}: a posterior file gives the meaning of"
        " exactly one"
    )
