"""Make ``python -m recipe_cli`` the command ``recipe``."""

from recipe_cli.start import main

main()
