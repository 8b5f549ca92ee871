"""``python -m recipe_cli`` is the command ``recipe``."""

from recipe_cli.main import main

main()
