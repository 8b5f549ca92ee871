"""All printing of the command: control characters are written out as escapes, and there is one
display of progress.

Imports ``recipe.language`` and rich.
"""
