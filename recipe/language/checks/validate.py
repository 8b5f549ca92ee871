"""Read a user's expression and say what is wrong with it.

Every expression of a recipe passes ``read`` once. Afterwards it consists of the closed set of forms
that the calculus, the verifier and the generator know, or an error has named the smallest
expression at fault and the repair.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import sympy
from sympy import Add, Expr, Float, Function, Mul, Rational, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import (
    Dense,
    DenseEntry,
    Field,
    Jet,
    Partial,
    Potential,
    jets_from_sympy,
    written_image,
)
from recipe.language.as_expression import as_expression
from recipe.language.blocks import Block, Scalar, Vector, preimages
from recipe.language.checks.forms import FORMS, evaluated, has_form, is_huge_number
from recipe.language.data import ScalarData, VectorData
from recipe.language.entry import matrices_in
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.fold import FOLDS
from recipe.language.names import checked_name
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import (
    GENERIC,
    Index,
    Indexed,
    Length,
    assumptions_of,
    generic,
    name_of,
)
from recipe.language.text import listed
from recipe.language.total import free_indexed, labels

MAX_TYPED_DENOMINATOR_DIGITS = 8  # a float with a longer denominator was most likely computed
NOT_SMOOTH = (
    sympy.Abs,
    sympy.sign,
    sympy.Max,
    sympy.Min,
    sympy.Piecewise,
    sympy.Heaviside,
    sympy.floor,
    sympy.ceiling,
)


def read(e: Any, where: str, forms: tuple[type, ...] = FORMS) -> Expr:
    """Return the expression in the forms of the language; floats become the decimals that were
    written.

    Args:
        e: an expression or a number.
        where: how a message calls its place.
        forms: the exact classes that may occur; the rules of an ``Update`` may use ``RULE_FORMS``.

    Raises:
        RecipeError: for a value that is not an expression, or a number that is not finite and real.
        OutsideLanguageError: for a form that the calculus cannot represent.
    """
    e = as_expression(e, where)
    e = _with_decimals(e, where)
    e = evaluated(jets_from_sympy(e))
    for node in _walk(e, set()):
        _check_form(node, where, forms)
    return e


class DecimalWarning(UserWarning):
    """The warning that says how a float in a recipe was read.

    ``0.1`` is read as the decimal 1/10. Python has rounded ``sqrt(2.0)`` before it is read, so
    write ``sqrt(2)`` or ``Rational(1, 3)`` where an exact number is meant.
    """


def _with_decimals(e: Expr, where: str) -> Expr:
    """Replace every float by the decimal that was written, and warn unless it is that decimal, as
    0.5 and 2.0 are.

    The warning is needed because Python and sympy compute with floats before this function sees
    them, as in sqrt(2.0).
    """
    decimals = {f: Rational(repr(float(f))) for f in e.atoms(Float)}
    for f, exact in sorted(decimals.items(), key=str):
        if Rational(float(f)) == exact:
            continue
        long = len(str(exact.q)) > MAX_TYPED_DENOMINATOR_DIGITS
        advice = (
            "; if a root or a fraction was meant, write it exactly, sqrt(2) or Rational(1, 3)"
            if long
            else ""
        )
        warnings.warn(
            f"{where}: the float {float(f)!r} is read as the decimal {exact}{advice}",
            DecimalWarning,
            stacklevel=4,
        )
    return e.xreplace(decimals)


def _walk(e: Expr, met: set[Expr]) -> Iterator[Expr]:
    """Yield every node that is an expression once, children before parents, so that the smallest
    one at fault comes first.
    """
    if e in met:
        return
    met.add(e)
    if isinstance(e, Jet):
        yield from _walk(e.applied, met)
    elif not isinstance(e, Partial | DenseEntry):
        for a in e.args[:1] if isinstance(e, FOLDS) else e.args:  # an end may be infinite
            # anything else, such as a branch of a Piecewise, is refused with its parent
            if isinstance(a, Expr):
                yield from _walk(a, met)
    yield e


def _check_form(node: Expr, where: str, forms: tuple[type, ...]) -> None:
    """Refuse a node of an expression whose class is not among ``forms``, or a number that is not
    finite and real.
    """
    if isinstance(node, NOT_SMOOTH) and not (has_form(node, forms) and is_kink(node)):
        raise OutsideLanguageError(
            f"{where}: {node} is outside the language: it is not smooth, and the calculus needs"
            " derivatives" + (_instead_of_absolute(node) if isinstance(node, sympy.Abs) else "")
        )
    if node in (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        raise RecipeError(
            f"{where} contains {node}: an expression of the language is finite and real"
        )
    if is_huge_number(node):
        raise RecipeError(
            f"{where} contains a number of more than a thousand digits; write it as a parameter"
        )
    if isinstance(node, FOLDS) and not issubclass(type(node), forms):
        raise OutsideLanguageError(
            f"{where}: {node} is no smooth function, and has its place in the rule of an Update"
            " only"
        )
    if not has_form(node, forms):
        raise OutsideLanguageError(
            f"{where}: {node} ({type(node).__name__}) is outside the language"
        )


def _instead_of_absolute(node: sympy.Abs) -> str:
    """What to write instead of an absolute value; a root of a square that is multiplied out is part
    of the language, and its kink is judged where it is.
    """
    inside = node.args[0]
    root = sympy.sqrt(sympy.expand(inside**2))
    return (
        f"; for a square root of a square declare the sign of {inside}; smooth, and close to it,"
        f" is sqrt(({inside})**2 + w**2) with a small number w"
        + (f"; and if a kink is meant, write {root}" if not root.has(sympy.Abs) else "")
    )


def is_kink(node: Expr) -> bool:
    """Return True for ``|phi|`` or ``sign(phi)`` of one coordinate phi of a ``Preimage``, which a
    map with a kink brings.

    Any other absolute value is most often the square root of a square, which nobody meant to write.
    """
    return (
        isinstance(node, sympy.Abs | sympy.sign)
        and getattr(node.args[0], "image", None) is not None
    )


def check_number(e: Expr, where: str) -> None:
    """Require a number, an expression without a free coordinate; or name its smallest summand that
    is a vector.
    """
    if GENERIC not in labels(e):
        return
    guilty = e
    while isinstance(guilty, Add):
        guilty = next(a for a in guilty.args if GENERIC in labels(a))
    product = _product_with_data(guilty)
    meant = f", or write the inner product as total({product})" if product is not None else ""
    raise RecipeError(
        f"{where}: {guilty} is a vector where a number must be; sum it over its coordinates,"
        f" total({guilty}){meant}"
    )


def _product_with_data(e: Expr) -> Expr | None:
    """The first product of a block and a row of the data in an expression, which is larger than
    that product; None where there is none.
    """
    for product in sorted(e.atoms(Mul), key=str):
        factors = [f for f in product.args if isinstance(f, Vector | VectorData)]
        if {Vector, VectorData} <= {type(f) for f in factors} and Mul(*factors) != e:
            return Mul(*factors)
    return None


def check_component(e: Expr, block: Block, where: str) -> None:
    """Require an expression of one coordinate of ``block``, or a number for a scalar block."""
    if isinstance(block, Scalar):
        check_number(e, where)
        return
    for s in sorted(_free_indexed(e), key=str):
        if s.length != block.length:
            raise RecipeError(
                f"{where}: {s} has another length than {block}; declare it with like={block}, or"
                " sum it, total(...)"
            )


def checked_words(text: Any, argument: str) -> str | None:
    """Return a text that is only read by people, or None.

    Raises:
        RecipeError: for anything else, naming the argument.
    """
    if text is None or isinstance(text, str):
        return text
    raise RecipeError(f"{argument}= is a {type(text).__name__}; it must be a text in quotes")


def check_no_matrix(e: Expr, where: str) -> None:
    """Refuse ``outer`` and ``Dense`` outside of the entries of D and Q."""
    for node in matrices_in(e):
        raise RecipeError(
            f"{where}: {node} is a matrix and stands only in entries of D and Q (dot(M, v)"
            " multiplies a vector)"
        )


def check_symbols(
    expressions: Iterable[tuple[Expr, str]],
    state: tuple[Block, ...],
    allowed: tuple[type, ...] = (),
    argument: str = "state",
) -> None:
    """Require that every symbol is a block of the state, a function of such blocks, a parameter, or
    of an allowed class.

    It also requires that a name has one meaning: to sympy, equal names with different assumptions
    are different symbols.

    Args:
        expressions: each with its place in messages.
        state: the blocks.
        allowed: the classes of symbols that may stand in the expressions besides.
        argument: the argument that the blocks were given in, as messages name it.

    Raises:
        RecipeError: naming the symbol at fault and the repair.
    """
    known = KnownBlocks(state, argument)
    lengths = known.lengths
    meanings: dict[str, Any] = {b.name: b for b in state} | {
        length.name: length for length in lengths
    }
    for e, where in expressions:
        for applied in sorted(e.atoms(AppliedUndef), key=str):
            meaning = (applied.func, len(applied.args))
            checked_name(applied.func.__name__)
            _check_function(applied.func, where)
            _check_meaning(
                meanings.setdefault(applied.func.__name__, meaning),
                meaning,
                applied.func.__name__,
                where,
            )
        _check_images_are_unwritten(e, where, known)
        for s in sorted(e.atoms(Symbol), key=str):
            if isinstance(s, Index):
                continue
            here = generic(s)
            _check_leaf(here, where, known, allowed)
            _check_meaning(meanings.setdefault(here.name, here), here, here.name, where)


class KnownBlocks:
    """The blocks of a state, in the forms in which expressions are checked against them.

    Attributes:
        state: the blocks.
        argument: the argument that they were given in, as messages name it.
        lengths: the lengths of the vectors among them.
        images: the blocks that stand for others, by these.
        allowed: the blocks and their images.
    """

    def __init__(self, state: tuple[Block, ...], argument: str) -> None:
        self.state, self.argument = state, argument
        self.lengths = {b.length for b in state if isinstance(b, Vector)}
        self.images = preimages(state)
        self.allowed = {*state, *self.images}

    def __str__(self) -> str:
        return f"{self.argument}=({', '.join(b.name for b in self.state)})"


def _check_images_are_unwritten(e: Expr, where: str, known: KnownBlocks) -> None:
    """Require that, outside of ``grad``, an image is written as the function of its preimage in the
    state.
    """
    images = known.images
    if not images:
        return
    guilty = next((s for s in images if s in {generic(x) for x in written_symbols(e)}), None)
    if guilty is not None:
        phi = images[guilty]
        raise RecipeError(
            f"{where}: {guilty} is a function of {phi} here; write {written_image(phi)} in its"
            " place"
        )


def written_symbols(e: Expr) -> set[Symbol]:
    """The symbols that are written in an expression; coordinates that an abstract function is
    differentiated by do not count.
    """
    if isinstance(e, Partial):
        return {e.head}
    if isinstance(e, Symbol):
        return {e}
    return {s for a in e.args for s in written_symbols(a)}


UNDERSTOOD_ASSUMPTIONS = tuple(
    Function("f", **facts)._kwargs for facts in ({}, {"real": True}, {"positive": True})
)


def _check_function(function: Any, where: str) -> None:
    if function._kwargs not in UNDERSTOOD_ASSUMPTIONS:
        raise RecipeError(
            f"{where}: the function {function.__name__} is declared with assumptions other than"
            " positive=True, the only one that is understood; drop them"
        )


def _check_meaning(known: Any, meaning: Any, name: str, where: str) -> None:
    if known != meaning:
        raise RecipeError(
            f"{where}: the name {name} has two meanings: {_describe(known)} and"
            f" {_describe(meaning)}; rename one of them"
        )


def _check_leaf(s: Symbol, where: str, known: KnownBlocks, allowed: tuple[type, ...]) -> None:
    """Require that a symbol is a block of the state, a function of such blocks, a parameter, or of
    an allowed class.
    """
    if isinstance(s, Vector | Scalar):
        if s not in known.allowed:
            same = next((b for b in known.state if b.name == s.name), None)
            repair = (
                f"another block is called {s.name} there; use that very object"
                if same
                else "add it there"
            )
            raise RecipeError(f"{where}: the block {s} is not in {known}; {repair}")
    elif isinstance(s, Potential | Field):
        unknown = next((b for b in s.blocks if b not in known.allowed), None)
        if unknown is not None:
            raise RecipeError(
                f"{where}: {s} depends on the block {unknown}, which is not in {known}"
            )
    elif isinstance(s, Noise | ScalarNoise | VectorData | ScalarData):
        if not isinstance(s, allowed):
            if isinstance(s, VectorData) and s.coordinate is not None:
                block = s.length.owner
                raise RecipeError(
                    f"{where}: {block}[{s.coordinate}], a coordinate by its number, stands in the"
                    " log_likelihood of a Posterior only; for a prior that differs by coordinate,"
                    f" write s = Parameter('s', like={block}, positive=True) and total(normal("
                    f"{block}, 0, s)), and give params={{'s': [10, 1, ...]}}; or make an intercept"
                    " a Scalar block"
                )
            if isinstance(s, VectorData) and s.labels is not None:
                raise RecipeError(
                    f"{where}: {s.length.owner}[{s.labels}] is one number for each row of the data,"
                    " and a term over these belongs in the log_likelihood of a Posterior, which is"
                    " summed over the rows"
                )
            noise = isinstance(s, Noise | ScalarNoise)
            kind = "noise" if noise else "data"
            home = "the rule of an Update" if noise else "the log_likelihood of a Posterior"
            raise RecipeError(f"{where}: {s} is {kind}, which may stand only in {home}")
    elif isinstance(s, Length):
        if s not in known.lengths:
            raise RecipeError(f"{where}: {s} is the length of no block in {known}")
    else:
        _check_parameter(s, where, known)
    if isinstance(s, Dense) and not {s.row.length, s.column.length} <= known.lengths:
        raise RecipeError(
            f"{where}: {s} stands between {s.row} and {s.column}, which are not both in {known}"
        )


def _check_parameter(s: Symbol, where: str, known: KnownBlocks) -> None:
    """Require that a parameter is real, and as long as a block of the state where it has
    coordinates.
    """
    checked_name(name_of(s))
    if s.is_commutative is False or s.is_real is False:
        raise RecipeError(
            f"{where}: {s} is declared not to be a real number; every symbol of a recipe is one"
        )
    if isinstance(s, Indexed) and s.length not in known.lengths:
        raise RecipeError(
            f"{where}: {s} has the length of {s.length.owner}, and {known} has no block of that"
            " length"
        )


def check_state(state: Any, argument: str = "state") -> tuple[Block, ...]:
    """Return the state as a tuple of distinct blocks; ``argument`` is what messages call it.

    Raises:
        RecipeError: where it is empty, contains anything but blocks, or names a block or an image
            twice.
    """
    blocks = tuple(state) if isinstance(state, tuple | list) else (state,)
    if not blocks:
        raise RecipeError(f"{argument}=() has no block: give at least one Vector or Scalar")
    for block in blocks:
        if not isinstance(block, Vector | Scalar):
            raise RecipeError(
                f"{argument}= contains {block!r}, which is not a block; blocks are Vector(...) and"
                " Scalar(...)"
            )
        for carrier in (block, block.image):
            if carrier is not None and carrier.prior is not None:
                raise RecipeError(
                    f"{carrier.name} in {argument}= is declared with the prior {carrier.prior},"
                    " which only a Posterior reads; declare it without prior= here, or bind the"
                    " sampler to Posterior(log_likelihood=...)"
                )
    names = [b.name for b in blocks]
    twice = next((n for n, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise RecipeError(
            f"{argument}= has two blocks called {twice}; give each block a name of its own"
        )
    images = [b.image for b in blocks if b.image is not None]
    clash = next((i for i in images if images.count(i) > 1 or i in blocks), None)
    if clash is not None:
        theirs = " and ".join(b.name for b in blocks if clash in (b, b.image))
        raise RecipeError(
            f"{clash} would be moved by {theirs}: only one block of the state may stand for it"
        )
    return blocks


def _free_indexed(e: Expr) -> set[Indexed]:
    return {s for s in free_indexed(e) if s.label == GENERIC}


def _describe(meaning: Any) -> str:
    """The meaning of a name in words, for the message about two meanings."""
    if isinstance(meaning, tuple):
        function, arguments = meaning
        facts = {k: v for k, v in function._kwargs.items() if k == "positive"}
        kind = f"a function of {arguments} argument{'s' if arguments > 1 else ''}"
    else:
        facts = assumptions_of(meaning)
        kind = f"a {type(meaning).__name__}"
        if isinstance(meaning, Noise):
            kind += f" of covariance {meaning.covariance or 'one'}"
        elif isinstance(meaning, Potential):
            kind += f" of {listed(meaning.blocks)}"
        elif isinstance(meaning, Field):
            kind += f" of {meaning.block}"
    assumptions = ", ".join(f"{k}={v}" for k, v in facts.items())
    return f"{kind} with {assumptions}" if assumptions else f"{kind} without assumptions"
