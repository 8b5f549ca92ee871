"""What is known while a text is read: values, arrays, what stands at an index.

Imports ``verify.translation.reference`` and ``verify.translation.parse``.
"""
