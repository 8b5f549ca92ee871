"""Read an update rule out of the code that ships: from a Python function to an ``Update``.

``lift`` runs the function on arrays that record what is done to them (``fronts``), turns what was
recorded at several lengths into one rule of the generic coordinate (``tree``), and compares the
rule with the function in numbers. It may import numpy, and the library that the function is
written for.
"""
