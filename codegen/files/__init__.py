"""Files that only the user can write, and data files as arrays.

Imports ``codegen.system``.
"""
