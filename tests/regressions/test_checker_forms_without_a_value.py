"""Found on 21 November 2026: the checker *confirmed* forged certificates whose forms have a root of
a negative number, or a pole where a sign is claimed.
"""

import json

from sympy import (
    Interval,
    Symbol,
    oo,
)

from recipe import (
    Potential,
    Recipe,
    Vector,
)
from verify import verify
from verify.certificate import canonical, certificate_of, digest_of
from verify.checker import check

theta = Vector("theta")
U = Potential("U", theta)
A, eps = Symbol("A", positive=True), Symbol("epsilon", positive=True)


def certificate(declared):
    return json.loads(canonical(certificate_of(declared, verify(declared))))


x = Vector("theta", domain=Interval.open(0, oo))


class Forged:
    """The certificate of a recipe with some D, to be given other steps."""

    def __init__(self, D):
        self.data = certificate(Recipe((theta,), U, D, 0))
        self.nodes = self.data["nodes"]
        self.steps = next(
            o["steps"] for o in self.data["obligations"] if o["name"] == "diffusion-psd"
        )
        self.D = self.data["subject"]["D"][0][0]["diagonal"]

    def node(self, *node):
        if list(node) not in self.nodes:
            self.nodes.append(list(node))
        return self.nodes.index(list(node))

    def factor(self, diagonal, weight, form):
        zero = self.node("num", 0, 1)
        column = {
            "length": "d_theta",
            "rows": {"theta": {"diagonal": diagonal, "kernel": zero}},
            "weight": weight,
            "matrix": None,
        }
        sign = {"kind": "sign", "e": weight, "sign": ">= 0", "form": form}
        self.steps[:] = [{"kind": "factor", "columns": [column], "signs": [sign]}]

    def checked(self):
        return check(self.data | {"sha256": digest_of(self.data)}).status


def test_a_root_of_what_may_be_negative_proves_no_sign():
    forged = Forged(A)
    one, two, half = (forged.node("num", *n) for n in ((1, 1), (2, 1), (1, 2)))
    root = forged.node("^", forged.D, half)
    forged.factor(one, forged.D, forged.D)
    assert forged.checked() == "confirmed"
    forged.data["symbols"]["A"]["facts"] = []  # D = A of either sign
    assert forged.checked() != "confirmed"
    for form in (("*", root, root), ("^", root, two)):
        forged.factor(one, forged.D, forged.node(*form))
        assert forged.checked() != "confirmed"
    forged.factor(root, one, one)
    assert forged.checked() != "confirmed"


def test_a_pole_of_a_form_proves_nothing_about_a_zero():
    forged = Forged(A)
    minus_one, zero = forged.node("num", -1, 1), forged.node("num", 0, 1)
    x = forged.node("at", "theta", 1)
    inverse = forged.node("^", x, minus_one)
    total_of_0_over_x = forged.node("total", forged.node("*", zero, inverse), "d_theta", 1)
    forged.data["subject"]["H"] = forged.node("+", forged.data["subject"]["H"], total_of_0_over_x)
    well_defined = next(o for o in forged.data["obligations"] if o["name"] == "well-defined")
    well_defined["steps"] = [
        {"kind": "sign", "e": x, "sign": "!= 0", "form": forged.node("^", inverse, minus_one)}
    ]
    assert forged.checked() == "not confirmed"
