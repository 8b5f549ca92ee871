"""Mistakes in the text of sums in eights and in pieces, of products with matrices, and of rows in
tiles.
"""

RUNNING = [
    ("if n < EIGHT:", "if n <= EIGHT:"),
    ("if n < EIGHT:", "if EIGHT < n:"),
    ("n % EIGHT, EIGHT):", "n % EIGHT, np.uint64(4)):"),
    ("n % EIGHT, EIGHT):", "n % EIGHT):"),
    ("range(np.uint64(0), n - ", "range(np.uint64(1), n - "),
    ("range(np.uint64(0), n - ", "range(EIGHT, n - "),
    ("range(np.uint64(0), n - n % EIGHT, ", "range(np.uint64(0), n - EIGHT, "),
    ("range(np.uint64(0), n - n % EIGHT, ", "range(np.uint64(0), n, "),
    ("n % EIGHT, EIGHT):", "n % EIGHT, EIGHT - np.uint64(1)):"),
    ("if n % EIGHT > 0:", "if n % EIGHT > 1:"),
    ("if n % EIGHT > 0:", "if n > 0:"),
    ("{0} = eight(0.0)", "{0} = eight(1.0)"),
    ("{0} = eight(0.0)", "{0} = 0.0"),
    ("pairwise({0})", "{0}"),
    ("pairwise({0})", "2.0 * pairwise({0})"),
    ("{0} = inside(at, ", "{0} = inside(i, "),
    (", {0})\n", ", 0.0)\n"),
]
OF_SUMS = [
    (name, old.format(n), new.format(n))
    for name, n in (("sgnht", "total_by_eight"), ("two noises", "c_by_eight"))
    for old, new in RUNNING
]
OF_SUMS += [
    ("sgnht", "at = whole(i)", "at = lanes(i + np.uint64(1), n)"),
    ("sgnht", "at = whole(i)", "at = whole(i + np.uint64(1))"),
    ("sgnht", "at = whole(i)", "at = i"),
    ("sgnht", "at = lanes(n - n % EIGHT, n)", "at = lanes(n - n % EIGHT, n + EIGHT)"),
    ("sgnht", "at = lanes(n - n % EIGHT, n)", "at = lanes(n, n % EIGHT)"),
    ("sgnht", "at = lanes(n - n % EIGHT, n)", "at = lanes(np.uint64(0), n)"),
    ("sgnht", "at = lanes(n - n % EIGHT, n)", "at = whole(n - n % EIGHT)"),
    (
        "sgnht",
        "at = lanes(n - n % EIGHT, n)\n",
        "at = lanes(n - n % EIGHT, n)\n        total_by_eight = eight(0.0)\n",
    ),
    (
        "sgnht",
        "inside(at, add_sums(at, total_by_eight, out, state, params, step_size), total_by_eight)",
        "add_sums(at, total_by_eight, out, state, params, step_size)",
    ),
    ("sgnht", "add_sums(at, total_by_eight, out", "add_sums(i, total_by_eight, out"),
    ("sgnht", "add_sums(at, total_by_eight, out", "add_sums(at, 0.0, out"),
    (
        "sgnht",
        "params, step_size), total_by_eight)\n",
        "params, step_size), total_by_eight + total_by_eight)\n",
    ),
    ("sgnht", "    return pairwise(total_by_eight)", "    return total_by_eight"),
    ("sgnht", "        return total\n    total_by_eight", "    total_by_eight"),
    (
        "sgnht",
        (
            "    total_by_eight = eight(0.0)\n    for i in range(np.uint64(0), n - n % EIGHT,"
            " EIGHT):\n"
        ),
        (
            "    for i in range(np.uint64(0), n - n % EIGHT, EIGHT):\n        total_by_eight ="
            " eight(0.0)\n"
        ),
    ),  # a sum that begins anew
    (
        "sgnht",
        "sums(state, state, params, step_size, n_theta)",
        "sums(state, state, params, step_size, n_theta - np.uint64(1))",
    ),
    (
        "sgnht",
        (
            "    if n < EIGHT:\n        total = 0.0\n        for i in range(n):\n            total"
            " = add_sums(i, total, out, state, params, step_size)\n        return total\n"
        ),
        "",
    ),  # another order for fewer than eight
    ("dense", "params, step_size, k, j)", "params, step_size, j, k)"),
    ("dense", "params, step_size, j), c_by_eight)", "params, step_size, i), c_by_eight)"),
    ("two noises", "params.M[j][i]", "params.M[j][j]"),
    ("simplex", "n, np.uint64(64)):", "n, np.uint64(32)):"),
    ("simplex", "size = min(np.uint64(64), n - first)", "size = np.uint64(64)"),
    ("simplex", "size = min(np.uint64(64), n - first)", "size = min(np.uint64(64), n)"),
    ("simplex", "size = min(np.uint64(64), n - first)", "size = min(np.uint64(63), n - first)"),
    ("simplex", "i = first + k", "i = k"),
    ("simplex", "i = first + k", "i = first"),
    ("simplex", "local_numbers(64)", "local_numbers(63)"),
    ("simplex", "total_2_by_eight + total_2_terms[at]", "total_2_by_eight + total_terms[at]"),
    ("simplex", "total_2_by_eight + total_2_terms[at]", "total_2_terms[at]"),
    ("simplex", "total_2_by_eight + total_2_terms[at]", "total_2_by_eight + total_2_terms[k]"),
    (
        "simplex",
        "add_sums(i, 0.0, 0.0, 0.0, 0.0",
        "add_sums(i, total_terms[k], 0.0, 0.0, 0.0",
    ),  # those of the last piece stay
    ("simplex", "add_sums(i, 0.0, 0.0, 0.0, 0.0", "add_sums(i, 0.0, 1.0, 0.0, 0.0"),
    ("simplex", "at = whole(k)", "at = whole(n)"),
    ("simplex", "at = lanes(size - size % EIGHT, size)", "at = lanes(size - size % EIGHT, n)"),
    ("simplex", "np.uint64(0), size - size % EIGHT", "np.uint64(0), n - n % EIGHT"),
    ("simplex", "if size % EIGHT > 0:", "if n % EIGHT > 0:"),
    ("simplex", "for k in range(size):", "for k in range(np.uint64(64)):"),
    ("simplex", "total_2_terms[k], total_3_terms[k]", "total_3_terms[k], total_2_terms[k]"),
    (
        "simplex",
        "total_2_by_eight), pairwise(total_3_by_eight)",
        "total_3_by_eight), pairwise(total_2_by_eight)",
    ),
    ("posterior", "used, TILE):", "used, np.uint64(16)):"),
    ("posterior", "used, TILE):", "used - TILE, TILE):"),
    ("posterior", "used, TILE):", "np.uint64(count), TILE):"),
    ("posterior", "range(np.uint64(0), used, TILE)", "range(TILE, used, TILE)"),
    ("posterior", "tile = min(TILE, used - first)", "tile = TILE"),
    (
        "posterior",
        "tile = min(TILE, used - first)",
        "tile = min(TILE, used - first - np.uint64(1))",
    ),
    ("posterior", "min(first + k, used - np.uint64(1))", "min(first + k, used)"),
    ("posterior", "min(first + k, used - np.uint64(1))", "min(k, used - np.uint64(1))"),
    ("posterior", "for k in range(TILE):", "for k in range(tile):"),
    ("posterior", "n if rows.size == 0 else np.uint64(rows[n])", "n"),
    ("posterior", "n if rows.size == 0 else np.uint64(rows[n])", "np.uint64(rows[n])"),
    ("posterior", "local_rows(32)", "local_rows(16)"),
    ("posterior", "local_numbers(32)", "local_numbers(31)"),
    ("posterior", "tile, np.uint64(4)", "tile, np.uint64(8)"),
    ("posterior", "tile, np.uint64(4)", "tile, np.uint64(3)"),
    (
        "posterior",
        "tile, np.uint64(4)",
        "tile - np.uint64(3), np.uint64(4)",
    ),  # what four leave over is lost
    (
        "posterior",
        "range(np.uint64(0), tile, np.uint64(4))",
        "range(np.uint64(4), tile, np.uint64(4))",
    ),
    ("posterior", "        total_of[k + np.uint64(3)] = pairwise(total_3)\n", ""),
    (
        "posterior",
        "total_of[k + np.uint64(3)] = pairwise(total_3)",
        "total_of[k + np.uint64(3)] = pairwise(total_2)",
    ),
    (
        "posterior",
        "total_of[k + np.uint64(3)] = pairwise(total_3)",
        "total_of[k + np.uint64(2)] = pairwise(total_3)",
    ),
    ("posterior", "row_of[k + np.uint64(3)]), total_3)", "row_of[k + np.uint64(2)]), total_3)"),
    ("posterior", "row_of[k + np.uint64(3)]), total_3)", "row_of[k]), total_3)"),
    ("posterior", "row_of[k + np.uint64(3)]), total_3)", "row_of[k + np.uint64(4)]), total_3)"),
    ("posterior", "row_of[k + np.uint64(3)]), total_3)", "row_of[k + np.uint64(3)]), total_2)"),
    ("posterior", "        total_3 = eight(0.0)\n", ""),
    ("posterior", "tile, np.uint64(4)):\n        total_0 = eight(0.0)\n", "tile, np.uint64(4)):\n"),
    (
        "posterior",
        "    for k in range(np.uint64(0), tile, np.uint64(4)):\n        total_0 = eight(0.0)\n",
        "    total_0 = eight(0.0)\n    for k in range(np.uint64(0), tile, np.uint64(4)):\n",
    ),  # carried on to the next rows
    ("posterior", "            total_of[k] = total\n", ""),
    ("posterior", "            total = 0.0\n", ""),  # carried on from row to row
    ("posterior", "total = total_of[k]", "total = factor_2_of[k]"),
    ("posterior", "            factor_2_of[k] = factor_2\n", ""),
    ("posterior", "row = row_of[k]", "row = k"),
    ("posterior", "row = row_of[k]", "row = row_of[0]"),
    ("posterior", "data.y[row]", "data.y[k]"),
    ("posterior", "row_of[k], factor_2_of[k])", "row_of[0], factor_2_of[k])"),
    ("posterior", "row_of[k], factor_2_of[k])", "row_of[k], factor_2_of[0])"),
    (
        "posterior",
        "theta_sum = g_theta[at]",
        "theta_sum = 0.0",
    ),  # what earlier tiles have added is lost
    (
        "posterior",
        "            g_theta[at] = theta_sum\n",
        "            g_theta[at] = theta_sum + g_theta[at]\n",
    ),
    ("posterior", "            g_theta[at] = theta_sum\n", ""),
    (
        "posterior",
        "                theta_sum = add_datum(at, theta_sum, ",
        "                theta_sum = add_datum(at, 0.0, ",
    ),
    (
        "posterior",
        "range(tile):\n                theta_sum",
        "range(TILE):\n                theta_sum",
    ),
    (
        "posterior",
        "            at = whole(i)\n            theta_sum",
        "            at = i\n            theta_sum",
    ),
    (
        "posterior",
        "at = lanes(n_theta - n_theta % EIGHT, n_theta)",
        "at = whole(n_theta - n_theta % EIGHT)",
    ),
    (
        "posterior",
        "sums(theta, data, params, row_of, tile, n_theta, total_of)\n",
        "sums(theta, data, params, row_of, tile, n_theta, factor_2_of)\n",
    ),
    ("posterior", "fetch(data.x, np.uint64(rows[n]))", "fetch(data.x, np.uint64(rows[n + 1]))"),
    ("posterior", "min(first + TILE + TILE, used)", "first + TILE + TILE"),
    ("hmc", "value += value_of_row_of[k]", "value = value_of_row_of[k]"),
    ("hmc", "value += value_of_row_of[k]", "value += value_of_row_of[k] + value"),
    (
        "hmc",
        "value += value_of_row_of[k]\n",
        "value += value_of_row_of[k]\n            value += total_3_of[k]\n",
    ),
    (
        "hmc",
        "        for k in range(tile):\n            value += value_of_row_of[k]\n",
        2 * "        for k in range(tile):\n            value += value_of_row_of[k]\n",
    ),  # rows join twice
    (
        "hmc",
        "        for k in range(tile):\n            value += value_of_row_of[k]\n",
        (
            "        for k in range(tile):\n            for i in range(tile):\n               "
            " value += value_of_row_of[k]\n"
        ),
    ),
    ("simplex", "total_2_by_eight = eight(0.0)", "total_2_by_eight = eight(1.0)"),
    ("simplex", "pairwise(total_2_by_eight)", "2.0 * pairwise(total_2_by_eight)"),
    ("simplex", "total_2_terms[at], total_2_by_eight)", "total_2_terms[at], total_by_eight)"),
    (
        "row by row",
        "sums_of_row(theta, data, params, n, row_of[k])",
        "sums_of_row(theta, data, params, n, row_of[0])",
    ),
    ("row by row", "total_of[k] = sums_of_row", "total_of[0] = sums_of_row"),
    ("row by row", "g_theta[i] = add_datum(i, g_theta[i], ", "g_theta[i] = add_datum(i, 0.0, "),
    (
        "row by row",
        "            for i in range(n_theta):\n",
        "            for i in range(n_theta - np.uint64(1)):\n",
    ),
    ("row by row", "row_of[k], factor_2_of[k])", "row_of[i], factor_2_of[k])"),
    ("functions times matrix", "params.M[j][i]", "params.M[j][j]"),
    ("functions times matrix", "params, step_size, k, j)", "params, step_size, k, k)"),
    ("transposed", "fma(params.B[i, j], c,", "fma(params.B[j, j], c,"),
    ("transposed", "        out.B_times[j] = 0.0\n", "        out.B_times[j] = 1.0\n"),
    ("transposed", "c, out.B_times[j])", "c, 0.0)"),
    ("transposed", "for i in range(k):", "for i in range(1):"),
]
TEXT_OF_EIGHTS = [
    ("builder.icmp_unsigned('<'", "builder.icmp_unsigned('<='"),
    ("for half in (4, 2, 1)", "for half in (4, 2)"),
    ("arithmetic(operator.sub, ir.IRBuilder.fsub)", "arithmetic(operator.sub, ir.IRBuilder.fadd)"),
    ("return builder.select(there(builder, values[0]), values[1], values[2])", "return values[1]"),
    ("TILE = np.uint64(32)", "TILE = np.uint64(64)"),
    ("EIGHT = np.uint64(8)", "EIGHT = np.uint64(4)"),
    ("[INDEX(0), INDEX(8)]", "[INDEX(0), INDEX(7)]"),
]
