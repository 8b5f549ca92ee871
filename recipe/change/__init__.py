"""Turn a sampler into another one: in other variables (``ito``, ``corv``), or reflected at an edge
(``mirror``).

Imports ``recipe.declare`` and below.
"""
