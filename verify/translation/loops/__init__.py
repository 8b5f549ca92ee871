"""The patterns of loops that can be read: one small file each, with the argument for its meaning.

Imports ``verify.translation.reading`` and below.
"""
