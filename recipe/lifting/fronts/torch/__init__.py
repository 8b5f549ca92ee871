"""Functions of PyTorch, on tensors that record.

Imports ``recipe.lifting.fronts.numpy``.
"""
