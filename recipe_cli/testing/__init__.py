"""The compiled program of a declaration beside what was declared, for ``recipe test``: what is
typed, the program, and the comparisons of ``verify.statistics`` that it takes part in.

Imports ``recipe_cli.program``, ``terminal``, ``declarations`` and the packages below.
"""
