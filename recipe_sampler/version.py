"""The version of the distribution, in its only place."""

__version__ = "0.2.0"
