"""Proofs about a change of variable ``theta = f(phi)``: monotone, onto, Lipschitz, smooth, and
bounded steps at the boundary.
"""
