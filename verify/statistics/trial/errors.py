"""The exception of a trial."""


class NothingToCompareError(Exception):
    """No exact null is known for this sampler: there is nothing to compare a program with."""
