"""What is proved of a continuous process: where it goes, what stops it, which law it keeps; a
room for each question.

Imports ``verify.subject`` and ``verify.decide``.
"""
