"""Exact linear algebra: equations and inverses over any field, linear programs, and definiteness
of symmetric matrices. A pivot is an element that was decided to be nonzero. Eigenvalues alone are
in floating point, for proposals.

Imports nothing of ``verify``. Eliminations whose pivots need a proof of their sign, or relations
between roots, are in ``verify.decide.psd``.
"""
