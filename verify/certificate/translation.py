"""The certificate of a translation: the hash of the text of a module, and the rule that the text
was proved to carry out, with its hash.
"""

from __future__ import annotations

import hashlib

import recipe
from recipe import Kernel, RecipeError, Update
from verify.certificate.kernel import encoded_kernel
from verify.certificate.write import VERSION, canonical, digest_of, encoded_rule, steps_of
from verify.encode import Data, Encoder
from verify.scope import scope_of
from verify.subject import kernel_subject_of
from verify.verdict import Outcome, Verdict


def certificate_of_translation(
    text: bytes, moves: Update | Kernel, name: str, scheme: str, outcome: Outcome
) -> Data:
    """Return the certificate of a module whose text was proved to be a rule.

    Args:
        text: the bytes of the module's file.
        moves: the update or the kernel that one step of the module carries out.
        name: the name of the sampler.
        scheme: the name of the scheme that made the rule.
        outcome: the outcome of translation validation.

    Raises:
        RecipeError: where it is not proved, or the rule is outside of what a certificate can hold.
    """
    if outcome.verdict is not Verdict.PROVED:
        raise RecipeError(
            f"there is no certificate of a translation that is {outcome.verdict.value}"
        )
    to = Encoder(steps_of(moves))
    rule = _encoded_moves(moves, to)
    table = to.declarations() | {"nodes": to.nodes}
    subject = {
        "name": name,
        "kind": "translation",
        "scheme": scheme,
        "text_sha256": hashlib.sha256(text).hexdigest(),
        "rule_sha256": hashlib.sha256(
            canonical(table | {"rule": rule}).encode("ascii")
        ).hexdigest(),
        "rule": rule,
    }
    line = {
        "name": "translation",
        "verdict": outcome.verdict.value,
        "required": True,
        "by": outcome.by,
        "assumptions": list(outcome.assumptions),
        "steps": [],
    }
    whole = table | {
        "version": VERSION,
        "recipe_version": recipe.__version__,
        "scope": scope_of(moves),
        "subject": subject,
        "obligations": [line],
        "left_out": [],
    }
    return whole | {"sha256": digest_of(whole)}


def _encoded_moves(moves: Update | Kernel, to: Encoder) -> Data:
    if isinstance(moves, Kernel):
        return {"name": moves.name} | encoded_kernel(kernel_subject_of(moves), to)
    return {
        "kind": "update",
        "state": [to.declare(b) for b in moves.state],
        "update": encoded_rule(moves, to),
        "observe": [[b.name, to.node(e)] for b, e in moves.observe],
    }


__all__ = ["certificate_of_translation"]
