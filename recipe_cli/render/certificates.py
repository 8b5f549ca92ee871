"""Write a proof as a certificate, and show the result of checking one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from recipe.printing.plain_text import without_codes
from recipe_cli.render.exit_status import STATUS_OF_VERDICT
from recipe_cli.sandbox.messages import JudgedDeclaration
from recipe_cli.terminal.printing import print_line
from verify.certificate.node_text import text_of
from verify.checker import Result

STATUS_STYLES = {"confirmed": "green", "rejected": "bold red"}
STATUS_WIDTH = len("cannot be certified")  # characters


def write_certificate(judged: JudgedDeclaration, output: Path) -> int:
    """Write the certificate of a verified declaration to a file.

    Returns:
        The exit status: 0, or that of the verdict if not everything is proved; then nothing is
        written.
    """
    from recipe.files.atomic_write import whole_file
    from verify.certificate import canonical

    report = judged.report
    if judged.certificate is None:
        left = ", ".join(
            line.name
            for line in report.lines
            if line.required and line.outcome.verdict is report.verdict
        )
        print_line(
            f"recipe: no certificate was written: {judged.declared.name} is {report.verdict.value}"
            f" ({left})",
            err=True,
        )
        return STATUS_OF_VERDICT[report.verdict]
    with whole_file(output) as temporary:
        temporary.write_text(canonical(judged.certificate) + "\n", encoding="ascii")
    print_line(f"wrote {output}", err=True)
    return 0


def check_as_json(
    file: Path, certificate: Any, result: Result, where: str | None, other: str | None
) -> dict[str, Any]:
    """Return the result of a check as plain data.

    Args:
        file: the certificate file.
        certificate: its content.
        result: the result of the independent checker.
        where: the recipe that the certificate must be about; None if any recipe is fine.
        other: the first difference between that recipe and the certificate; None if there is none.
    """
    return {
        "file": str(file),
        "name": _said(certificate, "name"),
        "kind": _said(certificate, "kind"),
        "status": result.status if other is None else "rejected",
        "sentence": result.sentence if other is None else f"it is not about {where}: {other}",
        "about": (
            None if where is None else {"recipe": where, "same": other is None, "difference": other}
        ),
        "checked": result.about or None,
        "target": target_of(certificate) if result.about else None,
        "scope": list(result.scope),
        "obligations": [
            {
                "name": f.name,
                "status": f.status,
                "required": f.required,
                "sentence": f.sentence,
            }
            for f in result.findings
        ],
        "assumptions": list(result.assumptions),
    }


def _said(certificate: Any, key: str) -> str | None:
    """Return what a certificate says of its subject, or None: it may be malformed where a check was
    stopped before it was read.
    """
    subject = certificate.get("subject") if isinstance(certificate, dict) else None
    found = subject.get(key) if isinstance(subject, dict) else None
    return found if isinstance(found, str) else None


def target_of(certificate: Any) -> str:
    """Return the law of a well-formed certificate, ``exp(-H)`` with H written out."""
    subject = certificate["subject"]
    rule = subject["rule"] if subject["kind"] == "translation" else subject
    H = rule["H"] if "H" in rule else rule["update"]["target"]
    return f"exp(-H), H = {text_of(certificate['nodes'], H)}"


def print_check(
    console: Console,
    file: Path,
    certificate: Any,
    result: Result,
    where: str | None,
    other: str | None,
) -> None:
    """Print the result of a check in words; the arguments are those of ``check_as_json``."""
    name, kind = _said(certificate, "name"), _said(certificate, "kind")
    console.print(
        Text.assemble(
            (without_codes(str(file)), "bold"),
            f" ({without_codes(name or 'without a name')}, {without_codes(kind or 'unknown')}): ",
            (result.sentence, STATUS_STYLES.get(result.status, "yellow")),
        ),
        soft_wrap=True,
    )
    if result.about:
        _print_words(console, "checked", f"{result.about}, for {target_of(certificate)}")
    for line in result.scope:
        _print_words(console, "scope", line)
    names = [f.name + ("" if f.required else " (not required)") for f in result.findings]
    width = max(map(len, names), default=0)
    for name, f in zip(names, result.findings, strict=True):
        console.print(
            Text.assemble(
                "  ", _coloured(f.status), without_codes(f"  {name:<{width}}  {f.sentence}")
            ),
            soft_wrap=True,
        )
    if where is not None and other is None:
        console.print(
            Text(without_codes(f"  it is about {where}, for {certificate['scope']}")),
            soft_wrap=True,
        )
    elif where is not None:
        console.print(
            Text.assemble(
                "  ", _coloured("rejected"), without_codes(f"  it is not about {where}: {other}")
            ),
            soft_wrap=True,
        )
    for assumption in result.assumptions:
        console.print(Text(without_codes(f"  assumed: {assumption}"), style="dim"), soft_wrap=True)


def _print_words(console: Console, what: str, text: str) -> None:
    console.print(Text(f"  {what:<{STATUS_WIDTH}}  {without_codes(text)}"), soft_wrap=True)


def _coloured(status: str) -> tuple[str, str]:
    return f"{status:<{STATUS_WIDTH}}", STATUS_STYLES.get(status, "yellow")
