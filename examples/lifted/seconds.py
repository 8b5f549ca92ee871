"""How long the lift and the proof of each claim in a file take: ``python seconds.py FILE``.

Prints, as JSON, the seconds of processor time of each function, in the order of the file and in one
process: the import of the library does not count, and the first function has the first calls of the
library and of sympy in it.
"""

import importlib.util
import json
import sys
import time
from pathlib import Path

import recipe
from verify import verify

lift = recipe.lift


class Measured(float):
    """The seconds that stand for a lifted rule in a file of claims."""


def measured(function, **claim):
    """The seconds of processor time of a lift and its proof; what a file of claims calls as
    ``lift``.
    """

    began = time.process_time()
    verify(lift(function, **claim))
    return Measured(time.process_time() - began)


def seconds_of(path):
    """The seconds of each claim of a file, by its name."""
    recipe.lift = measured
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {n: value for n, value in vars(module).items() if isinstance(value, Measured)}


def main():
    """Print the seconds of the claims of a file."""
    if len(sys.argv) != 2:
        sys.exit("usage: python seconds.py FILE_OF_CLAIMS")
    print(json.dumps(seconds_of(Path(sys.argv[1]).resolve())))


if __name__ == "__main__":
    main()
