"""Arrays that record what numpy and plain Python do to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from recipe.lifting.fronts.numpy.functions import FUNCTIONS, MOVES
from recipe.lifting.tracing.nodes_of import NodeArray, add_up, apply, as_nodes, constants, dot
from recipe.lifting.tracing.precision import why_not_read
from recipe.lifting.tracing.signs import decided
from recipe.lifting.tree.decimals import note
from recipe.lifting.tree.node import Node
from recipe.lifting.tree.place import Place, here, refuse

# By the name of the function of numpy; those of one name in both worlds stand for themselves.
OPERATIONS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "negative": "neg", "power": "pow", "float_power": "pow", "absolute": "abs", "fabs": "abs",
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log",
    "log1p": "log1p", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arctan": "arctan", "erf": "erf",
    "expit": "expit", "sign": "sign", "maximum": "maximum", "minimum": "minimum",
    "fmax": "maximum", "fmin": "minimum", "floor": "floor", "ceil": "ceil", "rint": "round",
}  # fmt: skip
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
KINDS = "biuf"


class Undecided:
    """The answer to a comparison of values that are recorded: nothing may depend on it.

    Args:
        place: the line that compares.
    """

    def __init__(self, place: Place | None) -> None:
        self.place = place

    def refuse(self) -> NoReturn:
        """Raise the error about the comparison."""
        refuse(
            "the code compares values that change from step to step, which is a branch",
            self.place,
        )

    def __bool__(self) -> bool:  # noqa: PLE0304
        self.refuse()

    def __eq__(self, other: object) -> NoReturn:
        self.refuse()

    def __hash__(self) -> int:  # noqa: PLE0309
        self.refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    def _combined(self, _: Any) -> Undecided:
        return self

    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _combined

    def __invert__(self) -> Undecided:
        return self

    def __array_ufunc__(self, *_: Any, **__: Any) -> NoReturn:
        self.refuse()

    def __array_function__(self, *_: Any) -> NoReturn:
        self.refuse()


class Traced:
    """An array of numbers that are recorded; without axes it stands for one number.

    Attributes:
        nodes: the nodes of its numbers.
    """

    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, nodes: NodeArray) -> None:
        self.nodes = nodes

    # -- what numpy calls

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", (None,))
        where = options.pop("where", True)
        if where is not True:
            refuse(f"numpy.{ufunc.__name__}(..., where=...) is a branch on values")
        result = called(ufunc.__name__, method, inputs, options)
        target = out[0] if isinstance(out, tuple) else out
        if target is None:
            return result
        if not isinstance(target, Traced):
            refuse(
                f"numpy.{ufunc.__name__}(..., out=) writes what is traced into an array of numbers"
            )
        target.nodes[...] = result.nodes
        return target

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = func.__name__
        if name in MOVES:
            return wrapped(func(*unwrapped(args), **unwrapped(kwargs)))
        if name in FUNCTIONS:
            return FUNCTIONS[name](Traced, *args, **kwargs)
        return refuse(f"numpy.{name} is not known")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        refuse("what is traced is turned into an array of numbers")

    # -- its form

    @property
    def shape(self) -> tuple[int, ...]:
        return self.nodes.shape

    @property
    def ndim(self) -> int:
        return self.nodes.ndim

    @property
    def size(self) -> int:
        return self.nodes.size

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(float)

    @property
    def T(self) -> Traced:
        return Traced(self.nodes.T)

    @property
    def real(self) -> Traced:
        return self

    @property
    def flat(self) -> Traced:
        return Traced(self.nodes.reshape(-1))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Traced]:
        return (Traced(as_nodes(n)) for n in self.nodes)

    def __getitem__(self, at: Any) -> Traced:
        return Traced(as_nodes(self.nodes[_index(at)]))

    def __setitem__(self, at: Any, value: Any) -> None:
        nodes = nodes_of(value)
        if isinstance(self.nodes[_index(at)], Node) and nodes.ndim:
            raise ValueError(f"one number is given an array of the shape {nodes.shape}")
        self.nodes[_index(at)] = nodes[()]

    def reshape(self, *shape: Any, order: str = "C") -> Traced:
        return Traced(self.nodes.reshape(*shape, order=order))  # type: ignore[call-overload]

    def ravel(self, order: str = "C") -> Traced:
        return Traced(self.nodes.ravel(order))  # type: ignore[arg-type]

    def flatten(self, order: str = "C") -> Traced:
        return Traced(self.nodes.flatten(order))  # type: ignore[arg-type]

    def transpose(self, *axes: Any) -> Traced:
        return Traced(self.nodes.transpose(*axes))

    def squeeze(self, axis: Any = None) -> Traced:
        return Traced(as_nodes(self.nodes.squeeze(axis)))

    def copy(self, *_: Any) -> Traced:
        return Traced(self.nodes.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Traced:
        return self.copy()

    def astype(self, kind: Any, *_: Any, **__: Any) -> Traced:
        reason = why_not_read(kind)
        if reason is not None:
            refuse(reason)
        return self.copy()

    def item(self, *at: Any) -> Traced:
        return self.reshape(-1)[at[0] if at else 0]

    def tolist(self) -> Any:
        return [x if x.ndim == 0 else x.tolist() for x in self] if self.ndim else self

    def fill(self, value: Any) -> None:
        self.nodes[...] = nodes_of(value)[()]

    # -- sums

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Traced:
        return Traced(add_up(self.nodes, axis, bool(options.get("keepdims", False))))

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Traced:
        total = self.sum(axis, **options)
        return called("divide", "__call__", (total, self.size / total.size), {})

    def dot(self, other: Any) -> Traced:
        return Traced(dot(self.nodes, nodes_of(other)))

    def __matmul__(self, other: Any) -> Traced:
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Traced:
        return Traced(dot(nodes_of(other), self.nodes))

    # -- what a rule cannot say

    def __bool__(self) -> bool:  # noqa: PLE0304
        refuse("the code branches on a value that changes from step to step")

    def __float__(self) -> float:
        refuse("what is traced is turned into a float")

    def __int__(self) -> int:
        refuse("what is traced is turned into an integer")

    def __index__(self) -> int:  # noqa: PLE0305
        refuse("a number that is traced is used as a count or an index")

    def __complex__(self) -> complex:
        refuse("what is traced is turned into a complex number")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"the method .{name} of an array is not known")

    def __str__(self) -> str:
        note_of_text()
        return repr(self)

    def __format__(self, spec: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<traced array of the shape {self.shape}>"


def note_of_text() -> None:
    """Note that code turns what is traced into text: what it does with the text is not seen."""
    place = here()
    where = "" if place is None else f" ({place})"
    note(f"a value is turned into text, which is taken to be for people to read alone{where}")


def called(name: str, method: str, inputs: Any, options: Any) -> Any:
    """The result of a universal function of numpy."""
    if name == "matmul":
        return Traced(dot(*(nodes_of(x) for x in inputs)))
    if name == "add" and method == "reduce":
        return Traced(
            add_up(nodes_of(inputs[0]), options.get("axis", 0), bool(options.get("keepdims")))
        )
    if method != "__call__":
        refuse(f"numpy.{name}.{method} is not known")
    if name in COMPARISONS:
        return compared(name, *inputs)
    if name == "square":
        a = nodes_of(inputs[0])
        return Traced(apply("mul", a, a))
    if name in ("positive", "conjugate"):
        return Traced(nodes_of(inputs[0]).copy())
    if name == "reciprocal":
        return Traced(apply("div", constants(1), nodes_of(inputs[0])))
    if name not in OPERATIONS:
        refuse(f"numpy.{name} is not known")
    return Traced(apply(OPERATIONS[name], *(nodes_of(x) for x in inputs)))


def compared(name: str, a: Any, b: Any) -> Any:
    """The answer to a comparison that the declared signs of parameters decide."""
    left, right = nodes_of(a), nodes_of(b)
    if left.ndim == right.ndim == 0:
        answer = decided(name, left.item(), right.item())
        if answer is not None:
            return answer
    return Undecided(here())


def nodes_of(value: Any) -> NodeArray:
    """The nodes of what is traced, and of numbers."""
    if isinstance(value, Traced):
        return value.nodes
    if isinstance(value, Node):
        return as_nodes(value)
    if isinstance(value, list | tuple) and any(isinstance(v, Traced) for v in value):
        return np.stack([nodes_of(v) for v in value])
    if isinstance(value, Undecided):
        value.refuse()
    if not hasattr(value, "dtype") and not isinstance(value, int | float | list | tuple):
        refuse(f"{type(value).__name__} is no number")
    return constants(value)


def unwrapped(value: Any) -> Any:
    """Arguments of a function that moves numbers, with arrays of nodes in place of what is
    traced.
    """
    if isinstance(value, Traced):
        return value.nodes
    if isinstance(value, list | tuple):
        return type(value)([unwrapped(v) for v in value])
    if isinstance(value, dict):
        return {key: unwrapped(v) for key, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return constants(value)
    return value


def wrapped(value: Any) -> Any:
    """The result of a function that moves numbers."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        if any(not isinstance(n, Node) for n in value.flat):
            return Traced(np.frompyfunc(_one, 1, 1)(value))
        return Traced(value)
    if isinstance(value, Node):
        return Traced(as_nodes(value))
    if isinstance(value, list | tuple):
        return type(value)(wrapped(v) for v in value)
    return value


def _one(n: Any) -> Node:
    return n if isinstance(n, Node) else constants(n).item()


def _index(at: Any) -> Any:
    parts = at if isinstance(at, tuple) else (at,)
    for undecided in (p for p in parts if isinstance(p, Undecided)):
        undecided.refuse()
    if any(isinstance(p, Traced) for p in parts):
        refuse("an array is indexed by values that are computed")
    return at


def _binary(name: str, reflected: bool) -> Callable[[Traced, Any], Any]:
    def method(self: Traced, other: Any) -> Any:
        if not isinstance(other, Traced | Node | np.ndarray | np.generic | int | float):
            return NotImplemented
        pair = (other, self) if reflected else (self, other)
        return called(name, "__call__", pair, {})

    return method


def _in_place(name: str) -> Callable[[Traced, Any], Any]:
    def method(self: Traced, other: Any) -> Any:
        result = called(name, "__call__", (self, other), {})
        if self.ndim == 0:  # a number does not change, another one takes its name
            return result
        if result.shape != self.shape:
            raise ValueError(f"an array of the shape {self.shape} gets {result.shape} in place")
        self.nodes[...] = result.nodes
        return self

    return method


for _word, _name in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
}.items():  # fmt: skip
    setattr(Traced, f"__{_word}__", _binary(_name, False))
    setattr(Traced, f"__r{_word}__", _binary(_name, True))
    setattr(Traced, f"__i{_word}__", _in_place(_name))
for _word, _name in {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal",
}.items():  # fmt: skip
    setattr(Traced, f"__{_word}__", _binary(_name, False))
for _word, _name in {"neg": "negative", "pos": "positive", "abs": "absolute"}.items():
    setattr(Traced, f"__{_word}__", lambda self, name=_name: called(name, "__call__", (self,), {}))
