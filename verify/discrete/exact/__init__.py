"""Exact transitions: the law that a rule draws from, compared with the generator of the process."""
