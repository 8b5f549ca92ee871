"""Every kind of mistake is refused with the guilty expression and the repair in the message."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import sympy
from sympy import (
    Abs,
    Function,
    Integer,
    Interval,
    Matrix,
    Max,
    Piecewise,
    Symbol,
    exp,
    gamma,
    oo,
    sqrt,
    zeros,
)

from recipe import (
    Data,
    DecimalWarning,
    Dense,
    Field,
    Noise,
    OutsideLanguageError,
    Parameter,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    div,
    dot,
    grad,
    outer,
    total,
)
from recipe.language.abstract import Jet

theta, phi = Vector("theta"), Vector("phi")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
M = Dense("M", theta, positive=True)
N = Dense("N", theta, phi)
G = Function("G")
epsilon, A = Symbol("epsilon", positive=True), Symbol("A", positive=True)
w = Noise("w", like=theta)
ZEROS = (zeros(2, 2), zeros(2, 2))


def hamiltonian(H: Any) -> Recipe:
    return Recipe(theta, H, 1, 0)


def entry(e: Any) -> Recipe:
    """A recipe of two equal blocks with one doubtful entry."""
    return Recipe((theta, r), U, Matrix([[1, 0], [0, 1]]), Matrix([[0, e], [0, 0]]))


def between(row: Any, column: Any, e: Any) -> Recipe:
    return Recipe((row, column), Integer(0), Matrix([[1, 0], [0, 1]]), Matrix([[0, e], [0, 0]]))


def rule(e: Any, **others: Any) -> Update:
    return Update(epsilon, {theta: e}, U, **others)


Mistake = tuple[Callable[[], Any], str, str]

SHAPES: dict[str, Mistake] = {
    "D too small": (lambda: Recipe((theta, r), U, Matrix([[1]]), zeros(2, 2)), "1 by 1", "2 by 2"),
    "Q too large": (lambda: Recipe(theta, U, 1, zeros(2, 2)), "2 by 2", "1 by 1"),
    "D not square": (lambda: Recipe((theta, r), U, zeros(2, 1), zeros(2, 2)), "2 by 1", "2 by 2"),
    "D a flat list": (lambda: Recipe((theta, r), U, [1, 0, 0, 1], zeros(2, 2)), "4 by 1", "2 by 2"),
    "D a number for two blocks": (
        lambda: Recipe((theta, r), U, 1, zeros(2, 2)),
        "D is int 1",
        "2 by 2",
    ),
    "a vector as H": (lambda: hamiltonian(theta**2), "theta**2 is a vector", "total(theta**2)"),
    "one vector summand of H": (
        lambda: hamiltonian(U + theta),
        "H: theta is a vector",
        "total(theta)",
    ),
    "a vector between scalars": (
        lambda: Recipe((theta, xi), U, Matrix([[1, 0], [0, theta]]), zeros(2, 2)),
        "D[xi, xi] = theta",
        "total(theta)",
    ),
    "a vector for a scalar": (
        lambda: Update(epsilon, {theta: theta, xi: xi + theta}, U),
        "theta is a vector",
        "total(theta)",
    ),
    "a vector as target": (
        lambda: Update(epsilon, {theta: theta}, theta**2),
        "theta**2 is a vector",
        "total(theta**2)",
    ),
    "the gradient of a vector": (
        lambda: grad(theta**2, theta),
        "theta**2 is a vector",
        "total(theta**2)",
    ),
    "a ragged D": (lambda: Recipe((theta, r), U, [[1, 0], [0]], zeros(2, 2)), "D", "2 by 2"),
}

LENGTHS: dict[str, Mistake] = {
    "in a total": (lambda: total(theta * phi), "d_phi, d_theta", "one block at a time"),
    "in a row": (lambda: between(theta, xi, phi), "phi", "like=theta"),
    "in a diagonal": (
        lambda: Recipe((theta, phi), U, Matrix([[phi, 0], [0, 1]]), zeros(2, 2)),
        "phi",
        "like=theta",
    ),
    "in a rule": (
        lambda: Update(epsilon, {theta: theta + phi, phi: phi}, U),
        "the rule of theta: phi",
        "like=theta",
    ),
    "in dot": (lambda: dot(M, phi), "phi", "like=theta"),
    "in div": (lambda: div(phi, theta), "phi", "like=theta"),
    "in an outer": (lambda: between(theta, phi, outer(phi, theta)), "phi", "like=theta"),
    "in a Dense": (
        lambda: between(phi, theta, N),
        "N has the shape of theta by phi",
        "phi by theta",
    ),
    "diagonal between two": (
        lambda: between(theta, phi, theta),
        "Q[theta, phi] = theta",
        "outer(u, v)",
    ),
    "identity between two": (lambda: between(theta, phi, 1), "Q[theta, phi] = 1", "like=theta"),
    "of a parameter": (
        lambda: hamiltonian(total(Parameter("a", like=phi))),
        "a has the length of phi",
        "theta",
    ),
    "a length of no block": (lambda: hamiltonian(U + phi.dim), "d_phi", "theta"),
    "a total of no vector": (lambda: total(3), "total(3) has no vector", "over=theta"),
    "a symmetric Dense between two": (
        lambda: Dense("S", theta, phi, symmetric=True),
        "'S'",
        "different lengths",
    ),
    "a total over a scalar": (lambda: total(1, over=xi), "xi", "Vector"),
    "a covariance of another length": (
        lambda: Noise("w", like=phi, covariance=M),
        "covariance=M",
        "phi",
    ),
}

BLOCKS: dict[str, Mistake] = {
    "unknown in H": (lambda: hamiltonian(total(r**2)), "the block r", "state=(theta)"),
    "unknown in D": (
        lambda: Recipe(theta, U, Matrix([[xi]]), 0),
        "D[theta, theta]: the block xi",
        "state=(theta)",
    ),
    "unknown under a potential": (
        lambda: hamiltonian(Potential("V", r)),
        "V depends on the block r",
        "(theta)",
    ),
    "unknown under a field": (
        lambda: Recipe(theta, U, Matrix([[Field("F", r)]]), 0),
        "F depends on the block r",
        "(theta)",
    ),
    "unknown of the same name": (
        lambda: hamiltonian(total(Vector("theta", domain=Interval.open(0, oo)))),
        "the block theta",
        "use that very object",
    ),
    "twice": (
        lambda: Recipe((theta, theta), U, *ZEROS),
        "two blocks called theta",
        "a name of its own",
    ),
    "two of one name": (
        lambda: Recipe((theta, Scalar("theta")), U, *ZEROS),
        "theta",
        "a name of its own",
    ),
    "none": (lambda: Recipe((), U, 1, 0), "state=()", "at least one"),
    "a plain symbol": (lambda: Recipe(Symbol("x"), 0, 1, 0), "x", "Vector(...)"),
    "text": (lambda: Recipe("theta", U, 1, 0), "'theta'", "Vector(...)"),
    "without a rule": (lambda: rule(theta + r), "the block r", "r: r"),
    "a rule for no block": (lambda: Update(epsilon, {Symbol("x"): 1}, U), "x", "Vector(...)"),
    "the update of another state": (
        lambda: Recipe((theta, r), U, *ZEROS, update=rule(theta)),
        "(theta)",
        "(theta, r)",
    ),
    "gradient by no block": (lambda: grad(U, Symbol("x")), "x is not a block", "Vector(...)"),
    "the length of a scalar": (lambda: Vector("q", like=xi), "like=xi", "only a Vector"),
    "a field on a scalar": (lambda: Field("F", xi), "xi", "Vector block"),
    "a potential of nothing": (lambda: Potential("V"), "'V'", "Potential('V', theta)"),
    "noise in a recipe": (
        lambda: hamiltonian(total(w * theta)),
        "w is noise",
        "the rule of an Update",
    ),
    "data in a recipe": (
        lambda: hamiltonian(total(Data("x", like=theta) * theta)),
        "x is data",
        "the log_likelihood of a Posterior",
    ),
    "without a rule, in the target": (
        lambda: Update(epsilon, {theta: theta}, U + total(r**2)),
        "the block r",
        "r: r",
    ),
    "a marginal of no block": (lambda: Recipe(theta, U, 1, 0, marginal={phi: U}), "phi", "state"),
}

MATRICES: dict[str, Mistake] = {
    "outer in a rule": (
        lambda: rule(theta + outer(theta, theta)),
        "outer(theta, theta) is a matrix",
        "entries of D and Q",
    ),
    "Dense in a rule": (lambda: rule(theta + M * theta), "M is a matrix", "dot(M, v)"),
    "outer beside a scalar": (
        lambda: between(theta, xi, outer(theta, xi)),
        "outer(theta, xi)",
        "two vector blocks",
    ),
    "Dense beside a scalar": (
        lambda: between(xi, theta, M),
        "M stands between xi and theta",
        "two vector blocks",
    ),
    "a function of outer": (
        lambda: entry(exp(outer(theta, r))),
        "exp(outer(theta, r))",
        "outer(u, v) and Dense",
    ),
    "a product of outers": (
        lambda: entry(outer(theta, r) * outer(r, r)),
        "outer(r, r)",
        "outer(u, v) and Dense",
    ),
    "a row-scaled outer": (
        lambda: entry(theta * outer(r, r)),
        "the factor theta of outer(r, r)",
        "outer(theta*u, v)",
    ),
    "a row-scaled Dense": (
        lambda: entry(theta * M),
        "the factor theta of M",
        "scaled by numbers only",
    ),
    "dot with a number": (lambda: dot(2, theta), "dot(2, ...)", "Dense matrix"),
    "Dense in an outer": (lambda: entry(outer(M, r)), "M", "dot(M, v)"),
    "outer in H": (
        lambda: hamiltonian(outer(theta, theta)),
        "H: outer(theta, theta) is a matrix",
        "entries of D and Q",
    ),
    "Dense beside its product": (
        lambda: rule(theta + M * theta + dot(M, theta)),
        "M is a matrix",
        "dot(M, v)",
    ),
    "outer in an outer": (
        lambda: entry(outer(outer(theta, r), r)),
        "outer(theta, r) is a matrix",
        "outer(u, v) takes vectors",
    ),
}

FORMS: dict[str, Mistake] = {
    "text as H": (lambda: hamiltonian("theta**2"), "'theta**2'", "write it as a Python expression"),
    "text as D": (lambda: Recipe(theta, U, "1", 0), "'1'", "write it as a Python expression"),
    "text as a rule": (lambda: rule("theta"), "'theta'", "write it as a Python expression"),
    "text in grad": (lambda: grad("U", theta), "'U'", "write it as a Python expression"),
    "None as H": (lambda: hamiltonian(None), "H is NoneType", "expression"),
    "a boolean": (lambda: hamiltonian(theta > 0), "H is StrictGreaterThan", "expression"),
    "a matrix as H": (lambda: hamiltonian(Matrix([1])), "H is", "single expression"),
    "infinity": (lambda: hamiltonian(sympy.oo), "oo", "finite and real"),
    "a division by zero": (lambda: hamiltonian(U / Integer(0)), "zoo", "finite and real"),
    "an imaginary number": (lambda: hamiltonian(sympy.I * U), "I", "finite and real"),
    "text in a total": (
        lambda: total("theta", over=theta),
        "'theta'",
        "write it as a Python expression",
    ),
    "text in an outer": (
        lambda: outer("theta", theta),
        "'theta'",
        "write it as a Python expression",
    ),
}

OUTSIDE: dict[str, Mistake] = {
    "Abs": (lambda: hamiltonian(total(Abs(theta))), "Abs(theta", "not smooth"),
    "the root of a square": (
        lambda: hamiltonian(total(sqrt(theta**2))),
        "Abs(theta",
        "declare the sign",
    ),
    "Max": (lambda: hamiltonian(total(Max(theta, 0))), "Max(0, theta", "not smooth"),
    "sign": (
        lambda: Recipe(theta, U, Matrix([[sympy.sign(theta)]]), 0),
        "sign(theta)",
        "not smooth",
    ),
    "Piecewise": (
        lambda: hamiltonian(total(Piecewise((theta, theta > 0), (0, True)))),
        "theta",
        "outside the language",
    ),
    "gamma": (lambda: hamiltonian(total(gamma(theta))), "gamma(theta", "outside the language"),
    "Sum": (lambda: hamiltonian(sympy.Sum(xi, (xi, 0, 3))), "xi", "outside the language"),
    "Integral": (lambda: hamiltonian(sympy.Integral(exp(xi), xi)), "xi", "outside the language"),
}

MEANINGS: dict[str, Mistake] = {
    "a block and a parameter": (
        lambda: hamiltonian(U + Symbol("theta")),
        "theta has two meanings",
        "a Symbol without",
    ),
    "a parameter with two signs": (
        lambda: hamiltonian(U + Symbol("A") + Symbol("A", positive=True)),
        "A has two meanings",
        "with positive=True",
    ),
    "a potential and a parameter": (
        lambda: hamiltonian(U + Symbol("U")),
        "U has two meanings",
        "a Potential",
    ),
    "two potentials": (
        lambda: Recipe((theta, r), U + Potential("U", theta, r), zeros(2, 2), zeros(2, 2)),
        "a Potential of theta with",
        "a Potential of theta, r with",
    ),
    "a function of two signs": (
        lambda: hamiltonian(total(G(theta) + Function("G", positive=True)(theta))),
        "G has two meanings",
        "positive=True",
    ),
    "a function of one and of two": (
        lambda: hamiltonian(total(G(theta) + G(theta, 2))),
        "G has two meanings",
        "argument",
    ),
    "a function and a parameter": (
        lambda: hamiltonian(total(G(theta)) + Symbol("G")),
        "G has two meanings",
        "a Symbol",
    ),
    "a function and a potential": (
        lambda: hamiltonian(U + total(Function("U")(theta))),
        "U has two meanings",
        "a Potential",
    ),
    "two noises of one name": (
        lambda: rule(theta + w + Noise("w", like=theta, covariance=M)),
        "w has two meanings",
        "covariance",
    ),
    "a parameter and one of the update": (
        lambda: Recipe(theta, A * U, 1, 0, update=rule(theta + epsilon * Symbol("A"))),
        "A has two meanings",
        "positive=True",
    ),
}

NAMES: dict[str, Mistake] = {
    "spaces": (lambda: Parameter("a b"), "'a b'", "letters, digits and underscores"),
    "keyword": (lambda: Parameter("lambda"), "'lambda'", "no Python keyword"),
    "keyword as block": (lambda: Vector("for"), "'for'", "no Python keyword"),
    "keyword as scalar block": (lambda: Scalar("if"), "'if'", "no Python keyword"),
    "keyword of a plain symbol": (
        lambda: hamiltonian(U + Symbol("lambda")),
        "'lambda'",
        "no Python keyword",
    ),
    "code in a plain symbol": (
        lambda: hamiltonian(U + Symbol("a); import os")),
        "import os",
        "letters, digits and underscores",
    ),
    "code in noise": (
        lambda: Noise("w; x", like=theta),
        "'w; x'",
        "letters, digits and underscores",
    ),
    "underscores": (lambda: Vector("__class__"), "'__class__'", "names must"),
    "not ASCII": (lambda: Vector("θ"), "'θ'", "letters, digits and underscores"),
    "no text": (lambda: Potential(3, theta), "3", "usable name"),
    "empty": (lambda: Parameter(""), "''", "usable name"),
    "code in a function": (
        lambda: hamiltonian(total(Function("os; x")(theta))),
        "'os; x'",
        "letters, digits and underscores",
    ),
    "keyword as a function": (
        lambda: hamiltonian(total(Function("lambda")(theta))),
        "'lambda'",
        "no Python keyword",
    ),
    "keyword as a step": (
        lambda: Update(Symbol("lambda"), {theta: theta}, U),
        "'lambda'",
        "no Python keyword",
    ),
}

ARGUMENTS: dict[str, Mistake] = {
    "a number as step": (
        lambda: Update(0.1, {theta: theta}, U),
        "step=0.1",
        "Symbol('epsilon', positive=True)",
    ),
    "a block as step": (lambda: Update(theta, {theta: theta}, U), "step=theta", "plain symbol"),
    "a rule that is no rule": (lambda: Update(epsilon, 3, U), "rule=", "{block: new value}"),
    "an unknown verdict": (lambda: rule(theta, expect="good"), "expect='good'", "'refuted'"),
    "an expression as the source": (lambda: rule(theta, source=1 + theta), "source=", "text"),
    "a number as the name": (lambda: Recipe(theta, U, 1, 0, name=3), "name=", "text"),
    "an update that is none": (lambda: Recipe(theta, U, 1, 0, update=3), "update=3", "Update(...)"),
    "require as text": (
        lambda: Recipe(theta, U, 1, 0, require="boundary"),
        "'boundary'",
        "['boundary']",
    ),
    "a finite set as domain": (
        lambda: Vector("x", domain=sympy.FiniteSet(1)),
        "{1}",
        "Interval.open(0, oo)",
    ),
    "an empty domain": (lambda: Scalar("x", domain=Interval(2, 1)), "'x'", "Interval.open(0, oo)"),
    "a simplex on a scalar": (lambda: Scalar("x", domain=Simplex()), "'x'", "Interval.open(0, 1)"),
    "a potential as a step": (lambda: Update(U, {theta: theta}, U), "step=U", "plain symbol"),
    "a vector parameter as a step": (
        lambda: Update(Parameter("e", like=theta), {theta: theta}, U),
        "step=e",
        "plain symbol",
    ),
    "a covariance that is no matrix": (
        lambda: Noise("w", like=theta, covariance=Symbol("s")),
        "covariance=s",
        "Dense",
    ),
    "a multiple of a covariance": (
        lambda: Noise("w", like=theta, covariance=2 * M),
        "covariance=2*M",
        "Dense",
    ),
    "a lopsided covariance": (
        lambda: Noise("w", like=theta, covariance=Dense("S", theta)),
        "covariance=S",
        "symmetric",
    ),
    "a covariance of one number": (lambda: Noise("w", like=xi, covariance=M), "covariance=M", "xi"),
}


DECLARED = {
    "an indefinite covariance": (
        lambda: Noise("w", like=theta, covariance=Dense("S", theta, symmetric=True)),
        "covariance=S",
        "positive=True",
    ),
    "a marginal of the auxiliaries": (
        lambda: Recipe(
            (theta, r), U + total(r**2), zeros(2), zeros(2), marginal={theta: U + total(r)}
        ),
        "depends on r",
        "alone",
    ),
    "a function that is nonnegative": (
        lambda: hamiltonian(total(Function("G", nonnegative=True)(theta))),
        "the function G",
        "positive=True",
    ),
    "a symbolic end": (
        lambda: Scalar("x", domain=sympy.Interval.open(0, Symbol("b", positive=True))),
        "'x'",
        "two numbers",
    ),
    "a step in the target": (
        lambda: Update(epsilon, {theta: theta}, epsilon * U),
        "U*epsilon",
        "for every step",
    ),
    "a parameter called like a length": (
        lambda: hamiltonian(Symbol("d_theta", positive=True) * U),
        "d_theta",
        "two meanings",
    ),
    "an imaginary parameter": (
        lambda: hamiltonian(Symbol("k", imaginary=True) * U),
        "k",
        "not to be a real number",
    ),
    "a value that is not elementwise": (
        lambda: bind(
            hamiltonian(total(Function("g")(theta))), {Function("g"): theta * total(theta)}
        ),
        "elementwise g",
        "may use",
    ),
}


def mistakes(*tables: dict[str, Mistake]) -> pytest.MarkDecorator:
    cases = [pytest.param(*mistake, id=name) for table in tables for name, mistake in table.items()]
    return pytest.mark.parametrize(("build", "guilty", "repair"), cases)


def check_message(build: Callable[[], Any], guilty: str, repair: str) -> None:
    with pytest.raises(RecipeError) as caught:
        build()
    assert guilty in str(caught.value)
    assert repair in str(caught.value)


@mistakes(DECLARED, SHAPES, LENGTHS, BLOCKS, MATRICES, FORMS, MEANINGS, NAMES, ARGUMENTS)
def test_mistake_names_the_guilty_expression_and_the_repair(
    build: Callable[[], Any], guilty: str, repair: str
) -> None:
    check_message(build, guilty, repair)


@mistakes(OUTSIDE)
def test_what_the_calculus_cannot_hold_is_outside_the_language(
    build: Callable[[], Any], guilty: str, repair: str
) -> None:
    check_message(build, guilty, repair)
    with pytest.raises(OutsideLanguageError):
        build()


def test_a_float_is_the_decimal_that_was_written() -> None:
    with pytest.warns(DecimalWarning, match="0.1 is read as the decimal 1/10"):
        assert hamiltonian(0.1 * U).H == U / 10


def test_a_float_that_is_a_short_binary_number_needs_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hamiltonian(0.5 * U).H == U / 2


def test_derivatives_that_sympy_wrote_are_read() -> None:
    assert _read(G(theta).diff(theta)) == total(Jet(G(theta), (1,)))
    assert _read(G(theta**2).diff(theta)) == total(2 * theta * Jet(G(theta**2), (1,)))


def _read(e: Any) -> Any:
    return hamiltonian(total(e)).H


def test_a_simultaneous_rule_and_a_sequential_one_are_told_apart() -> None:
    assert not Update(epsilon, {theta: theta}, U).sequential
    assert Update(epsilon, [(theta, theta), (theta, theta)], U).sequential


def test_parameters_and_abstract_functions_are_listed() -> None:
    a, C = Parameter("a", like=theta, positive=True), Symbol("C", positive=True)
    recipe = Recipe(theta, U + total(a * theta), Matrix([[C * M]]), 0)
    assert recipe.parameters == (C, a)
    assert recipe.abstract == (M, U)
    assert rule(theta + sqrt(2 * C * epsilon) * w).parameters == (C,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Vector("theta", domain=Interval.open(0, oo)),
        lambda: Scalar("xi"),
        lambda: theta.dim,
        lambda: M,
        lambda: U,
        lambda: Field("F", theta, positive=True),
        lambda: Noise("w", like=theta, covariance=M),
        lambda: Parameter("a", like=theta),
    ],
)
def test_equal_declarations_are_equal(make: Callable[[], Any]) -> None:
    assert make() == make()
    assert hash(make()) == hash(make())
    assert make() - make() == 0
    assert make().compare(make()) == 0  # sympy orders the factors of a product by it


@pytest.mark.parametrize(
    "moved",
    [
        lambda: U.subs(theta, 2 * theta),
        lambda: grad(U, theta).subs(theta, theta + 1),
        lambda: grad(U, theta).subs({theta: theta + 1}),
        lambda: grad(U, theta).xreplace({theta: 2 * theta}),
        lambda: Field("G", theta).subs(theta, Integer(1)),
    ],
)
def test_an_abstract_function_has_no_value_at_another_point(moved):
    """sympy would leave the symbol as it is, and so take the value at the old point."""
    with pytest.raises(OutsideLanguageError, match=r"outside the language.*bind it first"):
        moved()
