"""Mutants of generated modules are never proved."""

import ast
import difflib

import pytest
from cases.translations import case
from generators.mistakes_in_sums import OF_SUMS, TEXT_OF_EIGHTS
from generators.text_mutants import mutants
from helpers.differing_calls import exchanged

from recipe_cli.program.translation import trusted_texts

# (case, text, what stands in its place): one a kind of mistake that a printer of code can make.
BY_HAND = [
    ("sgnht", "+ factor * w_r", "- 2.0 * factor * w_r"),
    ("sgnht", "state.r[i] + factor", "out.r[i] + factor"),
    ("sgnht", "-out.g_U_theta[i] - state.r[i] * xi_new", "-out.g_U_theta[i] + state.r[i] * xi_new"),
    ("sgnht", "state.r[i] * xi_new", "state.r[i]"),
    (
        "sgnht",
        "state.theta[i] + r_new * step_size",
        "state.theta[i] + state.r[i] * step_size",
    ),  # a stale read in step
    ("sgnht", "total / d_theta - 1.0", "total / (d_theta - 1.0)"),
    ("sgnht", "xi_new, w_r_b)", "xi_new, w_r_a)"),  # one number for two coordinates
    ("sgnht", "xi_new, w_r_b)", "xi, w_r_b)"),
    ("sgnht", "move_r_theta(half + i,", "move_r_theta(i,"),
    ("sgnht", "move_r_theta(half + i,", "move_r_theta(pairs + i,"),
    ("sgnht", "half = n_theta - pairs", "half = pairs"),
    ("sgnht", "pairs = n_theta >> np.uint64(1)", "pairs = n_theta >> np.uint64(2)"),
    (
        "sgnht",
        "pairs = n_theta >> np.uint64(1)",
        "pairs = (n_theta - np.uint64(1)) >> np.uint64(1)",
    ),
    ("sgnht", "if pairs < half:", "if half < pairs:"),
    (
        "sgnht",
        "pair_ahead(state.w_r_ahead, t, pairs - fused)[0]",
        "pair_ahead(state.w_r_ahead, t, pairs - fused)[1]",
    ),
    (
        "sgnht",
        "pair_ahead(state.w_r_ahead, t, pairs - fused)[0]",
        "pair_ahead(state.w_r_ahead, t, np.uint64(0))[0]",
    ),
    (
        "sgnht",
        "pair_ahead(state.w_r_ahead, t, pairs - fused)[0]",
        "pair_ahead(state.w_r_ahead, t, pairs)[0]",
    ),
    ("sgnht", "pair_ahead(state.w_r_ahead, t, i - fused)", "pair_ahead(state.w_r_ahead, t, i)"),
    (
        "sgnht",
        "pair_ahead(state.w_r_ahead, t, i - fused)",
        "pair_ahead(state.w_r_ahead, done, i - fused)",
    ),
    ("sgnht", "fused = in_vectors(pairs)", "fused = in_vectors(half)"),
    ("sgnht", "for i in range(fused):", "for i in range(pairs):"),
    ("sgnht", "for i in range(fused, pairs):", "for i in range(fused, half):"),
    (
        "sgnht",
        "key_w_r, t, fused, half, np.uint64(start),",
        "key_w_r, t, fused, pairs, np.uint64(start),",
    ),
    (
        "sgnht",
        "half, np.uint64(start), np.uint64(start + steps))",
        "half, np.uint64(done), np.uint64(start + steps))",
    ),
    (
        "sgnht",
        "half, np.uint64(start), np.uint64(start + steps))",
        "half, np.uint64(start), np.uint64(start))",
    ),
    ("sgnht", "np.zeros(1024)", "np.zeros(512)"),
    ("sgnht", "normal_pair(key_w_r, t, i)", "normal_pair(key_w_r, i, t)"),
    ("sgnht", "normal_pair(key_w_r, t, i)", "normal_pair(t, key_w_r, i)"),
    ("sgnht", "t = np.uint64(done)", "t = np.uint64(start)"),
    (
        "sgnht",
        "for done in range(start, start + steps)",
        "for done in range(start, start + steps - 1)",
    ),
    ("sgnht", "gradient(state.g_U_theta, state.theta)", "gradient(state.g_U_theta, state.r)"),
    ("sgnht", "gradient(state.g_U_theta, state.theta)", "gradient(state.theta, state.g_U_theta)"),
    ("sgnht", "        gradient(state.g_U_theta, state.theta)\n", ""),
    ("sgnht", "math.sqrt(params.A)", "params.A"),
    ("sgnht", "math.sqrt(2.0)", "1.4142135623730951"),  # a rounded constant is another number
    ("sgnht", "for i in range(n):", "for i in range(n - 1):"),
    ("sgnht", "for i in range(n):", "for i in range(1, n):"),
    ("sgnht", "return fma(state.r[i], state.r[i], total)", "return state.r[i] * state.r[i]"),
    ("sgnht", "return fma(state.r[i], state.r[i], total)", "return total + abs(state.r[i])"),
    (
        "sgnht",
        "return fma(state.r[i], state.r[i], total)",
        "return fma(state.r[0], state.r[0], total)",
    ),
    (
        "sgnht",
        "return fma(state.r[i], state.r[i], total)",
        "return fma(state.r[i], total, state.r[i])",
    ),
    ("sgnht", "    total = 0.0\n", "    total = 1.0\n"),
    ("sgnht", "if not finite:", "if finite:"),
    ("sgnht", "finite &= abs(xi_new) <= LARGEST\n", "finite &= abs(xi) <= LARGEST\n"),
    (
        "sgnht",
        "return (abs(r_new) <= LARGEST) & (abs(theta_new) <= LARGEST)",
        "return (abs(r_new) <= LARGEST)",
    ),
    ("sgnht", "warmup + (row + 1) * thin", "warmup + row * thin"),
    ("sgnht", "            row += 1\n", ""),
    ("sgnht", "row, state.theta)", "row + 1, state.theta)"),
    ("sgnht", "keep(draws.theta, row, state.theta)", "keep(draws.theta, row, state.r)"),
    ("sgnht", "row = max(0, (start - warmup) // thin)", "row = 0"),
    ("sgnht", "return start + steps, -1", "return start, -1"),
    ("sgnht", "np.zeros(theta.size),", "np.zeros(1),"),
    ("sgnht", "np.array(r, dtype=np.float64)", "np.array(theta, dtype=np.float64)"),
    # what is looked at where a step may not be finite
    (
        "sgnht",
        "    if not within(state.xi, -math.inf, math.inf):\n        return 2\n",
        "",
    ),
    ("sgnht", "within(state.xi, -math.inf", "within(state.r, -math.inf"),
    ("sgnht", "within(state.xi, -math.inf", "within(state.g_U_theta, -math.inf"),
    ("sgnht", "within(state.xi, -math.inf, math.inf)", "within(state.xi, math.inf, -math.inf)"),
    ("sgnht", "within(state.xi, -math.inf, math.inf)", "within(state.xi, 0.0, math.inf)"),
    ("sgnht", "within(state.xi, -math.inf, math.inf)", "within(state.xi[1:], -math.inf, math.inf)"),
    ("sgnht", "        return 2\n    return -1", "        return 1\n    return -1"),
    ("sgnht", "        return 2\n    return -1", "        return 2\n    return 0"),
    ("sgnht", "if not within(state.xi", "if within(state.xi"),
    ("reflected", ", low_belongs=True", ""),
    ("reflected", "low_belongs=True", "low_belongs=False"),
    ("reflected", "low_belongs=True", "high_belongs=True"),
    ("reflected", "low_belongs=True", "low_belongs=True, high_belongs=True"),
    ("reflected", "within(state.theta, 0.0, math.inf", "within(state.theta, -math.inf, 0.0"),
    ("reflected", "within(state.theta, 0.0, math.inf", "within(state.theta, math.inf, 0.0"),
    ("reflected", "within(state.theta, 0.0, math.inf", "within(state.theta, -math.inf, math.inf"),
    ("reflected", "within(state.theta, 0.0, math.inf", "within(state.theta, 5e-324, math.inf"),
    ("reflected", " & (theta_new >= 0.0)", ""),
    ("reflected", "(theta_new >= 0.0)", "(theta_new <= 0.0)"),
    ("reflected", "(theta_new >= 0.0)", "(theta_new > 0.0)"),
    ("reflected", "(theta_new >= 0.0)", "(factor >= 0.0)"),
    (
        "reflected",
        "        if not finite:\n            invalid",
        "        if False:\n            invalid",
    ),
    ("reflected", "fold_above(", "abs("),
    ("reflected", "2.2250738585072014e-308", "0.0"),
    ("simplex", "x > low", "x >= low"),
    ("simplex", "x < high", "x <= high"),
    ("simplex", "invalid = invalid_block(state)", "invalid = -1"),
    # the same numbers, where there are any: no number where theta is 0, or negative
    ("sgnht", "state.theta[i] +", "state.theta[i] * state.theta[i] / state.theta[i] +"),
    ("sgnht", "state.theta[i] +", "math.sqrt(state.theta[i]) ** 2 +"),
    ("sgnht", "state.theta[i] +", "math.exp(math.log(state.theta[i])) +"),
    ("reflected", "state.theta[i] +", "state.theta[i] * state.theta[i] / state.theta[i] +"),
    ("posterior", "factor_2 = sigmoid(total)", "factor_2 = total / total * sigmoid(total)"),
    ("baoab", "stream_key(seed, 0, chain)", "stream_key(seed, 0, seed)"),
    ("carried", "done + 2", "done + 1"),
    ("carried", "!= start + 1", "!= start"),
    ("carried", "count = data.x.shape[0]", "count = data.x.shape[1]"),
    (
        "carried",
        "data.x.shape[0], stream_key(seed, 1, chain), t)",
        "data.x.shape[0], stream_key(seed, 0, chain), t)",
    ),
    ("dense", "params.M[j][i]", "params.M_cholesky[j][i]"),
    ("dense", "params.M_cholesky[j][i]", "params.M_cholesky[i][j]"),
    ("dense", "c = 0.0", "c = 1.0"),
    ("two noises", "stream_key(seed, 2, chain)", "stream_key(seed, 1, chain)"),
    ("two noises", "stream_key(seed, 1, chain)", "stream_key(seed, 0, chain)"),
    ("recorded", "out.recorded_theta[i] =", "out.theta[i] ="),
    (
        "recorded",
        "keep(draws.theta, row, state.recorded_theta)",
        "keep(draws.theta, row, state.theta)",
    ),
    ("recorded", "stream_key(seed, 2, chain)", "stream_key(seed, 0, chain)"),
    ("scir", "key_w_theta, t, i)", "key_w_theta, t, np.uint64(0))"),
    (
        "scir",
        "noncentral_chi_squared(state.w_theta_df[i], state.w_theta_nonc[i]",
        "noncentral_chi_squared(state.w_theta_nonc[i], state.w_theta_df[i]",
    ),
    ("hmc", "invalid_block(state) < 0 and ", ""),
    ("hmc", "< energy - energy_2", "< energy_2 - energy"),
    ("hmc", "< energy - energy_2", "<= energy - energy_2"),
    ("hmc", "state.r[i] = -state.saved_r[i]", "state.r[i] = state.saved_r[i]"),
    (
        "hmc",
        (
            "            for i in range(n_theta):\n                state.g_U_theta[i] ="
            " state.saved_g_U_theta[i]\n"
        ),
        "",
    ),
    ("hmc", "state.value_U[0] = state.saved_value_U[0]", "state.value_U[0] = state.value_U[0]"),
    ("hmc", "state.theta[i] = state.saved_theta[i]", "state.theta[i] = state.saved_r[i]"),
    ("hmc", "np.uint64(1) + random_row", "np.uint64(2) + random_row"),
    ("hmc", "t * np.uint64(20)", "t * np.uint64(10)"),
    ("hmc", "np.uint64(0), 20)", "np.uint64(0), 21)"),
    ("hmc", "accepted = tests = 0.0", "accepted = tests = 1.0"),
    ("hmc", "= accepted / tests", "= tests / accepted"),
    ("hmc", "value = value * scale + ", "value = value * scale - "),
    ("hmc", "state.rows[:0]", "state.rows"),
    ("hmc", "gradient, state.rows[:0]", "gradient, state.rows"),
    ("posterior", "gradient, state.rows)", "gradient, state.rows[:0])"),
    ("nested", "< energy_3 - energy_4", "< energy - energy_4"),
    ("posterior", "scale = float(count) / float(used)", "scale = float(used) / float(count)"),
    ("posterior", "scale = float(count) / float(used)", "scale = float(count)"),
    ("posterior", "g_theta[i] * scale", "g_theta[i]"),
    ("posterior", "g_theta[:] = 0.0", "g_theta[:] = 1.0"),
    ("posterior", "data.x[row][i]), theta[i], total)", "data.x[row][i]), 1.0, total)"),
    ("posterior", "np.uint64(rows[n])", "np.uint64(rows[n] + 1)"),
    (
        "posterior",
        "gradient_U(state.g_U_theta, state.theta, data",
        "gradient_U(state.theta, state.g_U_theta, data",
    ),
    ("posterior", "params.k ** 2", "params.k"),
    ("controlled", "at_mode[i] - estimate[i]", "at_mode[i] + estimate[i]"),
    (
        "controlled",
        "data.gradient_U_at_mode_theta, state.estimate_U_at_mode_theta)",
        "state.estimate_U_at_mode_theta, data.gradient_U_at_mode_theta)",
    ),
    (
        "controlled",
        "data.gradient_U_at_mode_theta, state.estimate_U_at_mode_theta)",
        "data.mode_theta, state.estimate_U_at_mode_theta)",
    ),
    (
        "controlled",
        "data.gradient_U_at_mode_theta, state.estimate_U_at_mode_theta)",
        "data.gradient_U_at_mode_theta, g_theta)",
    ),
    ("controlled", "add_difference(g_theta, data", "add_difference(theta, data"),
    (
        "controlled",
        "    add_difference(g_theta, data.gradient_U_at_mode_theta,"
        " state.estimate_U_at_mode_theta)\n",
        "",
    ),
    ("controlled", "data.mode_theta, data", "theta, data"),
    ("compensated", "change / (n + 1)", "change / n"),
    ("compensated", "used * (used - 1)", "used * used"),
    ("compensated", "1000.0", "100.0"),
    ("compensated", "join_variance(state.variance_U_theta", "join_variance(state.one_theta"),
    (
        "compensated",
        "state.variance_U_theta, state.squares_theta, rows",
        "state.squares_theta, state.variance_U_theta, rows",
    ),
    ("compensated", "state.squares_theta, rows.size", "state.one_theta, rows.size"),
    ("compensated", "rows.size, data.x.shape[0]", "data.x.shape[0], rows.size"),
    ("compensated", "rows.size, data.x.shape[0]", "rows.size, data.x.shape[1]"),
    ("compensated", "rows.size, data.x.shape[0]", "rows.size + 1, data.x.shape[0]"),
    ("compensated", "state.table.size > 0, state", "state.table.size >= 0, state"),
    ("compensated", "state.table.size > 0, state", "False, state"),
    ("compensated", "0, state.calls_U[0])", "0, 1.0)"),
    ("compensated", "    state.calls_U[0] += 1.0\n", ""),
    ("compensated", "state.calls_U[0] += 1.0", "state.calls_U[0] += 2.0"),
    ("compensated", "state.squares_theta, state.one_theta, n)", "state.squares_theta, g_theta, n)"),
    (
        "compensated",
        "state.squares_theta, state.one_theta, n)",
        "state.one_theta, state.squares_theta, n)",
    ),
    (
        "compensated",
        "state.squares_theta, state.one_theta, n)",
        "state.squares_theta, state.one_theta, n + 1)",
    ),
    ("compensated", "        join_mean(g_theta, state.squares_theta, state.one_theta, n)\n", ""),
    ("compensated", "    state.squares_theta[:] = 0.0\n", ""),
    ("compensated", "rows[n : n + 1]", "rows[: n + 1]"),
]
BY_HAND += OF_SUMS
MUTATED = ["sgnht", "scir", "posterior", "ghmc"]
ALL_MUTATED = ["hmc", "two noises", "corv", "compensated", "baoab"]
PASSED_ON = {"out", "state", "params", "step_size", "data", "row", "scale"}


def texts_by_hand():
    return [
        pytest.param(
            *each, id=f"{each[0]}: {each[1][:40]!r} -> {each[2][:40]!r}".replace("\\n", " ")
        )
        for each in BY_HAND
    ]


@pytest.mark.by_default(4)
@pytest.mark.parametrize(("name", "old", "new"), texts_by_hand())
def test_a_mistake_is_never_proved(name, old, new):
    text = case(name).text
    assert old in text, "the mutant is none"
    at = text.rindex(old)  # what stands last, in run where there is a choice
    for changed in {
        text.replace(old, new),
        text[:at] + new + text[at + len(old) :],
    }:  # often one and the same
        assert case(name).verdict(changed) != "proved"


@pytest.mark.parametrize(
    "value",
    ["math.sqrt({0}) ** 2", "{0} * (1.0 + {0}) / (1.0 + {0})", "math.exp(math.log1p({0})) - 1.0"],
)
def test_what_has_a_value_in_the_whole_domain_is_proved(value):
    text, old = case("reflected").text, "state.theta[i] +"
    assert old in text
    assert (
        case("reflected").verdict(text.replace(old, value.format("state.theta[i]") + " +"))
        == "proved"
    )


@pytest.mark.parametrize(("old", "new"), TEXT_OF_EIGHTS)
def test_what_eights_mean_is_one_text(old, new):
    text = ast.unparse(ast.parse(case("posterior").text))
    assert case("posterior").verdict(text) == "proved"
    assert text.count(old) >= 1
    assert case("posterior").verdict(text.replace(old, new)) == "undecided"


@pytest.mark.parametrize(
    "again",
    [
        "def lanes(i, n):\n    return i",
        "class Eight(types.Type):\n    pass",
        "EIGHT = np.uint64(8)",
    ],
)
def test_eights_are_defined_once(again):
    for at in ("def invalid_block", "INDEX ="):
        text = case("posterior").text
        place = text.index(at if at == "INDEX =" else f"@kernel\n{at}")
        assert (
            case("posterior").verdict(f"{text[:place]}{again}\n\n\n{text[place:]}") == "undecided"
        )


def test_asking_for_memory_changes_nothing():
    text = case("posterior").text
    begin, end = (
        text.index("        if rows.size > 0 and data.x"),
        text.index("        sums(theta, data"),
    )
    assert case("posterior").verdict(text[:begin] + text[end:]) == "proved"


def test_there_are_many_mutants():
    assert len(BY_HAND) >= 180


def is_harmless(name, kind, before, after):
    """Whether a change is none: it means the same, or what it changes is never read."""
    different = list(difflib.unified_diff(before, after, lineterm="", n=0))
    removed, added = (
        [line[1:] for line in different[2:] if line.startswith(sign)] for sign in "-+"
    )
    changed = " ".join((*removed, *added))
    in_place = "run" in kind or name in ("hmc", "ghmc", "nested")
    return (
        (
            kind == "record" and (in_place or "[i, c]" in changed or "recorded_" in changed)
        )  # out and state are one object there
        or (
            kind in ("record", "field")
            and "np.uint64(" in changed
            and (".size)" in changed or ".shape[0])" in changed)
        )  # blocks of one length
        or (kind == "integer" and "stream_key" in changed)  # another key that is free is as good
        or (
            kind == "statement dropped"
            and "if rows.size > 0 and data." in changed
            and "fetch(" in changed
        )
        or (
            kind == "statement dropped" and "_sum" in changed and "return" in changed
        )  # nobody reads this flag
        or (
            kind == "statement dropped" and "finite &= abs(saved" in changed
        )  # a copy of what was looked at
        or (
            kind == "arguments swapped" and exchanged(removed, added) <= PASSED_ON
        )  # passed on, and not used there
        or (
            kind == "arguments swapped" and are_factors(exchanged(removed, added))
        )  # of one product
        or (
            kind == "arguments swapped"
            and name == "two noises"
            and {n[0] for n in exchanged(removed, added)} == {"v", "w"}
        )
        or (kind == "statement dropped" and [line.strip() for line in removed] == ["wide()"])
        or (
            kind == "integer" and changed.count("local_") == 2 and room(added[0]) > room(removed[0])
        )
        or (
            kind == "arguments swapped"
            and len(added) == 1
            and product(added[0]) == product(removed[0]) is not None
        )
    )


def room(line):
    """How much room an array on the stack has: more is as good."""
    return int(line.rpartition("(")[2][:-1])


def product(line):
    """What is multiplied in ``return fma(a, b, total)``, in any order, and the total."""
    match ast.parse(line.strip()).body if line.strip().startswith("return ") else None:
        case [ast.Return(value=ast.Call(func=ast.Name(id="fma"), args=[a, b, c]))]:
            return {ast.unparse(a), ast.unparse(b)}, ast.unparse(c)
    return None


def are_factors(names):
    """Whether these are a noise and the number that it is multiplied with."""
    return len(names) == 2 and sorted(
        n.startswith("factor") + 2 * n.endswith(("_a", "_b", "[i]")) for n in names
    ) == [1, 2]


STRICT = {
    "operator", "operands", "dropped term", "overwritten", "sign", "constant", "integer",
    "comparison", "index", "field", "record", "noise", "statement dropped", "arguments swapped",
}  # fmt: skip


def survivors(name, every):
    """The mutants that are proved and are not harmless; how many there were."""
    text = case(name).text
    before = ast.unparse(ast.parse(text)).splitlines()
    found, count = [], 0
    for kind, line, changed in mutants(text, frozenset(trusted_texts().functions), every):
        if kind not in STRICT:
            continue
        count += 1
        if case(name).verdict(changed) == "proved" and not is_harmless(
            name, kind, before, changed.splitlines()
        ):
            found.append((kind, line, [x for x in changed.splitlines() if x not in before]))
    return found, count


@pytest.mark.slow
def test_small_changes_everywhere_are_never_proved():
    found, count = survivors("sgnht", 30)
    assert not found
    assert count >= 5


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MUTATED, *ALL_MUTATED])
def test_more_small_changes_are_never_proved(name):
    """All of them, ``survivors(name, 1)``, take up to ten minutes a module."""
    found, count = survivors(name, 20 if name in {"hmc", "ghmc", "compensated"} else 10)
    assert not found
    assert count >= 10
