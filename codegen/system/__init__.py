"""The surroundings of a run: memory, the settings of Numba, signals that stop a run, the
progress bar on a terminal that may go away.

Imports ``recipe`` alone.
"""
