"""What a text should compute: the rule as operations, and whether a value of the text is the
value of the rule.

Imports ``verify.decide`` and ``verify.translation.parse``.
"""
