"""Proofs about a continuous process: how far it goes, what happens at edges, which law it keeps.
One room for each question.

Imports ``verify.subject`` and ``verify.decide``.
"""
