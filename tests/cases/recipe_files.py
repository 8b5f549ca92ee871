"""Texts of recipe files: a claim that is refuted, and a recipe that is undecided."""

HEAD = """
from sympy import *
from recipe import *
theta = Vector("theta"); r = Vector("r", like=theta)
U = Potential("U", theta); eps = Symbol("eps", positive=True)
w = Noise("w", like=theta)
"""
WRONG = HEAD + "wrong = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(eps) * w}, U)\n"
HALF_LINE = 'half = Vector("half", domain=Interval.open(0, oo))\n'
UNDECIDED = (
    HEAD
    + HALF_LINE
    + 'open_question = Recipe((half,), Potential("V", half), 1, 0)  # what V does at 0 is'
    " unknown\n"
)


def file(tmp_path, text, name="sampler.py"):
    path = tmp_path / name
    path.write_text(text)
    return path
