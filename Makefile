# Everything runs in a virtual environment of its own, .venv; on a fresh machine each target sets it up first.
PYTHON ?= python3
BIN := .venv/bin
DEMO := demo_output

.PHONY: setup test test-all demo lint bench

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

test: setup lint
	$(BIN)/python -m pytest -n 2

test-all: setup
	$(BIN)/python -m pytest -n 2 -m "slow or not slow"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Proves the sampler, writes its kernel, samples a real posterior, and compares the means and standard deviations with a long run
# of NumPyro's NUTS (examples/breast_cancer_reference.json).
demo: setup
	mkdir -p $(DEMO)
	$(BIN)/recipe verify catalog/sgrhmc.py
	$(BIN)/recipe generate catalog/sgrhmc.py -o $(DEMO)/sgrhmc_kernel.py --force
	$(BIN)/recipe sample catalog/sgrhmc.py --posterior breast_cancer --scheme semi-implicit --step-size 0.05 \
		--steps 64000 --warmup 4000 --thin 10 --chains 4 --seed 1 -o $(DEMO)/draws.nc --force
	$(BIN)/python examples/compare_with_reference.py $(DEMO)/draws.nc

bench: setup
	$(BIN)/python benchmarks/verify_time.py
	$(BIN)/python benchmarks/limits
