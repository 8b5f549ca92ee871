"""Behaviour at infinity: how fast functions grow, whether ``exp(-H)`` has a finite integral,
whether the process explodes.
"""
