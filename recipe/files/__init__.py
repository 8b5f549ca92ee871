"""Files that a reader finds whole or not at all, for certificates, modules and draws.

Imports ``recipe.language`` alone.
"""
