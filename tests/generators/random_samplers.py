"""The stated class of random samplers, family by family; ``random_cases`` numbers them and makes
mutants of them.

* ``blocks``: one to three blocks, vectors of up to two symbolic lengths and scalars; H of
  elementwise, nonlocal and abstract words; Q any skew matrix of diagonal, low-rank and ``Dense``
  entries, columns and rows; D = B W B^T by construction, of up to two blocks of columns (a column a
  length, or a single one; borders between vectors and scalars; positive definite ``Dense``), with
  squares or positive functions as weights;
* ``any D``: the same with any symmetric D, most of them not positive semidefinite;
* ``edges``: a domain with an edge for each coordinate, (0, oo) or (0, 1), with powers, roots and
  logarithms, with and without a momentum;
* ``scalars``: two or three scalars, dense D = B W B^T (factored or multiplied out) and dense Q,
  with logistic and softplus functions, roots of fractional order, exponentials, and a ``Potential``
  of all of them;
* ``fisher``: the metric 1 + sum of p (1 - p) a a^T of a logistic model in two scalars, or its
  inverse, as D;
* ``published``: momentum methods at a temperature, in a metric of the positions, with a thermostat
  or without one, with the rule as it would be printed, and their marginal;
* ``claims``: update rules of the diffusions of ``blocks``, noise by noise, simultaneous or
  sequential.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from sympy import (
    Add,
    Expr,
    Function,
    Integer,
    Interval,
    Matrix,
    Rational,
    Symbol,
    cos,
    exp,
    log,
    oo,
    sin,
    sqrt,
    tanh,
)

from generators.random_recipes import STATES, Vocabulary, alpha
from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    derive,
    div,
    grad,
    outer,
    total,
)
from recipe.language.blocks import Block

epsilon = Symbol("epsilon", positive=True)
beta = Symbol("beta", real=True)


# -- words
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Speaker:
    """Draws expressions of one state."""

    random: Random
    words: Vocabulary

    def chance(self, p: float = 0.5) -> bool:
        return self.random.random() < p

    def local(self, block: Vector) -> Expr:
        words = self.words.local_words(block)
        a, b = self.random.choice(words), self.random.choice(words)
        return self.random.choice([a, a, a * b, a + 2 * b])

    def number(self) -> Expr:
        return self.random.choice(self.words.number_words)

    def of(self, block: Block) -> Expr:
        return self.local(block) if isinstance(block, Vector) else self.number()

    def hamiltonian(self) -> Expr:
        def term() -> Expr:
            block = self.random.choice(self.words.state)
            if isinstance(block, Vector) and self.chance(0.6):
                return total(self.local(block), over=block)
            return self.random.choice(
                [Potential("U", *self.words.state), self.number() * self.number()]
            )

        return term() + term() / 2 - term() / 3

    def coupling(self, row: Block, column: Block) -> tuple[Expr, Expr]:
        """An entry off the diagonal, and the same entry seen from the other side."""
        if not (isinstance(row, Vector) and isinstance(column, Vector)):
            e = self.of(row if isinstance(row, Vector) else column)
            return e, e
        u, v, c = self.local(row), self.local(column), self.number()
        low_rank = c * outer(u, v), c * outer(v, u)
        if row.length != column.length:
            return low_rank
        same = self.random.choice(
            [self.local(row), self.local(row), c, c * Dense(f"M_{row.length}", row, symmetric=True)]
        )
        return (low_rank[0] + same, low_rank[1] + same) if self.chance(0.25) else (same, same)

    def wedge(self, block: Block) -> Expr:
        """A diagonal entry of Q."""
        if not isinstance(block, Vector) or self.chance(0.6):
            return Integer(0)
        u, v = self.local(block), self.local(block)
        c = self.number()
        return c * outer(u, v) - c * outer(v, u)

    def skew(self) -> Matrix:
        Q = Matrix.zeros(len(self.words.state))
        for a, row in enumerate(self.words.state):
            Q[a, a] = self.wedge(row)
            for b, column in enumerate(self.words.state[:a]):
                if self.chance():
                    upper, lower = self.coupling(column, row)
                    Q[b, a], Q[a, b] = upper, -lower
        return Q

    def nonnegative(self, e: Expr) -> Expr:
        """Something that is not negative, of ``e``."""
        return self.random.choice(
            [Integer(1), alpha, e**2, exp(e), 1 / (1 + e**2), 1 + e**2, log(1 + exp(e))]
        )


def speaker(random: Random, largest_state: int = 3) -> Speaker:
    return Speaker(
        random, Vocabulary(random.choice([s for s in STATES if len(s) <= largest_state]))
    )


@dataclass(frozen=True)
class ColumnsOfRoot:
    """Columns of B, one a coordinate of ``along``, or with None a single one: the weight in W, and
    the entry of each block.
    """

    along: Vector | None
    weight: Expr
    entries: dict[Block, Expr]


def root(s: Speaker, unit_weights: bool = False) -> list[ColumnsOfRoot]:
    """Columns of a random factor."""
    state, found = s.words.state, []
    for _ in range(s.random.choice([1, 1, 2])):
        along = s.random.choice([*s.words.vectors, None]) if s.words.vectors else None
        fitting = [
            b
            for b in state
            if along is None or not isinstance(b, Vector) or b.length == along.length
        ]
        chosen = [b for b in fitting if s.chance(0.6)] or fitting[:1]
        entries = {
            b: s.of(b) if along is None or isinstance(b, Vector) else s.local(along) for b in chosen
        }
        if along is not None and not any(isinstance(b, Vector) for b in chosen):
            entries[along] = s.local(along)
        weight = (
            Integer(1)
            if unit_weights
            else s.nonnegative(s.number() if along is None else s.local(along))
        )
        found.append(ColumnsOfRoot(along, weight, entries))
    return found


def square(state: tuple[Block, ...], columns: list[ColumnsOfRoot]) -> Matrix:
    """``B W B^T`` as a matrix of the language."""

    def product(c: ColumnsOfRoot, row: Block, column: Block) -> Expr:
        u, v = c.entries[row], c.entries[column]
        vectors = isinstance(row, Vector), isinstance(column, Vector)
        if c.along is None and all(vectors):
            return c.weight * outer(u, v)
        if c.along is not None and not any(vectors):
            return total(c.weight * u * v, over=c.along)
        return c.weight * u * v

    def entry(a: int, b: int) -> Expr:
        return Add(
            *(
                product(c, state[a], state[b])
                for c in columns
                if {state[a], state[b]} <= c.entries.keys()
            )
        )

    return Matrix(len(state), len(state), entry)


# -- families
# --------------------------------------------------------------------------------------------------


def blocks(random: Random) -> tuple[Recipe, bool]:
    s = speaker(random)
    D = square(s.words.state, root(s))
    for k, block in enumerate(s.words.state):
        if isinstance(block, Vector) and s.chance(0.15):
            D[k, k] += s.nonnegative(s.number()) * Dense(f"S_{block.length}", block, positive=True)
    return Recipe(s.words.state, s.hamiltonian(), D, s.skew()), True


def any_symmetric(random: Random, largest_state: int = 3) -> tuple[Recipe, bool]:
    s = speaker(random, largest_state)
    D = Matrix.zeros(len(s.words.state))
    for a, row in enumerate(s.words.state):
        pair = s.coupling(row, row)
        D[a, a] = pair[0] + pair[1] if isinstance(row, Vector) and s.chance() else s.of(row)
        for b, column in enumerate(s.words.state[:a]):
            if s.chance():
                D[b, a], D[a, b] = s.coupling(column, row)
    return Recipe(s.words.state, s.hamiltonian(), D, s.skew()), False


def edges(random: Random) -> tuple[Recipe, bool]:
    bounded = random.random() < 0.5
    kind = random.choice([Vector, Scalar])
    q = kind("q", domain=Interval.open(0, 1 if bounded else oo))
    p = Vector("p", like=q) if kind is Vector else Scalar("p")
    words = [
        q,
        sqrt(q),
        q**2,
        q ** Rational(1, 3),
        q**alpha,
        alpha * q,
        exp(-q),
        1 / q,
        1 + log(1 + q),
    ]
    words += (
        [q * (1 - q), sqrt(q * (1 - q)), 1 - q, -log(q)]
        if bounded
        else [q / (1 + q), 1 / (1 + q), log(1 + q)]
    )
    law = (
        alpha * q
        - beta * log(q)
        + (
            random.choice([Integer(0), -2 * log(1 - q)])
            if bounded
            else random.choice([1 / q, q**2, 0 * q])
        )
    )

    def summed(e: Expr) -> Expr:
        return total(e, over=q) if isinstance(q, Vector) else e

    H = summed(law) + random.choice([Integer(0), Potential("U", q)])
    m, D = random.choice(words), random.choice(words) * random.choice([*words, 1])
    if random.random() < 0.4:
        return Recipe((q,), H, D, 0), True
    D = Matrix([[random.choice([0, D]), 0], [0, random.choice(words)]])
    return Recipe((q, p), H + summed(p**2) / 2, D, Matrix([[0, -m], [m, 0]])), True


def scalars(random: Random) -> tuple[Recipe, bool]:
    state = tuple(Scalar(n) for n in random.choice(["xy", "xyz"]))
    x, y = state[:2]
    words = [
        Integer(1),
        alpha,
        *state,
        x * y,
        x**2,
        sin(x),
        cos(y),
        tanh(y),
        exp(x),
        1 / (1 + exp(-x)),
        log(1 + exp(y)),
        sqrt(1 + x**2),
    ]
    words += [(1 + y**2) ** Rational(1, 3), 1 / (1 + x**2), 1 / (1 + x**2 + y**2), x / (1 + y**2)]

    def word() -> Expr:
        return random.choice(
            [
                Integer(0),
                random.choice(words),
                random.choice(words),
                random.choice(words) * random.choice(state),
            ]
        )

    n = len(state)
    B = Matrix(n, random.choice([1, 2]), lambda a, b: word())
    W = Matrix.diag(
        *(
            random.choice([1, alpha, x**2, exp(y), 1 + x**2, 1 / (1 + exp(-x))])
            for _ in range(B.cols)
        )
    )
    D = B * W * B.T
    D = D.expand() if random.random() < 0.5 else D
    Q = Matrix.zeros(n)
    for a in range(n):
        for b in range(a):
            Q[a, b] = word()
            Q[b, a] = -Q[a, b]
    H = (
        x**2 / 2
        + y**4
        + random.choice(
            [Potential("U", *state), x**2 * y**2, log(1 + exp(x * y)), sqrt(1 + x**2 + y**2)]
        )
        + word()
    )
    return Recipe(state, H, D, Q), True


def fisher(random: Random) -> tuple[Recipe, bool]:
    x, y = Scalar("x"), Scalar("y")
    rows = random.sample([(1, 0), (0, 1), (1, 1), (1, -1), (2, 1)], random.choice([1, 2]))
    metric = Matrix.eye(2)
    for a, b in rows:
        e = exp(a * x + b * y)
        metric += e / (1 + e) ** 2 * Matrix([[a * a, a * b], [a * b, b * b]])
    determinant = (metric[0, 0] * metric[1, 1] - metric[0, 1] ** 2).expand()
    inverse = Matrix([[metric[1, 1], -metric[0, 1]], [-metric[0, 1], metric[0, 0]]]) / determinant
    c = random.choice([Integer(0), x, sin(y), alpha])
    U = random.choice([Potential("U", x, y), x**2 + y**2 / 2 + log(1 + exp(x - y))])
    return (
        Recipe((x, y), U, random.choice([metric, metric, inverse]), Matrix([[0, -c], [c, 0]])),
        True,
    )


def published(random: Random, gamma: int = 1) -> tuple[Recipe, bool]:
    """Momentum methods at temperature T: H = (U + K) / T, D = T F on the momentum, Q = T J with a
    metric m in J.

    ``gamma`` multiplies the correction in the printed rule.
    """
    theta, T = Vector("theta"), Symbol("T", positive=True)
    r, xi, U = Vector("r", like=theta), Scalar("xi"), Potential("U", theta)
    metrics = [
        Integer(1),
        Function("G", positive=True)(theta),
        Field("P", theta, positive=True),
        1 + theta**2,
        log(1 + exp(theta)),
        1 / (1 + exp(-theta)),
        exp(theta),
        sqrt(1 + theta**2),
        (1 + theta**2) ** Rational(1, 3),
        1 / (1 + total(theta**2)),
    ]
    g, F = random.choice(metrics), random.choice([alpha, *metrics])
    m = random.choice([g, 1 / g, sqrt(g)])
    w, mass = Noise("w", like=r), random.choice([Integer(1), alpha])
    thermostat = random.random() < 0.3
    K = total(r**2) / (2 * mass) + (theta.dim * xi**2 / 2 if thermostat else 0)
    rule = {
        theta: theta + epsilon * m * r / mass,
        r: (
            r
            - epsilon * (m * grad(U, theta) - gamma * T * div(m, theta))
            - epsilon * F * r / mass
            + sqrt(2 * epsilon * T * F) * w
        ),
    }
    state: tuple[Block, ...] = (theta, r)
    D, Q = Matrix([[0, 0], [0, T * F]]), Matrix([[0, -T * m], [T * m, 0]])
    if thermostat:
        D, Q = (
            D.row_join(Matrix([0, 0])).col_join(Matrix([[0, 0, 0]])),
            Q.row_join(Matrix([0, 0])).col_join(Matrix([[0, 0, 0]])),
        )
        Q[1, 2], Q[2, 1] = T * r / theta.dim, -T * r / theta.dim
        state = (theta, r, xi)
        rule[r] -= epsilon * xi * r
        rule[xi] = xi + epsilon * (total(r**2) / mass / theta.dim - T)
    H = (U + K) / T
    return Recipe(state, H, D, Q, marginal={theta: U / T}, update=Update(epsilon, rule, H)), True


def claims(random: Random, gamma: int = 1) -> tuple[Update, bool]:
    """The rule of a diffusion of ``blocks`` with a root that is known; ``gamma`` multiplies the
    correction.
    """
    s = speaker(random, largest_state=2)
    columns = root(s, unit_weights=True)
    recipe = Recipe(s.words.state, s.hamiltonian(), square(s.words.state, columns), s.skew())
    derived = derive(recipe)
    rule = {
        b: b + epsilon * (f + (gamma - 1) * derived.gamma[b])
        for b, f in derived.dynamics.drift.items()
    }
    for k, c in enumerate(columns):
        noise = Noise(f"w{k}", like=c.along if c.along is not None else Scalar("one"))
        for block, e in c.entries.items():
            moved = e * noise if isinstance(block, Vector) or c.along is None else total(e * noise)
            rule[block] += sqrt(2 * epsilon) * moved
    simultaneous = random.random() < 0.6 or len(columns) > 1
    return Update(epsilon, rule if simultaneous else list(rule.items()), recipe.H), True
