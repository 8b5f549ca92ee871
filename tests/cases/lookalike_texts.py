"""Parts of generated modules, and the modules in which they are replaced."""

from cases.translations import Case, case, h, r, recipe_called, theta, total
from cases.validated_batches import made
from recipe import Kernel, Parameter, Potential, Update, grad, refresh, repeat, step

U = Potential("U", theta)
ASKED = "@kernel\ndef invalid_block("
MOVED = (
    "        for i in range(n_theta):\n            finite &= move_theta(i, state, state, params,"
    " step_size)\n"
)
HALVES = """\
        pairs = n_theta >> np.uint64(1)
        half = n_theta - pairs
        for i in range(pairs):
            finite &= move_theta(i, state, state, params, step_size)
            finite &= move_theta(half + i, state, state, params, step_size)
        if pairs < half:
            finite &= move_theta(pairs, state, state, params, step_size)
"""
REFRESHED = """\
            pairs = n_theta >> np.uint64(1)
            half = n_theta - pairs
            fused = in_vectors(pairs)
            for i in range(fused):
                w_r_a, w_r_b = normal_pair(key_w_r, t_2, i)
                finite &= move_r(i, state, state, params, step_size, w_r_a)
                finite &= move_r(half + i, state, state, params, step_size, w_r_b)
            draw_ahead(state.w_r_ahead, key_w_r, t_2, fused, half, t * np.uint64(2), t * np.uint64(2) + count_2)
            for i in range(fused, pairs):
                w_r_a, w_r_b = pair_ahead(state.w_r_ahead, t_2, i - fused)
                finite &= move_r(i, state, state, params, step_size, w_r_a)
                finite &= move_r(half + i, state, state, params, step_size, w_r_b)
            if pairs < half:
                w_r_a = pair_ahead(state.w_r_ahead, t_2, pairs - fused)[0]
                finite &= move_r(pairs, state, state, params, step_size, w_r_a)
"""  # noqa: E501

found = {}


def called(name):
    """The module of a name, made once."""
    others = {
        "parameters": lambda: Case(
            Update(h, {theta: theta - h * Parameter("c", like=theta) * grad(U, theta)}, U)
        ),
        "sum": lambda: Case(Update(h, {theta: theta + h * (theta + total(theta))}, U)),
        "repeated": lambda: Case(
            Kernel([repeat(refresh(SGHMC, MOMENTUM), 2), repeat(step(SGHMC, "baoab"), (2, 3))])
        ),
    }
    if name not in found:
        found[name] = (
            made(name[5:])
            if name.startswith("many ")
            else others[name]()
            if name in others
            else case(name)
        )
    return found[name]


SGHMC = recipe_called("sghmc")
MOMENTUM = next(b for b in SGHMC.state if b.name == r.name)


def changed(name, function, *pairs):
    text = called(name).text
    begin = text.index(f"def {function}(") if function else 0
    end = text.find("\n\n\n", begin) if function else len(text)
    part = text[begin : end if end >= 0 else len(text)]
    rest = text[begin + len(part) :]
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in part, old
        part = part.replace(old, new)
    return text[:begin] + part + rest
