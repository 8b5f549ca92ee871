"""Sandbox: a child process runs and verifies a recipe file. Its parent waits for it, stops it at a
limit, and starts another; only texts and verdicts pass between them.

Imports ``recipe_cli.declarations``, ``errors``, ``terminal`` and ``verify``.
"""
