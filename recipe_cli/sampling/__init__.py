"""Draws from a posterior, for ``recipe sample``: what is typed, and a run that is saved and shown.

Imports ``recipe_cli.program``, ``output``, ``render`` and the packages below.
"""
