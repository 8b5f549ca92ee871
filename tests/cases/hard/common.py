"""What the case files are made with: functions that return the verdict of one line as a string,
and for each class one that makes a case.

A case is its name, a function that asks for the verdict, the verdict that is true, and why.
"""

from sympy import Matrix, zeros

from recipe import Recipe, derive
from recipe.language.abstract import jets_from_sympy
from verify import verify


def zero(e):
    from verify.decide.zero.decide import decide_zero

    return decide_zero(jets_from_sympy(e)).verdict.value


def _line(declared, name):
    for line in verify(declared).lines:
        if line.name == name:
            return line.outcome.verdict.value
    return f"no line {name}"


def psd(state, D, H=None):
    from verify.decide.psd.decide import decide_psd

    state = state if isinstance(state, tuple) else (state,)
    D = Matrix(D) if isinstance(D, (list, Matrix)) else Matrix([[D]])
    n = len(state)
    return decide_psd(
        derive(Recipe(state, 0 if H is None else H, D, zeros(n))).dynamics
    ).verdict.value


def normalisable(H, *state):
    n = len(state)
    return _line(Recipe(state, H, zeros(n), zeros(n)), "normalisable")


def marginal(state, H, law):
    n = len(state)
    return _line(Recipe(state, H, Matrix.eye(n), zeros(n), marginal=law), "marginal")


def explosion(declared):
    return _line(declared, "non-explosion")


def uniqueness(declared):
    return _line(declared, "uniqueness")


def kernel(name, kernel):
    """The line ``name`` (``invariance``, ``detailed-balance`` or ``well-defined``), or the whole
    verdict for ``verdict``."""
    if name == "verdict":
        return verify(kernel).verdict.value
    return _line(kernel, name)


def zero_case(name, e, expected, why):
    return name, lambda: zero(e), expected, why


def psd_case(name, state, D, expected, why):
    return name, lambda: psd(state, D), expected, why


def normalisable_case(name, state, H, expected, why):
    return name, lambda: normalisable(H, *state), expected, why


def marginal_case(name, state, H, law, expected, why):
    return name, lambda: marginal(state, H, {state[0]: law}), expected, why


def explosion_case(name, make, expected, why, line=explosion):
    return name, lambda: line(make()), expected, why


def kernel_case(name, make, expected, why, line="invariance"):
    return name, lambda: kernel(line, make()), expected, why
