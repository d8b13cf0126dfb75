# posthoc: everything starts here. `make help` lists what there is to do.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
BIN := .venv/bin
export UV_SYSTEM_CERTS ?= true
export UV_COMPILE_BYTECODE ?= 1
APT_CHROMIUM := /usr/bin/chromium

.DEFAULT_GOAL := help
.PHONY: help setup browser demo test check lint prove bench lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  %-8s %s\n", $$1, $$2}'

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || true
	@if [ -x $(BIN)/uv ]; then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
	  $(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --no-deps -e . ; \
	fi
	@touch $@

setup: .venv/.ready ## make .venv with everything the project needs

browser: ## Chromium for the browser tests (through apt, when root)
	@if [ ! -x $(APT_CHROMIUM) ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core fonts-noto-color-emoji >/dev/null; \
	  else \
	    echo "Chromium is not installed: the browser tests need it. Install the package 'chromium' and run this again." >&2; exit 1; \
	  fi; \
	fi

demo: setup ## run the bundled sample study, from files to report, into ./demo
	$(BIN)/posthoc demo --out demo

test: setup browser ## every test: unit, property, reference, functional, PostgreSQL, browser
	$(BIN)/python -m pytest -n 3 --dist worksteal -q -m "not prove"

lint: setup ## format and lint checks, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test ## lint, types, import rules and every test

prove: setup browser ## the large proofs; their results are kept in docs/proofs/
	$(BIN)/python -m pytest -q -m prove
	$(BIN)/python -m pytest -q tests/property -m "not prove" --hypothesis-profile=many

bench: setup ## speed, measured against what a user would pick instead
	$(BIN)/python -m tests.bench

lock: setup ## renew requirements.lock from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
	  --python-version 3.11 --extra dev --extra postgres --extra nif --extra dask pyproject.toml -o requirements.lock

clean: ## remove what make made
	rm -rf .venv demo build dist
