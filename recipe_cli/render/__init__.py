"""Results as text, tables, pictures and plain data, and the exit status of verdicts.

Imports the verdicts and findings of ``recipe_cli.sandbox`` and ``testing``, and ``terminal``.
"""
