"""A competitor in a process of its own, with its own interpreter: it is told how often, and answers
with seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any


class Child:
    """A script that serves one case (see served.py), named from the folder of this file; it waits
    between runs, so that others can take turns.
    """

    def __init__(self, python: str, script: str, **case: Any) -> None:
        self.complaints = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 (closed by __exit__)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        command = [python, str(Path(__file__).parent / script), json.dumps(case)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
            env=environment,
        )

    def run(self, iterations: int) -> float:
        """So many iterations; the seconds that the child needed for one of them, by its own
        clock.
        """
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{iterations}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.complaints.seek(0)
            raise SystemExit(f"{self.process.args}: {self.complaints.read()[-2000:]}")
        return float(answer) / iterations

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()
        self.complaints.close()
