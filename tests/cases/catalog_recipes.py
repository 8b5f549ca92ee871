"""The recipes that the tests run over: every one bound at module level in the catalog."""

import importlib
import pkgutil

import catalog
from recipe import Recipe


def catalog_recipes() -> dict[str, Recipe]:
    found = {}
    for module in pkgutil.iter_modules(catalog.__path__):
        names = vars(importlib.import_module(f"catalog.{module.name}")) if not module.ispkg else {}
        found |= {name: value for name, value in names.items() if isinstance(value, Recipe)}
    return found
