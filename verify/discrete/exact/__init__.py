"""Transitions in closed form: the law that a rule draws from, against the generator of the
process.
"""
