"""``run_many`` is proved to move each chain by the rule, with the random numbers of ``run``;
mutants of it never are.
"""

import ast
import difflib
import re
import time

import pytest
from cases.many_chains import CASES, DRAWN
from cases.translations import CASES as OTHERS
from cases.translations import Case, case
from cases.validated_batches import made
from generators.text_mutants import mutants
from helpers.differing_calls import exchanged

from codegen.lowering.batch_form import refusal_of_many
from recipe import Update

MANY = [name for name in CASES if name not in DRAWN]
SIX = "                "
BEGIN = "class Chains("


def changed(name, old, new):
    """The text with every occurrence replaced in what is said of many chains."""
    alone, begin, many = made(name).text.partition(BEGIN)
    assert old in many, (name, old)
    return alone + begin + many.replace(old, new)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", MANY)
def test_every_form_is_proved(name):
    outcome = made(name).outcome()
    assert outcome.verdict.value == "proved", outcome.by
    assert "def run_many(" in made(name).text


@pytest.mark.by_default(8)
@pytest.mark.parametrize("name", OTHERS)
def test_modules_have_run_many_where_their_plan_allows_it(name):
    """So that what is proved of every case in test_translation is proved of its ``run_many``."""
    found = case(name)
    assert ("def run_many(" in found.text) == (refusal_of_many(found.module.plan) is None)


@pytest.mark.slow
def test_reading_many_chains_takes_no_longer_than_a_second():
    for name in MANY:
        began = time.process_time()
        made(name).outcome()
        assert time.process_time() - began < 4.0, name


CALL = "finite &= move_r_theta_many(i, c, state, state, params, step_size, factor, factor_2, w_r_a)"
HALF = "move_r_theta_many(half + i, c, state, state, params, step_size, factor, factor_2, w_r_b)"
PLACE = "place = i % EIGHT if n_theta >= EIGHT else np.uint64(0)"
ZEROS = (
    "        for place in range(EIGHT):\n            for c in"
    f" range(chains):\n{SIX}state.total_by_eight[place, c] = 0.0\n"
)
KEYS = "fill_keys(state.keys, seed, first)"
KEY = "column_key(state.keys, 0, c)"
READ = f"{SIX}factor = state.factor[0, c]\n"
STORED = "            state.factor[0, c] = factor\n"
COUNTED = "        tests += 1.0\n        for c in range(chains):\n            cost"
BEGUN = "        tests = 0.0\n        state.accepted[:] = 0.0\n"
SAVED = f"""        for i in range(n_theta):
            for c in range(chains):
{SIX}finite &= save_many(i, c, state, state, params, step_size)
"""
BACK = "state.theta[i, c] = state.saved_theta[i, c]"
RATE = "draws.acceptance_rate[row, 0, c] = state.accepted[0, c] / tests"

# (case, text, what stands in its place): one a kind of mistake.
BY_HAND = [
    # columns
    ("sums", "state.theta[i, c] ** 3", "state.theta[i, 0] ** 3"),
    ("sums", "state.theta[i, c] ** 3", "state.theta[i, c + 1] ** 3"),
    ("sums", "state.theta[i, c] ** 3", "state.theta[c, i] ** 3"),
    ("sums", "state.theta[i, c] ** 3", "state.theta[i] ** 3"),
    ("sums", "state.theta[i, c] ** 3", "state.theta[i][c] ** 3"),
    ("sums", "state.theta[i, c] ** 3", "state.theta[c] ** 3"),
    ("sums", "out.r[i, c] = r_new", "out.r[i, c - 1] = r_new"),
    ("sums", "out.r[i, c] = r_new", "out.r[i, 0] = r_new"),
    ("sums", "out.r[i, c] = r_new", "out.r[i] = r_new"),
    ("sums", "out.r[i, c] = r_new", "out.r[:, c] = r_new"),
    ("sums", "out.r[i, c] = r_new", "out.r[i, c] = r_new\n    out.r[i, 0] = r_new"),
    ("sums", "    r_new = state.r[i, c]", "    c = 0\n    r_new = state.r[i, c]"),
    ("sums", CALL, CALL.replace("(i, c,", "(i, i,")),
    ("sums", CALL, CALL.replace("(i, c,", "(i, 0,")),
    ("sums", CALL, CALL.replace("(i, c,", "(c, i,")),
    ("sums", HALF, HALF.replace("c, state", "c + 1, state")),
    ("sums", HALF, HALF.replace("w_r_b", "w_r_a")),
    ("sums", HALF, HALF.replace("half + i", "pairs + i")),
    ("banana", "x_2 = state.x[0, c]", "x_2 = state.x[0, 0]"),
    ("banana", "x_2 = state.x[0, c]", "x_2 = state.x[c, 0]"),
    ("banana", "state.y[0, c] = y_new", "state.y[0, first + c] = y_new"),
    ("banana", "state.y[0, c] = y_new", "state.x[0, c] = y_new"),
    # loops over chains
    ("sums", "for c in range(chains):", "for c in range(chains - 1):"),
    ("sums", "for c in range(chains):", "for c in range(1, chains):"),
    ("sums", "for c in range(chains):", "for c in range(n_theta):"),
    ("banana", "for c in range(chains):", "for c in range(np.uint64(1)):"),
    (
        "sums",
        "chains, first = np.uint64(state.theta.shape[1])",
        "chains, first = np.uint64(state.theta.shape[0])",
    ),
    (
        "sums",
        "n_theta = np.uint64(state.theta.shape[0])",
        "n_theta = np.uint64(state.theta.shape[1])",
    ),
    # random numbers
    ("sums", KEYS, KEYS.replace("first", "np.uint64(0)")),
    ("sums", KEYS, KEYS.replace("first", "first_chain")),
    ("sums", KEYS, KEYS.replace("first", "first + first")),
    ("sums", KEYS, KEYS.replace("seed", "first")),
    ("sums", KEYS, KEYS.replace("state.keys", "state.theta")),
    ("sums", f"    {KEYS}\n", ""),
    ("sums", f"    {KEYS}\n", f"    {KEYS}\n    {KEYS}\n"),
    ("sums", f"    {KEYS}\n", f"    {KEYS}\n    state.keys[0, 0] = state.keys[0, 1]\n"),
    ("sums", f"    {KEYS}\n    row", "    row"),
    ("sums", f"    {KEYS}\n", f"    if thin > 0:\n        {KEYS}\n"),
    ("sums", "        finite = True\n", f"        finite = True\n        {KEYS}\n"),
    ("sums", "np.zeros((2, chains), dtype=np.uint64)", "np.zeros((1, chains), dtype=np.uint64)"),
    ("sums", "np.zeros((2, chains), dtype=np.uint64)", "np.zeros((4, chains))"),
    ("sums", READ, f"{SIX}factor = state.keys[0, c]\n"),
    ("sums", "state.factor", "state.keys"),
    ("sums", KEY, KEY.replace("0, c", "0, 0")),
    ("sums", KEY, KEY.replace("0, c", "0, i")),
    ("sums", KEY, KEY.replace("0, c", "0, c + 1")),
    ("sums", KEY, KEY.replace("0, c", "1, c")),  # a key that there is not
    ("sums", KEY, KEY.replace("0, c", "-1, c")),
    ("sums", KEY, KEY.replace("0, c", "c, c")),
    ("sums", KEY, KEY.replace("state.keys", "state.theta")),
    ("sums", KEY, "state.keys"),
    ("sums", KEY, "(state.keys[0, c], state.keys[0, c])"),
    ("sums", "np.uint64(first_chain)", "np.uint64(0)"),
    ("sums", "np.uint64(first_chain)", "np.uint64(first_chain + 1)"),
    ("sums", "c), t, i)", "c), t, c)"),
    ("sums", "c), t, i)", "c), i, t)"),
    ("sums", "c), t, pairs)[0]", "c), t, pairs)[1]"),
    ("shared noise", "column_key(state.keys, 3, c)", "column_key(state.keys, 1, c)"),
    ("shared noise", "column_key(state.keys, 1, c)", "column_key(state.keys, 2, c)"),
    ("banana", "w_x, w_y = normal_pair", "w_y, w_x = normal_pair"),  # another one than run has
    ("shared noise", "state.v[half + i, c] = v_b", "state.v[half + i, c] = v_a"),
    ("shared noise", "state.v[half + i, c] = v_b", "state.v[i, c] = v_b"),
    ("shared noise", "state.v[pairs, c] = v_a", "state.v[half, c] = v_a"),
    ("shared noise", "fma(v[i, c], v[i, c], total_2)", "fma(v[i, c], v[i, 0], total_2)"),
    ("shared noise", "step_size, state.v)", "step_size, state.theta)"),
    ("draws that are not normal", "state.drawn_nonc[i, c], ", "state.drawn_nonc[i, 0], "),
    ("draws that are not normal", "column_key(state.keys, 1, c)", "column_key(state.keys, 0, c)"),
    # numbers that stand from one loop over chains to the next
    ("sums", READ, ""),
    ("sums", READ, READ.replace("[0, c]", "[0, 0]")),
    ("sums", STORED, ""),
    ("sums", STORED, STORED.replace("[0, c]", "[0, 0]")),
    ("sums", STORED, "            if factor > 0.0:\n    " + STORED),
    ("sums", READ, f"{SIX}factor_2 = state.factor[0, c]\n"),
    ("sums", READ, f"{SIX}factor = total\n"),  # the number of the last chain
    (
        "sums",
        "        pairs = n_theta >> np.uint64(1)\n",
        "        factor_2 = factor\n        pairs = n_theta >> np.uint64(1)\n",
    ),
    ("one after another", "a = state.a_2[0, c]", "a = state.a_new[0, c]"),  # of the step before
    ("one after another", "state.a_2[0, c] = a\n", "state.a_2[0, c] = a\n            t = a\n"),
    ("one after another", "recorded_a = m + total_2", "recorded_a = m + total"),
    ("one after another", "column_key(state.keys, 2, c)", "column_key(state.keys, 0, c)"),
    ("one after another", "state.recorded_theta)", "state.theta)"),
    ("generalised", "saved_theta = state.theta[i, c]", "saved_theta = state.theta[i, 0]"),
    # sums
    ("sums", ZEROS, ""),
    ("sums", "state.total_by_eight[place, c] = 0.0", "state.total_by_eight[0, c] = 0.0"),
    ("sums", "state.total_by_eight[place, c] = 0.0", "state.total_by_eight[place, c] = 1.0"),
    ("sums", "range(EIGHT)", "range(EIGHT - 1)"),
    ("sums", PLACE, "place = i % EIGHT"),
    ("sums", PLACE, PLACE.replace("i % EIGHT", "i")),
    ("sums", PLACE, PLACE.replace("np.uint64(0)", "np.uint64(9)")),
    ("sums", "add_sums_many(i, c, state.total_by_eight[place, c]", "add_sums_many(i, c, 0.0"),
    (
        "sums",
        "add_sums_many(i, c, state.total_by_eight[place, c]",
        "add_sums_many(i, c, state.total_by_eight[0, c]",
    ),
    (
        "sums",
        "add_sums_many(i, c, state.total_by_eight[place, c]",
        "add_sums_many(i, c, state.total_by_eight[place, 0]",
    ),
    ("sums", "state.theta[i, c], total)", "state.theta[0, c], total)"),
    ("sums", "pairwise_many(state.total_by_eight, c)", "pairwise_many(state.total_by_eight, 0)"),
    ("sums", "pairwise_many(state.total_by_eight, c)", "pairwise_many(state.factor, c)"),
    ("sums", "pairwise_many(state.total_by_eight, c)", "state.total_by_eight[0, c]"),
    ("sums", "np.zeros((8, chains))", "np.zeros((1, chains))"),
    (
        "walk",
        "state.total_2_by_eight[place, c] += total_2_term",
        "state.total_2_by_eight[place, c] += total_term",
    ),
    ("walk", "if n_theta >= EIGHT:", "if n_theta > EIGHT:"),
    ("walk", "add_sums_many(i, c, 0.0, 0.0", "add_sums_many(i, c, 0.0, 1.0"),
    # Metropolis tests
    ("walk", BACK, BACK.replace("saved_theta[i, c]", "saved_theta[i, 0]")),
    ("walk", BACK, BACK.replace("state.theta[i, c]", "state.theta[i, c + 1]")),
    ("walk", BACK, BACK.replace("saved_theta[i, c]", "r[i, c]")),
    (
        "walk",
        f"                for i in range(n_theta):\n                    {BACK}",
        "                cost = 0.0",
    ),
    ("walk", "invalid_block_of(state, c) < 0", "invalid_block_of(state, 0) < 0"),
    ("walk", "invalid_block_of(state, c) < 0 and ", ""),
    ("walk", "cost - cost_2", "cost_2 - cost"),
    ("walk", "column_key(state.keys, 2, c)", "column_key(state.keys, 1, c)"),
    ("walk", "state.accepted[0, c] += 1.0", "state.accepted[0, 0] += 1.0"),
    ("walk", "state.accepted[0, c] += 1.0", "state.accepted[0, c] += 2.0"),
    ("walk", "state.accepted[:] = 0.0", "state.accepted[0] = 0.0"),
    ("walk", "        state.accepted[:] = 0.0\n", ""),
    ("walk", "state.accepted", "state.total_by_eight"),
    ("walk", "state.accepted", "state.stopped"),
    ("walk", "tests = 0.0", "tests = 1.0"),
    ("walk", "        tests += 1.0\n", ""),
    (
        "walk",
        BEGUN,
        BEGUN.replace("tests", "if n_theta > 0:\n            tests").replace(
            "        state", "            state"
        ),
    ),
    ("walk", BEGUN, "        tests = 0.0\n"),
    ("walk", BEGUN + SAVED, SAVED + BEGUN),
    (
        "walk",
        "    wide()\n    chains, first",
        "    for c in range(3):\n        wide()\n    chains, first",
    ),
    ("walk", COUNTED, "        tests += 1.0\n" + COUNTED),
    ("walk", RATE, RATE.replace("accepted[0, c]", "accepted[0, 0]")),
    ("walk", RATE, RATE.replace(" / tests", "")),
    ("walk", RATE, RATE.replace("0, c] = ", "c, 0] = ")),
    ("walk", "accepted_2 = invalid_block_of", "accepted_2 = cost < 0.0 or invalid_block_of"),
    # who stops, and what is kept of it
    ("sums", "within(state.r[:, c], ", "within(state.r[:, 0], "),
    ("sums", "within(state.r[:, c], ", "within(state.r[c], "),
    ("sums", "within(state.r[:, c], ", "within(state.r[1:, c], "),
    ("sums", "within(state.r[:, c], ", "within(state.theta[:, c], "),
    ("sums", "within(state.r[:, c], ", "within(state.last_r[:, c], "),
    ("sums", "        return 1\n", "        return 0\n"),
    ("sums", "    if not within(state.r[:, c], -math.inf, math.inf):\n        return 1\n", ""),
    ("simplex", "within_simplex(state.s[:, c])", "within(state.s[:, c], 0.0, math.inf)"),
    ("simplex", "columns_within_simplex(state.s)", "columns_within(state.s, 0.0, math.inf)"),
    ("simplex", "columns_within_simplex(state.s)", "within_simplex(state.s[:, 0])"),
    ("simplex", "columns_within(state.x, -math.inf, ", "columns_within(state.x, 0.0, "),
    ("simplex", "columns_within(state.x, -math.inf, ", "columns_within(state.s, -math.inf, "),
    (
        "simplex",
        "    if not columns_within(state.x, -math.inf, math.inf):\n        return False\n",
        "",
    ),
    ("simplex", "        return False\n    return True", "        return True\n    return True"),
    ("reflected", " & (positive_new > 0.0)", ""),
    ("reflected", "(positive_new > 0.0)", "(positive_new > -1.0)"),
    ("reflected", "(positive_new > 0.0)", "(positive_new >= 0.0)"),
    ("reflected", "(positive_new > 0.0)", "(state.positive[i, c] > 0.0)"),
    ("reflected", "[:, c], 0.0, math.inf)", "[:, c], -math.inf, math.inf)"),
    ("reflected", "[:, c], 0.0, math.inf)", "[:, c], 0.0, math.inf, low_belongs=True)"),
    ("reflected", "[:, c], 0.0, math.inf)", "[:, c], -math.inf, 0.0)"),
    ("simplex", "if not all_valid(state) and", "if not finite and"),
    (
        "sums",
        "if not finite and not freeze_invalid(state, done)",
        "if not finite and freeze_invalid(state, done)",
    ),
    (
        "sums",
        "if not finite and not freeze_invalid(state, done)",
        "if not freeze_invalid(state, done) and finite",
    ),
    (
        "sums",
        "        if not finite and not freeze_invalid(state, done):\n            return done, 0\n",
        "",
    ),
    ("sums", "blocks = (state.theta, state.r)", "blocks = (state.r, state.theta)"),
    ("sums", "blocks = (state.theta, state.r)", "blocks = (state.theta, state.theta)"),
    ("sums", "blocks = (state.theta, state.r)", "blocks = (state.theta,)"),
    ("sums", "last = (state.last_theta, state.last_r)", "last = (state.last_r, state.last_theta)"),
    ("sums", "last = (state.last_theta, state.last_r)", "last = (state.last_theta, state.r)"),
    ("sums", "last = (state.last_theta, state.last_r)", "last = (state.last_theta,)"),
    ("sums", "= state.stopped, state.invalid", "= state.invalid, state.stopped"),
    ("sums", "= state.stopped, state.invalid", "= state.stopped, state.stopped"),
    ("sums", "stop_chain(c, invalid_block_of(state, c)", "stop_chain(c, -1"),
    (
        "sums",
        "stop_chain(c, invalid_block_of(state, c)",
        "stop_chain(0, invalid_block_of(state, c)",
    ),
    (
        "sums",
        "stop_chain(c, invalid_block_of(state, c)",
        "stop_chain(c, invalid_block_of(state, 0)",
    ),
    ("sums", "done, stopped, invalid, blocks, last)", "0, stopped, invalid, blocks, last)"),
    ("sums", "done, stopped, invalid, blocks, last)", "done, invalid, stopped, blocks, last)"),
    ("sums", "done, stopped, invalid, blocks, last)", "done, stopped, invalid, last, blocks)"),
    ("sums", "running = running_chain(stopped)", "running = running_chain(invalid)"),
    ("sums", "running = running_chain(stopped)", "running = 0"),
    ("sums", "refill_column(c, invalid_block_of(state, c)", "refill_column(c, 0"),
    ("sums", "refill_column(c, invalid_block_of(state, c)", "refill_column(c, stopped[0, c]"),
    ("sums", "refill_column(c, inv", "refill_column(running, inv"),
    ("sums", "state, c), blocks, running)", "state, c), blocks, 0)"),
    ("sums", "state, c), blocks, running)", "state, c), blocks, c)"),
    ("sums", "state, c), blocks, running)", "state, c), last, running)"),
    ("sums", "        refill_column(c, invalid_block_of(state, c), blocks, running)\n", ""),
    ("sums", "return running >= 0", "return running > 0"),
    ("sums", "return running >= 0", "return True"),
    (
        "sums",
        "return (abs(r_new) <= LARGEST) & (abs(theta_new) <= LARGEST)",
        "return (abs(r_new) <= LARGEST)",
    ),
    ("sums", CALL, CALL.removeprefix("finite &= ")),
    ("sums", CALL, CALL.replace("finite &= ", "finite = ")),
    ("sums", "finite = True", "finite = False"),
    # steps, and what is recorded
    ("sums", "if done + 1 == warmup", "if done == warmup"),
    ("sums", "row += 1", "row += 2"),
    ("sums", "max(0, (start - warmup) // thin)", "max(0, start // thin)"),
    ("sums", "        finite = True\n", "        finite = True\n        row = 0\n"),
    ("sums", "keep_many(draws.r, row, state.r)", "keep_many(draws.r, row + 1, state.r)"),
    ("sums", "keep_many(draws.r, row, state.r)", "keep_many(draws.r, row, state.theta)"),
    ("sums", "keep_many(draws.r, row, state.r)", "keep_many(draws.r, row, state.last_r)"),
    ("sums", "if done + 1 == warmup", "if n + 1 == warmup"),
    ("sums", "start + n, step_sizes[n]", "start + n, step_sizes[0]"),
    ("sums", "start + n, step_sizes[n]", "n, step_sizes[n]"),
    ("sums", "t = np.uint64(done)", "t = np.uint64(n)"),
    ("sums", "for n in range(step_sizes.size)", "for n in range(step_sizes.size - 1)"),
    ("sums", "return start + step_sizes.size, -1", "return start, -1"),
    ("nested", "in range(t * np.uint64(", "in range(t + np.uint64("),
    # the rule itself
    (
        "sums",
        "theta_new = state.theta[i, c] + r_new * step_size",
        "theta_new = state.theta[i, c] + state.r[i, c] * step_size",
    ),
    ("sums", "params.C * state.r[i, c]", "params.C * state.theta[i, c]"),
    ("sums", "math.sqrt(params.C)", "params.C"),
    ("banana", "finite &= abs(y_new) <= LARGEST", "finite &= abs(y) <= LARGEST"),
    # arrays
    ("sums", "def allocate_many(theta, r):", "def allocate_many(r, theta):"),
    ("one after another", "np.zeros((theta.shape[0], chains))", "np.zeros((1, chains))"),
    ("sums", "np.full((1, chains), -1.0)", "np.full((1, chains), 1.0)"),
]


@pytest.mark.by_default(5)
@pytest.mark.parametrize(("name", "old", "new"), BY_HAND)
def test_mistakes_are_never_proved(name, old, new):
    assert made(name).verdict(changed(name, old, new)) in ("refuted", "undecided")


EMBEDDED = [
    ("sums", "(sums[2, c] + sums[6, c])", "(sums[2, c] + sums[5, c])"),
    ("sums", "draws[row, i, c] = values[i, c]", "draws[row, i, c] = values[i, 0]"),
    ("sums", "to[n][i, c] = blocks[n][i, source]", "to[n][i, source] = blocks[n][i, c]"),
    ("sums", "to[n][i, c] = blocks[n][i, source]", "to[n][i, c] = blocks[n][i, 0]"),
    ("sums", "to[n][i, c] = blocks[n][i, source]", "to[n][i, c] = blocks[0][i, source]"),
    ("sums", "copy_column(last, c, blocks, c)", "copy_column(blocks, c, last, c)"),
    ("sums", "if block >= 0 and stopped[0, c] < 0.0:", "if block >= 0:"),
    ("sums", "stopped[0, c] = done", "stopped[0, c] = 0"),
    ("sums", "if block >= 0 and running >= 0:", "if running >= 0:"),
    ("simplex", "x > low", "x >= low"),
    ("simplex", "valid &= summed < 1.0", "valid &= summed <= 1.0"),
    ("simplex", "summed += values[i, c]", "summed += values[i, 0]"),
]


@pytest.mark.parametrize(("name", "old", "new"), EMBEDDED)
def test_what_trusted_functions_do_is_one_text(name, old, new):
    assert old in made(name).text
    outcome = made(name).outcome(made(name).text.replace(old, new))
    assert outcome.verdict.value == "undecided"
    assert "is not the function of this release" in outcome.by


MUTATED = ["banana", "sums", "one after another", "shared noise", "reflected"]
STRICT = {
    "operator", "operands", "dropped term", "overwritten", "sign", "constant", "integer",
    "comparison", "index", "field", "record", "noise", "statement dropped", "arguments swapped",
    "column",
}  # fmt: skip


def survivors(name, every):
    """The mutants that are proved and are not harmless, with their lines; how many there were."""
    text = made(name).text
    alone = frozenset(
        f.name for f in ast.parse(text.partition(BEGIN)[0]).body if isinstance(f, ast.FunctionDef)
    )
    before = ast.unparse(ast.parse(text)).splitlines()
    driver = text[: text.index("def run_many(")].count("\n")
    found, count = [], 0
    for kind, line, other in [*mutants(text, alone, every), *list(columns(text))[::every]]:
        if kind not in STRICT:
            continue
        count += 1
        if made(name).verdict(other) == "proved" and not is_harmless(
            kind, line < driver, before, other.splitlines()
        ):
            found.append((kind, line, [x for x in other.splitlines() if x not in before]))
    return found, count


def is_harmless(kind, in_body, before, after):
    """Whether a change is none."""
    removed, added = differing(before, after)
    swapped = exchanged(removed, added) if kind == "arguments swapped" else set()
    return (
        (kind == "record" and in_body)  # out and state are one object there
        or (kind == "field" and ".shape[0])" in removed[0])  # blocks of one length
        or (kind == "statement dropped" and removed[0].strip() in ("wide()", *AGAIN))
        or (
            kind == "statement dropped" and removed[0].strip().startswith("return abs(recorded_")
        )  # nobody reads this flag
        or (
            kind == "arguments swapped" and swapped <= {"out", "state", "params", "step_size"}
        )  # passed on, and not used there
        or (
            kind == "arguments swapped" and swapped == {"factor", "state.v[i, c]"}
        )  # of one product
        or (
            kind == "arguments swapped"
            and any(FACTORS.fullmatch(", ".join(sorted(swapped))) for _ in removed)
        )
    )


AGAIN = (
    "pairs = n_theta >> np.uint64(1)",
    "half = n_theta - pairs",
)  # where they have been given these values before
FACTORS = re.compile(
    r"factor(_2)?, [nw]_.*|state\.\w+\[i, c\], state\.\w+\[i, c\].*|params.c\[i\],"
    r" .*|params.cv\[i\] .*"
)  # of one product


def differing(before, after):
    """The lines that are not in both texts."""
    lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
    return [[line[1:] for line in lines if line.startswith(sign)] for sign in "-+"]


def columns(text):
    """The text with the column of one cell another one, for every cell."""
    alone, begin, many = ast.unparse(ast.parse(text)).partition(BEGIN)
    parts = many.split(", c]")
    for n in range(1, len(parts)):
        for other in (", 0]", ", c + 1]", "]"):
            yield (
                "column",
                0,
                alone + begin + ", c]".join(parts[:n]) + other + ", c]".join(parts[n:]),
            )


@pytest.mark.slow
def test_small_changes_everywhere_are_never_proved():
    found, count = survivors("banana", 12)
    assert not found
    assert count >= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATED)
def test_more_small_changes_are_never_proved(name):
    """All of them, ``survivors(name, 1)``, take some minutes a module."""
    found, count = survivors(name, 7)
    assert not found
    assert count >= 35


def test_a_module_that_draws_nothing_fills_no_keys():
    """The name of the array of keys is free there, and could be that of the blocks of a chain that
    has stopped.
    """
    from sympy import Symbol

    from recipe import Vector, total

    theta, step = Vector("theta"), Symbol("h", positive=True)
    still = Case(Update(step, {theta: theta - step * theta}, total(theta**2) / 2))
    assert still.outcome().verdict.value == "proved"
    start = "    n_theta = np.uint64(state.theta.shape[0])\n    row"
    assert start in still.text
    filled = still.text.replace(start, start.replace("    row", f"    {KEYS}\n    row"))
    for text in (
        filled,
        filled.replace("last_theta", "keys"),
        still.text.replace("last_theta", "keys"),
    ):
        assert still.verdict(text) in ("refuted", "undecided")
    assert still.verdict(still.text.replace("last_theta", "invalid")) in ("refuted", "undecided")
