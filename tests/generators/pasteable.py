"""A sampler as text to paste into a file and verify there; only derivatives that ``grad`` and
``div`` cannot say are beyond it.
"""

from __future__ import annotations

from sympy import Expr, Mul, Symbol
from sympy.core.function import AppliedUndef
from sympy.printing.str import StrPrinter

from recipe import Dense, Field, Noise, Potential, Recipe, Scalar, Update, Vector
from recipe.language.abstract import DenseEntry, Jet, Partial
from recipe.language.data import VectorParameter
from recipe.language.entry import Outer
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import GENERIC, Index, Indexed, Length, assumptions_of
from recipe.language.total import Total, relabel

IMPORTS = "from sympy import *\nfrom recipe import *\n"


class Printer(StrPrinter):
    """Text in the words of the language."""

    printmethod = "_pasteable"  # not the methods by which the language shows itself

    def _print_Outer(self, e: Outer) -> str:
        return f"outer({', '.join(map(self.doprint, e.args))})"

    def _print_Rational(self, e: Expr) -> str:
        return str(e.p) if e.q == 1 else f"Rational({e.p}, {e.q})"

    def _print_Length(self, e: Length) -> str:
        return f"{e.name.removeprefix('d_')}.dim"

    def _print_Total(self, e: Total) -> str:
        k = e.index.label
        matrices = [
            f
            for f in Mul.make_args(e.body)
            if isinstance(f, DenseEntry) and set(f.labels) == {GENERIC, k}
        ]
        if matrices:
            rest = relabel(Mul(*(f for f in Mul.make_args(e.body) if f != matrices[0])), k, GENERIC)
            across = "" if matrices[0].labels[1] == k or matrices[0].matrix.symmetric else ".T"
            return f"dot({matrices[0].matrix}{across}, {self.doprint(rest)})"
        inner = [
            t
            for t in e.body.atoms(Total)
            if any(isinstance(s, Indexed) and s.label == k for s in t.atoms(Indexed))
        ]
        if inner:  # an entry of a matrix inside stands at the index of this sum
            moved = {t: relabel(t, k, GENERIC) for t in inner}
            body = e.body.xreplace(moved)
            return f"total({self.doprint(relabel(body, k, GENERIC))})"
        return f"total({self.doprint(relabel(e.body, k, GENERIC))})"

    def _print_Partial(self, e: Partial) -> str:
        at_home = isinstance(e.head, Field) and e.wrt == (e.head.block.at(e.head.label),)
        return f"div({e.head.base}, {e.head.block})" if at_home else str(e)

    def _print_Jet(self, e: Jet) -> str:
        at_home = e.orders == (1,) and isinstance(e.applied.args[0], Vector)
        return (
            f"div({self.doprint(e.applied)}, {self.doprint(e.applied.args[0])})"
            if at_home
            else str(e)
        )

    def _print_Indexed(self, e: Indexed) -> str:
        return str(e.base)  # Vector, VectorParameter, Noise, Field

    def emptyPrinter(self, e: Expr) -> str:
        return str(e)


def pasteable(declared: Recipe | Update) -> str:
    """The imports, a line for every name, and the declaration."""
    written = [e for e, _ in declared.written()]
    if isinstance(declared, Recipe) and declared.update is not None:
        written += [e for e, _ in declared.update.written()]
    names = _names(declared, written)
    return "\n".join([IMPORTS, *names, "", f"sampler = {_call(declared)}"])


def _names(declared: Recipe | Update, written: list[Expr]) -> list[str]:
    first: dict[Length, Vector] = {}
    lines = []
    for b in sorted(
        declared.state,
        key=lambda b: isinstance(b, Vector) and b.name != b.length.name.removeprefix("d_"),
    ):
        domain = "" if str(b.domain) == "Reals" else f", domain={b.domain}"
        like = f", like={first[b.length]}" if isinstance(b, Vector) and b.length in first else ""
        lines.append(f"{b.name} = {type(b).__name__}({b.name!r}{like}{domain})")
        if isinstance(b, Vector):
            first.setdefault(b.length, b)
    atoms = {
        s.at(GENERIC) if isinstance(s, Indexed) else s for e in written for s in e.atoms(Symbol)
    }
    for s in sorted(atoms, key=str):
        if not isinstance(s, Vector | Scalar | Length | Index):
            lines.append(_line(s, first))
    heads = {a.func for e in written for a in e.atoms(AppliedUndef)}
    lines += [
        f"{f.__name__} ="
        f" Function({f.__name__!r}{', positive=True' if f._kwargs.get('positive') else ''})"
        for f in sorted(heads, key=str)
    ]
    return lines


def _line(s: Symbol, first: dict[Length, Vector]) -> str:
    facts = "".join(
        f", {k}={v}" for k, v in sorted(assumptions_of(s).items()) if k != "commutative"
    )
    match s:
        case Potential():
            return f"{s} = Potential({s.name!r}, {', '.join(b.name for b in s.blocks)})"
        case Field():
            return f"{s} = Field({s.base!r}, {s.block}{', positive=True' if s.is_positive else ''})"
        case Dense():
            kind = (
                ", positive=True"
                if s.positive_definite
                else ", symmetric=True"
                if s.symmetric
                else ""
            )
            return f"{s} = Dense({s.name!r}, {first[s.row.length]}, {first[s.column.length]}{kind})"
        case Noise():
            return f"{s} = Noise({s.base!r}, like={first[s.length]})"
        case ScalarNoise():
            return f"{s} = Noise({s.name!r}, like=Scalar('one'))"
        case VectorParameter():
            return f"{s} = Parameter({s.base!r}, like={first[s.length]}{facts})"
    return f"{s} = Symbol({s.name!r}{facts})"


def _call(declared: Recipe | Update) -> str:
    show = Printer().doprint
    if isinstance(declared, Update):
        pairs = [(b.name, show(e)) for b, e in declared.rule]
        text = (
            ", ".join(f"({b}, {e})" for b, e in pairs)
            if declared.sequential
            else ", ".join(f"{b}: {e}" for b, e in pairs)
        )
        rule = f"[{text}]" if declared.sequential else f"{{{text}}}"
        return f"Update({declared.step}, {rule}, {show(declared.target)})"
    state = ", ".join(b.name for b in declared.state)
    D, Q = (
        "Matrix(["
        + ", ".join(f"[{', '.join(map(show, M.written.row(k)))}]" for k in range(M.written.rows))
        + "])"
        for M in (declared.D, declared.Q)
    )
    more = f", update={_call(declared.update)}" if declared.update is not None else ""
    kept = ", ".join(
        f"({', '.join(b.name for b in blocks)},): {show(U)}" for blocks, U in declared.marginal
    )
    more += f", marginal={{{kept}}}" if kept else ""
    return f"Recipe(({state},), {show(declared.H)}, {D}, {Q}{more})"
