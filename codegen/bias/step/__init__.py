"""The compiled step of a run as a function: of a point, of its random numbers, and of the rows of
the data that it reads.

Imports ``codegen.running`` and below.
"""
