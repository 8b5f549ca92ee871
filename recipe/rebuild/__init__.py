"""Build a declaration again: bind abstract functions, spread one vector over several blocks,
replace every expression.

Imports all of ``recipe`` but ``recipe.printing``.
"""
