"""The state of a reading: values of names, contents of arrays, and what an index selects.

Imports ``verify.translation.reference`` and ``verify.translation.parse``.
"""
