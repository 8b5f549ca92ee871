"""What a user says about a function that is read, and what the function takes and returns.

Imports ``recipe.lifting.tree`` and the language.
"""
