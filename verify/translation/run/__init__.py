"""The functions ``step`` and ``run`` of a module, beside the rule.

Imports ``verify.translation.loops`` and below.
"""
