"""Recipe files with random mistakes, and every verb of the command on them: none may end in a fault
or have no end.

    python tests/faults/fuzz_verbs.py [--minutes 60] [--seed 0]

Each mistake is made in the text of a file of the catalog: a token is dropped, doubled, exchanged
with another one of the same file, or replaced by a hostile expression. Prints each file whose verb
ends in another status than 0 to 3, or not within its limits; exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tempfile
import time
import tokenize
from pathlib import Path

if __name__ == "__main__":  # as pytest sets it: the checkout before the folder of the tests
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from helpers.command import ROOT, command

VERBS = [
    ["verify", "{file}", "--timeout", "5", "--memory", "1"],
    ["verify", "{file}", "--timeout", "5", "--memory", "1", "--scheme", "baoab", "--json"],
    ["audit", "{file}", "--timeout", "5"],
    ["derive", "{file}"],
    ["schemes", "{file}"],
    ["generate", "{file}", "-o", "{kernel}", "--force"],
    ["generate", "{file}", "-o", "{kernel}", "--check", "--timeout", "5"],
]
GOOD_STATUSES = {0, 1, 2, 3}
HOSTILE_TEXTS = """
    nan zoo oo I 0 -1 1/0 2**10**5 (-1)**theta 0**theta theta**theta sqrt(-1) sqrt(theta)
    sqrt(theta**2) log(theta) log(-1-theta**2) 1/theta exp(exp(exp(theta))) exp(theta**4)
    tan(theta) Symbol("n",integer=True) (-1)**Symbol("n",integer=True) Abs(theta) sign(theta)
    Max(theta,1) Piecewise((theta,theta>0),(0,True)) loggamma(theta) 10**400 1e400 0.1 1e-320
    float("nan") None "text" () [] {} Matrix([1]) theta.dim Wild("x") Dummy()
    Function("f")(theta) Derivative(theta**2,theta) Integral(theta,theta) Sum(theta,(theta,1,2))
    total(total(theta)) grad(theta,theta) outer(theta,theta) total(1/theta) dot(theta,theta)
    Pow(2,10**9,evaluate=False) Pow(theta,10**6) Rational(1,10**300) (1+theta)**200
"""
HOSTILE = HOSTILE_TEXTS.split()


def changed(text: str, rng: random.Random) -> str:
    """Return a Python text with one to three mistakes."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    places = [
        t
        for t in tokens
        if t.type in (tokenize.NAME, tokenize.NUMBER, tokenize.OP) and t.start[0] > 1
    ]
    lines = text.splitlines(keepends=True)
    for place in sorted(rng.sample(places, rng.randint(1, 3)), key=lambda t: t.start, reverse=True):
        row, begin, end = place.start[0] - 1, place.start[1], place.end[1]
        new = rng.choice(
            ["", place.string * 2, rng.choice(places).string, f"({rng.choice(HOSTILE)})"]
        )
        lines[row] = lines[row][:begin] + new + lines[row][end:]
    return "".join(lines)


def trials(seconds: float, seed: int):
    """Yield verbs with changed files until the time is over, each with what is wrong, or None."""
    rng, end = random.Random(seed), time.monotonic() + seconds
    originals = sorted((ROOT / "catalog").glob("[a-z]*.py"))
    with tempfile.TemporaryDirectory() as folder:
        file, kernel = Path(folder, "changed.py"), Path(folder, "kernel.py")
        while time.monotonic() < end:
            file.write_text(changed(rng.choice(originals).read_text(), rng))
            verb = rng.choice(VERBS)
            call = [part.format(file=file, kernel=kernel) for part in verb]
            try:
                done = command(*call)
            except TimeoutError as error:
                yield verb, file.read_text(), str(error)
                continue
            is_good = done.returncode in GOOD_STATUSES and "Traceback" not in done.stderr
            said = f"status {done.returncode}: {done.stderr[-2000:]}"
            yield verb, file.read_text(), None if is_good else said


def main() -> int:
    """Run for some minutes; print what is found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tried = found = 0
    for verb, text, why in trials(60 * arguments.minutes, arguments.seed):
        tried += 1
        if why is None:
            continue
        found += 1
        print("=" * 80, f"recipe {' '.join(verb)}", why, "-" * 80, text, sep="\n", flush=True)
    print(f"{found} faults in {tried} trials, {arguments.minutes:g} minutes, seed {arguments.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
