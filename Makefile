# Commands that need only Python (>= 3.11), git and make: `make render`, `make test` and `make test-all`.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: render test test-all lint record matrix benchmark clean

render: $(VENV)/.core
	$(BIN)/skillkit render
	$(BIN)/skillkit recommend-optimizer --no-input --set family=mlp

test: $(VENV)/.dev lint
	$(BIN)/skillkit render --check
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

# What takes longer: the newest jax, every combination of answers and every library's scripts, projects under other
# Pythons, the built wheel, 50,000 generated inputs, and falsified texts, each of which a check must catch.
test-all: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Prove everything and render what was proven; run it after each change of reference/ or templates/.
record: $(VENV)/.dev
	$(BIN)/skillkit verify --quiet --record
	$(BIN)/skillkit render

# The same for the floor, what lies between, the newest jax for Python 3.11, and the newest of all, which needs 3.12;
# and each change under its own version and the last one before.
matrix: $(VENV)/.dev
	$(BIN)/skillkit verify --quiet --record \
	  --with "jax==0.7.2" --python $(BIN)/python \
	  --with "jax==0.8.3" --python $(BIN)/python \
	  --with "jax==0.9.2" --python $(BIN)/python \
	  --with "jax==0.10.2" --python $(BIN)/python \
	  --with "jax==0.12.0.1" --python 3.12
	$(BIN)/skillkit verify changes --both-sides --quiet --record
	$(BIN)/skillkit render

benchmark: $(VENV)/.dev
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.rendering
	$(BIN)/python -m benchmarks.verification

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "skillkit needs Python 3.11 or newer: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) build dist
