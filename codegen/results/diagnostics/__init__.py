"""Diagnostics before draws are used: how far chains agree, how many independent draws
they are worth, and what to do about it.
"""
