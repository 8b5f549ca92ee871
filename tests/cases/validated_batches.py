"""Modules of many chains that are validated, each made once."""

from functools import cache

from cases.many_chains import CASES, SCHEMES
from cases.translations import Case, step
from recipe import Kernel, Update


@cache
def made(name):
    what = CASES[name]
    return (
        Case(what)
        if isinstance(what, Update | Kernel)
        else step(what, SCHEMES.get(name, "semi-implicit"))
    )
