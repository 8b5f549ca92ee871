"""Discrete latent variables of a datum: labels of its items, their joint law with the datum, and
the conditional laws and gradients that follow from it (``docs/decisions/0050``).
"""
