"""Obligations of a discrete step at its size.

Imports ``verify.discrete`` and below.
"""
