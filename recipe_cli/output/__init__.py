"""Output files: a command replaces no file by mistake, keeps other commands off its output, and
never loses draws.

Imports ``recipe_cli.errors``, ``codegen`` and ``recipe``.
"""
