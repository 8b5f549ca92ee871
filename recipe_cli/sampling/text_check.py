"""The check of a module's text before it runs, and what it leaves in the draws."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from codegen import Draws
from codegen.module import Module
from codegen.results.of_the_sampler import with_verdict
from codegen.verdict_before import NOTHING_SAID, SaidBefore
from recipe_cli.program.translation import require_translation
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import tell
from recipe_cli.terminal.progress import PROVING, Progress

UNPROVED_ATTRIBUTE = "unproved_text"  # of the posterior group


@dataclass
class TextCheck:
    """The check of a module's text before a run, and what it leaves in the draws.

    Attributes:
        limits: time and memory of the check.
        validated: whether a text that is not proved is refused.
        said: what the draws say of their sampler.
        unproved: the warning about the text that was checked last, if it is not proved; empty if it
            is.
        known: what was found of each text, so that the module of a run that was tried before is not
            proved again.
    """

    limits: Limits
    validated: bool = False
    said: SaidBefore = NOTHING_SAID
    unproved: str = ""
    known: dict[str, str] = field(default_factory=dict)

    def check(self, module: Module) -> None:
        """Check the text of a module, and warn if it is compared and not proved.

        Raises:
            NotTranslatedError: if the module must not run.
        """
        if module.source in self.known:
            self.unproved = self.known[module.source]
            return
        with Progress() as progress:
            progress.show(PROVING)
            self.unproved = require_translation(module, self.limits, self.validated).unproved
        self.known[module.source] = self.unproved
        if self.unproved:
            tell(self.unproved, "warning")

    def noted(self, draws: Draws) -> Draws:
        """Return the draws with what they say of their sampler, and the warning about the text if
        there is one.
        """
        draws = with_verdict(draws, self.said.note, self.said.proved)
        if not self.unproved:
            return draws
        return replace(
            draws,
            warnings=(*draws.warnings, self.unproved),
            attributes={**draws.attributes, UNPROVED_ATTRIBUTE: self.unproved},
        )
