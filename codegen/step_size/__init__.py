"""Advice on the step size: a refusal before a run, where the noise budget is exceeded, and warnings
after it.

Imports ``codegen.running`` and below.
"""
