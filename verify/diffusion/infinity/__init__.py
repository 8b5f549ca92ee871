"""What happens far out: how functions grow, whether ``exp(-H)`` has a finite integral, whether the
process explodes.
"""
