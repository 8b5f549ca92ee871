# ruff: noqa: F403 - these names are listed once, in __all__ of their packages
import catalog as catalog
from codegen import *
from recipe import *
from verify import *

__version__: str
