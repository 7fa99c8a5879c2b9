# make play               a game on the simulated table: nothing but this checkout and Python is needed
# make test               everything that CI checks
# make test-simulation    only the tests that run the simulated hardware
# make system             the system packages (system-packages.txt), with the rights to install them
# ARGS is handed on:     make play ARGS='--game thai', make test ARGS='-k rules'
# make clean              removes what make made
.PHONY: play test test-simulation lint system clean
.DEFAULT_GOAL := play

VENV := .venv
BIN := $(VENV)/bin
NEW_ENOUGH := -c 'import sys; sys.exit(sys.version_info < (3, 11))'
ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
    $$p $(NEW_ENOUGH) 2>/dev/null && echo $$p && break; done)
endif
ifeq ($(PYTHON),)
PYTHON := python3
endif
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The one thing from npm: the rules of accessibility that the page is held to.
PAGE_TESTS := tests/play/page/browser

# A checkout that was moved keeps an environment full of old paths; so does one whose Python was removed.
ifneq ($(shell $(BIN)/python -c 'import sys; print(sys.prefix)' 2>/dev/null),$(CURDIR)/$(VENV))
STALE := stale
endif

play: $(VENV)/installed
	$(BIN)/damludo play --sim $(ARGS)

test: lint
	$(BIN)/python -m pytest -n auto $(ARGS)

test-simulation: $(VENV)/installed-test
	$(BIN)/python -m pytest -m simulation $(ARGS)

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

system:
	.ci/system-packages $(PYTHON) run test

clean:
	rm -rf $(VENV) $(PAGE_TESTS)/node_modules build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

# A stamp is there only when all before it succeeded: an interrupted install has none, and is done again in an empty folder.
$(VENV)/installed: pyproject.toml system-packages.txt $(STALE)
	@.ci/system-packages $(PYTHON) run
	@$(PYTHON) $(NEW_ENOUGH) || { echo "Damludo needs Python 3.11 or newer; here is $$($(PYTHON) --version)." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(INSTALL) --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed $(PAGE_TESTS)/package-lock.json
	@.ci/system-packages $(BIN)/python test
	@rm $(VENV)/installed
	$(INSTALL) --editable '.[test]'
	cd $(PAGE_TESTS) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $(VENV)/installed $@

.PHONY: stale
stale:
