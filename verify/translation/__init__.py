"""Translation validation: read the text of a generated module back, and prove that it is its rule.

This is a second reading of the text, which shares no code with the printer. ``docs/translation.md``
says which texts can be read.
"""

from verify.translation.labels.validate import compare_labels, validate_labels, weights_agree
from verify.translation.parse.interface import Legend, Trusted
from verify.translation.validate import compare, is_agreement, validate

__all__ = [
    "Legend",
    "Trusted",
    "compare",
    "compare_labels",
    "is_agreement",
    "validate",
    "validate_labels",
    "weights_agree",
]
