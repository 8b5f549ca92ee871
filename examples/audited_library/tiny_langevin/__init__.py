"""Two samplers in numpy."""

from tiny_langevin.samplers import sghmc, sgld

__all__ = ["sghmc", "sgld"]
