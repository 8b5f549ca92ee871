"""Posteriors to try a sampler on, one a file, each with its data: ``recipe sample sghmc --posterior
breast_cancer`` or ``from catalog.posteriors.breast_cancer import posterior``.

The first paragraph of a file's docstring is its line in ``recipe list``. Imports the public
language of ``recipe``, sympy and numpy.
"""
