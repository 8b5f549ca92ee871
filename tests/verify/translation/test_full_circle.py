"""The text of generated modules, run on symbols: ``step`` is the rule, coordinate by coordinate.

The proof of a translation reads the text of a module. Here the module runs, as plain Python, on
arrays that record what is done to them, and what comes out is proved equal to the rule.
"""

import inspect

import numpy as np
import pytest
import sympy
from cases.catalog_recipes import catalog_recipes
from helpers.plain_python import plainly

from codegen import generate
from recipe import Potential, discretised, grad
from recipe.language.blocks import Vector
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic, name_of
from recipe.lifting.coordinates import World, coordinates_of_code, coordinates_of_rule
from recipe.lifting.fronts.numpy.traced import Traced
from recipe.lifting.tracing.nodes_of import constants
from verify.decide.zero.decide import decide_zero

CASES = {
    "sgld": ("sgld", "euler"),
    "sghmc": ("sghmc", "euler"),
    "sghmc-semi": ("sghmc", "semi-implicit"),
    "sghmc-baoab": ("sghmc", "baoab"),
    "sghmc-obabo": ("sghmc", "obabo"),
    "sgnht": ("sgnht", "semi-implicit"),
    "sgnht-euler": ("sgnht", "euler"),
    "third": ("third_order_langevin", "euler"),
}
ELEMENTARY = ("exp", "expm1", "log", "log1p", "sin", "cos", "tanh")


def noises_of(rule):
    found = {generic(s) for _, e in rule.rule for s in e.atoms(Noise, ScalarNoise)}
    return sorted(found, key=name_of)


def as_function(text, recipe, rule, d):
    """``step`` of a module as a function that returns what it computes."""
    module = plainly(text)
    for name in ELEMENTARY:  # their accuracy is another matter
        setattr(module, name, getattr(np, name))
    blocks = [b.name for b in rule.state]
    parameters = [s.name for s in recipe.parameters]
    noises = [name_of(w) for w in noises_of(rule)]
    made = module.allocate(*(np.zeros(d if isinstance(b, Vector) else 1) for b in recipe.state))

    def step(**values):
        def gradient(out, *x):
            out[:] = values["g"](*x)

        own = {n: np.atleast_1d(values[n]) for n in blocks}
        scratch = {n: Traced(constants(x)) for n, x in made._asdict().items() if n.startswith("g_")}
        state = made._replace(**scratch, **own)
        out = state._replace(**{n: x.copy() for n, x in {**scratch, **own}.items()})
        params = module.Params(*(values[n] for n in parameters)) if parameters else ()
        noise = tuple(np.atleast_1d(values[n]) for n in noises)
        module.step(out, state, gradient, values[rule.step.name], params, noise)
        new = {b: getattr(out, b.name) for b in rule.state}
        return tuple(x if isinstance(b, Vector) else x[0] for b, x in new.items())

    names = [*blocks, rule.step.name, *parameters, *noises, "g"]
    step.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
    )
    return step


def both(name, scheme, d, change=lambda text: text):
    """The values of all coordinates by the module and by the rule."""
    recipe = catalog_recipes()[name]
    rule = discretised(recipe, scheme).update
    world = World({str(b.length): d for b in rule.state if isinstance(b, Vector)})
    (U,) = (s for s in rule.abstract if isinstance(s, Potential))
    function = as_function(change(generate(recipe, scheme=scheme).source), recipe, rule, d)
    code = coordinates_of_code(
        function,
        world,
        state={b.name: b for b in rule.state},
        step=rule.step,
        arguments={s.name: s for s in recipe.parameters},
        noise={name_of(w): w for w in noises_of(rule)},
        gradient={"g": grad(U, U.blocks[0])},
        library="numpy",
    )
    return code, coordinates_of_rule(rule, world)


def unequal(code, rule):
    """The coordinates that are not proved equal."""
    return [
        (block, i)
        for block, values in rule.items()
        for i, (x, y) in enumerate(zip(code[block], values, strict=True))
        if decide_zero(sympy.expand(x - y)).verdict.value != "proved"
    ]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_step_of_a_module_is_its_rule(name, d):
    code, rule = both(*CASES[name], d)
    assert sum(map(len, rule.values())) >= d
    assert unequal(code, rule) == []


MISTAKES = {
    "sgld": ("factor * w_theta", "2.0 * factor * w_theta"),
    "sghmc-baoab": ("factor_2 * r_new", "factor * r_new"),
    "sgnht": ("total / d_theta", "total / (d_theta + 1.0)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_text_is_seen(name):
    old, new = MISTAKES[name]

    def change(text):
        at = text.index("def add_sums" if name == "sgnht" else "def move_")
        assert old in text[at:]
        return text[:at] + text[at:].replace(old, new, 1)

    code, rule = both(*CASES[name], 2, change)
    assert unequal(code, rule)
