"""Found on 21 November 2026: the checker *confirmed* a marginal law that depends on what was
integrated out.
"""

from cases.certificate_of_sghmc import altered, findings, sghmc

from recipe import Potential, Vector

theta = Vector("theta")
U = Potential("U", theta)


def test_a_marginal_law_is_about_what_is_kept():
    assert findings(sghmc())["marginal"] == "confirmed"
    for U in (15, 14):  # H, and what is integrated out
        assert (
            findings(altered(sghmc(), ("subject", "marginal", 0, 1), U))["marginal"] != "confirmed"
        )
