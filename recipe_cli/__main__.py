"""``python -m recipe_cli`` is the command ``recipe``."""

from recipe_cli.start import main

main()
