"""The syntax of a module: its functions, its names, and the meaning of its operators.

Imports ``verify.verdict`` alone of ``verify``.
"""
