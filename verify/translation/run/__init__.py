"""The functions ``step`` and ``run`` of a module, compared with the rule.

Imports ``verify.translation.loops`` and below.
"""
