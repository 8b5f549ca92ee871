"""Reading one function of a module: what each name stands for, and what each statement does to
the state.

Imports ``state``, ``reference`` and ``parse`` of ``verify.translation``.
"""
