"""The declarations, checked when they are built, with the dynamics that follow from them and
the limit of a printed rule.

Imports ``recipe.language``.
"""
