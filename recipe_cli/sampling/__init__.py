"""``recipe sample``: the options of a run, and a run whose draws are saved and shown.

Imports ``recipe_cli.program``, ``output``, ``render`` and the packages below.
"""
