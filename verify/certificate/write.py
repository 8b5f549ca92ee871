"""Certificates: a proof as one JSON object that holds all that it is about, for a checker that
trusts nothing here.

docs/certificates.md describes every field. ``verify.checker`` goes through a certificate again; it
imports nothing of this project.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import singledispatch
from typing import Any

from sympy import Expr, Symbol, preorder_traversal

import recipe
from recipe import Discretisation, Kernel, LabelledPosterior, Recipe, RecipeError, Update
from recipe.kernel.conditional import Conditional
from recipe.language.checks.matrix import BlockMatrix
from recipe.signs.defined import Condition, own_conditions
from verify.certificate.edges import steps_of_edges
from verify.certificate.kernel import encoded_kernel, signs_of_kernel
from verify.certificate.other_coordinates import (
    PUSH_FORWARD,
    encoded_map,
    encoded_transform,
    signs_of_maps,
)
from verify.decide.nonnegative.syntactic_forms import readable_form
from verify.diffusion.nonsmooth import why_not_smooth
from verify.encode import Data, Encoder
from verify.evidence import (
    FactorColumn,
    FactorStep,
    SelfReflectingEdge,
    SignStep,
    Step,
    UnattainableEdge,
)
from verify.kernels.assignment import law_given_rest
from verify.kernels.step_sizes import expressions_of as expressions_of_kernel
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.map.monotone import MONOTONE
from verify.obligations.process.boundary import BOUNDARY
from verify.obligations.process.marginal import MARGINAL, laws_of
from verify.obligations.process.normalisable import NORMALISABLE
from verify.obligations.process.well_defined import WELL_DEFINED, expressions_of
from verify.report import Report, ReportLine
from verify.scope import Declared
from verify.subject import KernelSubject, Subject, kernel_subject_of, subject_of
from verify.verdict import Verdict

VERSION = 2


def certificate_of(declared: Declared, report: Report) -> Data:
    """Return the certificate of a declaration that was proved: of all required obligations, and of
    the others that are proved.

    Args:
        declared: the recipe, the update, the discrete step or the kernel.
        report: its report.

    Raises:
        RecipeError: where a required obligation is not proved, naming it; and for a declaration
            outside of what a certificate can hold.
    """
    # What was found beside is a statement about something else, and no part of this proof.
    lines = [
        line
        for line in report.lines
        if line.required or (line.outcome.verdict is Verdict.PROVED and not line.outcome.found)
    ]
    unproved = [line for line in lines if line.outcome.verdict is not Verdict.PROVED]
    if unproved:
        raise RecipeError(
            "there is no certificate of what is not proved:"
            f" {', '.join(map(_verdict_of, unproved))}"
        )
    subject, to = any_subject_of(declared), Encoder(steps_of(declared))
    if subject.is_reflected:
        where = f"{subject.reflections[0]}, and" if isinstance(subject, Subject) else "here"
        raise RecipeError(f"{where} there are no certificates of reflected samplers yet")
    if declared.where:
        raise RecipeError(
            f"the proof holds where {declared.where[0]}, and there are no certificates"
            " under conditions between parameters yet"
        )
    reason = why_not_smooth(subject)
    if reason is not None:
        raise RecipeError(f"there are certificates of smooth samplers alone, and {reason}")
    statement = {
        "version": VERSION,
        "recipe_version": recipe.__version__,
        "scope": report.scope,
        "subject": {"name": report.name} | encoded(declared, subject, to),
        "obligations": [
            *(_encoded_line(line, _steps_of(line, subject), to) for line in lines),
            *([PUSH_FORWARD] if getattr(subject.declared, "transform", None) else []),
        ],
        "left_out": [_left_out(line) for line in report.lines if line not in lines],
    }
    whole = statement | to.declarations() | {"nodes": to.nodes}
    return whole | {"sha256": digest_of(whole)}


def _verdict_of(line: ReportLine) -> str:
    return f"{line.name} is {line.outcome.verdict.value}"


def digest_of(certificate: Data) -> str:
    """Return the SHA-256 of a certificate without its digest, in hexadecimal.

    A digest finds damage. A forged certificate is found by checking its claims again.

    Args:
        certificate: the certificate, with or without a digest.
    """
    rest = {k: v for k, v in certificate.items() if k != "sha256"}
    return hashlib.sha256(canonical(rest).encode("ascii")).hexdigest()


def canonical(data: Any) -> str:
    """Return plain data as JSON in the form that digests are computed from.

    Args:
        data: dictionaries, lists, texts, numbers, booleans and None.
    """
    return json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def any_subject_of(declared: Declared) -> Subject | KernelSubject:
    """The subject behind a declaration of a process or of a kernel; for a discrete step that of
    what it was made from.
    """
    if isinstance(declared, LabelledPosterior):
        raise RecipeError("there are no certificates of data with labels yet")
    if isinstance(declared, Kernel):
        return kernel_subject_of(declared)
    return subject_of(declared.of if isinstance(declared, Discretisation) else declared)


def encoded(declared: Declared, subject: Subject | KernelSubject, to: Encoder) -> Data:
    """What a certificate is about, as plain data: the subject, and the rule of a discrete step."""
    if isinstance(subject, KernelSubject):
        return encoded_kernel(subject, to)
    data = encoded_subject(subject, to)
    if isinstance(declared, Discretisation):
        own = {"name": declared.scheme, "splitting": declared.splitting is not None}
        data["scheme"] = encoded_rule(declared.update, to) | own
    return data


def steps_of(declared: Declared) -> tuple[Symbol, ...]:
    """The step sizes of the rules that are in the declaration."""
    if isinstance(declared, Kernel):
        return () if declared.step is None else (declared.step,)
    if isinstance(declared, Discretisation):
        return tuple(dict.fromkeys((*steps_of(declared.of), declared.update.step)))
    if isinstance(declared, LabelledPosterior):
        return ()
    update = declared if isinstance(declared, Update) else declared.update
    return () if update is None else (update.step,)


def encoded_subject(subject: Subject, to: Encoder) -> Data:
    """What a certificate is about: the declaration, with the drift (and of a claim the diffusion)
    that was derived from it.
    """
    state = [to.declare(b) for b in subject.state]
    drift = {b.name: to.node(e) for b, e in subject.dynamics.drift.items()}
    common = {"kind": subject.kind, "state": state, "H": to.node(subject.H), "drift": drift}
    maps = {b.name: encoded_map(b, to) for b in subject.state if b.image is not None}
    return common | ({"maps": maps} if maps else {}) | _own(subject.declared, subject, to)


@singledispatch
def _own(declared: Any, subject: Subject, to: Encoder) -> Data:
    """What only a recipe or only a claim has."""
    raise TypeError(declared)


@_own.register
def _(declared: Recipe, subject: Subject, to: Encoder) -> Data:
    data: Data = {"D": to.matrix(declared.D.entries), "Q": to.matrix(declared.Q.entries)}
    data["marginal"] = [[[b.name for b in kept], to.node(U)] for kept, U in laws_of(declared)]
    if isinstance(declared.noise_factor, BlockMatrix):
        data["noise_factor"] = to.matrix(declared.noise_factor.entries)
    if declared.update is not None:
        data["update"] = encoded_rule(declared.update, to)
    if declared.transform is not None:
        data["transform"] = encoded_transform(declared.transform)
    return data


@_own.register
def _(declared: Update, subject: Subject, to: Encoder) -> Data:
    state, diffusion = subject.state, subject.dynamics.diffusion
    D = to.matrix([[diffusion[row, column] for column in state] for row in state])
    return {"D": D, "marginal": [], "update": encoded_rule(declared, to)}


def encoded_rule(update: Update, to: Encoder) -> Data:
    """An update rule as plain data."""
    return {
        "step": to.declare(update.step),
        "sequential": update.sequential,
        "rule": [[b.name, to.node(e)] for b, e in update.rule],
        "target": to.node(update.target),
    }


def _steps_of(line: ReportLine, subject: Subject | KernelSubject) -> tuple[Step, ...]:
    """The steps of an outcome, and for ``well-defined`` the forms of conditions whose signs are not
    read off as they stand.
    """
    more: Iterable[Step] = ()
    if isinstance(subject, KernelSubject):
        if line.name == WELL_DEFINED.name:
            more = _forms(e for e, _ in expressions_of_kernel(subject.declared))
        elif line.name == INVARIANCE.name:
            more = signs_of_kernel(subject)
    elif line.name == WELL_DEFINED.name:
        more = _forms(e for e, _ in expressions_of(subject))
    elif line.name == MONOTONE.name:
        more = signs_of_maps(subject.state)
    elif line.name == BOUNDARY.name:
        more = steps_of_edges(subject)
    if line.name in (MARGINAL.name, NORMALISABLE.name):
        more = _precisions(subject)
    return (*line.outcome.steps, *more)


def _precisions(subject: Subject | KernelSubject) -> Iterator[SignStep]:
    """The precision of every block that is normal given the rest."""
    for block in subject.state:
        law = law_given_rest(subject.H, block)
        if isinstance(law, Conditional):
            yield SignStep(law.precision, "> 0", readable_form(law.precision))


def _forms(expressions: Iterable[Expr]) -> Iterator[SignStep]:
    """Of a condition inside a total at its bound label, so that it is the same node there
    and here.
    """
    seen: set[Condition] = set()
    for e in expressions:
        for part in preorder_traversal(e):
            for condition in own_conditions(part) if isinstance(part, Expr) else ():
                form = readable_form(condition.e)
                if condition not in seen and form != condition.e:
                    yield SignStep(condition.e, condition.sign, form)
                seen.add(condition)


def _left_out(line: ReportLine) -> Data:
    """An obligation of the report that the certificate does not claim, with the reason."""
    found = line.outcome.found is not None
    return {
        "name": line.name,
        "verdict": line.outcome.verdict.value,
        "reason": f"{'about another statement: ' if found else ''}{line.outcome.by}",
    }


def _encoded_line(line: ReportLine, steps: Iterable[Step], to: Encoder) -> Data:
    return {
        "name": line.name,
        "verdict": line.outcome.verdict.value,
        "required": line.required,
        "by": line.outcome.by,
        "assumptions": list(line.outcome.assumptions),
        "steps": [encoded_step(step, to) for step in steps],
    }


@singledispatch
def encoded_step(step: Any, to: Encoder) -> Data:
    """One step of a proof."""
    raise TypeError(step)


@encoded_step.register
def _(step: SignStep, to: Encoder) -> Data:
    return {"kind": "sign", "e": to.node(step.e), "sign": step.sign, "form": to.node(step.form)}


@encoded_step.register
def _(step: SelfReflectingEdge, to: Encoder) -> Data:
    return {"kind": "self-reflecting"} | _encoded_edge(step, to)


@encoded_step.register
def _(step: UnattainableEdge, to: Encoder) -> Data:
    more = {"constant": to.node(step.constant), "power": step.power}
    return {"kind": "unattainable"} | _encoded_edge(step, to) | more


def _encoded_edge(step: SelfReflectingEdge | UnattainableEdge, to: Encoder) -> Data:
    return {
        "block": to.declare(step.block),
        "end": step.end,
        "drift": to.node(step.drift),
        "form": to.node(step.form),
    }


@encoded_step.register
def _(step: FactorStep, to: Encoder) -> Data:
    columns = [_encoded_column(column, to) for column in step.columns]
    return {
        "kind": "factor",
        "columns": columns,
        "signs": [encoded_step(s, to) for s in step.signs],
    }


def _encoded_column(column: FactorColumn, to: Encoder) -> Data:
    return {
        "length": None if column.length is None else to.declare(column.length),
        "rows": {b.name: to.entry(entry) for b, entry in column.entries},
        "weight": to.node(column.weight),
        "matrix": None if column.matrix is None else to.declare(column.matrix),
    }


__all__ = [
    "VERSION",
    "any_subject_of",
    "canonical",
    "certificate_of",
    "digest_of",
    "encoded",
    "encoded_rule",
    "encoded_step",
    "encoded_subject",
    "steps_of",
]
