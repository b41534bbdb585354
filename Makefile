# Every target sets itself up: the first run makes .venv, later runs only look whether pyproject.toml or constraints.txt changed.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
INSTALL := $(BIN)/python -m pip install -qq --constraint constraints.txt
NO_PYTHON = twoworlds needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3.11
NO_VENV = this Python cannot make virtual environments; run: apt-get install python3-venv

.PHONY: help demo test check prove docs bench soak

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

$(READY): pyproject.toml constraints.txt
	$(if $(shell $(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>&1 | grep True),,$(error $(NO_PYTHON)))
	$(if $(shell $(PYTHON) -c 'import ensurepip, venv; print(True)' 2>&1 | grep True),,$(error $(NO_VENV)))
	@echo "Setting up .venv: a minute or two, once"
	@$(PYTHON) -m venv .venv
	@$(INSTALL) pip
	@$(INSTALL) --build-constraint constraints.txt --editable '.[prove]' --group dev
	@touch $@

.venv/peers: $(READY)
	@$(INSTALL) --group peers
	@touch $@

demo: $(READY) ## the main job, told in the terminal
	@$(BIN)/twoworlds demo

test: $(READY) ## all tests, in minutes, without root
	@$(BIN)/pytest --numprocesses auto --maxprocesses 4

check: $(READY) ## format, lint, types, layers, spelling
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell

prove: $(READY) ## check every certificate again
	@$(BIN)/twoworlds prove --check

docs: $(READY) ## run every block and follow every link
	@$(BIN)/pytest --quiet tests/docs

bench: .venv/peers ## measure, and write benchmarks/REPORT.md
	@nice $(BIN)/python benchmarks/report.py

soak: $(READY) ## full counts; takes hours, and writes its result into the report
	@nice $(BIN)/python benchmarks/soak.py
