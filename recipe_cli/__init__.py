"""The command ``recipe``."""
