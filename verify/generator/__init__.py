"""The current of ``exp(-H)`` and the generator of the process, as expressions.

Imports ``recipe`` alone.
"""
