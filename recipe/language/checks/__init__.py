"""What a user writes, read and checked: expressions, matrices, operators, numbers of parameters.

Imports ``recipe.language``.
"""
