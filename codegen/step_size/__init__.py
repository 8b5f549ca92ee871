"""What is said of a step size: before a run by the noise budget, after it by the kernel itself.

Imports ``codegen.running`` and below.
"""
