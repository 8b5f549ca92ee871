"""Points of a declaration's domain with exact rational coordinates, and the values of expressions
there.

Imports ``verify.decide.identities``.
"""
