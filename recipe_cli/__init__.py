"""The command ``recipe``.

It finds declarations, composes the packages below, prints, and ends with an exit status. It may
import ``recipe``, ``catalog``, ``verify`` and ``codegen``; nothing imports it. ``start`` imports
``recipe_sampler.one_distribution``, so that a package that hides ours is named in one sentence.
"""
