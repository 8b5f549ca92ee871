"""Chains: compiled, in batches and threads, with checkpoints from which they go on.

Imports ``codegen.inputs`` and below.
"""
