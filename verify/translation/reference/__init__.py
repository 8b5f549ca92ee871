"""The reference: the rule as a list of operations, and proofs that a value of the text is its
value.

Imports ``verify.decide`` and ``verify.translation.parse``.
"""
