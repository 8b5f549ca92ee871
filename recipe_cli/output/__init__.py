"""Files that a command writes: none is replaced by mistake, a claim keeps other commands off, and
draws are saved whatever happens.

Imports ``recipe_cli.errors``, ``codegen`` and ``recipe``.
"""
