"""What a user says about a function, because its code does not: which argument is which block, the
step, the noise, the gradient, and the law.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from sympy import Dummy, Expr, Symbol

from recipe.language.as_expression import as_expression
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.errors import RecipeError
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import GENERIC, Length
from recipe.language.text import listed
from recipe.language.total import free_indexed
from recipe.lifting.claims.whole_state import constants_apart, of_single_arrays
from recipe.lifting.claims.wrapped import compiled_by_jax, python_function
from recipe.lifting.tree.place import Place, place_of_code

Gradient: TypeAlias = Expr | tuple[Expr, ...]
AS_CONSTANT = (
    "; a counter of steps, or another part of a whole state that the law says nothing of, is given"
    " as a number or a symbol, {'state': {'x': theta, 'count': 3}}"
)


@dataclass(frozen=True)
class Claim:
    """A checked claim.

    Attributes:
        function: the function that is read.
        called: the function that is compared in numbers: the same, or the one that ``jax.jit`` has
            made of it.
        name: its name in messages.
        state: the block of each argument that is one.
        returns: what the outputs are: a block, None for an output that does not matter, or a list,
            tuple or dictionary of such.
        step: the symbol of the step size.
        letters: the expression of each argument that is written in the user's letters.
        fixed: the values of arguments that are passed as they are.
        noise: the noise of each argument that stands for a draw.
        source: the argument that is a source of random numbers; None if there is none.
        gradient: the expression of each argument that is a function such as a gradient.
    """

    function: Callable[..., Any]
    called: Callable[..., Any]
    name: str
    state: Mapping[str, Block]
    returns: Any
    step: Symbol
    letters: Mapping[str, Expr]
    fixed: Mapping[str, Any]
    noise: Mapping[str, Noise | ScalarNoise]
    source: str | None
    gradient: Mapping[str, Gradient]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the state, in the order of the arguments."""
        return tuple(self.state.values())

    @property
    def place(self) -> Place | None:
        """Where the function begins; None for one that is not written in Python."""
        function = getattr(self.function, "func", self.function)  # of a functools.partial
        code = getattr(function, "shown_at", None) or getattr(function, "__code__", None)
        code = code or getattr(vars(type(function)).get("__call__"), "__code__", None)
        return None if code is None else place_of_code(code)

    def arguments(self, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The values as positional and keyword arguments of the function."""
        named = {**self.fixed, **values}
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return list(named.values()), {}
        only = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_ONLY and n in named]
        return [named[n] for n in only], {n: v for n, v in named.items() if n not in only}


def read_claim(
    function: Any,
    state: Any,
    step: Any,
    arguments: Mapping[str, Any],
    noise: Any,
    gradient: Mapping[str, Any],
    returns: Any,
) -> Claim:
    """Return the checked claim of ``lift``.

    Raises:
        RecipeError: naming the argument at fault and the repair.
    """
    original, function = function, _python_function(function)
    plain = getattr(function, "func", function)  # of a functools.partial
    name = getattr(plain, "__qualname__", type(plain).__name__)
    if type(step) not in (Symbol, Dummy):
        raise RecipeError(
            f"step={step!r} must be a plain symbol, such as Symbol('h', positive=True); where the"
            " code has another unit, say arguments={'lr': h**2}"
        )
    called = original if compiled_by_jax(original) else function
    called = of_single_arrays(called, state, returns)[0]
    function, single, returns = of_single_arrays(function, state, returns)
    if single is not state and isinstance(arguments, Mapping):
        single, arguments = constants_apart(single, arguments, step)
    blocks = _read_state(single)
    for what, said in (("arguments", arguments), ("gradient", gradient)):
        if not isinstance(said, Mapping):
            raise RecipeError(f"{what}={said!r} must be a dictionary by names of arguments")
    _check_returns(returns)
    draws, source = _read_noise(noise)
    letters, fixed = {}, {}
    for argument, value in arguments.items():
        if isinstance(value, Expr):
            letters[argument] = as_expression(value, f"arguments[{argument!r}]")
        else:
            fixed[argument] = value
    known = {*blocks, *letters, *fixed, *draws, *gradient, *([source] if source else [])}
    _check_arguments(function, name, known, step, letters)
    return Claim(
        function,
        called,
        name,
        MappingProxyType(blocks),
        tuple(blocks.values()) if returns is None else returns,
        step,
        letters,
        fixed,
        draws,
        source,
        {n: _read_gradient(n, e) for n, e in gradient.items()},
    )


def _python_function(function: Any) -> Any:
    """The function that is read, which must be one of a step."""
    function = python_function(function)
    if inspect.isclass(function):
        raise RecipeError(
            f"{function.__name__} is a class; give a function that does one step, such as a method"
            " of an instance of it"
        )
    if not callable(function):
        raise RecipeError(f"lift({function!r}, ...): it is no function")
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise RecipeError(f"{function.__name__} is a generator; give a function of one step")
    return function


def _read_state(state: Any) -> dict[str, Block]:
    if not isinstance(state, Mapping) or not state:
        raise RecipeError("state= must say which arguments are blocks, such as {'x': theta}")
    for argument, block in state.items():
        if not isinstance(block, Vector | Scalar):
            raise RecipeError(
                f"state[{argument!r}] = {block!r} is no block; blocks are Vector(...) and"
                " Scalar(...)" + (AS_CONSTANT if block is None else "")
            )
    if len(set(state.values())) < len(state):
        raise RecipeError("state= names a block twice")
    return dict(state)


def _read_noise(noise: Any) -> tuple[dict[str, Noise | ScalarNoise], str | None]:
    if noise is None:
        return {}, None
    if isinstance(noise, str):
        return {}, noise
    if isinstance(noise, Mapping) and all(
        isinstance(w, Noise | ScalarNoise) for w in noise.values()
    ):
        return dict(noise), None
    raise RecipeError(
        "noise= must be the name of the argument that draws, such as 'rng' or 'key', or say which"
        " arguments stand for draws, {'xi': Noise('w', like=theta)}"
    )


def _check_returns(returns: Any) -> None:
    """Require blocks and None, in tuples, lists and dictionaries."""
    if isinstance(returns, Mapping):
        returns = tuple(returns.values())
    if isinstance(returns, tuple | list):
        for part in returns:
            _check_returns(part)
    elif returns is not None and not isinstance(returns, Vector | Scalar):
        raise RecipeError(
            f"returns= has {returns!r}, which is no block; say which block each output is, such as"
            " (theta, None, {'momentum': p})"
        )


def _read_gradient(name: str, e: Any) -> Gradient:
    if isinstance(e, tuple | list):
        return tuple(as_expression(part, f"gradient[{name!r}]") for part in e)
    return as_expression(e, f"gradient[{name!r}]")


def _check_arguments(
    function: Any, name: str, known: set[str], step: Symbol, letters: dict[str, Expr]
) -> None:
    """Require that the function has these arguments, and that all others have defaults."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    if step.name in parameters and step.name not in known:
        letters[step.name] = step
        known.add(step.name)
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    unknown = sorted(known - set(parameters))
    if unknown and not takes_any:
        raise RecipeError(
            f"{name} has no argument {unknown[0]}; it has {listed(parameters) or 'none'}"
        )
    missing = [
        n
        for n, p in parameters.items()
        if p.default is p.empty
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and n not in known
    ]
    if missing:
        raise RecipeError(
            f"nothing is said of the argument {missing[0]} of {name}; say what it is in state=,"
            " arguments=, noise= or gradient="
        )


def length_of(e: Expr | Symbol) -> Length | None:
    """The length of an expression of a generic coordinate; None of a number."""
    return next((s.length for s in free_indexed(e) if s.label == GENERIC), None)
