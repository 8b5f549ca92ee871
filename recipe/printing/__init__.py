"""Print declarations and derivations as text, LaTeX and plain data.

Imports ``recipe.kernel`` and below; a declaration imports it on first use.
"""
