"""Generate and compile a chain of so many blocks, and print the seconds of both (see growth.py)."""

import json
import sys
from time import process_time

import numpy as np
from sympy import Function, Matrix, Symbol

from codegen import generate
from recipe import Recipe, Vector, bind, total


def chain(n: int) -> Recipe:
    """Vector blocks, each coupled to the next, with friction on the last and a metric on the
    first.
    """
    first = Vector("z0")
    blocks = [first, *(Vector(f"z{k}", like=first) for k in range(1, n))]
    G = Function("G", positive=True)
    Q = Matrix.zeros(n, n)
    for k in range(n - 1):
        Q[k, k + 1], Q[k + 1, k] = (-1, 1) if k else (-G(first), G(first))
    D = Matrix.zeros(n, n)
    D[n - 1, n - 1] = Symbol("C", positive=True)
    recipe = Recipe(tuple(blocks), sum(total(b**2) / 2 for b in blocks), D, Q)
    return bind(recipe, {G: 1 / (1 + first**2)})


if __name__ == "__main__":
    blocks = int(sys.argv[1])
    recipe = chain(blocks)
    began = process_time()
    module = generate(recipe)
    generated = process_time()
    loaded = module.load()
    state = loaded.allocate(*(np.zeros(100) for _ in range(blocks)))
    draws = loaded.Draws(*(np.zeros((0, 100)) for _ in range(blocks)))
    loaded.run(state, draws, (), (), 0.01, loaded.Params(1.0), np.uint64(1), 0, 0, 10, 0, 1)
    print(json.dumps([generated - began, process_time() - generated]))
