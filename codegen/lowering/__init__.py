"""Lowering: from a rule or a kernel to a plan, a list of statements whose expressions stay finite.

The instructions that printed functions are made of (``program``) are here as well.

Imports ``recipe``, and the names that ``device`` takes; a plan knows nothing of the text that it
becomes.
"""
