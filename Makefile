# Everything runs in a virtual environment of its own, .venv; on a fresh machine each target sets it up first.
PYTHON ?= python3
BIN := .venv/bin
DEMO := demo_output
WHEEL := $(CURDIR)/build/wheel

# Modules are compiled when they are first imported, which takes a minute less than to compile all that is installed.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup wheel test test-all matrix demo lint bench

setup: .venv/ready

.venv/ready: pyproject.toml
	@echo "setting up .venv, once: one to two minutes, and 1 GB with all that the tests need"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --no-compile --quiet --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

# The tests try what a user installs: the files of the wheel, in a folder of their own that comes first on the path.
wheel: setup
	rm -rf build dist
	$(BIN)/python -m build --no-isolation --outdir dist > build.log 2>&1 || (cat build.log; exit 1)
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-deps --target $(WHEEL) dist/*.whl
	mv build.log dist/

TESTS := PYTHONPATH=$(WHEEL) $(BIN)/pytest --override-ini "pythonpath=$(WHEEL) tests" -n 2

test: lint wheel
	$(TESTS)

test-all: wheel
	$(TESTS) -m "slow or not slow"

matrix: wheel
	$(BIN)/python tests/matrix.py dist/*.whl

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy examples benchmarks

demo: setup
	@mkdir -p $(DEMO)
	@echo "1/3 proved: SGRHMC leaves its target stationary, in every dimension and for every smooth target"
	$(BIN)/recipe verify sgrhmc
	@echo "2/3 sampled: a logistic regression on 569 tumours, by a kernel that is generated from the declaration that was proved"
	$(BIN)/recipe generate sgrhmc -o $(DEMO)/sgrhmc_kernel.py --force
	$(BIN)/recipe sample sgrhmc --posterior breast_cancer --scheme semi-implicit --step-size 0.05 \
		--steps 64000 --warmup 4000 --thin 10 --chains 4 --seed 1 -o $(DEMO)/draws.nc --force
	@echo "3/3 compared: means and standard deviations, with a long run of NumPyro's NUTS (examples/breast_cancer_reference.json)"
	$(BIN)/python examples/compare_with_reference.py $(DEMO)/draws.nc
	@echo
	@echo "Try next:"
	@echo "  less $(DEMO)/sgrhmc_kernel.py                            the kernel that ran"
	@echo "  $(BIN)/recipe diagnose $(DEMO)/draws.nc --plots $(DEMO)    traces and ranks as pictures"
	@echo "  $(BIN)/recipe audit --all                                rules of libraries and papers: is each right?"
	@echo "  docs/README.md                                           the pages, by what you want to do"

bench: setup
	$(BIN)/python benchmarks/verify_time.py
	$(BIN)/python benchmarks/limits
