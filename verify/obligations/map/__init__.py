"""Obligations of a change of variable ``theta = f(phi)``.

Imports ``verify.diffusion.change_of_variable``.
"""
