"""Proofs of signs from the assumptions on symbols and the conditions between parameters, and where
an expression is defined. It imports ``recipe.language``.
"""
