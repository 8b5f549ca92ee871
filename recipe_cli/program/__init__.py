"""From a declaration to the text of a module: whether this machine can carry it out, what the
verifier says of the sampler, and the proof that the text is the step.

Imports ``recipe_cli.sandbox``, ``output``, ``terminal``, ``declarations`` and the packages below.
"""
