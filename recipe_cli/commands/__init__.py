"""The commands, one file each: its arguments and options, the rooms that do its work in their
order, and its exit status.

Imports every other room of the command but ``main``.
"""
