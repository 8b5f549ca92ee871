"""Obligations of a diffusion process that a recipe or a claim declares.

Imports ``verify.diffusion``, ``verify.audit`` and below.
"""
