"""Splittings in which one sub-flow is replaced."""

from dataclasses import replace


def mutated(step, k, **changes):
    """The step with another sub-flow: ``mean``, ``variance`` or ``time`` of the k-th as functions
    of what they were.
    """
    flows = list(step.splitting.flows)
    own = {"time": changes.pop("time")(flows[k].time)} if "time" in changes else {}
    law = replace(
        flows[k].law,
        **{part: change(getattr(flows[k].law, part)) for part, change in changes.items()},
    )
    flows[k] = replace(flows[k], law=law, **own)
    splitting = replace(step.splitting, flows=tuple(flows))
    return replace(step, splitting=splitting, update=splitting.update)
