"""A proof as plain data, for whoever does not trust this program, and whether one is about a given
recipe.
"""

from verify.certificate.write import canonical, certificate_of, digest_of

__all__ = ["canonical", "certificate_of", "digest_of"]
