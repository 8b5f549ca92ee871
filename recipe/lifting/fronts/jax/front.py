"""Functions of JAX, by their jaxpr."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive

from recipe.lifting.claims.claim import Claim, Gradient
from recipe.lifting.claims.outputs import outputs_of
from recipe.lifting.fronts.jax.keys import Half, Key
from recipe.lifting.fronts.jax.read_jaxpr import Reader
from recipe.lifting.fronts.jax.values import Unknown, is_concrete
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.given import expressions_of, point_of, shape_of, slope_name
from recipe.lifting.tracing.nodes_of import constants, leaf
from recipe.lifting.tracing.trace import Shapes, Trace
from recipe.lifting.tree.place import CannotLiftError, Place, is_users, refuse

given_p = Primitive("recipe_given")


@given_p.def_abstract_eval
def _given_shape(*_: Any, shape: Any, **__: Any) -> Any:
    return jax.core.ShapedArray(shape, np.dtype("float64"))


class JaxFront:
    """Runs a function under ``jax.make_jaxpr``, and reads the jaxpr."""

    def trace(self, claim: Claim, shapes: Shapes) -> Trace:
        """Trace the function once, and carry out its operations on nodes."""
        draws = Draws()
        letters = {**claim.state, **claim.letters}
        inputs: dict[str, Any] = {
            n: leaf(n, shape_of(e, shapes) or None) for n, e in letters.items()
        }
        for name, noise in claim.noise.items():
            inputs[name] = draws.draw(shape_of(noise, shapes), None, name)
        arrays = {n: np.zeros(x.shape) for n, x in inputs.items()}
        if claim.source is not None:
            key = Key((("key", claim.source),))
            words = np.empty(2, dtype=object)
            words[:] = [Half(key, 0), Half(key, 1)]
            inputs[claim.source] = words
            arrays[claim.source] = np.zeros(2, dtype=np.uint32)
        given = {n: _stand_in(n, g, shapes) for n, g in claim.gradient.items()}
        names: list[str] = []

        def function(values: Mapping[str, Any]) -> Any:
            args, kwargs = claim.arguments({**values, **given})
            with _none_is_caught():
                result = claim.function(*args, **kwargs)
            if result is None:
                refuse(f"{claim.name} returns None; a return may be missing", claim.place)
            found = outputs_of(claim, result, {}, _as_array)
            names[:] = list(found)
            return list(found.values())

        with _wide(), _concretisation():
            jaxpr = jax.make_jaxpr(function)(arrays)
            flat = [inputs[n] for n in sorted(inputs)]  # as JAX orders a dictionary
            values = Reader(draws).read(jaxpr, flat)
        return Trace({n: _known(v, claim) for n, v in zip(names, values, strict=True)}, draws)

    def run(
        self, claim: Claim, values: Mapping[str, Any], gradients: Mapping[str, Any], seed: int
    ) -> Mapping[str, np.ndarray]:
        """Run the function once on numbers."""
        with _wide():
            given = {n: _of_numbers(f, claim.gradient[n]) for n, f in gradients.items()}
            numbers: dict[str, Any] = {n: jax.numpy.asarray(x) for n, x in values.items()}
            if claim.called is not claim.function:  # an argument that jit holds fixed is no array
                numbers |= {n: np.float64(values[n]) for n in claim.letters if n in values
                            and isinstance(values[n], float)}  # fmt: skip
            if claim.source is not None:
                numbers[claim.source] = jax.random.PRNGKey(seed)
            args, kwargs = claim.arguments({**numbers, **given})
            return outputs_of(
                claim, claim.called(*args, **kwargs), {}, lambda x: np.asarray(_as_array(x))
            )

    def drawn(self, draws: Draws, values: Mapping[str, Any], seed: int) -> np.ndarray:
        """Return the random numbers that ``run`` has drawn."""
        with _wide():
            return draws.numbers(jax.random.PRNGKey(seed), dict(values))


@contextmanager
def _wide() -> Iterator[None]:
    """Floats of 64 bits, in which the numbers of the code are not rounded again."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


@contextmanager
def _concretisation() -> Iterator[None]:
    """Say in words what JAX cannot trace."""
    try:
        yield
    except jax.errors.TracerBoolConversionError:
        raise CannotLiftError(*_where("the code branches on values")) from None
    except jax.errors.NonConcreteBooleanIndexError:
        raise CannotLiftError(*_where("a shape depends on values")) from None
    except jax.errors.ConcretizationTypeError:
        raise CannotLiftError(*_where("the code turns values into Python numbers")) from None
    except jax.errors.TracerArrayConversionError:
        raise CannotLiftError(*_where("the code turns values into arrays of numpy")) from None


CONVERSIONS = "__bool__", "__float__", "__int__", "__index__", "__complex__", "__array__"
CANNOT_TRACE = (
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.TracerArrayConversionError,
    jax.errors.ConcretizationTypeError,
)


@contextmanager
def _none_is_caught() -> Iterator[None]:
    """Within this context code that is read runs: an error about a value that it turned into a
    Python number is raised in the end, even if the code catches it.
    """
    made: list[Place] = []
    originals = [(kind, kind.__init__) for kind in CANNOT_TRACE if "__init__" in vars(kind)]

    def noting(original: Any) -> Any:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            place = _converted_by_user()
            if place is not None:
                made.append(place)
            original(self, *args, **kwargs)

        return init

    try:
        for kind, original in originals:
            kind.__init__ = noting(original)  # type: ignore[method-assign]
        yield
    finally:
        for kind, original in originals:
            kind.__init__ = original  # type: ignore[method-assign]
    if made:
        refuse("the code branches on values, or turns them into Python numbers", made[0])


def _converted_by_user() -> Place | None:
    """The line of the user's code that turns a value into a Python number; None for JAX's own."""
    frame = sys._getframe(2)
    while frame is not None and not is_users(frame.f_code.co_filename):
        last, frame = frame, frame.f_back  # type: ignore[assignment]
    if frame is None or last.f_code.co_name not in CONVERSIONS:
        return None
    return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def _where(what: str) -> tuple[str]:
    """What is said, with the line of the user's code that was running."""
    error = sys.exc_info()[1]
    frames = traceback.extract_tb(error.__traceback__ if error else None)
    users = [f for f in frames if is_users(f.filename)]
    if not users:
        return (what,)
    return (f"{Place(users[-1].filename, users[-1].lineno or 0)}: {what}",)


def _as_array(x: Any) -> Any:
    """An output as one array: the leaves of a tree one after another."""
    leaves = jax.tree_util.tree_leaves(x)
    if len(leaves) == 1:
        return jax.numpy.asarray(leaves[0])
    return jax.numpy.concatenate([jax.numpy.ravel(y) for y in leaves])


def _known(value: Any, claim: Claim) -> Any:
    if isinstance(value, Unknown):
        refuse(value.reason, value.place)
    return constants(np.asarray(value)) if is_concrete(value) else value


def _points(name: str, gradient: Gradient, arguments: Any) -> tuple[list[Any], Any]:
    """The arrays of the point in the arguments of a given function, and the form of the first
    argument.
    """
    blocks = point_of(gradient)
    leaves: list[Any] = []
    for argument in arguments:
        if len(leaves) < len(blocks):
            leaves += jax.tree_util.tree_leaves(argument)
    if len(leaves) != len(blocks):
        refuse(f"{name} is called with {len(leaves)} arrays, and is a function of {blocks}")
    form = jax.tree_util.tree_structure(arguments[0]) if arguments else None
    return [jax.numpy.asarray(x) for x in leaves], form


def _formed(values: list[Any], form: Any, gradient: Gradient) -> Any:
    """The values of a given function in the form of its argument."""
    if isinstance(gradient, tuple):
        if form is not None and form.num_leaves == len(values):
            return jax.tree_util.tree_unflatten(form, values)
        return tuple(values)
    if form is not None and form.num_leaves == 1 and values[0].ndim:
        return jax.tree_util.tree_unflatten(form, values)
    return values[0]


def _stand_in(name: str, gradient: Gradient, shapes: Shapes) -> Callable[..., Any]:
    blocks = point_of(gradient)
    vectors = tuple(b.length is not None for b in blocks)
    expressions = expressions_of(name, gradient)

    def bound(part: str, point: list[Any]) -> Any:
        shape = shape_of(expressions[part], shapes)
        wide = [x.astype("float64") for x in point]
        return given_p.bind(*wide, name=part, shape=shape, vectors=vectors)

    return _callable(name, gradient, bound)


def _of_numbers(function: Callable[..., Any], gradient: Gradient) -> Callable[..., Any]:
    name = "given"

    def bound(part: str, point: list[Any]) -> Any:
        suffix = part.removeprefix(name)

        def computed(*arrays: Any) -> Any:
            return np.asarray(function(suffix, *(np.asarray(a) for a in arrays)), dtype="float64")

        out = computed(*(np.zeros(x.shape) for x in point))
        shape = jax.ShapeDtypeStruct(out.shape, "float64")
        return jax.pure_callback(computed, shape, *point)

    return _callable(name, gradient, bound)


def _callable(name: str, gradient: Gradient, bound: Callable[..., Any]) -> Callable[..., Any]:
    """A given function for JAX. One that returns a number has the derivatives of its expression."""
    if isinstance(gradient, tuple):
        parts = [f"{name}.{k}" for k in range(len(gradient))]

        def several(*arguments: Any, **named: Any) -> Any:
            point, form = _points(name, gradient, (*arguments, *named.values()))
            return _formed([bound(part, point) for part in parts], form, gradient)

        return several
    slopes = [slope_name(name, k) for k in range(len(point_of(gradient)))]
    is_number = slope_name(name, 0) in expressions_of(name, gradient)

    @jax.custom_vjp
    def number(point: list[Any]) -> Any:
        return bound(name, point)

    def forward(point: list[Any]) -> Any:
        return bound(name, point), point

    def backward(point: list[Any], cotangent: Any) -> Any:
        return ([cotangent * bound(s, point) for s in slopes],)

    number.defvjp(forward, backward)

    def one(*arguments: Any, **named: Any) -> Any:
        point, form = _points(name, gradient, (*arguments, *named.values()))
        value = number(point) if is_number else bound(name, point)
        return _formed([value], form, gradient)

    return one
