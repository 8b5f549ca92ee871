"""Obligations of a change of variable.

Imports ``verify.diffusion.change_of_variable``.
"""
