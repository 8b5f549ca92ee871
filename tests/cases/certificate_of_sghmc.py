"""A certificate of SGHMC, written by hand, with places in it that are altered."""

import copy

from sympy import (
    Symbol,
)

from verify import checker
from verify.checker import CertificateError, check

x, y = Symbol("x"), Symbol("y")  # of no declared sign, so that sympy leaves roots of squares alone


def sghmc() -> dict:
    """Friction C and unit mass; the momentum moves by the gradient at the new position."""
    nodes = [
        ["num", 0, 1], ["num", 1, 1], ["num", -1, 1], ["num", 2, 1], ["num", 1, 2], ["sym", "C"],
        ["sym", "eps"], ["at", "theta", 0], ["at", "r", 0], ["at", "w", 0], ["at", "r", 1],
        ["^", 10, 3], ["total", 11, "d", 1], ["value", "U", None], ["*", 4, 12], ["+", 13, 14],
        ["d", "U", None, [["theta", 0]]], ["*", 2, 16], ["*", 2, 5, 8], ["+", 17, 18], ["*", 6, 8],
        ["+", 7, 20], ["*", 6, 19], ["*", 3, 5, 6], ["^", 23, 4], ["*", 24, 9], ["+", 8, 22, 25],
    ]  # fmt: skip
    block = {"kind": "vector", "facts": [], "domain": None, "length": "d"}
    symbols = {
        "theta": block,
        "r": block,
        "w": block | {"kind": "vector noise"},
        "C": {"kind": "parameter", "facts": ["positive"], "domain": None},
        "eps": {"kind": "step", "facts": ["positive"], "domain": None},
    }

    def entry(k):
        return {"diagonal": k, "kernel": 0}

    subject = {
        "name": "sghmc",
        "kind": "recipe",
        "state": ["theta", "r"],
        "H": 15,
        "D": [[entry(0), entry(0)], [entry(0), entry(5)]],
        "Q": [[entry(0), entry(2)], [entry(1), entry(0)]],
        "drift": {"theta": 8, "r": 19},
        "marginal": [[["theta"], 13]],
        "update": {
            "step": "eps",
            "sequential": True,
            "rule": [["theta", 21], ["r", 26]],
            "target": 15,
        },
    }
    names = [
        "well-defined",
        "diffusion-symmetric",
        "curl-skew",
        "diffusion-psd",
        "stationarity",
        "agrees-with-update",
        "marginal",
    ]
    return signed(nodes, symbols, subject, names)


def signed(nodes, symbols, subject, names) -> dict:
    obligations = [
        {
            "name": x,
            "verdict": "proved",
            "required": True,
            "by": "hand",
            "assumptions": [],
            "steps": [],
        }
        for x in names
    ]
    certificate = {
        "version": 2, "recipe_version": "0", "scope": "every d", "lengths": ["d"],
        "symbols": symbols, "nodes": nodes,
        "functions": {"U": {"kind": "potential", "blocks": ["theta"]}}, "subject": subject,
        "obligations": obligations, "left_out": [],
    }  # fmt: skip
    return resigned(certificate)


def resigned(certificate: dict) -> dict:
    try:
        return certificate | {"sha256": checker.digest(certificate)}
    except CertificateError:
        return certificate


def altered(certificate: dict, path: tuple, value: object) -> dict:
    certificate = copy.deepcopy(certificate)
    place = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return resigned(certificate)


def findings(certificate: dict) -> dict[str, str]:
    return {f.name: f.status for f in check(certificate).findings}
