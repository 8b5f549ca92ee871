"""Zero testing: a canonical form proves that an expression is zero, an exact point that it is
not.
"""
