"""What a command shows, in words, tables, pictures and plain data, and the exit status of verdicts.

Imports the verdicts and findings of ``recipe_cli.sandbox`` and ``testing``, and ``terminal``.
"""
