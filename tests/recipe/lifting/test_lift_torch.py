"""Rules that are read out of functions and optimizers of PyTorch."""

import math

import pytest
from sympy import Symbol, sqrt

from recipe import CannotLiftError, Noise, Potential, RecipeError, Scalar, Vector, grad, lift, total
from verify import verify

torch = pytest.importorskip("torch", reason="PyTorch is not installed: its code is not read here")

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h, a, T = (Symbol(name, positive=True) for name in "haT")
w = Noise("w", like=theta)
ONE = {"state": {"x": theta}, "step": h, "target": U, "library": "torch"}
GRADIENT = {"gradient": {"g": grad(U, theta)}}
LANGEVIN = ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * w),)


def langevin(x, h, g):
    return x - h * g(x) + math.sqrt(2 * h) * torch.randn_like(x)


def by_normal(x, h, g):
    noise = torch.normal(mean=torch.zeros_like(x), std=torch.ones_like(x) * (2 * h) ** 0.5)
    return torch.add(x, g(x), alpha=-h) + noise


def by_distribution(x, h, g):
    noise = torch.distributions.Normal(torch.zeros(x.shape), torch.ones(x.shape)).sample()
    return x - h * g(x) + noise * (2 * h) ** 0.5


def in_place(x, h, g):
    with torch.no_grad():
        x.add_(g(x), alpha=-h)
        x.view(-1).add_(x.new(x.numel()).normal_(std=1.0), alpha=(2 * h) ** 0.5)


def by_autograd(x, h, u):
    x = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(2 * u(x) / 2, x)
    return x.detach() - h * slope + (2 * h) ** 0.5 * torch.empty_like(x).normal_()


def by_backward(x, h, u):
    x = x.detach().clone().requires_grad_()
    u(x).backward()
    return x.data - h * x.grad + (2 * h) ** 0.5 * torch.randn(x.shape)


def by_transform(x, h, u):
    slope, _ = torch.func.grad_and_value(u)(x)
    return x - h * slope + (2 * h) ** 0.5 * torch.randn(*x.shape)


@pytest.mark.parametrize("function", [langevin, by_normal, by_distribution, in_place])
def test_one_rule_in_many_ways(function):
    assert lift(function, **ONE, **GRADIENT).rule == LANGEVIN


@pytest.mark.parametrize("function", [by_autograd, by_backward, by_transform])
def test_derivatives_of_a_potential(function):
    assert lift(function, **ONE, gradient={"u": U}).rule == LANGEVIN


class SGHMC(torch.optim.Optimizer):
    def __init__(self, params, lr, friction=0.1, addmm=False):
        if lr <= 0:
            raise ValueError(f"lr {lr}")
        super().__init__(params, {"lr": lr, "friction": friction})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for q in group["params"]:
                if q.grad is None:
                    continue
                state = self.state[q]
                if not state:
                    state["step"] = 0
                    state["v"] = torch.zeros_like(q)
                state["step"] += 1
                state["v"].mul_(1 - group["friction"] * group["lr"])
                state["v"].add_(q.grad, alpha=-group["lr"])
                noise = torch.randn_like(q).mul_(math.sqrt(2 * group["friction"] * group["lr"]))
                state["v"].add_(noise)
                q.add_(state["v"], alpha=group["lr"])


OPTIMIZER = {
    "state": {"params": theta, "v": p},
    "step": h,
    "arguments": {"lr": h, "friction": a},
    "gradient": {"params": grad(U, theta)},
    "target": U + total(p**2) / 2,
}


def test_an_optimizer():
    rule = lift(SGHMC, **OPTIMIZER)
    moved = p - a * h * p - h * grad(U, theta) + sqrt(2 * a * h) * w
    assert [
        (e - f).expand() for (_, e), f in zip(rule.rule, [theta + h * moved, moved], strict=True)
    ] == [0, 0]
    assert verify(rule).verdict.value == "proved"
    assert "addmm=False" not in rule.text
    assert rule.reading.function == "SGHMC.step"


def test_what_is_not_said_of_an_optimizer():
    with pytest.raises(RecipeError, match="the state of SGHMC has the tensor v"):
        lift(SGHMC, **{**OPTIMIZER, "state": {"params": theta}})
    with pytest.raises(RecipeError, match="has no entry momentum; it has step, v"):
        lift(SGHMC, **{**OPTIMIZER, "state": {"params": theta, "momentum": p}})
    with pytest.raises(RecipeError, match="SGHMC is an optimizer: say state="):
        lift(SGHMC, **{**OPTIMIZER, "gradient": {}})


def test_optimizers_of_pytorch_itself():
    rule = lift(
        torch.optim.SGD,
        state={"params": theta, "momentum_buffer": p},
        step=h,
        arguments={"lr": h, "momentum": 0.9},
        gradient={"params": grad(U, theta)},
        target=U,
    )
    nine = (9 * p / 10 + grad(U, theta)).expand()
    assert dict(rule.rule)[p].expand() == nine
    assert {t.place.file.rpartition("/")[2] for t in rule.reading.terms if t.place} == {"sgd.py"}


def thermostat(x, v, z, h, a, g):
    v = v - h * z * v - h * g(x) + (2 * a * h) ** 0.5 * torch.randn_like(x)
    return x + h * v, v, z + h * (torch.dot(v.reshape(-1), v.reshape(-1)) / v.numel() - 1)


def test_numbers_of_the_length():
    state = {"x": theta, "v": p, "z": xi}
    rule = lift(thermostat, **{**ONE, "state": state}, **GRADIENT, arguments={"a": a})
    moved = p - h * xi * p - h * grad(U, theta) + sqrt(2 * a * h) * w
    assert (rule.rule[2][1] - xi - h * (total(moved**2) / theta.dim - 1)).expand() == 0


def branch(x, h, g):
    return x if x.sum() > 0 else -x


def where(x, h, g):
    return torch.where(x > 0, x, -x)


def clamped(x, h, g):
    return x - h * g(x).clamp(-1, 1)


def uniform(x, h, g):
    return x + h * torch.rand_like(x)


def rounded(x, h, g):
    return x.long() * 1.0


def to_numpy(x, h, g):
    return torch.tensor(x.numpy())


def unknown(x, h, g):
    return torch.cumprod(x, 0)


def complex_numbers(x, h, g):
    return x * 1j


def indexed(x, h, g):
    x[0] = 0
    return x


def into_numbers(x, h, g):
    out = MADE_ELSEWHERE[: x.numel()]
    out.copy_(x)
    return out


MADE_ELSEWHERE = torch.zeros(20, dtype=torch.float64)
REFUSED = {
    branch: "compares values",
    where: "compares values",
    clamped: "torch.clamp is a branch on values",
    uniform: "rand_like(...) draws no normal numbers",
    rounded: "long",
    to_numpy: "turned into an array of numpy",
    unknown: "cumprod of PyTorch is not known",
    complex_numbers: "complex numbers",
    indexed: "coordinates of theta are not treated alike",
    into_numbers: "written into a tensor of numbers",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_in_one_sentence(function):
    with pytest.raises(CannotLiftError) as caught:
        lift(function, **ONE, **GRADIENT)
    said = str(caught.value)
    assert REFUSED[function] in said
    first = function.__code__.co_firstlineno
    assert any(f"test_lift_torch.py, line {first + k}" in said for k in (0, 1, 2))
    assert "\n" not in said


def shared_noise(x, v, h, g):
    noise = torch.randn_like(x)
    return x + h * v + h * noise, v - h * g(x) + h * noise


def test_noise_that_is_used_twice_is_one_noise():
    rule = lift(shared_noise, **{**ONE, "state": {"x": theta, "v": p}}, **GRADIENT)
    assert [e.coeff(w) for _, e in rule.rule] == [h, h]


class Counting(torch.optim.Optimizer):
    """A step whose noise, or step size, depends on how many steps were made."""

    def __init__(self, params, lr=0.1, where="state"):
        super().__init__(params, {"lr": lr, "where": where})
        self.made = 0

    @torch.no_grad()
    def step(self, closure=None):
        group = self.param_groups[0]
        p = group["params"][0]
        count = self.state[p]
        count["made"] = count.get("made", 0) + 1
        p.add_(p.grad, alpha=-group["lr"])
        if group["where"] == "state" and count["made"] < 1000:
            p.add_(torch.randn_like(p))
        if group["where"] == "group":
            group["lr"] = group["lr"] / 2
        if group["where"] == "itself":
            self.made += 1


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("state", "uses a count of the steps"),
        ("group", r"changes the number lr \(group 0\)"),
        ("itself", r"changes the number made \(its own\)"),
    ],
)
def test_an_optimizer_that_counts_its_steps(where, said):
    with pytest.raises(CannotLiftError, match=said):
        lift(
            Counting,
            state={"params": theta},
            step=h,
            arguments={"lr": h, "where": where},
            gradient={"params": grad(U, theta)},
            target=U,
        )


def cast_by_to(x, h, g):
    return (x - h * g(x) + (2 * h) ** 0.5 * torch.randn_like(x)).to(torch.float32)


def cast_by_float(x, h, g):
    return x - h * g(x).float() + (2 * h) ** 0.5 * torch.randn_like(x).to(x.dtype)


def cast_to_double(x, h, g):
    return x.double() - h * g(x).to("cpu", torch.float64) + (2 * h) ** 0.5 * torch.randn_like(x)


@pytest.mark.parametrize("function", [cast_by_to, cast_by_float, cast_to_double])
def test_casts_are_read_and_float32_is_said(function):
    rule = lift(function, **ONE, **GRADIENT)
    assert rule.rule == LANGEVIN
    assert ("in float32: the comparison" in rule.text) == (function is not cast_to_double)


@pytest.mark.parametrize("name", ["half", "bfloat16"])
def test_coarser_casts_are_refused_by_name(name):
    def function(x, h, g):
        return x - h * getattr(g(x), name)() + (2 * h) ** 0.5 * torch.randn_like(x)

    kind = {"half": "float16"}.get(name, name)
    with pytest.raises(CannotLiftError, match=f"numbers are rounded to {kind}"):
        lift(function, **ONE, **GRADIENT)
