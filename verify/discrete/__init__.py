"""What is proved of a step at its size: the order of its invariant law, closed forms of linear
steps, exact transitions.

Imports ``verify.subject`` and ``verify.decide``.
"""
