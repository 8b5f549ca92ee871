"""Translation validation: the text of a generated module is read back, and proved to be the rule
that it was made from.

A second reading of the text, which shares no code with what prints it. ``docs/translation.md`` says
what is read and what is not.
"""

from verify.translation.parse.interface import Legend, Trusted
from verify.translation.validate import validate

__all__ = ["Legend", "Trusted", "validate"]
