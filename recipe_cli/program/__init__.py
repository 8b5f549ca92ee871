"""From a declaration to a module whose text is proved: checks of this machine, the verdict on the
sampler, and the proof that the text is the declared step.

Imports ``recipe_cli.sandbox``, ``output``, ``terminal``, ``declarations`` and the packages below.
"""
