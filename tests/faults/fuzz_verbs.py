"""Every verb of the command on recipe files, certificates and modules with random mistakes: none
may end in a fault or have no end.

    python tests/faults/fuzz_verbs.py [--minutes 60] [--seed 0]

Mistakes are made in files of the catalog (samplers, audits, posteriors), in certificates that are
signed again, and in generated modules (``generators.mistakes_in_files``). Prints each call that
ends in another status than 0 to 3, in a traceback, or not within its limits; exit status 1 if there
is one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

if __name__ == "__main__":  # as pytest sets it: the checkout before the folder of the tests
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from cases.recipe_files import HALF_LINE, HEAD
from generators.mistakes_in_files import (
    with_near_fields,
    with_wrong_expressions,
    with_wrong_fields,
    with_wrong_tokens,
)
from helpers.command import ROOT, command

from verify.certificate import canonical, digest_of

LIMITS = ["--timeout", "5", "--memory", "1"]
SCHEMES = [
    "semi-implicit",
    "euler",
    "exact",
    "baoab",
    "obabo",
    "printed",
    "aboba",
    "leapfrog",
    "BAB",
    "OBABOO",
    "xyz",
]
SAMPLERS = sorted((ROOT / "catalog").glob("[a-z]*.py"))
AUDITS = sorted((ROOT / "catalog" / "audits").glob("[a-z]*.py"))
POSTERIORS = sorted((ROOT / "catalog" / "posteriors").glob("[a-z]*.py"))
EDGES_AND_TAILS = (
    HEAD
    + HALF_LINE
    + """
avoided = Recipe((half,), total(half - 3 * log(half)), half**2, 0)
reflecting = Recipe((half,), total(half - (eps + 1) * log(half)), half, 0)
normal = Recipe((theta, r), total(theta**2 + eps * r**2) / 2, eye(2), zeros(2))
"""
)
CERTIFIED = [  # arguments of `recipe verify`; a name of EDGES_AND_TAILS begins with ":"
    *(["sghmc"], ["sgnht"], ["sgrhmc:sgrhmc"]),  # marginal laws, masses
    *(["ito_sgld"], ["corv_sgnht"]),  # transforms
    *(["sghmc", "--scheme", "baoab"], ["sgld", "--scheme", "euler"]),  # steps
    *(["hmc:hmc_kernel"], ["hmc:ghmc"], ["mala"]),  # kernels
    *(["jacobi_beta"], [":avoided"], [":reflecting"]),  # edges
    *(["sgrld"], [":normal"]),  # uniqueness, explosion
]
TABLE = ("lengths", "symbols", "functions", "nodes")  # that the rule of a translation needs
TRANSLATED = [["sgld"], ["mala", "--posterior", "bioassay"]]  # arguments of `recipe generate`
GENERATED = ["sgld", "sghmc", "sgnht", "hmc:hmc", "corv_sgld"]
GOOD_STATUSES = {0, 1, 2, 3}
RUN = [*("--step-size", "0.01", "--steps", "20", "--warmup", "2", "--chains", "1", "--seed", "1")]


@dataclass(frozen=True)
class Trial:
    """A call of the command.

    Attributes:
        call: its arguments.
        text: the file with mistakes.
        fault: why it is a fault; None if it is none.
    """

    call: list[str]
    text: str
    fault: str | None

    def __str__(self) -> str:
        parts = "=" * 80, f"recipe {' '.join(self.call)}", str(self.fault), "-" * 80, self.text
        return "\n".join(parts)


@dataclass
class Fuzz:
    """Calls with random mistakes.

    Attributes:
        rng: the random choices.
        folder: an empty folder for files.
    """

    rng: random.Random
    folder: Path

    def trial(self) -> Trial:
        """Make one mistake and call one verb."""
        makers = (
            [self._file] * 10
            + [self._certificate] * 6
            + [self._translation]
            + [self._module] * 2
            + [self._law]
        )
        file, call = self.rng.choice(makers)()
        text = file.read_text(errors="replace")
        try:
            done = command(*call)
        except TimeoutError as error:
            return Trial(call, text, str(error))
        is_good = done.returncode in GOOD_STATUSES and "Traceback" not in done.stderr
        said = f"status {done.returncode}: {done.stderr[-3000:]}"
        return Trial(call, text, None if is_good else said)

    def _file(self) -> tuple[Path, list[str]]:
        """Write a recipe file with mistakes; return it with a call of a verb on it."""
        file, rng = self.folder / "changed.py", self.rng
        original = rng.choice(SAMPLERS * 3 + AUDITS).read_text()
        make = rng.choice([with_wrong_expressions] * 5 + [with_wrong_tokens])
        file.write_text(make(original, rng))
        kernel = self.folder / "kernel.py"
        scheme = ["--scheme", rng.choice(SCHEMES)]
        verb = rng.choice(
            [
                *[["verify", file]] * 6,
                *[["verify", file, *scheme, "--format", rng.choice(["json", "markdown"])]] * 2,
                ["verify", file, "--certificate", self.folder / "proof.json", "--force"],
                ["audit", file],
                ["derive", file, "--format", rng.choice(["text", "latex", "json"])],
                ["schemes", file],
                ["check", self._certificate_of(rng.choice(CERTIFIED)), file],
                *[["generate", file, "-o", kernel, "--force", *scheme]] * 2,
                ["generate", file, "-o", kernel, "--force"],
                ["test", file, "--step-size", "0.1"],
                ["sample", file, "--posterior", "bioassay", *RUN],
            ]
        )
        return file, [*map(str, verb), *LIMITS]

    def _law(self) -> tuple[Path, list[str]]:
        """Write a posterior with mistakes; return it with a call of a verb on it."""
        file, original = self.folder / "law.py", self.rng.choice(POSTERIORS)
        text = original.read_text().replace("__file__", repr(str(original)))
        file.write_text(with_wrong_expressions(text, self.rng))
        where = self.rng.choice(["sgld", "sghmc", "sgnht"])
        kernel = self.folder / "kernel.py"
        verb = self.rng.choice(
            [
                ["generate", where, "-o", kernel, "--force", "--posterior", file],
                ["sample", where, "--posterior", file, *RUN, "--param", "C=1", "--param", "A=1"],
            ]
        )
        return file, [*map(str, verb), *LIMITS]

    def _certificate(self) -> tuple[Path, list[str]]:
        """Write a certificate with mistakes; return it with a call that checks it."""
        file, arguments = self.folder / "changed.json", self.rng.choice(CERTIFIED)
        self._write_changed(self._certificate_of(arguments), file)
        about = self.rng.choice([[], [self._where(arguments)], ["--json"]])
        return file, ["check", str(file), *about, *LIMITS]

    def _translation(self) -> tuple[Path, list[str]]:
        """Write a certificate of a translation with mistakes; return it with a call that checks
        it.
        """
        file, arguments = self.folder / "changed.json", self.rng.choice(TRANSLATED)
        module = self._made("module.py", *arguments)
        certificate = self._made("translation.json", *arguments)
        call = ["generate", *arguments, "-o", module, "--certificate", certificate, "--force"]
        self._written(certificate, call)
        self._write_changed(certificate, file)
        about = self.rng.choice([[], ["--module", str(module)], ["--json"]])
        return file, ["check", str(file), *about, *LIMITS]

    def _write_changed(self, original: Path, file: Path) -> None:
        """Write a certificate with mistakes; the hashes agree in most cases."""
        make = self.rng.choice([with_wrong_fields, with_near_fields, with_near_fields])
        changed = make(json.loads(original.read_text()), self.rng)
        if isinstance(changed, dict) and self.rng.random() < 0.9:
            subject = changed.get("subject")
            if isinstance(subject, dict) and "rule_sha256" in subject:
                rule = {k: changed.get(k) for k in TABLE} | {"rule": subject.get("rule")}
                subject["rule_sha256"] = sha256(canonical(rule).encode("ascii")).hexdigest()
            changed["sha256"] = digest_of(changed)
        file.write_text(json.dumps(changed))

    def _module(self) -> tuple[Path, list[str]]:
        """Write a module with mistakes; return it with a call that checks it."""
        file, where = self.folder / "module.py", self.rng.choice(GENERATED)
        original = self._module_of(where).read_text()
        make = self.rng.choice([with_wrong_expressions, with_wrong_tokens])
        file.write_text(make(original, self.rng))
        return file, ["generate", where, "-o", str(file), "--check", *LIMITS]

    def _where(self, arguments: list[str]) -> str:
        """The declaration that is verified, as the command takes it."""
        where = arguments[0]
        if not where.startswith(":"):
            return where
        file = self.folder / "edges_and_tails.py"
        file.write_text(EDGES_AND_TAILS)
        return f"{file}{where}"

    def _certificate_of(self, arguments: list[str]) -> Path:
        file = self._made("certificate.json", *arguments)
        call = ["verify", self._where(arguments), *arguments[1:], "--certificate", file]
        return self._written(file, call)

    def _module_of(self, where: str) -> Path:
        file = self._made("module.py", where)
        return self._written(file, ["generate", where, "-o", file])

    def _made(self, what: str, *arguments: str) -> Path:
        return self.folder / "_".join([*arguments, what]).replace(":", "_")

    def _written(self, file: Path, call: Sequence[str | Path]) -> Path:
        if not file.exists():
            done = command(*call)
            assert file.exists(), done.stderr
        return file


def trials(seconds: float, seed: int) -> Iterator[Trial]:
    """Yield calls with random mistakes until the time is over."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Fuzz(random.Random(seed), Path(folder))
        while time.monotonic() < end:
            yield fuzz.trial()


def main() -> int:
    """Run for some minutes; print what is found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tried = found = 0
    for trial in trials(60 * arguments.minutes, arguments.seed):
        tried += 1
        if trial.fault is None:
            continue
        found += 1
        print(trial, flush=True)
    print(f"{found} faults in {tried} trials, {arguments.minutes:g} minutes, seed {arguments.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
