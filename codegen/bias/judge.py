"""Judge a finished run: what is predicted of it, and the sentences that belong to its draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codegen.bias.checks import plain_faults
from codegen.bias.predict import predict
from codegen.bias.prediction import Prediction
from codegen.bias.reported import Quantities
from codegen.bias.sentences import sentence, unseen
from codegen.inputs.lengths import Lengths
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled


def judged(
    kernel: Compiled,
    chains: Sequence[Chain],
    lengths: Lengths,
    quantities: Quantities,
    refuted: bool = False,
) -> tuple[Prediction | None, tuple[str, ...]]:
    """Return the prediction of the bias of a run, and the sentences that a user should read.

    An error in the prediction costs no draws: it is a reason why nothing is predicted.

    Args:
        kernel: the compiled module of the run.
        chains: its chains, after the run.
        lengths: the lengths of its blocks.
        quantities: what is reported beside blocks, as a function of their draws.
        refuted: whether the sampler is refuted.
    """
    options = kernel.options
    try:
        found = predict(kernel, chains, lengths, options.max_bias, quantities)
    except Exception as error:
        reason = f"the prediction failed ({type(error).__name__}: {error})"
        found = Prediction(options.max_bias, bool(options.rows), reason)
    if found is not None:
        found = replace(found, refuted=refuted)
        found = replace(found, sentence=sentence(found), unseen=unseen(found))
    said = () if found is None else (found.sentence, found.unseen, found.seen)
    return found, (*plain_faults(kernel, chains), *(s for s in said if s is not None))
