"""Files that a reader finds whole or not at all, for certificates, modules and draws; the trees of
texts in Python.

Imports ``recipe.language`` alone.
"""
