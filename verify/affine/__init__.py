"""Schemes on a quadratic potential, exactly: one step is then an affine map with noise, ``z' = M z + m + N w``."""
