"""Parse the text of a module: its functions, and its arrays with their lengths.

Every statement that no later pass reads must be one of the trusted texts.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from recipe.files.python_tree import parsed
from recipe.language.blocks import Block
from recipe.language.symbols import Length
from verify.translation.parse.arithmetic import MATH
from verify.translation.parse.defined_names import check_names_are_defined, defines
from verify.translation.parse.interface import Legend, Trusted
from verify.translation.parse.problems import unread, wrong

ALLOWED_DECORATORS = {"device", "reduction", "kernel", "row_kernel", "start_kernel", "run_kernel"}


@dataclass(frozen=True)
class ParsedModule:
    """A parsed module.

    Attributes:
        functions: the functions that have to be proved, by name.
        trusted: the names of the functions whose texts are trusted.
        axioms: these functions, where the module has their texts.
        arrays: the length of each field of ``State``; None for one number.
        integers: the fields of ``State`` that hold row numbers, or random numbers that are drawn
            ahead.
        tables: the fields of ``State`` with a row for every datum, and the lengths of these rows.
        draws: the fields of ``Draws``.
        chains: the fields of the state of many chains.
        private: the arrays that only estimators use.
        read: the names of the functions that have been read so far.
        numerically: True where numbers alone are compared, and nothing is proved.
    """

    functions: Mapping[str, ast.FunctionDef]
    trusted: frozenset[str]
    arrays: Mapping[str, Length | None]
    integers: frozenset[str]
    draws: tuple[str, ...]
    chains: tuple[str, ...] = ()
    tables: Mapping[str, Length | None] = dataclasses.field(default_factory=dict)
    private: frozenset[str] = frozenset()
    read: set[str] = dataclasses.field(default_factory=set, compare=False)
    numerically: bool = False
    axioms: Mapping[str, ast.FunctionDef] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class TopOfModule:
    """What stands at the top of a module.

    Attributes:
        tree: the statements.
        functions: all functions, by name.
        known: the names of those, and of eights, whose texts are trusted.
        classes: the fields of each class.
    """

    tree: ast.Module
    functions: Mapping[str, ast.FunctionDef]
    known: frozenset[str]
    classes: Mapping[str, tuple[str, ...]]

    @property
    def own(self) -> dict[str, ast.FunctionDef]:
        """The functions that have to be proved."""
        return {n: f for n, f in self.functions.items() if n not in self.known}


def read_module(text: str, legend: Legend, trusted: Trusted) -> ParsedModule:
    """Parse the text of a module.

    Args:
        text: the text.
        legend: the names of its fields.
        trusted: the texts that need no proof.

    Raises:
        TranslationError: where the text has a statement that no generated module has.
    """
    top = read_top(text, trusted)
    arrays, integers, tables = _allocated(top.functions, top.classes, legend)
    _check_fields(top.classes, legend, top.tree)
    check_names_are_defined(text, top.tree)
    return ParsedModule(
        top.own,
        top.known,
        arrays,
        integers,
        top.classes.get("Draws", ()),
        top.classes.get("Chains", ()),
        tables,
        axioms={n: f for n, f in top.functions.items() if n in top.known},
    )


def read_top(text: str, trusted: Trusted) -> TopOfModule:
    """Parse the text of a module into its functions and classes.

    Args:
        text: the text.
        trusted: the texts that need no proof.

    Raises:
        TranslationError: where something else stands at its top, or a function has another shape
            than those of generated modules.
    """
    try:
        tree = parsed(text)
        compile(tree, "<module>", "exec", dont_inherit=True)  # nothing is carried out
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise unread(line, f"the text is not Python: {error.args[0]}") from None
    _check_encoding(text)
    functions: dict[str, ast.FunctionDef] = {}
    classes: dict[str, tuple[str, ...]] = {}
    rest, of_eights = _without_eights(tree.body, trusted)
    for node in rest:
        match node:
            case ast.FunctionDef():
                if node.name in {*functions, *_names_of(trusted.eights)}:
                    raise unread(node, f"{node.name} is defined twice")
                functions[node.name] = node
            case ast.ClassDef():
                classes[node.name] = _fields(node)
            case ast.Import() | ast.ImportFrom() | ast.Assign() if (
                ast.unparse(node) in trusted.header
            ):
                pass
            case _:
                raise unread(node, "no generated module has this at its top")
    _check_defined({*functions} - {*trusted.functions}, classes, functions, trusted)
    known = _axioms(functions, trusted) | of_eights
    meanings = {*functions, *trusted.functions, *_names_of(trusted.eights), *MATH, *BUILTINS}
    for name, function in functions.items():
        if name not in known:
            _check_shape(function)
            _check_names(function, meanings)
    return TopOfModule(tree, functions, known, classes)


def _check_encoding(text: str) -> None:
    """Refuse a text whose first lines name another encoding, as Python would then import other
    statements than those that are proved.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    except (SyntaxError, UnicodeEncodeError):
        encoding = ""
    if encoding != "utf-8":
        raise unread(1, "the text is to be read in another encoding than UTF-8")


def _check_defined(
    names: set[str],
    classes: Mapping[str, tuple[str, ...]],
    functions: Mapping[str, ast.FunctionDef],
    trusted: Trusted,
) -> None:
    """Refuse a function with the name of a builtin, of a class or of an import of the text."""
    taken = {*dir(builtins), *classes, *_names_of(trusted.header)}
    for name in sorted(names & taken):
        raise unread(functions[name], f"{name} means something else than a function of the module")


def _without_eights(
    body: list[ast.stmt], trusted: Trusted
) -> tuple[list[ast.stmt], frozenset[str]]:
    """Return the statements of a module without those about vectors of eight numbers, and the names
    that these define; no names if the module has none of them.
    """
    begins = next(
        (n for n, s in enumerate(body) if trusted.eights and ast.unparse(s) == trusted.eights[0]),
        None,
    )
    if begins is None:
        return body, frozenset()
    for known, statement in zip_longest(
        trusted.eights, body[begins : begins + len(trusted.eights)]
    ):
        if statement is None or ast.unparse(statement) != known:
            raise unread(
                statement, "the text for eight coordinates at once is not that of this release"
            )
    return body[:begins] + body[begins + len(trusted.eights) :], _names_of(trusted.eights)


@cache
def _names_of(statements: tuple[str, ...]) -> frozenset[str]:
    """Return the names that statements define."""
    trees = (s for text in statements for s in parsed(text).body)
    return frozenset().union(*map(defines, trees))


KINDS = ("float", "np.ndarray")


def _fields(node: ast.ClassDef) -> tuple[str, ...]:
    if (
        [ast.unparse(b) for b in node.bases] != ["NamedTuple"]
        or node.decorator_list
        or node.keywords
    ):
        raise unread(node, f"{node.name} is no NamedTuple")
    names = []
    for statement in without_docstring(node.body):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=None) if (
                ast.unparse(statement.annotation) in KINDS
            ):
                names.append(name)
            case _:
                raise unread(statement, f"{node.name} has more than fields")
    return tuple(names)


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements after the docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def plain_body(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements after the docstring and after ``wide()``, which sets the width of
    vector registers and changes no number.
    """
    body = without_docstring(function.body)
    return body[1:] if len(body) > 1 and ast.unparse(body[0]) == "wide()" else body


def same_text(function: ast.FunctionDef, text: str) -> bool:
    """Return True if a function has this text, up to comments and line breaks."""
    (other,) = parsed(text).body
    return ast.dump(function) == ast.dump(other)


def _axioms(functions: Mapping[str, ast.FunctionDef], trusted: Trusted) -> frozenset[str]:
    """Return the names of the trusted functions in a module, each of which must have its text."""
    known = set()
    for name, function in functions.items():
        if name in trusted.functions:
            if not same_text(function, trusted.functions[name]):
                raise unread(function, f"{name} is not the function of this release")
            known.add(name)
    return frozenset(known)


def _check_shape(function: ast.FunctionDef) -> None:
    """Refuse decorators, arguments and annotations that no generated function has."""
    decorators = [ast.unparse(d) for d in function.decorator_list]
    expected: list[str] | None = [] if function.name in ("allocate", "allocate_many") else None
    if decorators != expected and not (
        len(decorators) == 1 and decorators[0] in ALLOWED_DECORATORS
    ):
        raise unread(
            function, f"{function.name} has the decorators {', '.join(decorators) or 'none'}"
        )
    a = function.args
    if (
        a.posonlyargs
        or a.kwonlyargs
        or a.vararg
        or a.kwarg
        or (a.defaults and function.name != "allocate")
    ):
        raise unread(function, f"{function.name} has arguments that are no plain names")
    if (
        function.returns
        or any(arg.annotation for arg in a.args)
        or getattr(function, "type_params", [])
    ):
        raise unread(
            function, f"{function.name} has annotations, which are carried out where it is defined"
        )


BUILTINS = {"math", "np", "range", "float", "min", "LARGEST", "EIGHT", "TILE", "LONG"}


def _check_names(function: ast.FunctionDef, meanings: set[str]) -> None:
    """Refuse a variable with a name that has a fixed meaning for the reader."""
    given = {a.arg for a in function.args.args}
    given |= {
        n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for name in sorted(given & meanings):
        raise unread(function, f"{function.name} has a variable that is called {name}")


def _allocated(
    functions: Mapping[str, ast.FunctionDef], classes: Mapping[str, tuple[str, ...]], legend: Legend
) -> tuple[dict[str, Length | None], frozenset[str], dict[str, Length | None]]:
    """Return the length of every field of ``State``, the fields with row numbers or with random
    numbers that are drawn ahead, and the length of a row of each table of the legend.

    ``allocate`` must make a new array for every field, so that no two of them share memory.
    """
    if "State" not in classes or "allocate" not in functions:
        raise unread(None, "the module has no State, or nothing that allocates one")
    function, fields = functions["allocate"], classes["State"]
    blocks = list(legend.fields)
    names = [a.arg for a in function.args.args]
    match without_docstring(function.body):
        case [ast.Return(value=ast.Call(func=ast.Name(id="State"), args=values, keywords=[]))] if (
            len(values) == len(fields)
        ):
            pass
        case _:
            raise unread(function, "allocate does more than to make a State")
    defaults = [ast.unparse(d) for d in function.args.defaults]
    tables = {f for _, fields, *_ in legend.tables.values() for f in fields}
    more = [["data_rows"], ["0"]] if tables else [[], []]
    if (names[len(blocks) :], defaults) not in (
        ([], []),
        (["batch_size", "replace", *more[0]], ["0", "True", *more[1]]),
    ):
        raise unread(
            function,
            "allocate does not take the blocks in their order, and then batch_size=0, replace=True",
        )
    if fields[: len(blocks)] != tuple(legend.fields.values()):
        raise unread(function, "allocate does not take the blocks in their order")
    for name, block, field, value in zip(names, blocks, fields, values, strict=False):
        if ast.unparse(value) != f"np.array({name}, dtype=np.float64)":
            raise wrong(value, f"{field} is not a copy of the block {block}")
    lengths = {field: block.length for field, block in zip(fields, blocks, strict=False)}
    scratch = list(zip(fields, values, strict=True))[len(blocks) :]
    of_argument = dict(zip(names, blocks, strict=False))
    integers = {field for field, value in scratch if ast.unparse(value) in (ROWS.get(field), AHEAD)}
    lengths |= {
        field: _length_of_scratch(field, value, of_argument)
        for field, value in scratch
        if field not in integers | tables
    }
    rows = {
        field: _length_of_row(field, value, of_argument)
        for field, value in scratch
        if field in tables
    }
    return lengths, frozenset(integers), rows


def _length_of_row(field: str, value: ast.expr, of_argument: Mapping[str, Block]) -> Length | None:
    """Return the length of the rows of a table in ``allocate``; None for one number a row."""
    text = ast.unparse(value)
    if text == "np.zeros(data_rows)":
        return None
    for name, block in of_argument.items():
        if text == f"np.zeros(data_rows * {name}.size)":
            return block.length
    raise unread(value, f"{field} is not allocated as a table of a generated module")


def _length_of_scratch(
    field: str, value: ast.expr, of_argument: Mapping[str, Block]
) -> Length | None:
    """Return the length of a scratch array in ``allocate``; None for one number."""
    match value:
        case ast.Call(args=[ast.Constant(value=1)], keywords=[]) if (
            ast.unparse(value.func) == "np.zeros"
        ):
            return None
        case ast.Call(args=[ast.Attribute(value=ast.Name(id=name), attr="size")], keywords=[]) if (
            ast.unparse(value.func) == "np.zeros" and name in of_argument
        ):
            return of_argument[name].length
    raise unread(value, f"{field} is not allocated as in a generated module")


AHEAD = "np.zeros(1024)"  # the array that draw_ahead fills
ROWS = {
    "rows": "np.zeros(batch_size, dtype=np.int64)",
    "table": "np.zeros(0 if replace else 2 << int(batch_size).bit_length(), dtype=np.int64)",
}


def _check_fields(classes: Mapping[str, tuple[str, ...]], legend: Legend, tree: ast.Module) -> None:
    """Refuse other fields of ``Params`` and ``Data`` than those of the legend in the order of their
    names, and other classes.
    """
    modes = {f for pair in legend.modes.values() for fields in pair for f in fields}
    every = {field for field, *_ in legend.snapshots.values()} | {*legend.adapting.values()}
    every |= {*legend.all_rows.values()}
    expected = {
        "Params": {*legend.settings.values(), *legend.factors.values()},
        "Data": {f for fields in legend.data.values() for f in fields.values()} | modes | every,
    }
    for name, fields in expected.items():
        if classes.get(name, ()) != tuple(sorted(fields)):
            raise unread(
                tree.body[0], f"the fields of {name} are not {', '.join(sorted(fields)) or 'none'}"
            )
    if extra := set(classes) - {"State", "Chains", "Draws", "Params", "Data"}:
        raise unread(tree.body[0], f"the module defines {min(extra)}")
