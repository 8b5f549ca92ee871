"""``recipe test``: the compiled program of a declaration, and its comparison with what was
declared.

Imports ``recipe_cli.program``, ``terminal``, ``declarations`` and the packages below.
"""
