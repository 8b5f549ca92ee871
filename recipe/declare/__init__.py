"""Declarations, which are checked when they are built: samplers, update rules, posteriors, maps and
reflections; also the dynamics of a sampler and the limit of a rule.

Imports ``recipe.language``.
"""
