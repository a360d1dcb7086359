# One virtual environment for everything. It is installed anew only when its recipe changes.
#
#   make demo    install, train for two minutes, show a table of results
#   make test    install, lint, type-check and test
#   make bench   measure the speed beside others, about 15 minutes, and write it into the README
#
# Another Python than the first one found that is new enough: make PYTHON=python3.12 demo

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
BIN := .venv/bin
INSTALLED := .venv/installed
# Processes that run the tests; each compiles what it needs unless another one already has.
CORES ?= 2

.PHONY: help install demo test lint format bench clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^# \{0,1\}//p' Makefile

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found; name one: make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[agents,notebooks,dev]" torch==2.13.0
	@touch $@

demo: install
	$(BIN)/isle demo

test: lint
	$(BIN)/python -m pytest -n $(CORES)

lint: install
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: install .venv/peers
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.report

.venv/peers: $(INSTALLED)
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[bench]" torch==2.13.0
	@touch $@

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find isle_envs agents benchmarks tests -name __pycache__ -prune -exec rm -rf {} +
