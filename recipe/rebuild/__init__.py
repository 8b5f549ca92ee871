"""A declaration built again: abstract functions with a meaning, one vector on several blocks,
every expression replaced.

Imports all of ``recipe`` but ``recipe.printing``.
"""
