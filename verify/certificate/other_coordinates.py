"""Changes of variable in a certificate: each map with its inverse, and the original process.

An inverse and an original have tables of their own, as their blocks are others than those of the
state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Expr, cosh, exp, factor, sinh, tanh, together

from recipe import Recipe, RecipeError
from recipe.declare.recipe import Transform
from recipe.language.abstract import is_joint, slope
from recipe.language.blocks import Block, Scalar
from recipe.language.domain import finite_ends
from recipe.signs.sign import is_positive
from verify.decide.nonnegative.syntactic_forms import readable_form
from verify.encode import Data, Encoder, encoded_domain
from verify.evidence import SignStep
from verify.subject import subject_of

# The checker derives it anew; ``ito`` and ``corv`` make the recipe so that it holds.
PUSH_FORWARD: Data = {
    "name": "push-forward",
    "verdict": "proved",
    "required": True,
    "by": "made from the original process by a change of variable",
    "assumptions": [],
    "steps": [],
}


def encoded_map(block: Block, to: Encoder) -> Data:
    """The change of variable ``image = f(block)`` with f', and with the inverse in a table of its
    own where it can be written.

    Raises:
        RecipeError: for a map of all coordinates together.
    """
    if is_joint(block):
        raise RecipeError(
            f"{block} stands for {block.image}, and there are no certificates of maps onto a"
            " simplex yet"
        )
    assert block.forward is not None
    assert block.image is not None
    return {
        "image": block.image.name,
        "domain": encoded_domain(block.image, to),
        "forward": to.node(block.forward(block)),
        "slope": to.node(slope(block)),
        "inverse": _encoded_inverse(block),
    }


def _encoded_inverse(block: Block) -> Data | None:
    if block.inverse is None or block.image is None:
        return None
    theta, to = Scalar(block.image.name, domain=block.image.domain), Encoder()
    to.declare(theta)
    try:
        value = to.node(block.inverse(theta))
    except RecipeError:  # an absolute value
        return None
    return to.declarations() | {"nodes": to.nodes, "value": value}


def encoded_transform(transform: Transform) -> Data:
    """The original process in a table of its own, and how the recipe was made from it."""
    to, original = Encoder(), subject_of(transform.of)
    recipe = original.declared
    assert isinstance(recipe, Recipe)
    written = {
        "state": [to.declare(b) for b in original.state],
        "H": to.node(original.H),
        "D": to.matrix(recipe.D.entries),
        "Q": to.matrix(recipe.Q.entries),
        "drift": {b.name: to.node(e) for b, e in original.dynamics.drift.items()},
    }
    return {
        "kind": transform.kind,
        "block": transform.preimage.name,
        "original": written | to.declarations() | {"nodes": to.nodes},
    }


def signs_of_maps(state: Iterable[Block]) -> Iterator[SignStep]:
    """Forms of f', and of the distances of f to the ends of its domain, whose signs can be read
    off.
    """
    for block in state:
        if block.image is not None and block.forward is not None:
            f = block.forward(block)
            steep = slope(block)
            gaps = [end.gap(f) for end in finite_ends(block.image.domain)]
            for e in (steep, -steep, *gaps):
                form = _positive_form(e)
                if form is not None:
                    yield SignStep(e, "> 0", form)


def _positive_form(e: Expr) -> Expr | None:
    """An equal expression whose sign can be read off; None if none is found.

    The checker finds out whether it is equal and positive.
    """
    hyperbolic = e.replace(lambda n: isinstance(n, sinh | cosh | tanh), lambda n: n.rewrite(exp))
    for candidate in (e, factor(together(e)), factor(together(hyperbolic))):
        if is_positive(candidate):
            return readable_form(candidate)
    return None


__all__ = ["PUSH_FORWARD", "encoded_map", "encoded_transform", "signs_of_maps"]
