"""Found on 22 November 2026: a module that records theta = f(phi) without asking whether it is
finite was *proved* to be its rule. No number shows the difference, so it is undecided.
"""

from cases.lookalike_texts import called as named
from cases.lookalike_texts import changed


def test_an_image_that_is_recorded_is_looked_at():
    assert (
        named("corv").verdict(changed("corv", "run", "finite &= record_phi(", "record_phi("))
        == "undecided"
    )
