"""Who is killed by translation validation: the text is not proved to be the rule that the module
was made from.
"""

from __future__ import annotations

from cases.translations import Case

from mutation.mutant import Fate, Judgement, Mutant
from verify.verdict import Verdict


def judge_by_translation(mutant: Mutant, case: Case) -> Judgement:
    """A text that is proved to be the rule is as right as the original; nothing else is ever
    run.
    """
    assert isinstance(mutant.declared, str)
    outcome = case.outcome(mutant.declared)
    if outcome.verdict is Verdict.PROVED:
        return Judgement(Fate.EQUIVALENT, outcome.by)
    return Judgement(Fate.TRANSLATION, f"{outcome.verdict.value}: {outcome.by}")
