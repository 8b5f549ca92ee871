"""From a rule or a kernel to a plan, a list of statements whose expressions stay finite; and the
program tree that the functions of a module are made of.

Imports ``recipe``, and the names that ``device`` takes; a plan knows nothing of the text that it
becomes.
"""
