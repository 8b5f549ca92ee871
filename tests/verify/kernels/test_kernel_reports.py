"""What a report on a kernel says: the numbers of the parts as they were written, and for which
steps it holds.
"""

import json
from dataclasses import replace

from helpers.command import command
from helpers.outcomes import outcome_of
from sympy import Symbol, sqrt

from catalog.hmc import U, hmc, r, theta
from recipe import (
    Noise,
    Update,
    compose,
    flip,
    grad,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h, k = Symbol("h", positive=True), Symbol("k", positive=True)
w = Noise("w", like=theta)
NORMAL = total(theta**2) / 2
leap = Update(
    h,
    [(r, r - h / 2 * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))],
    hmc.H,
)
tested = metropolis(leap, flip=r)


def part(*pairs):
    return step(Update(h, [(theta, theta), (r, r), *pairs], hmc.H))


def said(*parts) -> str:
    return outcome_of(verify(compose(*parts)), "invariance").by


# -- the numbers of the parts
# --------------------------------------------------------------------------------------------------


def test_parts_have_the_numbers_that_they_were_written_with():
    zero = part((r, 0 * r))
    by = said(zero, refresh(hmc, r), part(), tested)
    assert "2. refresh of r: " in by
    assert "4. metropolis of 1 round: " in by
    assert "1. step of r is left out: what it does is overwritten unread" in by
    assert "3. step is left out: it moves no block" in by
    assert by.count("left out") == 2


def test_nothing_is_said_of_parts_that_are_left_out_where_none_is():
    by = said(refresh(hmc, r), tested)
    assert by.startswith("1. refresh of r: ")
    assert "; 2. metropolis of 1 round: " in by
    assert "left out" not in by


def test_a_part_at_fault_is_named_by_its_number():
    swapped = part((r, r / 2))
    assert said(part((r, 0 * r)), refresh(hmc, r), swapped, tested).startswith("3. step of r")
    assert said(
        part(), tested, step(Update(h, {theta: theta, r: Noise("n", like=r) / 2}, hmc.H))
    ).startswith("3. step of r")


def test_one_part_that_is_left_keeps_its_number():
    by = said(part((r, 0 * r)), part(), refresh(hmc, r))
    assert by.startswith("3. refresh of r: ")
    assert "1. step of r is left out" in by
    assert "2. step is left out" in by


def test_the_parts_of_a_repetition_are_numbered_in_it():
    by = said(flip(hmc, r), repeat(compose(part((r, 0 * r)), refresh(hmc, r), tested), 3))
    assert "2. 3 rounds of 3 parts: 2. refresh of r: " in by
    assert "1. step of r is left out" in by


def test_a_proposal_without_detailed_balance_is_refuted_by_its_law():
    """Flows that differ both ways may sum up to the same law: detailed balance and the law have
    witnesses of their own.
    """
    right = metropolis(Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U))
    report = verify(compose(replace(right, cost=U)))
    assert report.verdict is REFUTED
    assert outcome_of(report, "detailed-balance").verdict is REFUTED
    invariance = outcome_of(report, "invariance")
    assert invariance.verdict is REFUTED
    assert "1. metropolis: detailed balance is refuted" in invariance.by
    assert "times that of exp(-H)" in invariance.witness.finding


# -- for which steps
# --------------------------------------------------------------------------------------------------


def crank_nicolson(root, H=NORMAL):
    return Update(h, {theta: root * theta + sqrt(h) * w}, H)


def test_what_holds_for_some_steps_only_is_said_where_it_is_claimed():
    """Cotter, Roberts, Stuart & White (2013): ``sqrt(1 - h)`` is real for h up to 1 only."""
    for kernel in (
        compose(metropolis(crank_nicolson(sqrt(1 - h)))),
        compose(step(crank_nicolson(sqrt(1 - h)))),
    ):
        report = verify(kernel)
        assert report.verdict is PROVED
        assert report.scope == "every d_theta, every positive h with 1 - h >= 0"
        assert (
            str(report)
            .splitlines()[0]
            .endswith("proved for every d_theta, every positive h with 1 - h >= 0")
        )
        assert "every positive h with 1 - h" in report._repr_markdown_().replace("\\", "")
        assert {line["scope"] for line in report.as_json()["obligations"]} == {report.scope}
        assert "so small" not in str(report)
        assert "of the scope" in next(
            line.statement for line in report.lines if line.name == "invariance"
        )


def test_every_condition_on_the_step_is_in_the_scope():
    both = Update(h, {theta: theta * sqrt(1 - h) + sqrt(h) * w / (1 - k * h)}, NORMAL)
    report = verify(compose(metropolis(both)))
    assert outcome_of(report, "well-defined").verdict is PROVED
    assert "1 - h >= 0" in report.scope
    assert "-h*k + 1 != 0" in report.scope


def test_what_holds_for_every_step_needs_no_condition():
    report = verify(compose(metropolis(crank_nicolson(sqrt(1 / (1 + h))))))
    assert report.verdict is PROVED
    assert report.scope == "every d_theta, every positive h"


def test_a_condition_that_every_small_step_breaks_is_refuted():
    report = verify(compose(step(crank_nicolson(sqrt(h - 1)))))
    assert outcome_of(report, "well-defined").verdict is REFUTED
    assert " with " not in report.scope


def test_the_command_says_it_as_well(tmp_path):
    path = tmp_path / "pcn.py"
    path.write_text(
        "from sympy import *\nfrom recipe import *\n"
        "theta = Vector('theta'); h = Symbol('h', positive=True); w = Noise('w', like=theta)\n"
        "rule = Update(h, {theta: sqrt(1 - h) * theta + sqrt(h) * w}, total(theta**2) / 2)\n"
        "pcn = compose(metropolis(rule))\n"
    )
    assert "every positive h with 1 - h >= 0" in command("verify", f"{path}:pcn").stdout
    (report,) = json.loads(command("verify", f"{path}:pcn", "--json").stdout)
    assert "1 - h >= 0" in report["scope"]
