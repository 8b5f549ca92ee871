"""The text of a module taken apart: its functions, its names, the meaning of its operators.

Imports ``verify.verdict`` alone of ``verify``.
"""
