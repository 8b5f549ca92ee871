"""The allowlist of statements in the text of a module: no text is written, imported or run that did
not pass here.

A module imports a few names of numpy, numba, math and typing, and uses no private name. The
functions that extend Numba's compiler, by vectors of eight and fused operations, use llvmlite and
more of numba: a module may contain exactly these statements, word for word.
"""

from __future__ import annotations

import ast
import functools
import io
import tokenize

from codegen.device.embed import source_of
from codegen.device.intrinsics import INTRINSICS
from codegen.device.simd8 import lanes_text
from recipe.files.python_tree import parsed
from recipe.language.errors import RecipeError

IMPORTS = {("math", None), ("operator", None), ("numpy", "np")}
COMPILER_NAMES = {
    "intrinsic",
    "lower_builtin",
    "lower_cast",
    "models",
    "register_model",
    "type_callable",
}
NAMES_BY_MODULE = {
    "typing": {"NamedTuple"},
    "numba": {"njit", "types"},
    "llvmlite": {"ir"},
    "numba.extending": COMPILER_NAMES,
}
EMBEDDED_ONLY = {"operator", "types", "ir", *COMPILER_NAMES}
NUMPY_NAMES = {
    "array",
    "float32",
    "float64",
    "floor",
    "full",
    "int64",
    "ndarray",
    "sqrt",
    "sum",
    "uint64",
    "zeros",
}
FORBIDDEN = {
    "eval",
    "exec",
    "compile",
    "open",
    "getattr",
    "setattr",
    "delattr",
    "globals",
    "locals",
    "vars",
    "input",
    "breakpoint",
}


@functools.lru_cache(maxsize=16)  # it is asked before a text is written, and before it is imported
def checked(source: str) -> str:
    """Return the text if it is Python and every statement is one that a generated module may
    contain.

    Raises:
        RecipeError: with the line and the name that no generated module uses.
    """
    try:
        tree = parsed(source)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source.encode()).readline)
    except (SyntaxError, ValueError) as error:
        raise RecipeError(f"the module text is not Python: {error}") from None
    if encoding != "utf-8":  # the imported text would be another than the checked one
        raise RecipeError(
            f"the module text names the encoding {encoding}; a generated module is in UTF-8,"
            " generate it again"
        )
    for statement in tree.body:
        found = next(
            ((node, name) for node in ast.walk(statement) if (name := _forbidden_in(node))), None
        )
        if found is not None and ast.unparse(statement) not in _embedded():
            line = getattr(found[0], "lineno", 0)
            raise RecipeError(
                f"line {line} of the module text uses {found[1]}, which no generated module does;"
                " generate it again"
            )
    return source


def _forbidden_in(node: ast.AST) -> str | None:
    """Return what a node uses that is not allowed; None if it is allowed."""
    match node:
        case ast.Import(names=names):
            return next((n.name for n in names if (n.name, n.asname) not in IMPORTS), None)
        case ast.ImportFrom(module=module, names=names, level=level):
            allowed = level == 0 and all(
                n.asname is None and n.name in NAMES_BY_MODULE.get(str(module), ()) for n in names
            )
            return None if allowed else f"{module or '.'}: {', '.join(n.name for n in names)}"
        case ast.Name(id=name) if name in EMBEDDED_ONLY:
            return name
        case ast.Attribute(value=ast.Name(id="np"), attr=name) if name not in NUMPY_NAMES:
            return f"np.{name}"
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in FORBIDDEN or name.startswith(
            "__"
        ):
            return name
        case ast.ClassDef(bases=bases) if [ast.unparse(b) for b in bases] != ["NamedTuple"]:
            return f"the class {node.name}"
    return None


@functools.cache
def _embedded() -> frozenset[str]:
    """Return the statements that may use the compiler, as ``ast.unparse`` writes them."""
    texts = [lanes_text(), *map(source_of, INTRINSICS)]
    return frozenset(ast.unparse(statement) for text in texts for statement in parsed(text).body)
