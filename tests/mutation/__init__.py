"""Mutants of samplers: small changes with a name, and who notices them.

``of_recipes``, ``of_rules``, ``of_kernels`` and ``of_sources`` make them, by operators that know
nothing of the sampler that they change; ``originals`` says who judges which; ``proofs``,
``translation`` and ``statistics`` judge; ``score`` counts.
"""
