"""Make the environments of the claims in this folder: ``python environments.py FOLDER``.

Two are needed, as jax-sgmc and Fortuna need an older JAX. Versions are pinned, and this project is
installed from the checkout that the script stands in.
"""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = "sympy>=1.13,<1.15 python-flint>=0.8 typer>=0.29 rich>=13"
NOW = """
    jax==0.10.2 jaxlib==0.10.2 torch==2.14.1 blackjax==1.7.1 optax==0.2.8 numpyro==0.22.0
    posteriors==0.1.3 pyro-ppl==1.9.2 mici==0.4.1 tqdm
"""
NOW_ALONE = "torch-sgld==0.1.0 langevin-sampling==1.4 SGMCMCJax==0.2.13"
BEFORE = """
    jax==0.4.30 jaxlib==0.4.30 numpy<2.3 optax<0.2 chex dm-tree msgpack tqdm nest_asyncio pyyaml
    protobuf
"""
BEFORE_ALONE = """
    jax-sgmc==0.1.5 aws-fortuna==0.2.0 flax==0.8.5 orbax-checkpoint==0.5.20 etils humanize
    tensorstore
"""
ENVIRONMENTS = {"now": (NOW, NOW_ALONE), "before": (BEFORE, BEFORE_ALONE)}


def make(folder, name):
    """Make one environment: packages with what they need, packages alone, and this project."""
    place = Path(folder) / name
    venv.create(place, with_pip=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q"]
    packages, alone = ENVIRONMENTS[name]
    subprocess.run([*pip, *OURS.split(), *packages.split()], check=True)
    subprocess.run([*pip, "--no-deps", *alone.split(), "-e", str(ROOT)], check=True)
    print(f"{name}: {place / 'bin' / 'python'}")


def main():
    """Make both in the folder that is named."""
    if len(sys.argv) != 2:
        sys.exit("usage: python environments.py FOLDER")
    for name in ENVIRONMENTS:
        make(sys.argv[1], name)


if __name__ == "__main__":
    main()
