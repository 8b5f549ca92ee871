"""How an expression behaves as a variable goes to infinity, or to zero.

Imports ``verify.decide.zero``.
"""
