"""Proofs of nonnegativity that a checker can read off: sums of squares, equal forms, elimination.

Imports ``verify.decide.zero``.
"""
