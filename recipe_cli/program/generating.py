"""Generate the module of a declaration and write it to a file, or compare a file with it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from codegen import generate as generate_kernel
from codegen.module import Module, write_text
from recipe import Kernel, Posterior, Potential, Recipe, RecipeError, Update, bind
from recipe.files.atomic_write import whole_file
from recipe.printing.plain_text import without_codes
from recipe.rebuild.potentials import potentials_of
from recipe_cli.declarations.choose import concrete_declaration
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.declarations.posteriors import posterior_in
from recipe_cli.output.paths import text_of
from recipe_cli.program.translation import (
    NotTranslatedError,
    plain_comparison_of,
    plain_translation_of,
    unproved_sentence,
)
from recipe_cli.program.typed import block_names
from recipe_cli.sandbox.child import StoppedError, within_limits
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import print_line
from recipe_cli.terminal.progress import Progress
from verify.certificate import canonical
from verify.certificate.translation import certificate_of_translation
from verify.translation import is_agreement
from verify.verdict import Outcome, Verdict

COMMENT_COLUMNS = 98
MAX_TEXT_BYTES = 10_000_000  # of the file of a module


@dataclass(frozen=True)
class ModuleRequest:
    """What a module is generated from, as the user typed it.

    Attributes:
        where: the file of a recipe, a printed rule or a kernel.
        scheme: the name of a discretisation scheme.
        order: the blocks in the order in which the scheme updates them, such as ``r,theta``; None
            for the default order.
        posterior: the file of a posterior to bind; None leaves the potential abstract.
    """

    where: str
    scheme: str
    order: str | None = None
    posterior: str | None = None


@dataclass(frozen=True)
class _Translated:
    """A module that was generated in a child process: its name and text, the outcome of proving
    the text, and the text of its certificate, which is empty if none was asked for.
    """

    name: str
    text: str
    outcome: Outcome
    certificate: str = ""


def generate_module(
    request: ModuleRequest,
    output: Path,
    limits: Limits,
    certificate: Path | None = None,
    validated: bool = False,
) -> None:
    """Generate a module, prove its text in a child process, and write it to a file, and the
    certificate of its translation to another one.

    Args:
        request: what the module is generated from.
        output: the file to write.
        limits: time and memory of the child process, which runs the user's files.
        certificate: the file for the certificate; None for none.
        validated: whether a text that is not proved is refused. By default it is written, with a
            warning on its top, if its numbers agree with the rule.

    Raises:
        RecipeError: if a file, the scheme, the order or the posterior does not fit, or the rule is
            outside of what a certificate can hold.
        NotTranslatedError: if the text of the module is another step; if it is not proved to be
            the declared one, and cannot be compared, or a certificate is wanted.
    """
    try:
        found = _in_child(partial(_translated, request, certificate is not None), limits)
    except StoppedError as stopped:
        found = _Translated(request.where, "", stopped.outcome)
    if found.outcome.verdict is not Verdict.PROVED:
        if validated or certificate is not None:
            raise NotTranslatedError(found.name, found.outcome)
        found = _compared(request, found, limits)
    write_text(found.text, output)
    if certificate is not None:
        with whole_file(certificate) as temporary:
            temporary.write_text(found.certificate, encoding="ascii")


def _in_child(work: Callable[[], Any], limits: Limits) -> Any:
    """Return what a child process finds, while a line says what it does."""
    with Progress() as progress:
        progress.show("generating the module, and proving its text")
        return within_limits(work, limits)


def _compared(request: ModuleRequest, found: _Translated, limits: Limits) -> _Translated:
    """Return a module whose proof is left open, with a warning on its top, after its numbers were
    compared with those of its rule.

    Raises:
        NotTranslatedError: if they differ, or cannot be compared.
    """
    outcome = found.outcome
    if outcome.verdict is Verdict.UNDECIDED:
        try:
            found = within_limits(partial(_with_comparison, request), limits)
        except StoppedError:
            raise NotTranslatedError(found.name, outcome) from None
    if not is_agreement(found.outcome):
        refuted = found.outcome.verdict is Verdict.REFUTED
        raise NotTranslatedError(found.name, found.outcome if refuted else outcome)
    warning = unproved_sentence(found.name, outcome, found.outcome)
    print_line(f"warning: {warning}", err=True)
    return replace(found, text=f"{commented_lines(warning)}{found.text}")


def _with_comparison(request: ModuleRequest) -> _Translated:
    """Return a module as text, with the outcome of comparing its numbers."""
    module = _module_of(request)
    return _Translated(module.name, module.source, plain_comparison_of(module))


def commented_lines(text: str) -> str:
    """Return a text as lines of comments."""
    lines = textwrap.wrap(text, COMMENT_COLUMNS, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {without_codes(line)}\n" for line in lines)


def _translated(request: ModuleRequest, certified: bool) -> _Translated:
    """Return a module as text, with the outcome of proving it."""
    module = _module_of(request)
    outcome = plain_translation_of(module)
    if not certified or outcome.verdict is not Verdict.PROVED:
        return _Translated(module.name, module.source, outcome)
    declaration = concrete_declaration(request.where)
    written = certificate_of_translation(
        module.source.encode("utf-8"), module.moves, declaration.name, module.scheme, outcome
    )
    return _Translated(module.name, module.source, outcome, canonical(written) + "\n")


def check_module(request: ModuleRequest, file: Path, limits: Limits) -> Verdict:
    """Decide whether the text of a file is the step of a declaration, and print the answer.

    The text is read and never run, and the proof is stopped at the limits. The arguments are those
    of ``generate_module``.

    Returns:
        The verdict: proved if the text is the step, refuted if it is not.
    """
    try:
        what, outcome = _in_child(partial(_checked, request, file), limits)
    except StoppedError as stopped:
        what, outcome = f"{request.where} by the scheme {request.scheme}", stopped.outcome
    relation = {Verdict.PROVED: "is proved to be", Verdict.REFUTED: "is not"}.get(
        outcome.verdict, "is not proved to be"
    )
    print_line(f"the text of {file} {relation} {what}: {outcome.by}")
    return outcome.verdict


def _checked(request: ModuleRequest, file: Path) -> tuple[str, Outcome]:
    """Return what the text of a file should be, in words, and whether it is."""
    module = _module_of(request)
    text = text_of(file, MAX_TEXT_BYTES)
    edited = replace(module, source=text)
    outcome = plain_translation_of(edited)
    if outcome.verdict is Verdict.UNDECIDED:
        compared = plain_comparison_of(edited)
        refuted = compared.verdict is Verdict.REFUTED
        by = f"{outcome.by}; {compared.by}" if is_agreement(compared) else outcome.by
        outcome = compared if refuted else replace(outcome, by=by)
    return f"{module.name} by the scheme {module.scheme}", outcome


def _module_of(request: ModuleRequest) -> Module:
    declaration = concrete_declaration(request.where)
    declared = declaration.declared
    assert isinstance(declared, Recipe | Update | Kernel)  # a file declares nothing else
    if request.posterior is not None:
        declared = bound_to(declaration, posterior_in(request.posterior))
    return generate_kernel(
        declared,
        scheme=request.scheme,
        order=block_names(request.order),
        name=declaration.name,
    )


def bound_to(declaration: Declaration, law: Posterior) -> Recipe | Update | Kernel:
    """Return the recipe, rule or kernel with its potential bound to the posterior.

    Raises:
        RecipeError: if the declaration does not have exactly one potential.
    """
    declared = declaration.declared
    assert isinstance(declared, Recipe | Update | Kernel)  # that is what can be compiled
    return bind(declared, {_only_potential(declared, declaration.name): law})  # type: ignore[type-var]


def require_to_be_tuned(declaration: Declaration) -> Recipe | Kernel:
    """Return the recipe or the kernel of a declaration.

    Raises:
        RecipeError: if it is an update rule, which is run at a step size that is given.
    """
    declared = declaration.declared
    if not isinstance(declared, Recipe | Kernel):
        raise RecipeError(
            f"{declaration.name} is an update rule, and tuning takes a recipe or a kernel: sample"
            " it at a step size of yours, recipe sample --step-size 0.01, or declare the recipe"
            " that it discretises, which recipe verify shows"
        )
    return declared


def _only_potential(declared: Recipe | Update | Kernel, name: str) -> Potential:
    """Return the only potential of a declaration, which a posterior file gives a meaning.

    Raises:
        RecipeError: if the declaration has no potential, or several.
    """
    potentials = potentials_of(declared)
    if len(potentials) == 1:
        return potentials[0]
    names = ", ".join(map(str, potentials)) or "none"
    raise RecipeError(
        f"{name} has the potentials {names}: a posterior file gives the meaning of exactly one"
    )
