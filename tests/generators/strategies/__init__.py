"""Hypothesis strategies: declared samplers and mutants of them, laws to sample with exact draws,
and the numbers of a run.

All of them shrink towards what is short to read: one block, one coordinate, means of 0, scales of
1, no mutation but one.
"""
