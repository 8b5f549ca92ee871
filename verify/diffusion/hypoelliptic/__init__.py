"""Where the noise goes: blocks that it moves by itself, and blocks that it reaches through the
drift.
"""
