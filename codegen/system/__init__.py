"""The surroundings of a run: memory, the settings of Numba, signals that stop a run, a terminal
that may go away.

Imports ``recipe`` alone.
"""
