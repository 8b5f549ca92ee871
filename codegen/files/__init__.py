"""Files that are written whole or not at all and that only the user can write, and data files as
arrays.

Imports ``codegen.system``.
"""
