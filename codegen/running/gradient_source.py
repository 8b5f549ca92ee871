"""What a gradient of one's own is, by which a checkpoint knows it again: the text of its functions,
and the values that they use.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from codegen.inputs.gradients.python_gradient import PythonGradient
from codegen.inputs.gradients.thread_safe import ThreadSafe
from codegen.running.array_text import array_text
from codegen.running.parts_of_functions import closed_over, names_in, text_of
from codegen.running.parts_of_values import (
    is_array,
    is_installed,
    is_of_a_library,
    is_plain,
    kind_of,
    numbers_of,
    parts_of,
    plain_text,
)

ITSELF = "gradient"  # the path of the gradient
MAX_VALUES = 20_000  # that are read of a gradient
NAMED = re.compile(r"(?:[\w.]+:)?[^.\[]*(?:\.[^.\[]+){0,2}")  # what a refusal names of a path
MAX_NAMED = 5  # values in a warning
NOT_CALLED = {"__annotate__", "__annotate_func__", "__init__", "__new__", "__repr__"}


@dataclass(frozen=True)
class ReadGradient:
    """What could be read of a gradient.

    Attributes:
        texts: the text of each function and value that it uses, by path: ``W``, ``W[0]``,
            ``model.scale``.
        unread: the values that could not be read, by path, with their class.
        written: the paths of values that the gradient changes when it is called.
    """

    texts: Mapping[str, str]
    unread: Mapping[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()

    @property
    def digests(self) -> dict[str, str]:
        """A digest of the texts of each variable, function and attribute, by its name."""
        found: dict[str, Any] = {}
        for path, text in self.texts.items():
            content = found.setdefault(_root(path), hashlib.blake2b(digest_size=8))
            content.update(f"{path} = {text}\n".encode(errors="surrogatepass"))
        return {root: content.hexdigest() for root, content in found.items()}

    @property
    def said(self) -> tuple[str, ...]:
        """What a run says that goes on with it."""
        unread = [f"{path} ({kind})" for path, kind in self.unread.items()]
        reasons = (
            ("cannot be read", "make sure that it is the same", unread),
            ("is written by the gradient itself", "nothing of it may change the law", self.written),
        )
        return tuple(
            f"the run went on from its checkpoint, and of the gradient of your own this was not"
            f" compared, as it {why}: {_listed(paths)}; {then}"
            for why, then, paths in reasons
            if paths
        )


def read_gradient(function: Any, call: Callable[[], None] | None = None) -> ReadGradient:
    """Read a gradient of the user.

    Args:
        function: the gradient: a function of Python or of Numba, or an object that can be called.
        call: calls it, always at the same point. What it writes by that is no part of it: an object
            that keeps its argument, or counts its calls, is the same one in the next run.

    Returns:
        The text of the function, of the functions and methods that it calls, and of the values that
        these use: globals, attributes, defaults, and what is in lists, dicts and objects.
    """
    if call is None:
        return _Reader().read(function)
    call()
    before = _Reader().read(function)
    call()
    after = _Reader().read(function)
    differ = [p for p, text in after.texts.items() if before.texts.get(p) != text]
    written: list[str] = []
    for path in (*differ, *(p for p in before.texts if p not in after.texts)):
        if not _is_within(path, written):
            written.append(path)
    texts = {p: text for p, text in after.texts.items() if not _is_within(p, written)}
    return ReadGradient(texts, after.unread, tuple(written))


def _root(path: str) -> str:
    """Return the variable, function or attribute that a path begins with."""
    found = NAMED.match(path)
    return found[0] if found else path


def _is_within(path: str, others: Iterable[str]) -> bool:
    return any(path == o or path.startswith((f"{o}.", f"{o}[")) for o in others)


def _listed(paths: Iterable[str]) -> str:
    shown = list(paths)
    more = f", and {len(shown) - MAX_NAMED} more" if len(shown) > MAX_NAMED else ""
    return f"{', '.join(shown[:MAX_NAMED])}{more}"


@dataclass
class _Reader:
    """Reads values one after another, each once.

    Attributes:
        texts, unread: as of ``ReadGradient``.
        places: where each object was read first, by its id; with the object, as no other one gets
            its id then.
        waiting: what is still to be read: its path, itself, and whether it is only of interest
            where it is a number, an array or a function.
        spaces: classes and modules, of which only that is read which a function names.
        named: the names of attributes in the functions that were read.
    """

    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    places: dict[int, tuple[str, Any]] = field(default_factory=dict)
    waiting: deque[tuple[str, Any, bool]] = field(default_factory=deque)
    spaces: list[tuple[str, Mapping[str, Any], set[str]]] = field(default_factory=list)
    named: set[str] = field(default_factory=set)

    def read(self, function: Any) -> ReadGradient:
        while isinstance(function, PythonGradient | ThreadSafe):
            function = function.function
        self.waiting.append((ITSELF, function, False))
        while self.waiting or self._names_more():
            path, value, shallow = self.waiting.popleft()
            if len(self.texts) >= MAX_VALUES:
                self.unread["values"] = f"after the first {MAX_VALUES}"
                break
            try:
                self._read(path, _plain(value), shallow)
            except Exception:  # UnreadError, and whatever the user's objects say when asked
                if not shallow:
                    self.unread[path] = kind_of(value)
        return ReadGradient(self.texts, self.unread)

    def _read(self, path: str, value: Any, shallow: bool) -> None:
        if is_plain(value):
            self._note(path, plain_text(value))
        elif is_array(value):
            self._read_array(path, value, shallow)
        elif shallow and not callable(value):
            return
        elif id(value) in self.places:
            first = self.places[id(value)][0]
            if first != path:
                self._note(path, f"as {first}")
        else:
            path = self._unused(path)
            self.places[id(value)] = path, value
            self._read_whole(path, value)

    def _note(self, path: str, text: str) -> None:
        if self.texts.get(path) != text:
            self.texts[self._unused(path)] = text

    def _unused(self, path: str) -> str:
        """Return the path, with a number where another value has it."""
        number, found = 1, path
        while found in self.texts:
            number += 1
            found = f"{path} ({number})"
        return found

    def _read_array(self, path: str, value: Any, shallow: bool) -> None:
        array = numbers_of(value)
        for name in ("columns", "index", "mask"):  # of a table, and of an array with a mask
            if is_array(getattr(value, name, None)) and getattr(value, name) is not value:
                self._later(path, {f".{name}": getattr(value, name)}, shallow)
        if array.dtype.hasobject:
            self._later(path, {".tolist()": array.tolist()}, False)
        self._note(path, f"{kind_of(value)} {_text_of_array(array)}")

    def _read_whole(self, path: str, value: Any) -> None:
        """Note a function, a class, or an object, and what it is made of for later."""
        if isinstance(value, FunctionType):
            self._read_function(path, value)
        elif isinstance(value, type):
            self._read_class(path, value)
        elif isinstance(value, ModuleType):
            self._note(path, f"module {value.__name__}")
            if not is_installed(value.__name__):
                self.spaces.append((path, vars(value), set()))
        elif _is_function_of_a_library(value):
            self._note(path, f"{value.__module__}.{value.__name__}")
        else:
            kind, parts = parts_of(value)
            self._note(path, kind)
            self._later(path, parts, False)
            if not is_installed(type(value).__module__):
                self._later(path, {".__class__": type(value)}, False)

    def _read_function(self, path: str, function: FunctionType) -> None:
        module = function.__globals__.get("__name__")
        closed = {f".{name}": value for name, value in closed_over(function).items()}
        if is_of_a_library(module):  # its own globals are those of the library
            self._note(path, f"{module}.{function.__qualname__}")
            self._later(path, closed, True)
            return
        self._note(path, text_of(function))
        shallow = is_installed(module)
        self._later(path, {".__defaults__": function.__defaults__ or ()}, shallow)
        self._later(path, {".__kwdefaults__": function.__kwdefaults__ or {}}, shallow)
        self._later(path, closed, shallow)
        loaded, named = names_in(function)
        self.named |= named
        owner = "" if module in (None, "__main__") else f"{module}:"
        found = {n: function.__globals__[n] for n in loaded if n in function.__globals__}
        self._later(owner, found, shallow)

    def _read_class(self, path: str, kind: type) -> None:
        self._note(path, f"class {kind.__module__}.{kind.__qualname__}")
        for one in kind.__mro__:
            if not is_installed(one.__module__):
                self.spaces.append((path, vars(one), set()))

    def _names_more(self) -> bool:
        """Note for later what functions name of classes and modules; return True if any."""
        for path, space, done in self.spaces:
            names = {n for n in space if n in self.named or _is_an_operator(n, space[n])}
            for name in sorted(names - done):
                done.add(name)
                self.waiting.append((f"{path}.{name}", space[name], False))
        return bool(self.waiting)

    def _later(self, path: str, parts: Mapping[str, Any], shallow: bool) -> None:
        self.waiting.extend((f"{path}{name}", parts[name], shallow) for name in sorted(parts))


def _plain(function: Any) -> Any:
    """Return the function of Python that Numba has compiled."""
    found = getattr(function, "py_func", None) if not isinstance(function, type) else None
    return found if isinstance(found, FunctionType) else function


def _is_an_operator(name: str, value: Any) -> bool:
    """Return True for a method that Python calls without its name."""
    return name.startswith("__") and name not in NOT_CALLED and isinstance(value, FunctionType)


def _is_function_of_a_library(value: Any) -> bool:
    """Return True for a function that is not written in Python, and is of no object."""
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    return isinstance(value, np.ufunc | type(np.ndarray.sum)) or (
        is_of_a_library(getattr(value, "__module__", None))
        and callable(value)
        and isinstance(getattr(value, "__name__", None), str)
        and not hasattr(value, "__wrapped__")
    )


def _text_of_array(array: np.ndarray) -> str:
    return f"{array.dtype} {array.shape}" if array.dtype.hasobject else array_text(array)
