"""Texts that read like the step and are another one: by a name, a counter, an index or an array
that a form does not speak of.
"""

import pytest
from cases.lookalike_texts import ASKED, HALVES, MOVED, REFRESHED, called, changed
from cases.translations import case

from codegen.store.modules import checked
from recipe import RecipeError

ROW = "    row = max(0, (start - warmup) // thin)\n"
BEGIN = "        finite = True\n"
COUNTED = (
    "        pairs = n_theta >> np.uint64(1)\n        half = n_theta - pairs\n        fused ="
    " in_vectors(pairs)\n"
)
KEPT = "        if done + 1 == warmup + (row + 1) * thin:\n"
STOP = "        if not finite:\n            invalid"
BACK = "            state.value_U[0] = state.saved_value_U[0]\n"
IN_A_LOOP = HALVES.replace(
    "        for i in", "        for j in range(n_theta):\n         for i in"
)
IN_A_LOOP = IN_A_LOOP.replace("        if pairs", "         if pairs")
ALL = """\
@device
def move_all(out, state, params, step_size, n):
    for i in range(n):
        move_theta(i, out, state, params, step_size)


@device
def looked(i, out):
    return abs(out.theta[i]) <= LARGEST


"""
CALLED = """\
        for i in range(n_theta):
            move_all(state, state, params, step_size, n_theta)
        for i in range(n_theta):
            finite &= looked(i, state)
"""
ACCEPTS = """\
@device
def accepts(state, key, t, ratio):
    return invalid_block(state) < 0 and log_uniform(key, t) < ratio


"""
TEST = "invalid_block(state) < 0 and log_uniform(key_test{}, t) < {}"
FILLED = """\
            for i in range(n_theta):
                finite &= move_r(i, state, state, params, step_size, state.g_U_theta[i])
"""
COUNT = "        count_2 = np.uint64(2)\n"
AHEAD = (
    "        draw_ahead(state.w_r_ahead_2, key_w_r_2, t, fused, half, np.uint64(start),"
    " np.uint64(start + steps))\n"
)
SUM = "        total = sums(state, state, params, step_size, n_theta)\n"
LOOP = "        for i in range(n_theta):\n            finite &= move_theta(i,"

# (case, the function where it is changed, or none for everywhere, what stands there and in its
# place, ...)
BY_HAND = [
    *(
        ("sgnht", "run", ROW, f"    {s}\n{ROW}")
        for s in ("thin = 1.0", "warmup = 0", "steps = 0", "start = 0", "steps = start")
    ),
    *(
        ("sgnht", "run", BEGIN, f"{BEGIN}        {s}\n")
        for s in ("thin = 1", "warmup = 3", "done = 0", "start = 1", "steps = 1")
    ),
    *(
        ("sgnht", "run", KEPT, f"{KEPT}            {s}\n")
        for s in ("thin = 1", "warmup = 3", "done = 0")
    ),
    (
        "sgnht",
        "run",
        ROW,
        f"    before = (state.xi[0], 1.0)\n{ROW}",
        "xi = state.xi[0]",
        "xi = before[0]",
    ),
    *(
        ("hmc", "run", STOP, f"        {name} = 1.0\n{STOP}")
        for name in ("accepted", "tests", "accepted = tests")
    ),
    ("hmc", "run", KEPT, f"{KEPT}            accepted = 1.0\n"),
    # whole numbers
    ("sgnht", "", "r_new * step_size", "np.uint64(r_new) * step_size"),
    ("sgnht", "", "total / d_theta - 1.0", "total / d_theta + -np.uint64(1)"),
    ("sgnht", "", "total / d_theta - 1.0", "total / d_theta + np.uint64(-1)"),
    ("sgnht", "", "r_new * step_size", "r_new * step_size + 0.0 * 1e400"),
    # what else is carried out where the module is imported, and names of other things
    ("sgnht", "", "def invalid_block(state):", "def invalid_block(state) -> np.random.seed(1):"),
    ("sgnht", "", "def invalid_block(state):", "def invalid_block(state: np.random.seed(1)):"),
    ("sgnht", "", "    theta: np.ndarray", "    theta: np.random.seed(1)"),
    (
        "posterior",
        "",
        ASKED,
        f"@device\ndef min(a, b):\n    return a\n\n\n{ASKED}",
        "= state.theta[i]",
        "= min(state.theta[i], 0.0)",
    ),
    (
        "posterior",
        "",
        ASKED,
        f"@device\ndef int(a):\n    return a - 1.0\n\n\n{ASKED}",
        "= state.theta[i]",
        "= int(state.theta[i]) + 1.0",
    ),
    (
        "sgnht",
        "",
        ASKED,
        f"@device\ndef State(a):\n    return a\n\n\n{ASKED}",
        "r_new * step_size",
        "State(r_new) * step_size",
    ),
    (
        "sgnht",
        "",
        ASKED,
        f"@device\ndef types(a):\n    return a\n\n\n{ASKED}",
        "r_new * step_size",
        "types(r_new) * step_size",
    ),
    # what one step leaves for the next one
    *(
        ("carried", "", "state.right_for_step[0]", f"state.{name}[0]")
        for name in ("r", "g_U_theta")
    ),
    ("hmc", "", "state.right_for_step[0]", "state.value_U[0]"),
    ("carried", "run", KEPT, f"{KEPT}            state.g_U_theta[:] = 0.0\n"),
    ("carried", "run", KEPT, f"{KEPT}            state.right_for_step[0] = 5.0\n"),
    ("hmc", "run", KEPT, f"{KEPT}            state.value_U[0] = 0.0\n"),
    ("compensated", "run", KEPT, f"{KEPT}            state.variance_U_theta[:] = 0.0\n"),
    ("compensated", "run", STOP, f"        state.variance_U_theta[:] = 0.0\n{STOP}"),
    ("compensated", "run", STOP, f"        state.calls_U[0] = 0.0\n{STOP}"),
    (
        "parameters",
        "",
        "    out.theta[i] = theta_new\n",
        "    out.theta[i] = theta_new\n    params.c[i] = 0.0\n",
    ),
    # arrays of estimators
    ("compensated", "averaged_U", "state.squares_theta", "state.r"),
    ("compensated", "averaged_U", "state.one_theta", "state.theta"),
    ("compensated", "averaged_U", "state.calls_U", "state.theta"),
    (
        "compensated",
        "",
        "averaged_U(state.g_U_theta,",
        "averaged_U(state.one_theta,",
        "out.g_U_theta",
        "out.one_theta",
    ),
    # two coordinates at once
    ("two noises", "run", "w[half + i], v_b)", "w[i], v_b)"),
    (
        "two noises",
        "run",
        "_a, v_b = normal_pair(key_v, t, i)\n",
        "_a, v_b = normal_pair(key_v, t, i)\n            w[i] = 0.0\n",
    ),
    ("sgnht", "run", "normal_pair(key_w_r, t, i)", "pair_ahead(state.w_r_ahead, t, i - fused)"),
    (
        "carried",
        "run",
        BEGIN,
        f"{BEGIN}        size = 0.5 * step_size\n",
        "w_r_a",
        "size",
        "move_r(i, state, state, params, step_size, factor)",
        "move_r(i, state, state, params, step_size, size)",
    ),
    ("two noises", "step", "a = noise[2][0]", "a = noise[0][0]"),
    # what is looked at
    ("hmc", "run", "            finite &= save(i,", "            finite = save(i,"),
    (
        "carried",
        "run",
        "finite &= move_r(i, state, state, params, step_size, factor)\n",
        "ok = move_r(i, state, state, params, step_size, factor)\n        finite &= ok\n",
    ),
    ("hmc", "run", BACK, f"{BACK}            finite = True\n"),
    # tests
    (
        "nested",
        "run",
        "    factor_2 = 0.5 * step_size\n",
        "",
        BEGIN,
        f"{BEGIN}        factor_2 = 0.5 * step_size\n",
        BACK,
        f"{BACK}            factor_2 = 0.25\n",
    ),
    ("nested", "run", "random_row(key_count_2,", "random_row(key_count,"),
    (
        "nested",
        "run",
        AHEAD,
        "",
        BACK,
        f"{BACK}    {AHEAD}",
        "        accepted = tests = 0.0\n",
        f"        accepted = tests = 0.0\n{COUNTED}",
    ),
    (
        "nested",
        "",
        ASKED,
        ACCEPTS + ASKED,
        TEST.format("", "energy - energy_2"),
        "accepts(state, key_test, t, energy - energy_2)",
        TEST.format("_2", "energy_3 - energy_4"),
        "accepts(state, key_test, t, energy_3 - energy_4)",
    ),
    # the same again and again
    (
        "repeated",
        "run",
        REFRESHED,
        FILLED,
        COUNT,
        f"        fill_normals(state.g_U_theta, key_w_r, t)\n{COUNT}",
    ),
    (
        "repeated",
        "run",
        REFRESHED,
        f"            fill_normals(state.g_U_theta, key_w_r, t)\n{FILLED}",
    ),
    (
        "repeated",
        "run",
        "for t_2 in range(t *",
        "for t in range(t *",
        "key_w_r, t_2,",
        "key_w_r, t,",
        "w_r_ahead, t_2,",
        "w_r_ahead, t,",
    ),
    # loops in loops
    (
        "sum",
        "run",
        SUM,
        "",
        LOOP,
        LOOP.replace("            finite", f"    {SUM}            finite"),
    ),
    ("parameters", "", ASKED, ALL + ASKED, MOVED, CALLED),
    ("parameters", "run", MOVED, IN_A_LOOP),
    (
        "posterior",
        "gradient_U",
        "    row_of = local_rows(32)\n",
        "    row_of = local_rows(32)\n    n = 1.0 / params.k ** 2\n",
        " = 1.0 / params.k ** 2\n    for i in",
        " = n\n    for i in",
    ),
    # where all coordinates together tell that a step has left its domain
    *(
        ("many simplex", "invalid_block", "within_simplex(state.s)", asked)
        for asked in (
            "within(state.s, 0.0, math.inf)",
            "within(state.s, 0.0, 1.0)",
            "within_simplex(state.x)",
            "within_simplex(state.s[1:])",
        )
    ),
    ("many simplex", "within_simplex", "summed < 1.0", "summed <= 1.0"),
    ("many simplex", "run", "invalid = invalid_block(state)", "invalid = -1"),
    # many chains
    *(
        ("many sums", "run_many", ROW, f"    {name} = np.uint64(state.theta.shape[0])\n{ROW}")
        for name in ("chains", "first", "thin")
    ),
]
RIGHT = [
    ("parameters", "run", MOVED, HALVES),
    (
        "repeated",
        "run",
        REFRESHED,
        f"            fill_normals(state.g_U_theta, key_w_r, t_2)\n{FILLED}",
    ),
    (
        "carried",
        "run",
        "for i in range(n_theta):\n            finite &= move_r(i,",
        "for j in range(n_theta):\n            finite &= move_r(j,",
    ),
]


@pytest.mark.by_default(8)
@pytest.mark.parametrize("mistake", BY_HAND, ids=lambda m: f"{m[0]}: {m[-1].strip()[:50]!r}")
def test_another_step_is_not_proved(mistake):
    assert called(mistake[0]).verdict(changed(*mistake)) != "proved"


@pytest.mark.parametrize("same", RIGHT, ids=lambda m: m[0])
def test_the_same_step_in_other_words_is_proved(same):
    """What the mistakes above are made from."""
    outcome = called(same[0]).outcome(changed(*same))
    assert outcome.verdict.value == "proved", outcome.by


@pytest.mark.parametrize(
    ("name", "function"), [("compensated", "averaged_U"), ("controlled", "controlled_U")]
)
def test_an_estimator_that_is_asked_for_must_be_there(name, function):
    text = called(name).text
    begin = text.index(f"@kernel\ndef {function}(")
    without = text[:begin] + text[text.index("\n\n\n", begin) + 3 :]
    without = without.replace(f"{function}(", "gradient_U(").replace(
        "state.rows, state)", "state.rows)"
    )
    assert called(name).verdict(without) != "proved"


@pytest.mark.parametrize(
    "line",
    ["# coding: unicode_escape\n#\\nLARGEST = 1.0\n", "# coding: utf-7\n#+AAo-LARGEST = 1.0\n"],
)
def test_a_text_has_one_encoding(line):
    """Otherwise the lines that are imported are others than those that are read."""
    assert case("sgnht").verdict(line + case("sgnht").text) == "undecided"
    with pytest.raises(RecipeError, match="encoding"):
        checked(line)
