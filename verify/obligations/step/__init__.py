"""Obligations of a discrete step at its own step size.

Imports ``verify.discrete`` and below.
"""
