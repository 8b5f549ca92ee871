"""Make ``python -m recipe_cli`` the command ``recipe``."""

from recipe_sampler.command import main

main()
