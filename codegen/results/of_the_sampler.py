"""What draws say of the sampler that made them."""

from __future__ import annotations

from dataclasses import replace

from codegen.results.diagnostics.diagnosis import PROVED
from codegen.results.draws import Draws


def with_verdict(draws: Draws, note: str | None, proved: str | None) -> Draws:
    """Return draws that say what was found of their sampler, before all other warnings.

    Args:
        draws: the draws; they are returned where there is nothing to say.
        note: the verdict on a sampler that is not proved, a warning; None where it is proved.
        proved: what is proved of a printed rule; None for all others.
    """
    if note is None and proved is None:
        return draws
    warnings = draws.warnings if note is None else (note, *draws.warnings)
    added = {} if proved is None else {PROVED: proved}
    return replace(draws, warnings=warnings, attributes={**draws.attributes, **added})
