"""What tells the run of a checkpoint from another one, in words: the sampler, the blocks, their
laws, data and options, and not the digests of all of them together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import sympy

import recipe
from codegen.module import Module
from codegen.running.manifest import printable
from recipe.declare.declared import REST
from recipe.declare.posterior import Posterior
from recipe.language.symbols import name_of
from recipe.language.text import listed

MODEL = "model: "  # the beginning of keys that describe what the digest of the module is of
MODULE, FIRST_STATE = "module", "first state"  # these follow from what is described
NAMED = "name: "  # the beginning of keys whose value is the user's name of what a key is of
SHOWN_ALONE = (MODEL, NAMED)
WORDS = "the list of categories of "  # the beginning of keys that an older checkpoint may lack
MOVES = "the rules of a step"  # which follow from all else, where that differs
ARRAY = re.compile(r"(?P<type>\w+) (?P<shape>\([\d, ]*\)) [0-9a-f]{32}", re.ASCII)
MAX_CHARS, MAX_SHOWN = 100, 6  # of an expression, and differences


def described(module: Module) -> dict[str, str]:
    """Return what a module was made from, as the part of a fingerprint that is only shown.

    Args:
        module: the generated module.

    Returns:
        Texts by key; a long expression is cut, and has a digest. The names of labels in their
        order are compared as well, where both runs have them.
    """
    found = {
        "sampler": module.name,
        "scheme": module.scheme,
        "versions": f"recipe {recipe.__version__}, sympy {sympy.__version__}",
    }
    found |= {f"block {b.name}": _kind(b) for b in module.plan.state}
    found[MOVES] = _moves(module)
    names: dict[str, str] = {}
    words: dict[str, str] = {}
    for estimator in module.estimators.values():
        found |= _of_posterior(estimator.gradient.posterior)
        words |= _words(estimator.gradient.posterior)
        labels = _labels(estimator.gradient.posterior)
        for s, field in estimator.gradient.fields.items():
            names[f"data {field}"] = f"data {labels.get(name_of(s), name_of(s))}"
    return (
        {MODEL + key: text for key, text in found.items()}
        | {NAMED + key: name for key, name in names.items() if key != name}
        | words
    )


def _of_posterior(posterior: Posterior) -> dict[str, str]:
    found = {f"block {b.name}": _kind(b) for b in posterior.blocks}
    found |= {f"the prior of {name}": law for name, law in posterior.priors.items()}
    if posterior.log_likelihood is not None:
        found["the log likelihood"] = _cut(posterior.log_likelihood)
        rest = posterior.log_priors.get(REST)
        found |= {} if rest is None else {"the log prior": _cut(rest)}
    return found


def _words(posterior: Posterior) -> dict[str, str]:
    """The names that the numbers of labels stand for, in their order."""
    named = posterior.categories.items()
    return {WORDS + name_of(s): _cut(", ".join(names)) for s, names in named}


def _moves(module: Module) -> str:
    """The rules of a step, from the comment on top of the module."""
    head = [line[2:] for line in module.source.split("\n\n", 1)[0].splitlines()]
    after = next((k for k, line in enumerate(head) if line.startswith("scheme: ")), 0)
    return _cut(" ".join(head[after:]))


def _labels(posterior: Posterior) -> dict[str, str]:
    """The labels that data are made of, by the name of these data."""
    likelihood = posterior.declared.log_likelihood
    made = () if likelihood is None else likelihood.indicators
    found = {name_of(i.data): name_of(i.label) for i in made}
    return found | {
        name_of(s): name_of(s.labels)
        for s, _ in posterior.data
        if getattr(s, "labels", None) is not None
    }


def _kind(block: Any) -> str:
    return f"a {type(block).__name__} on {block.domain}"


def _cut(e: Any) -> str:
    whole = str(e)
    if len(whole) <= MAX_CHARS:
        return whole
    digest = hashlib.blake2b(whole.encode(), digest_size=8).hexdigest()
    return f"{whole[:MAX_CHARS]} ... (digest {digest})"


def is_another(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether two fingerprints are of two runs; what is only shown does not count, nor do
    names of labels that one of them does not know.
    """
    return any(not key.startswith(SHOWN_ALONE) for key in _different(before, now))


def _different(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The keys of what differs."""
    return [
        key
        for key in {**now, **before}
        if before.get(key) != now.get(key)
        and not (key.startswith(WORDS) and None in (before.get(key), now.get(key)))
    ]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return what two fingerprints differ in, in words.

    Args:
        before: the fingerprint of the checkpoint.
        now: that of this run.
    """
    told = any(key.startswith(MODEL) for key in before)  # an older checkpoint describes nothing
    keys = _different(before, now)
    of_model = [key for key in keys if key.startswith(MODEL)] if told else []
    others = [key for key in keys if not key.startswith(SHOWN_ALONE)]
    if len(of_model) > 1:
        of_model = [key for key in of_model if key != MODEL + MOVES]
    if of_model:
        others = [key for key in others if key != MODULE]
    if of_model or not all(key.startswith(FIRST_STATE) for key in others):
        others = [key for key in others if not key.startswith(FIRST_STATE)]
    every = dict.fromkeys(_difference(key, before, now) for key in [*of_model, *others])
    more = len(every) - MAX_SHOWN
    return listed(list(every)[:MAX_SHOWN]) + (f", and {more} differences more" if more > 0 else "")


def _difference(key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    made = NAMED + key in now  # data that are made of labels, of which the user knows the labels
    name = printable(now.get(NAMED + key, key.removeprefix(MODEL)))
    was, found = (_shown(run[key], made) if key in run else None for run in (before, now))
    if was is None:
        return f"{name} is new, {found}"
    if found is None:
        return f"{name} is gone, {was}"
    if was == found:
        return f"{name} is of other numbers"
    return f"{name} was {was} and is {found}"


def _shown(value: Any, made: bool) -> str:
    """Return a value of a fingerprint; of an array its type and shape, without its digest."""
    array = ARRAY.fullmatch(str(value))
    if array is None:
        return printable(value)
    return printable(array["shape"] if made else f"{array['type']} {array['shape']}")
