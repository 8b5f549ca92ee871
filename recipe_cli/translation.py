"""The generator and the verifier meet: a module is validated before it is written or run."""

from __future__ import annotations

from codegen.axioms import device_functions, header_statements
from codegen.generate import Module
from verify.translation.legend import Legend, Trusted


def legend_of(module: Module) -> Legend:
    """What the names of a module stand for."""
    plan, estimators = module.plan, module.estimators
    return Legend(
        fields=plan.fields,
        settings=plan.settings,
        factors=plan.factors,
        data={U: e.gradient.fields for U, e in estimators.items()},
        potentials=plan.potentials,
        modes={U: (e.control.modes, e.control.at_mode) for U, e in estimators.items() if e.control is not None},
        variances={U: fields for U, fields in plan.variances.items()},
    )


def trusted_texts() -> Trusted:
    """The texts of this release that are not lifted."""
    return Trusted(device_functions(), header_statements())
