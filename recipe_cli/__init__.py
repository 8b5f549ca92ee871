"""The command ``recipe``.

It finds declarations, composes the packages below, prints, and ends with an exit status. It may
import ``recipe``, ``catalog``, ``verify`` and ``codegen``; only its entry point,
``recipe_sampler.command``, imports it, after the check ``recipe_sampler.one_distribution``.
"""
