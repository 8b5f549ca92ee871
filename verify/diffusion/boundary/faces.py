"""The faces of a simplex, one by one: each coordinate, and the remainder to one, is a diffusion by
itself.

The coordinates of the open simplex are positive and their total is below one. With the remainder
``1 - total`` they are K probabilities, and on each face one of these is zero. For a diffusion with
D = diag(theta) - theta theta^T and a Dirichlet law (Ethier 1976, Comm. Pure Appl. Math. 29(5)),
each of the K is a Jacobi diffusion. Their law is a joint one, so a face is decided from drift and
noise alone: at a distance e from it, ``D ~ c e`` and the drift goes to ``b > 0``. Then the distance
stays nonnegative and spends no time at 0, whatever b is; it never reaches 0 if ``b >= c``.

No probability flows through a face: the current vanishes inside, and D across the face is at most a
constant times e. As p is integrable, e times the integral of p over the section at distance e goes
to 0 along some sequence of e.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, S, Symbol

from recipe.language.blocks import Scalar, Vector
from recipe.language.calculus import contract
from recipe.language.entry import Coupling
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import Total, sum_over, total
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, leading
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.decide.zero.entry import decide_zero_entry
from verify.diffusion.boundary.edges import NOT_ATTAINED, SELF_REFLECTING, coordinate
from verify.generator.fokker_planck import current
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved, undecided


def decide_faces(block: Vector, subject: Subject) -> Iterator[tuple[str, Outcome]]:
    """Decide the faces where a coordinate is zero, which are all alike, and the face where the
    total is one.

    Yields (name of the face, outcome); a single undecided outcome if the block is not a diffusion
    by itself.
    """
    coordinates, rest = f"the faces {block} = 0", f"the face total({block}) = 1"
    why = _why_not_by_itself(block, subject)
    if why is not None:
        yield f"the simplex of {block}", undecided(why)
        return
    entry = subject.dynamics.diffusion[block, block]
    assert isinstance(entry, Coupling)
    x = coordinate(subject, block)
    if isinstance(x, str):
        yield coordinates, undecided(f"{x}, so that no test of a single coordinate applies")
    elif not _is_divisible(normalised(entry.kernel), block, block):
        yield (
            coordinates,
            undecided(
                f"the noise of two coordinates of {block} is not proved to vanish with each of them"
            ),
        )
    else:
        yield coordinates, decide_by_drift(x.drift, x.diffusion, block)
    yield rest, _decide_rest(block, entry, subject)


def _why_not_by_itself(block: Vector, subject: Subject) -> str | None:
    """The reason why the block is not a diffusion without current by itself; None if it is one."""
    if not vanishes(current(subject.dynamics, subject.gradient)[block]):
        return f"the current of exp(-H) through {block} is not proved to be zero"
    for (row, column), entry in subject.dynamics.diffusion.items():
        if row == block != column and decide_zero_entry(entry).verdict is not Verdict.PROVED:
            return f"the noise of {block} is coupled to that of {column}"
    return None


def _decide_rest(block: Vector, entry: Coupling, subject: Subject) -> Outcome:
    """Decide the face of the remainder ``y = 1 - total``.

    Its drift is minus the total of the drifts, its diffusion the total of D over both indices.
    """
    y = Dummy("y", positive=True)
    across = normalised(entry.diagonal + sum_over(entry.kernel, OTHER, block.length))
    drift = _in_the_rest(-contract(subject.dynamics.drift[block], block), block, y)
    diffusion = _in_the_rest(
        contract(entry.diagonal, block) + _sum_of_all(entry.kernel, block), block, y
    )
    for e, what in ((drift, "drift"), (diffusion, "diffusion")):
        if blocks_in(e, subject.state):
            return undecided(
                f"the {what} of 1 - total({block}) is {e}, and so depends on more than itself"
            )
    if not _is_divisible(_in_the_rest(across, block, y), y, block):
        return undecided(
            f"the noise of {block} across this face is not proved to vanish with 1 - total({block})"
        )
    return decide_by_drift(drift, diffusion, y)


def _sum_of_all(kernel: Expr, block: Vector) -> Expr:
    return sum_over(sum_over(kernel, OTHER, block.length), GENERIC, block.length)


def _in_the_rest(e: Expr, block: Vector, y: Symbol) -> Expr:
    """The expression with the total of the block replaced by ``1 - y``."""
    return normalised(normalised(e).xreplace({total(block): 1 - y}))


def _is_divisible(e: Expr, x: Symbol, block: Vector) -> bool:
    """Return True if the expression is a polynomial of the state in which every term contains x.

    On the simplex, its size is then at most a constant times x.
    """
    letters = [s for s in e.atoms(Vector) if s.base == block.base] + [x]
    totals = {t: Dummy() for t in e.atoms(Total) if t.atoms(Vector, Scalar)}  # rest: constants
    polynomial = e.xreplace(totals)
    others = {s for s in e.free_symbols if isinstance(s, Vector | Scalar)} - set(letters)
    return (
        not others
        and bool(polynomial.is_polynomial(*letters, *totals.values()))
        and vanishes(polynomial.xreplace({x: S.Zero}))
    )


def decide_by_drift(drift: Expr, diffusion: Expr, x: Symbol) -> Outcome:
    """Decide the lower end 0 of a coordinate x from its drift and diffusion, where its own law is
    not known.
    """
    e = Dummy("e", positive=True)
    try:
        noise, push = leading(diffusion.xreplace({x: e}), e), leading(drift.xreplace({x: e}), e)
    except NoLeadingTermError as error:
        return undecided(f"the behaviour at the edge is not decided: {error}")
    c, b = noise.coefficient, push.coefficient
    plain = (
        certain_sign(noise.power - 1)
        == 0
        == certain_sign(noise.logs)
        == certain_sign(push.power)
        == certain_sign(push.logs)
    )
    if not plain or certain_sign(c) != 1 or certain_sign(b) != 1:
        return undecided(
            f"D goes like {c} e^{noise.power} and the drift like {b} e^{push.power}; only D ~ c e"
            " with a drift inwards is decided"
        )
    k = normalised(b / c - 1)
    # for polynomials f/D - b/(c e) is bounded, which decides the borderline case k = 0
    is_regular = bool(drift.is_polynomial(x) and diffusion.is_polynomial(x))
    never = is_positive(k) or (is_regular and is_nonnegative(k))
    return proved(
        f"{NOT_ATTAINED if never else SELF_REFLECTING}, as the drift {b} there points inside (k ="
        f" {k}, m = 1)"
    )
