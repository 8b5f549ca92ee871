"""Find what a command is about: declarations in a file, in code, or in the catalog, by an argument.

Imports ``recipe_cli.errors``, ``slips``, ``terminal`` and the catalog.
"""
