"""Exact answers about expressions: Is it zero? Which sign does it have? Where is it defined? How
fast does it grow? Is a matrix positive semidefinite?

Imports ``verify.generator``, ``verify.verdict`` and ``verify.evidence``.
"""
