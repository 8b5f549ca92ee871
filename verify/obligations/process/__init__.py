"""Obligations of a continuous process, its recipe or claim.

Imports ``verify.diffusion``, ``verify.audit`` and below.
"""
