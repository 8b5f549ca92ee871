"""Identities between functions as passes over expressions, a bound that tells an algebraic number
from 0, and which expressions are smooth on a connected domain. It imports ``recipe``.
"""
