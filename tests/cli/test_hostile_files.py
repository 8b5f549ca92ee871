"""What a file may throw at the command: each entry gets the right verdict or one clear sentence, in
bounded time and memory.
"""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from helpers.command import ROOT, command
from helpers.outcomes import outcome_of

from recipe_cli.declarations.find import declarations
from recipe_cli.render.exit_status import exit_status, worst
from recipe_cli.sandbox.messages import JudgedDeclaration
from recipe_cli.sandbox.parent import Watch
from recipe_cli.sandbox.process_limits import Limits

HEAD = """
from sympy import *
from recipe import *
theta = Vector("theta"); r = Vector("r", like=theta); U = Potential("U", theta)
x = Scalar("x"); y = Scalar("y"); w = Noise("w", like=x); v = Noise("v", like=y)
eps = Symbol("eps", positive=True); a = Symbol("a", real=True); b = Symbol("b", positive=True)

def vanishes(e):  # a rule that leaves the normal law alone iff e is zero
    return Update(eps, {x: x - eps * (x + e) + sqrt(2 * eps) * w}, x**2 / 2)

def langevin(D, H=x**2 / 2, *state):
    return Recipe(state or (x,), H, D, zeros(len(state) or 1))
"""
QUICK = Limits(seconds=20, gigabytes=1)


def watched(path, limits=QUICK, **more):
    return list(Watch(partial(declarations, str(path)), str(path), limits=limits, **more).results())


def file(tmp_path, text, name="hostile.py"):
    path = tmp_path / name
    path.write_text(text)
    return path


def said(result):
    """All that a user would read of a result."""
    if not isinstance(result, JudgedDeclaration):
        return result.mistake.sentence
    lines = [f"{line.outcome.by} {line.outcome.witness}" for line in result.report.lines]
    return "; ".join([result.report.scope, *lines])


def outcome(result, name):
    return outcome_of(result.report, name)


def status(results):
    return worst(
        [
            exit_status(r.declared, r.report)
            if isinstance(r, JudgedDeclaration)
            else r.mistake.status
            for r in results
        ]
    )


# -- expressions
# --------------------------------------------------------------------------------------------------

PROVED, REFUTED, BAD, UNDECIDED = 0, 1, 2, 3
EXPRESSIONS = {  # what is declared: the exit status, and what is said
    # branch identities
    "vanishes(sqrt(x**2) - x)": (BAD, "Abs(x) is outside the language"),
    "vanishes(log(exp(x)) - x)": (PROVED, ""),
    "vanishes(sqrt(1 + x**2) * sqrt(2 + x**2) - sqrt((1 + x**2) * (2 + x**2)))": (PROVED, ""),
    "vanishes(sqrt(x) * sqrt(x + 1) - sqrt(x * (x + 1)))": (
        REFUTED,
        "x*(x + 1) >= 0 fails at the witness",
    ),
    "vanishes((x**a)**b - x**(a * b))": (REFUTED, "x**a >= 0 fails at the witness"),
    "vanishes(((1 + x**2)**a)**b - (1 + x**2)**(a * b))": (PROVED, ""),
    "vanishes(log(x**2) - 2 * log(x))": (REFUTED, "fails at the witness"),
    # near misses
    "vanishes(x / 10**15)": (REFUTED, "the value is -7.5e-16, not 0"),
    "vanishes(Rational(1, 10**40) * x)": (REFUTED, "e-41, not 0"),
    "vanishes(1e-15 * x)": (REFUTED, "1000000000000000"),
    "langevin(Matrix([[1, 0], [Rational(1, 10**15), 1]]), (x**2 + y**2) / 2, x, y)": (
        REFUTED,
        "D[x, y] - D[y, x]^T: it is -1/1000000000000000, not 0",
    ),
    "langevin(Matrix([[1, 1 + Rational(1, 10**15)], [1 + Rational(1, 10**15), 1]]), "
    "(x**2 + y**2) / 2, x, y)": (
        REFUTED,
        "x^T D x is -2e-15",
    ),
    "langevin(x**2 - 2 * x + 1 - Rational(1, 10**15))": (REFUTED, "x^T D x is -1e-15"),
    # exponents and numbers
    "vanishes(exp(998 * x / 997) - exp(x / 997)**998)": (PROVED, ""),
    "vanishes(exp(998 * x / 997) - exp(x) * exp(x / 997))": (PROVED, ""),
    "vanishes(exp(998 * x / 997) - exp(x))": (REFUTED, "the value is -0.00206803611768, not 0"),
    "vanishes(x**(10**9))": (REFUTED, "e-301029987, not 0"),
    "vanishes(x**(10**9) - x * x**(10**9 - 1))": (PROVED, ""),
    "vanishes((1 + x)**(10**9))": (REFUTED, "e+176091267, not 0"),
    "vanishes((1 + x**2)**(10**12 + Rational(1, 3)))": (REFUTED, "not 0"),
    "vanishes(2**(2**40 * x))": (REFUTED, "e+165492990282, not 0"),
    "vanishes(x * Integer(2)**(10**7))": (BAD, "a number of more than a thousand digits"),
    "vanishes((10**900 * x + 1)**11)": (REFUTED, "the residual is a long expression"),
    "langevin(x**(10**400))": (PROVED, ""),
    "langevin(1, exp(exp(exp(exp(x)))))": (
        REFUTED,
        "exp(-H) is not integrable",
    ),  # it is flat to the left
    # not finite, not real, not numbers
    "vanishes(nan)": (BAD, "contains nan"),
    "vanishes(zoo)": (BAD, "contains zoo"),
    "vanishes(oo)": (BAD, "contains -oo"),
    "vanishes(I * x)": (BAD, "contains I: an expression of the language is finite and real"),
    "vanishes(x + Symbol('A', commutative=False))": (BAD, "A is declared not to be a real number"),
    "vanishes(Symbol('p', imaginary=True))": (BAD, "declared not to be a real number"),
    "langevin(MatrixSymbol('A', 2, 2))": (BAD, "D is MatrixSymbol, not a single expression"),
    "langevin(1, MatrixSymbol('A', 2, 2)[0, 0])": (BAD, "A (MatrixSymbol) is outside the language"),
    "langevin(1, Sum(x, (Symbol('k'), 0, 3)))": (BAD, "(Sum) is outside the language"),
    "langevin(1, Piecewise((x, x > 0), (0, True)))": (BAD, "it is not smooth"),
    "langevin(1, '__import__(\"os\").abort()')": (BAD, "text is never evaluated"),
    "langevin(1, type('E', (), {'_sympy_': lambda self: self})())": (
        BAD,
        "not a single expression",
    ),
    # shapes
    "langevin(eye(2))": (BAD, "D has the shape 2 by 2; the state (x) needs 1 by 1"),
    "langevin(Matrix([[1, 0]]), 0, x, y)": (
        BAD,
        "D has the shape 1 by 2; the state (x, y) needs 2 by 2",
    ),
    "langevin([[1, 0], [0]], 0, x, y)": (BAD, "with rows of equal length"),
    "langevin(Matrix(0, 0, []), 0, x, y)": (BAD, "D has the shape 0 by 0"),
    "langevin(nan)": (BAD, "D contains nan"),
    # names
    "vanishes(Symbol('lambda'))": (BAD, "'lambda' is not a usable name"),
    "vanishes(Symbol('__import__(\"os\")'))": (BAD, "is not a usable name"),
    "vanishes(Symbol('\\x1b[31mred'))": (BAD, "'\\x1b[31mred' is not a usable name"),
    "vanishes(Symbol('[red]'))": (BAD, "'[red]' is not a usable name"),
    "vanishes(Symbol('\\u03b8'))": (BAD, "is not a usable name"),
    "vanishes(Symbol('k' * 10**6))": (BAD, "has 1000000 letters; the most is 100"),
    "Vector('x y')": (BAD, "'x y' is not a usable name"),
    "vanishes(Function('lambda')(x))": (BAD, "'lambda' is not a usable name"),
    "Recipe((theta,), U, 1, 0, name='\\x1b[2J[red]')": (PROVED, ""),
    # one name, two meanings
    "vanishes(Symbol('x'))": (BAD, "the name x has two meanings"),
    "vanishes(Symbol('a') - Symbol('a', positive=True))": (BAD, "the name a has two meanings"),
    "langevin(1, Symbol('s', positive=True)**2, Scalar('s', domain=Interval.open(-oo, 0)))": (
        BAD,
        "the name s has two meanings",
    ),
    # domains and assumptions that cannot hold
    "langevin(1, 0, Scalar('s', domain=Interval(1, 0)))": (
        BAD,
        "the domain EmptySet of 's' must be an Interval",
    ),
    "langevin(1, 0, Scalar('s', domain=Interval.open(0, 0)))": (BAD, "the domain EmptySet"),
    "langevin(1, 0, Scalar('s', domain=FiniteSet(1, 2)))": (
        BAD,
        "must be an Interval between two numbers",
    ),
    "langevin(Symbol('p', positive=True, negative=True))": (BAD, "InconsistentAssumptions"),
    "langevin(Symbol('p', positive=True, irrational=True))": (
        UNDECIDED,
        "no point was found that satisfies all assumptions",
    ),
    "langevin(1 + 1 / Symbol('p', zero=True))": (REFUTED, "p != 0 fails at the witness"),
    # objects that fail when they are shown
    "Recipe(type('E', (), {'__repr__': lambda self: repr(self)})(), U, 1, 0)": (
        BAD,
        "<lambda> calls itself again and again",
    ),
    "Recipe((theta,), U, 1, 0, update=type('E', (), {'__repr__': lambda self: 1 / 0})())": (
        BAD,
        "ZeroDivisionError",
    ),
    "Recipe((theta,), U, 1, 0, name=type('E', (), {'__str__': lambda self: 1 / 0})())": (
        PROVED,
        "",
    ),
}


@pytest.mark.by_default(9)
@pytest.mark.slow_for(
    "vanishes(x**(10**9))",
    "vanishes((1 + x)**(10**9))",
    "vanishes((1 + x**2)**(10**12 + Rational(1, 3)))",
)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_hostile_expressions(expression, tmp_path):
    wanted, words = EXPRESSIONS[expression]
    began = time.monotonic()
    results = watched(file(tmp_path, f"{HEAD}it = {expression}\n"))
    assert status(results) == wanted, [said(r) for r in results]
    assert words in said(results[0])
    assert all(c.isprintable() for c in said(results[0]))
    assert len(said(results[0])) < 2000
    assert time.monotonic() - began < QUICK.seconds


# -- files
# --------------------------------------------------------------------------------------------------

GOOD = "good = Recipe((theta,), U, 1, 0)\n"
# what the file does after a good declaration: how many are judged, the exit status, and what is
# said last
FILES = {
    "nothing": ("", 1, PROVED, ""),
    "it raises": (
        "raise ValueError('\\x1b[2J' + 'no ' * 10**6)",
        0,
        BAD,
        r"ValueError: \x1b[2Jno no",
    ),
    "it raises something of its own": (
        "class Odd(BaseException):\n    def __str__(self): raise ValueError\nraise Odd",
        0,
        BAD,
        ", line 15: Odd: no message",
    ),
    "it exits": ("import sys; sys.exit(0)", 0, BAD, ", line 13: SystemExit: 0"),
    "it interrupts": ("raise KeyboardInterrupt", 0, BAD, "the file raised KeyboardInterrupt"),
    "it ends its process": (
        "import os; os._exit(0)",
        0,
        BAD,
        "its process ended by itself, with exit status 0",
    ),
    "it kills its process": (
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        0,
        BAD,
        "its process was ended by SIGKILL",
    ),
    "it crashes": (
        "import ctypes; ctypes.string_at(0)",
        0,
        BAD,
        "its process was ended by SIGSEGV",
    ),
    "it sleeps": (
        "import time; time.sleep(1e6)",
        0,
        BAD,
        "no answer within 2 seconds; --timeout allows more",
    ),
    "it spins": ("while True: pass", 0, BAD, "no answer within 2 seconds"),
    "it takes memory": (
        "many = [0]\nwhile True: many = many + many",
        0,
        BAD,
        "it needed more than 0.5 GB of memory; --memory",
    ),
    "it prints": ("print('no ' * 10**5)", 1, PROVED, ""),
    "it reads": ("input()", 0, BAD, "EOFError"),
    "it forks": ("import os; os.fork()", 1, PROVED, ""),
    "it starts a thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(1e6,)).start()",
        1,
        PROVED,
        "",
    ),
    "it closes everything": (
        "import os; os.closerange(0, 2000)",
        0,
        BAD,
        "its process ended by itself",
    ),
    "it defines what cannot be asked": (
        "class Odd:\n    @property\n    def __class__(self): raise ValueError\nodd = Odd()",
        1,
        PROVED,
        "",
    ),
    "it calls itself": (
        "def power(n): return x * power(n - 1)\nit = langevin(1, power(3))",
        0,
        BAD,
        "power calls itself again and again",
    ),
    "it nests deeply": (
        "e = x\nfor _ in range(10_000): e = sin(e)\nit = langevin(1, e)",
        0,
        BAD,
        "nested too deeply",
    ),
    "it nests a graph": (
        "e = x\nfor _ in range(60): e = sin(e) * (1 + e)\nit = langevin(1, e)",
        0,
        BAD,
        "no answer within 2",
    ),
    "a name that is code": ("globals()['\\x1b[31m'] = Recipe((theta,), U, 2, 0)", 2, PROVED, ""),
}
NARROW = Limits(seconds=2, gigabytes=0.5)
WITHOUT_END = ("it sleeps", "it spins", "it nests a graph")


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", FILES)
def test_hostile_files(name, tmp_path):
    text, judged, wanted, words = FILES[name]
    began = time.monotonic()
    limits = NARROW if name in WITHOUT_END else Limits(seconds=20, gigabytes=0.5)
    results = watched(file(tmp_path, f"{HEAD.strip()}\n{GOOD}{text}\n"), limits)
    assert sum(isinstance(r, JudgedDeclaration) for r in results) == judged, [
        said(r) for r in results
    ]
    assert status(results) == wanted
    assert words in said(results[-1])
    assert all(c.isprintable() for r in results for c in said(r))
    assert time.monotonic() - began < 20


BYTES = {
    "empty": (b"", "defines no Recipe and no Update"),
    "binary": (bytes(range(256)) * 40, "SyntaxError"),
    "not UTF-8": (b"name = '\xff\xfe'\n", "SyntaxError"),
    "another encoding that it does not have": (
        b"# coding: nonsense\n",
        "SyntaxError: unknown encoding",
    ),
}


@pytest.mark.parametrize("name", BYTES)
def test_files_that_are_no_program(name, tmp_path):
    content, words = BYTES[name]
    path = tmp_path / "hostile.py"
    path.write_bytes(content)
    (result,) = watched(path)
    assert words in said(result)
    assert result.mistake.status == BAD


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    for name, words in (
        ("pipe.py", "is not a regular file"),
        ("folder.py", "is not a regular file"),
        ("gone.py", "there is no file"),
    ):
        (result,) = watched(tmp_path / name)
        assert words in said(result)


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="everything is readable to root"
)
def test_a_file_that_may_not_be_read(tmp_path):
    path = file(tmp_path, "")
    path.chmod(0)
    (result,) = watched(path)
    assert "PermissionError" in said(result)


def test_a_bad_declaration_does_not_end_the_rest(tmp_path):
    text = (
        HEAD + "one = langevin(1)\nbad = Update(eps, {x: x + 1}, x)\nwrong = langevin(-1)\ntwo ="
        " langevin(2)\n"
    )
    results = watched(file(tmp_path, text))
    assert [r.declared.name if isinstance(r, JudgedDeclaration) else "" for r in results] == [
        "one",
        "",
        "wrong",
        "two",
    ]
    assert (
        "bad: the rule of x has no limit: at eps = 0 it is x + 1, which is not proved to be x; "
        in said(results[1])
    )
    assert status(results) == BAD
    done = command("verify", tmp_path / "hostile.py", "--json")
    assert done.returncode == BAD
    assert [entry["name"] for entry in json.loads(done.stdout)] == ["one", "wrong", "two"]
    assert done.stderr.count("\n") == 1


def test_many_declarations(tmp_path):
    results = watched(
        file(tmp_path, HEAD + "for k in range(1, 101): globals()[f'r{k}'] = langevin(k)\n")
    )
    assert [r.declared.name for r in results] == [f"r{k}" for k in range(1, 101)]
    assert status(results) == PROVED


@pytest.mark.slow
def test_a_thousand_declarations(tmp_path):
    results = watched(
        file(tmp_path, HEAD + "for k in range(1, 1001): globals()[f'r{k}'] = langevin(k)\n"),
        Limits(),
    )
    assert len(results) == 1000
    assert status(results) == PROVED


# -- obligations that do not come to an end
# ---------------------------------------------------------------------------------------

# what happens where positive semidefiniteness is looked at, the seconds that it may take, and what
# is said
STUCK = {
    "it sleeps": ("time.sleep(1e6)", 2, "no answer within 2 seconds"),
    "it crashes": ("ctypes.string_at(0)", 20, "its process was ended by SIGSEGV"),
    "it takes memory": (
        "[bytearray(10**8) for _ in range(100)]",
        20,
        "it needed more than 0.5 GB of memory",
    ),
    "it recurses": ("again(again)", 20, "nested too deeply"),
}


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("name", "method"),
    [*((name, "fork") for name in STUCK), ("it crashes", "spawn"), ("it takes memory", "spawn")],
)
def test_an_obligation_without_an_end_is_undecided_and_the_rest_goes_on(name, method, tmp_path):
    action, seconds, words = STUCK[name]
    patch = f"""
import ctypes, sys, time
import verify.obligations.process.diffusion_psd as psd
again = lambda f: f(f)
decide_psd = psd.decide_psd
def hostile(dynamics):
    if dynamics.state[0].name == "y":
        {action}
    return decide_psd(dynamics)
psd.decide_psd = hostile
print("the file is run")
"""
    text = HEAD + patch + "one = langevin(1)\nhard = langevin(1, y**2 / 2, y)\ntwo = langevin(2)\n"
    one, hard, two = watched(file(tmp_path, text), Limits(seconds, gigabytes=0.5), method=method)
    assert (one.report.verdict.value, two.report.verdict.value) == ("proved", "proved")
    assert hard.report.verdict.value == "undecided"
    assert words in outcome(hard, "diffusion-psd").by
    others = [
        line.outcome.verdict.value for line in hard.report.lines if line.name != "diffusion-psd"
    ]
    assert set(others) == {"proved"}


def test_what_needs_an_obligation_without_an_end_is_handed_an_undecided_outcome(tmp_path):
    """It is not begun again by those that need it: the file is run once more, and no oftener."""
    patch = """
import sys, time
import verify.obligations.process.stationarity as stationarity
stationarity.residual = lambda *_: time.sleep(1e6)
open({!r}, "a").write("run ")
it = langevin(1)
"""
    runs = tmp_path / "runs"
    (result,) = watched(file(tmp_path, HEAD + patch.format(str(runs))), NARROW)
    assert outcome(result, "stationarity").by == "no answer within 2 seconds"
    uniqueness = outcome(result, "uniqueness")
    assert uniqueness.verdict.value == "undecided"
    assert uniqueness.by == "exp(-H) is not proved to be stationary"
    others = {line.name: line.outcome.verdict.value for line in result.report.lines}
    del others["stationarity"], others["uniqueness"]
    assert set(others.values()) == {"proved"}
    assert runs.read_text().split() == ["run", "run"]


@pytest.mark.slow
def test_an_honest_obligation_without_an_end(tmp_path):
    (result,) = watched(
        file(tmp_path, HEAD + "it = langevin(x + (1 + x)**(10**6 + 1))\n"),
        Limits(seconds=1, gigabytes=1),
    )
    assert result.report.verdict.value in ("undecided", "refuted")
    assert outcome(result, "stationarity").verdict.value == "proved"


def test_dynamics_that_are_not_derived_are_undecided(tmp_path):
    patch = "import time, verify.subject as s\ns.derive = lambda r: time.sleep(1e6)\n"
    (result,) = watched(file(tmp_path, HEAD + patch + "it = langevin(b)\n"), NARROW)
    assert result.report.scope == "every positive b"
    assert (
        outcome(result, "stationarity").by
        == "the drift and the diffusion were not derived: no answer within 2 seconds"
    )
    assert status([result]) == UNDECIDED


def test_a_fault_of_this_program_is_no_verdict_and_a_contradiction_stops_everything(tmp_path):
    patch = """
import verify.obligations.process.diffusion_psd as psd
from verify.decide.zero.decide import DisagreementError
def hostile(dynamics):
    raise {}("both")
psd.decide_psd = hostile
one = langevin(1); two = langevin(2)
"""
    results = watched(file(tmp_path, HEAD + patch.format("TypeError")))
    assert ["internal error in hostile.py, line" in said(r) for r in results] == [True, True]
    assert status(results) == 70
    (stopped,) = watched(file(tmp_path, HEAD + patch.format("DisagreementError")))
    assert stopped.stop
    done = command("verify", tmp_path / "hostile.py", "sgld")
    assert (done.returncode, done.stdout) == (70, "")
    assert "one: internal error" in done.stderr


# -- the command
# --------------------------------------------------------------------------------------------------


def test_the_command_says_it_in_one_sentence_and_prints_nothing_else(tmp_path):
    path = file(
        tmp_path, HEAD + "print('from the file')\nit = langevin(1)\nimport time; time.sleep(1e6)\n"
    )
    done = command("verify", path, "sgld", "--timeout", "2")
    assert done.returncode == BAD
    assert done.stdout.startswith("sgld (recipe")
    assert done.stderr.splitlines() == [
        "from the file",
        (
            f"recipe: {path} could not be run to its end: no answer within 2 seconds; --timeout"
            " allows more"
        ),
    ]


def test_limits_are_positive_numbers():
    for options in (["--timeout", "nan"], ["--memory", "-1"]):
        done = command("verify", "sgld", *options)
        assert done.returncode == BAD
        assert "it must be a positive number" in done.stderr
    assert (
        "there is no obligation 'beauty'" in command("verify", "sgld", "--require", "beauty").stderr
    )


def test_sample_does_not_wait_for_a_proof_without_an_end(tmp_path):
    patch = (
        "import os, verify.obligations.process.diffusion_psd as p\np.decide_psd = lambda d:"
        " os._exit(1)\ns = Recipe((theta,), U, 1, 0)\n"
    )
    recipe_file = file(tmp_path, HEAD + patch)
    done = command("sample", recipe_file, "--posterior", tmp_path / "none.py", "--step-size", "0.1")
    assert "note: s is undecided (diffusion-psd)" in done.stderr
    assert "there is no file" in done.stderr


def test_an_interrupt_ends_the_process_and_all_that_it_started(tmp_path):
    ready = tmp_path / "ready"
    text = f"""
import os, subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e6)"])
with open({str(ready)!r} + "~", "w") as f: f.write(f"{{os.getpid()}} {{other.pid}}")
os.rename({str(ready)!r} + "~", {str(ready)!r})
time.sleep(1e6)
"""
    for sent, expected in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
        ready.unlink(missing_ok=True)
        call = [sys.executable, "-m", "recipe_cli", "verify", str(file(tmp_path, text))]
        process = subprocess.Popen(call, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        wait_until(ready.exists)
        process.send_signal(sent)
        assert process.wait(30) == expected
        worker, other = map(int, ready.read_text().split())
        wait_until(lambda pid=worker: not alive(pid))
        if sent == signal.SIGINT:
            wait_until(lambda pid=other: not alive(pid))
        else:
            os.kill(other, signal.SIGKILL)  # nobody is left who could


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_terminal_is_told_what_is_being_worked_on(tmp_path):
    import pty

    path = file(tmp_path, HEAD + "import time; time.sleep(2.5)\nit = langevin(1)\n")
    ours, theirs = pty.openpty()
    call = [sys.executable, "-m", "recipe_cli", "verify", str(path), "--json"]
    done = subprocess.run(
        call, cwd=ROOT, stderr=theirs, stdout=subprocess.PIPE, timeout=120, check=False
    )
    os.close(theirs)
    assert done.returncode == PROVED
    shown = os.read(ours, 10_000).decode()
    assert "\r\x1b[2Krunning " in shown
    assert shown.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # the cursor is there, the line is gone
    os.close(ours)
