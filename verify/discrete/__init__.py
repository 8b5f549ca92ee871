"""Proofs about a step at its own size, not in the limit of small steps: the order of its invariant
law (``weak_order``), linear steps in closed form (``linear``), exact transitions (``exact``).

Imports ``verify.subject`` and ``verify.decide``.
"""
