"""One file a command: its arguments and options, the rooms that do its work, in their order, and
the status that it ends with.

Imports every other room of the command but ``main``.
"""
