"""A recipe file is run and verified in a process of its own, which its parent waits for, stops, and
replaces: only text and verdicts pass between them.

Imports ``recipe_cli.declarations``, ``errors``, ``terminal`` and ``verify``.
"""
