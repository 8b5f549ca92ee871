"""Transformations of blocks: maps of one coordinate or of all together, blocks of increasing
numbers, and blocks that stand for their images.

Imports ``recipe.language``.
"""
