"""``lift``: from a function to the ``Update`` that it computes."""

from __future__ import annotations

import inspect
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sympy import Symbol

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.noise import Noise
from recipe.language.symbols import Indexed, name_of
from recipe.lifting.claims.claim import Claim, read_claim
from recipe.lifting.claims.wrapped import innermost
from recipe.lifting.compare import compare
from recipe.lifting.fronts import front_of, library_of
from recipe.lifting.fronts.numpy.stand_ins import globals_written
from recipe.lifting.fronts.torch.optimizer import is_optimizer, optimizer_claim
from recipe.lifting.reading import Lifted, Reading, Term
from recipe.lifting.rule_of_tree import RuleOfTree, block_of, drawn_at, rule_of
from recipe.lifting.slips import slips_of
from recipe.lifting.tracing.precision import rounding
from recipe.lifting.tracing.signs import parameters
from recipe.lifting.tree.decimals import Notes, noting
from recipe.lifting.tree.expression import expression
from recipe.lifting.tree.generic import terms
from recipe.lifting.tree.node import one_tree
from recipe.lifting.tree.place import HERE, CannotLiftError, Place, is_users

SECONDS = 60.0  # that a function may take
OPTIONS = ("observe", "units", "name", "source", "expect", "where")  # of an update


def lift(
    function: Callable[..., Any],
    *,
    state: Mapping[str, Block],
    step: Symbol,
    target: Any,
    arguments: Mapping[str, Any] | None = None,
    noise: str | Mapping[str, Noise] | None = None,
    gradient: Mapping[str, Any] | None = None,
    returns: Any = None,
    library: str | None = None,
    seconds: float = SECONDS,
    **options: Any,
) -> Lifted:
    """Read the update rule out of a function that computes one step of a sampler.

    The function is run on arrays that record what is done to them, at several lengths, and what was
    read is compared with the function in numbers. Nothing is guessed: what has no reading is
    refused, by file and line.

    Args:
        function: the function of one step; of a function that Numba or ``jax.jit`` has compiled,
            that of Python is read.
            A class of optimizers of PyTorch stands for its ``step``: ``state`` then names
            ``params`` and the entries of its state, ``arguments`` are those of the class, and
            ``gradient={"params": grad(U, theta)}`` is ``p.grad``.
        state: the block that each argument is, by the name of the argument. An argument that is a
            tuple, a list or a dictionary of arrays is one of blocks, ``{"state": (theta, p)}``.
        step: the symbol of the step size. An argument with its name is the step; where the code has
            another unit, say so in ``arguments``, ``{"lr": h**2}``.
        target: minus the log density that the rule is claimed to leave stationary, up to a
            constant.
        arguments: all other arguments: expressions in letters of your own, such as a temperature,
            or values that are passed as they are.
        noise: the name of the argument that is a source of random numbers (a generator of numpy, a
            key of JAX), or the noise of each argument that stands for a draw. None where the code
            calls functions of ``numpy.random`` or ``random``, or draws nothing.
        gradient: the expression of each argument that is a function of the state, such as
            ``{"grad_log_p": -grad(U, theta)}``; a tuple of expressions for one that returns
            several.
        returns: what the outputs are: blocks, None for an output that does not matter, in tuples
            and dictionaries as the function returns them. By default the blocks of ``state`` in
            their order, and in the form that they have there. A function that returns None changes
            its arguments.
        library: ``"numpy"``, ``"jax"`` or ``"torch"``; by default the one that the function's
            module uses.
        seconds: how long the function may run.
        **options: ``observe``, ``units``, ``name``, ``source``, ``expect`` and ``where`` of an
            ``Update``.

    Returns:
        The ``Update``, with how it was read in ``reading``; ``text`` and ``latex`` show the rule
        with the source line of each term.

    Raises:
        RecipeError: for a claim that does not fit the function.
        CannotLiftError: for code that has no reading, naming file and line.

    Example:
        >>> from sympy import Symbol
        >>> from recipe import Potential, Vector, grad, lift
        >>> def sgld(x, lr, grad_u, rng):
        ...     return x - lr * grad_u(x) + (2 * lr) ** 0.5 * rng.standard_normal(x.shape)
        >>> theta, h = Vector("theta"), Symbol("h", positive=True)
        >>> U = Potential("U", theta)
        >>> rule = lift(sgld, state={"x": theta}, step=h, arguments={"lr": h}, noise="rng",
        ...             gradient={"grad_u": grad(U, theta)}, target=U)
        >>> rule.rule[0][1]
        sqrt(2)*w*sqrt(h) - h*grad(U, theta) + theta
    """
    arguments, gradient = arguments or {}, gradient or {}
    if not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise RecipeError(f"seconds={seconds!r} must be a positive number")
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        raise RecipeError(
            f"lift has no argument {unknown}; {did_you_mean(unknown, OPTIONS)}"
            f"those of an update are {', '.join(OPTIONS)}"
        )
    if is_optimizer(function):
        function, arguments = optimizer_claim(function, state, arguments, gradient)
        gradient, library = {}, "torch"
    claim = read_claim(function, state, step, arguments, noise, gradient, returns)
    written = globals_written(innermost(function))
    if written is not None:
        raise CannotLiftError(
            f"{claim.name} changes the global variable {written}, so that one call depends on the"
            " last one; give it as an argument"
        )
    notes: Notes = {}
    fixed = {n: e for n, e in claim.letters.items() if not e.atoms(Indexed, Scalar)}
    front = front_of(claim.function, library)
    with one_tree(), noting(notes), parameters(fixed), _within(seconds, claim), _said(claim):
        read = rule_of(front, claim, target)
        tree, pairs, draws = read.tree, list(read.pairs), read.draws
        compared = compare(
            front, claim, pairs, read.sequential, tree.trace, draws, tree.shapes, rounding(notes)
        )
        slips = slips_of(front, claim, target, read, tuple(notes.values()), options)
    reading = Reading(
        claim.name,
        claim.place,
        library_of(front),
        _terms(claim, read),
        tuple((str(w), drawn_at(tree, which)) for w, which in draws.items()),
        (*notes, *_defaults(claim)),
        compared,
        slips,
    )
    return Lifted.of(reading, step, read.written(options), target, **options)


def _terms(claim: Claim, read: RuleOfTree) -> tuple[Term, ...]:
    found = []
    for k, (name, value) in enumerate(read.values):
        for sign, term in terms(value):
            e = sign * expression(term, read.letters, read.tree.lengths)
            computed = bool(term.args) or term.op in ("given", "noise")
            found.append(Term(block_of(claim, name), k, e, term.place if computed else None))
    return tuple(found)


def _defaults(claim: Claim) -> Iterator[str]:
    """The arguments that were left as the function has them."""
    try:
        parameters_there = inspect.signature(claim.function).parameters
    except (TypeError, ValueError):
        return
    said = {
        *claim.state, *claim.letters, *claim.fixed, *claim.noise, *claim.gradient, claim.source,
    }  # fmt: skip
    left = {n: p.default for n, p in parameters_there.items() if n not in said}
    shown = [f"{n}={v!r}" for n, v in left.items() if isinstance(v, int | float | str | bool)]
    if shown:
        yield f"read with the defaults {', '.join(shown)}"
    wholes = getattr(claim.function, "leaves", ())
    parts = [f"{n}={v}" for n, v in claim.fixed.items() if n in wholes]
    if parts:
        yield f"read at {', '.join(parts)} alone; a symbol stands for every value"


@contextmanager
def _said(claim: Claim) -> Iterator[None]:
    """Turn what the code raises into one sentence."""
    try:
        yield
    except CannotLiftError as error:
        place = claim.place
        if ", line " in str(error) or place is None:
            raise
        raise CannotLiftError(f"{place}: {error}") from None
    except (RecipeError, KeyboardInterrupt, MemoryError, GeneratorExit, _TimeUp):
        raise
    except RecursionError:
        raise CannotLiftError(
            f"{claim.name} does too many operations one inside of another; lift one step of it"
        ) from None
    except BaseException as error:
        if _is_ours(error):
            raise
        frames = [f for f in traceback.extract_tb(error.__traceback__) if is_users(f.filename)]
        place = (
            Place(frames[-1].filename, frames[-1].lineno or 0, frames[-1].name)
            if frames
            else claim.place
        )
        said = " ".join(str(error).split())[:300] or "no message"
        where = "" if place is None else f"{place}: "
        raise CannotLiftError(
            f"{where}{claim.name} raises {type(error).__name__} when it is traced: {said}"
            f"{_of_lengths(claim, said)}"
        ) from None


def _of_lengths(claim: Claim, said: str) -> str:
    """What may be behind shapes that do not fit: blocks that are declared with two lengths."""
    vectors = [b for b in claim.blocks if isinstance(b, Vector)]
    other = next((b for b in vectors if b.length != vectors[0].length), None)
    if other is None or not any(word in said for word in ("broadcast", "shape", "size")):
        return ""
    first, name = name_of(vectors[0]), name_of(other)
    return (
        f"; {first} and {name} are declared with two lengths: where they have one, declare"
        f' Vector("{name}", like={first})'
    )


def _is_ours(error: BaseException) -> bool:
    """Whether an exception is a fault of this program, and not one of the code that is read."""
    innermost = traceback.extract_tb(error.__traceback__)[-1]
    faults = NameError, AttributeError, KeyError, AssertionError, StopIteration
    return innermost.filename.startswith(HERE) and isinstance(error, faults)


class _TimeUp(BaseException):
    """The time for a function is over; no ``Exception``, which code that is read may catch."""


@contextmanager
def _within(seconds: float, claim: Claim) -> Iterator[None]:
    """Stop a function that does not come to its end; in the main thread only."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return

    def stop(*_: Any) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again, if the code catches it
    try:
        yield
    except _TimeUp:
        raise CannotLiftError(
            f"{claim.name} is not read within {seconds:g} seconds; it may run for ever (seconds="
            " allows more)"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
