"""Named tuples of arrays and numbers as one pointer in machine code.

Numba passes a tuple by all of its parts, seven numbers an array. A state of forty arrays is then
280 arguments in each of the fifty calls of a module, and a third of the time of compiling it goes
into their text. A record is one pointer to the parts that are used, which Python's entry point has
laid out; nothing writes to it, and LLVM is told so (``invariant.load``), so that a loop loads what
it needs before it begins, as it does from the stack.

A module that is called as Numba would call it gets plain tuples, and other machine code for them.
"""

from __future__ import annotations

import hashlib
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel, TupleModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    register_model,
    unbox,
)

WORD = ir.IntType(64)
BYTES = 8  # of a word
NUMBERS = (types.float64, types.int64, types.uint64)


class Record(types.Type):  # type: ignore[misc]
    """The type of a named tuple whose parts are arrays, and numbers of one word.

    Two named tuples with the same fields of the same types have the same type of a record.

    Args:
        fields: the names of its parts.
        parts: their types.
    """

    def __init__(self, fields: tuple[str, ...], parts: tuple[types.Type, ...]) -> None:
        self.fields, self.parts = fields, parts
        said = ", ".join(f"{f}: {p}" for f, p in zip(fields, parts, strict=True))
        super().__init__(f"Record_{hashlib.sha256(said.encode()).hexdigest()[:32]}")

    def place(self, field: str) -> tuple[int, types.Type]:
        """Return the word at which a part begins, and its type."""
        k = self.fields.index(field)
        return sum(map(_words, self.parts[:k])), self.parts[k]

    @property
    def words(self) -> int:
        """How many words it has."""
        return sum(map(_words, self.parts))


def as_record(kind: types.Type) -> types.Type:
    """Return the record of a named tuple; any other type, and a tuple with other parts, as it is.

    Args:
        kind: the type that Numba gives to a value.
    """
    if not isinstance(kind, types.BaseNamedTuple):
        return kind
    parts = tuple(kind.types)
    fits = all(isinstance(p, types.Array) or p in NUMBERS for p in parts)
    return Record(tuple(kind.fields), parts) if fits else kind


class Named(types.NamedTuple):  # type: ignore[misc]
    """The type of a named tuple that is passed by its parts: the same for two classes of named
    tuples with the same fields of the same types, as two modules have them.

    Args:
        fields: the names of its parts.
        parts: their types.
    """

    def __init__(self, fields: tuple[str, ...], parts: tuple[types.Type, ...]) -> None:
        self.fields, self.types, self.count = fields, parts, len(parts)
        said = ", ".join(f"{f}: {p}" for f, p in zip(fields, parts, strict=True))
        types.Type.__init__(self, f"Named({said})")

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells one from another."""
        return self.fields, self.types


register_model(Named)(TupleModel)


def as_named(kind: types.Type) -> types.Type:
    """Return the type of a named tuple without its class; any other type as it is.

    Args:
        kind: the type that Numba gives to a value.
    """
    if not isinstance(kind, types.BaseNamedTuple):
        return kind
    return Named(tuple(kind.fields), tuple(kind.types))


def _words(part: types.Type) -> int:
    """The words of a part: of an array its address, its number of elements, shape and strides."""
    return 2 + 2 * part.ndim if isinstance(part, types.Array) else 1


@register_model(Record)
class _Model(PrimitiveModel):  # type: ignore[misc]
    """A pointer to words."""

    def __init__(self, manager: Any, kind: Record) -> None:
        super().__init__(manager, kind, WORD.as_pointer())

    def from_argument(self, builder: Any, value: Any) -> Any:
        if isinstance(value, ir.Argument):  # so that a loop can load before it begins
            value.attributes.dereferenceable = BYTES * self._fe_type.words
            value.attributes.align = BYTES
        return value


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    """The types of the parts."""

    key = Record

    def generic_resolve(self, kind: Record, attr: str) -> types.Type | None:
        return kind.place(attr)[1] if attr in kind.fields else None


@lower_getattr_generic(Record)  # type: ignore[misc]
def _part(context: Any, builder: Any, kind: Record, value: Any, attr: str) -> Any:
    """Load a part."""
    first, part = kind.place(attr)
    if not isinstance(part, types.Array):
        found = _loaded(builder, value, first, context.get_value_type(part))
        return impl_ret_borrowed(context, builder, part, found)
    made = context.make_array(part)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(part.dtype))
    numbers = [_loaded(builder, value, first + k, WORD) for k in range(1, _words(part))]
    made.data = _loaded(builder, value, first, made.data.type)
    made.nitems, made.itemsize = numbers[0], context.get_constant(types.intp, size)
    made.shape = cgutils.pack_array(builder, numbers[1 : 1 + part.ndim])
    made.strides = cgutils.pack_array(builder, numbers[1 + part.ndim :])
    return impl_ret_borrowed(context, builder, part, made._getvalue())


def _loaded(builder: Any, words: Any, k: int, kind: Any) -> Any:
    """Load a word as a value of this type."""
    at = builder.gep(words, [ir.IntType(32)(k)], inbounds=True)
    found = builder.load(builder.bitcast(at, kind.as_pointer()), align=BYTES)
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


@unbox(Record)  # type: ignore[misc]
def _unboxed(kind: Record, given: Any, c: Any) -> NativeValue:
    """Lay out the parts of a Python tuple, which keeps them alive while the function runs."""
    place = cgutils.alloca_once(c.builder, ir.ArrayType(WORD, max(1, kind.words)))
    words = c.builder.bitcast(place, WORD.as_pointer())
    wrong = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    size = c.pyapi.tuple_size(given)
    fits = c.builder.icmp_signed("==", size, ir.Constant(size.type, len(kind.parts)))
    with c.builder.if_else(fits, likely=True) as (then, otherwise):
        with then:
            for k, (field, part) in enumerate(zip(kind.fields, kind.parts, strict=True)):
                at = c.builder.gep(words, [ir.IntType(32)(kind.place(field)[0])], inbounds=True)
                item = c.pyapi.tuple_getitem(given, k)
                failed = c.builder.call(_function_that_lays_out(c, part), [item, at])
                with c.builder.if_then(failed, likely=False):
                    c.builder.store(cgutils.true_bit, wrong)
        with otherwise:
            c.pyapi.err_format("PyExc_ValueError", f"a tuple of {len(kind.parts)} parts is needed")
            c.builder.store(cgutils.true_bit, wrong)
    return NativeValue(words, is_error=c.builder.load(wrong))


def _function_that_lays_out(c: Any, part: types.Type) -> Any:
    """A function of the module that lays out a part from a Python object, and returns whether that
    failed; written once for all parts of a type, as a state has tens of arrays.
    """
    module, obj = c.builder.module, c.pyapi.pyobj
    name = f"lay_out.{part}"
    if name in module.globals:
        return module.globals[name]
    kind = ir.FunctionType(cgutils.bool_t, [obj, WORD.as_pointer()])
    function = ir.Function(module, kind, name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    inside = type(c)(c.context, builder, c.context.get_python_api(builder))
    item, words = function.args
    native = inside.unbox(part, item)
    _lay_out(inside, words, part, native.value)
    if native.cleanup is not None:
        native.cleanup()  # the tuple still holds the array
    builder.ret(native.is_error)
    return function


def _lay_out(c: Any, words: Any, part: types.Type, value: Any) -> None:
    """Store a part as words."""
    if isinstance(part, types.Array):
        array = c.context.make_array(part)(c.context, c.builder, value)
        numbers = [array.nitems]
        for sizes in (array.shape, array.strides):
            numbers += cgutils.unpack_tuple(c.builder, sizes, part.ndim)
        values = [array.data, *numbers]
    else:
        values = [value]
    for k, v in enumerate(values):
        at = c.builder.gep(words, [ir.IntType(32)(k)], inbounds=True)
        c.builder.store(v, c.builder.bitcast(at, v.type.as_pointer()))
