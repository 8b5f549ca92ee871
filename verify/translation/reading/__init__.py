"""Reading one function of a module: the value of each name, and the effect of each statement.

Imports ``state``, ``reference`` and ``parse`` of ``verify.translation``.
"""
