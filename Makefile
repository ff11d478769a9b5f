# Needs Python 3.11 to 3.13 and make, nothing else. `make` lists the targets.

PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo "$$p" && break; done)
BIN := .venv/bin
# pip alone needs minutes to find versions that fit; uv takes seconds, and constraints.txt names every version.
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --build-constraint constraints.txt
PYTEST := $(BIN)/python -m pytest

.PHONY: help demo test test-newer test-older test-mcp2 test-browser editor flows bench lock

help:
	@echo "make demo          Neo4j, 24 example records and some questions; no Langflow, no key (some minutes the first time: it downloads Neo4j)"
	@echo "make editor        Langflow with the node and the example flows"
	@echo "make test          every test but the browser's, the live ones on Neo4j 2026.08.1 and 5.26.30"
	@echo "make test-browser  the editor in a headless Chromium"
	@echo "make flows         write flows/*.json again from the node"
	@echo "make bench         the same workloads for this project, the plain driver and other libraries (a quarter of an hour)"
	@echo "make test-mcp2     the MCP server with the 2.x line of its package, in an environment of its own"
	@echo "make lock          resolve constraints.txt again"

demo: .venv/installed-local
	@$(BIN)/neo4j-graphrag demo

editor: .venv/installed-editor
	@$(BIN)/neo4j-graphrag up --editor

# Two halves of the same length side by side: both wait for their servers much of the time.
test: .venv/installed-all
	$(MAKE) --jobs=2 --output-sync=target test-newer test-older

test-newer: .venv/installed-all
	$(PYTEST) tests/cases tests/langflow tests/live

test-older: .venv/installed-all
	$(PYTEST) tests/unit tests/mcp
	$(PYTEST) tests/cases tests/live tests/mcp --neo4j 5.26.30

# The other supported line of the MCP package, in an environment of its own.
test-mcp2: .venv/uv
	$(BIN)/uv venv --quiet --allow-existing .envs/mcp2
	$(BIN)/uv pip install --quiet --python .envs/mcp2/bin/python --editable ".[local]" "mcp>=2,<3" pytest pytest-asyncio hypothesis
	.envs/mcp2/bin/python -m pytest tests/mcp tests/unit/mcp_server

test-browser: .venv/installed-all
	$(PYTEST) tests/browser

flows: .venv/installed-all
	$(BIN)/python flows/build.py

bench: .venv/installed-all
	$(BIN)/python -m bench

lock: .venv/uv
	printf 'uv\nhatchling\n' | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras \
		--no-header --no-annotate --no-emit-index-url --output-file constraints.txt pyproject.toml -

.venv/uv: constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	@touch $@

.venv/installed-local: .venv/uv pyproject.toml
	$(INSTALL) --editable ".[local,files]"
	@touch $@

.venv/installed-editor: .venv/uv pyproject.toml
	$(INSTALL) --editable ".[local,files,langflow]"
	@touch $@

.venv/installed-all: .venv/uv pyproject.toml
	$(INSTALL) --editable ".[local,files,viz,models,langflow,test,bench]"
	@touch $@
