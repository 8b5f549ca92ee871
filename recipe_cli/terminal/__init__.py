"""The only room from which the command prints: it writes out control characters, and has the one
display of progress.

Imports ``recipe.language`` and rich.
"""
