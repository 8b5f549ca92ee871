"""Blocks that are called like fields of the state of a compiled sampler: nothing of them is lost
between two halves of a run.
"""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Matrix

from codegen import generate, sample
from codegen.device.random import KEYS
from codegen.lowering.names import RESERVED_FIELDS
from codegen.printing.module import ROWS
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

VALUES = np.random.default_rng(2).normal(size=(40, 2))


def langevin(name, *, data):
    block = Vector(name)
    U, X = Potential("U", block), Data("x", like=block)
    law = (
        Posterior(block, -total((X - block) ** 2) / 2, -total(block**2) / 2, {X: VALUES})
        if data
        else total(block**2) / 2
    )
    return bind(Recipe((block,), U, Matrix([[1]]), Matrix([[0]]), name="langevin"), {U: law}), block


def test_all_fields_of_our_own_are_reserved():
    assert {*ROWS, KEYS} == set(RESERVED_FIELDS)


@pytest.mark.slow
@pytest.mark.by_default("True-rows")
@pytest.mark.parametrize("name", [*RESERVED_FIELDS, "stopped", "invalid", "accepted"])
@pytest.mark.parametrize("data", [True, False])
def test_a_run_in_two_halves_is_the_run_in_one(tmp_path, name, data):
    what, block = langevin(name, data=data)
    options = {"step_size": 1e-3, "seed": 3, "progress": False} | (
        {"batch_size": 5} if data else {"lengths": {block: 2}}
    )
    whole = sample(what, steps=60, chains=2, **options)
    sample(what, steps=30, chains=2, checkpoint=tmp_path / "run", **options)
    again = sample(what, steps=60, chains=2, checkpoint=tmp_path / "run", **options)
    np.testing.assert_array_equal(whole[name], again[name])
    if not data:  # in bundles
        many = sample(what, steps=60, chains=70, **options)
        np.testing.assert_array_equal(whole[name], many[name][:2])


@pytest.mark.parametrize("name", RESERVED_FIELDS)
def test_what_is_left_out_of_a_checkpoint_is_no_block(name):
    what, _ = langevin(name, data=True)
    module = generate(what)
    assert not set(module.redrawn) & set(module.plan.fields.values())
