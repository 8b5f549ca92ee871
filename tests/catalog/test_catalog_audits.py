"""The audits of the catalog: every rule comes out as its file says, and the command ``audit`` says
so.
"""

import json

import pytest
from helpers.command import ROOT, command

from recipe import RecipeError
from recipe_cli.declarations.find import audit_declarations, declarations
from recipe_cli.declarations.of_catalog import audit_names, catalog_entries
from recipe_cli.main import app
from verify import verify
from verify.engine import discharged
from verify.verdict import undecided

RULES = {
    f"{where}:{d.name}": d.declared for where in audit_names() for d in audit_declarations(where)
}

ONE_WRONG = """
from sympy import Symbol, sqrt
from recipe import Noise, Potential, Update, Vector, grad
theta = Vector("theta"); U = Potential("U", theta)
h = Symbol("h", positive=True); w = Noise("w", like=theta)
right = Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U)
wrong = Update(h, {theta: theta - h * grad(U, theta) + sqrt(h) * w}, U, expect="EXPECT")
"""


def required_only(obligation, subject, outcomes):
    """What is shown and not required costs most of the time, and does not enter the verdict."""
    if obligation.required:
        return discharged(obligation, subject, outcomes)
    return undecided("not asked for")


@pytest.mark.by_default(8)
@pytest.mark.parametrize("name", RULES)
def test_every_rule_comes_out_as_expected(name):
    declared = RULES[name]
    assert declared.source
    assert declared.expect is not None
    assert verify(declared, discharge=required_only).verdict.value == declared.expect


def test_most_of_the_work_of_an_audit_is_on_wrong_rules_and_on_right_ones():
    expected = [declared.expect for declared in RULES.values()]
    assert min(expected.count("proved"), expected.count("refuted")) > 15
    # Their limits are flows, and their noise vanishes: the limit does not say what the steps keep.
    undecided = [name for name, declared in RULES.items() if declared.expect == "undecided"]
    assert undecided == ["ma_chen_fox_2015:eq_11", "ma_chen_fox_2015:eq_16_with_its_own_law"]
    assert set(expected) == {"proved", "refuted", "undecided"}


@pytest.mark.parametrize(
    ("name", "repair"),
    [
        (
            "jax_sgmc:sggmc",
            "on rejection the sign of p must turn: leave out flip_on_rejection=False",
        ),
        (
            "duane_et_al_1987:set_to_zero",
            "r must be redrawn from N(0, 1), its law given the rest: refresh(recipe, r)",
        ),
        ("sgmcmcjax:badodab", "in the rule, sqrt(total(v**2)) must be total(v**2)"),
        (
            "zhusuan:sghmc_of_first_order",
            "the noise sqrt(h_squared)*w_*L of theta must be sqrt(L*h_squared*(L + 1))*w_",
        ),
        ("ma_chen_fox_2015:eq_15_with_its_hamiltonian", "in the target, "),
    ],
)
def test_what_is_wrong_has_a_repair(name, repair):
    lines = verify(RULES[name], discharge=required_only).lines
    assert any(repair in (line.outcome.repair or "") for line in lines)


def quoted():
    """The commands in docs/audits.md with what stands below them."""
    blocks = (ROOT / "docs" / "audits.md").read_text().split("```")[1::2]
    for block in blocks:
        call, *lines = block.strip("\n").split("\n")
        path, name = call.removeprefix("$ recipe verify catalog/audits/").split(".py:")
        yield f"{path}:{name}", lines


@pytest.mark.parametrize(("name", "lines"), list(quoted()))
def test_what_the_page_says_is_what_the_command_says(name, lines):
    said = str(verify(RULES[name], discharge=shown_on_the_page)).splitlines()
    assert len(lines) > 1
    assert [line for line in lines if line not in said] == []


def shown_on_the_page(obligation, subject, outcomes):
    """Without what takes long and is not quoted."""
    left_out = ("normalisable", "non-explosion", "uniqueness")
    return (
        undecided("not asked for")
        if obligation.name in left_out
        else discharged(obligation, subject, outcomes)
    )


def test_audits_are_apart_from_the_samplers():
    assert not any("audits" in entry.file for entry in catalog_entries())
    assert {d.name for d in declarations("catalog/audits/edward.py")} == {
        d.name for d in audit_declarations("edward")
    }
    with pytest.raises(RecipeError, match="`recipe audit edward`"):
        declarations("edward")


@pytest.mark.slow
def test_the_table_of_a_file_of_ones_own(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text(ONE_WRONG.replace("EXPECT", "refuted"))
    done = command("audit", path)
    assert done.returncode == 0, done.stderr
    assert "the noise sqrt(h)*w of theta must be sqrt(2*h)*w" in done.stdout
    assert "2 rules: 1 proved, 1 refuted; all as expected" in done.stdout
    assert done.stdout.index("right") < done.stdout.index("wrong")


def test_what_comes_out_otherwise_is_said_and_is_exit_status_1(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text(ONE_WRONG.replace("EXPECT", "proved"))
    done = command("audit", f"{path}:wrong", "edward", "--jobs", "2")
    assert done.returncode == 1
    assert "expected to be proved. the noise sqrt(h)*w" in done.stdout
    assert "2 rules: 1 proved, 1 refuted; otherwise than expected: wrong" in done.stdout


def test_a_wrong_rule_of_which_nothing_was_expected_is_not_as_expected(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text(ONE_WRONG.replace(', expect="EXPECT"', ""))
    assert "expect=" not in path.read_text()
    done = command("audit", f"{path}:wrong")
    assert done.returncode == 1
    assert "1 rule: 1 refuted; otherwise than expected: wrong (" in done.stdout


def test_what_could_not_be_judged_is_not_as_expected(tmp_path):
    path = tmp_path / "rules.py"
    path.write_bytes(b"x = 1\0")
    alone = command("audit", path)
    assert (alone.returncode, alone.stdout[: alone.stdout.index("(")]) == (
        2,
        "0 rules; 1 not judged ",
    )
    assert (
        "rules.py: SyntaxError: " in alone.stderr
        or "rules.py, line 1: SyntaxError: " in alone.stderr
    )
    beside = command("audit", path, "edward")
    assert beside.returncode == 2
    assert "1 rule: 1 proved; 1 not judged (" in beside.stdout


def test_the_table_for_machines_and_a_file_that_is_not_there():
    done = command("audit", "no_such_library", "edward", "zhusuan:psgld", "--json")
    assert done.returncode == 2
    assert done.stderr.startswith("recipe: no_such_library is neither a file nor in the catalog")
    sghmc, psgld = json.loads(done.stdout)
    assert sghmc["source"].startswith("Tran et al. (2016), Edward")
    assert (sghmc["verdict"], sghmc["claimed"], sghmc["as_expected"]) == (
        "proved",
        "U + total(v**2)/2",
        True,
    )
    assert (psgld["verdict"], psgld["decided_by"], psgld["file"]) == (
        "refuted",
        "stationarity",
        "catalog/audits/zhusuan.py",
    )
    assert psgld["repair"] == "the rule of theta must gain + h*div(G(theta)/2, theta)"


def test_no_such_rule_in_an_audit():
    with pytest.raises(
        RecipeError,
        match="edward defines no Recipe, Update or Kernel called no_such_rule; it defines sghmc",
    ):
        audit_declarations("edward:no_such_rule")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), r"give the rules to audit: --all, a file, or an audit of the catalog"),
        (("--all", "--jobs", "0"), r"--jobs 0: it must be a positive number"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    with pytest.raises(RecipeError, match=sentence):
        app(["audit", *arguments], standalone_mode=False)


@pytest.mark.slow
def test_the_whole_table_takes_less_than_two_minutes():
    done = command("audit", "--all", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert len(rows) == len(RULES)
    assert all(row["as_expected"] for row in rows)


def shown_of(name):
    report = verify(RULES[name], discharge=shown_on_the_page)
    return {line.name: line.outcome for line in report.lines}


def test_where_no_slip_explains_it_no_repair_is_made_up():
    """Geometric Brownian motion has no law, which is said; a repair that rewrites its drift would
    be none.
    """
    lines = shown_of("baker_et_al_2018:geometric_brownian_motion")
    assert lines["stationarity"].repair is None


def test_numbers_that_nobody_reads_are_cut_off_and_said_exactly_below():
    lines = shown_of("r_sgmcmc:sghmc")
    law = lines["stationary-law"]
    assert lines["stationarity"].repair is None
    assert law.by == "the rule leaves exp(-H') stationary, with H' = U*2.30598..."
    assert law.found.where == ("2.30598... is 5920597604000000000000/2567488263658264259201",)
    assert "2.30598... is 5920597604000000000000/2567488263658264259201" in str(
        verify(RULES["r_sgmcmc:sghmc"], discharge=shown_on_the_page)
    )


def test_claim_and_law_are_written_in_one_notation():
    done = command("audit", "ma_chen_fox_2015:eq_15_with_its_hamiltonian", "--json")
    (row,) = json.loads(done.stdout)
    assert (row["claimed"], row["law"]) == (
        "U + total(r**2)/2 + (xi - A)**2/(2*d_theta)",
        "d_theta*(xi - A)**2/2 + U + total(r**2)/2",
    )
