# `make demo` and `make test` need Python 3.10 or newer and make, nothing else.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# One thread per worker process: pytest-xdist already fills the cores.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1 NUMEXPR_NUM_THREADS=1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test browser lint format docs words bench constraints clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: $(INSTALLED)  ## create .venv and install the package with its development tools

# The stamp goes first and comes back last, so a failed install is tried again.
$(INSTALLED): pyproject.toml constraints.txt
	@rm -f $@
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "whether needs Python 3.10 or newer, and $(PYTHON) is " + sys.version.split()[0] + ": try make PYTHON=python3.12")'
	@echo "Installing into $(VENV) (a minute or two, once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' --constraint constraints.txt
	@touch $@

demo: $(INSTALLED)  ## a report on a simulated cohort, in demo-report
	@$(BIN)/whether analyze -o demo-report

test: $(INSTALLED)  ## tests and doctests, the browser's apart (JOBS=2 processes; ARGS=... is handed to pytest)
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore=tests/browser $(ARGS)

browser: $(INSTALLED)  ## the report and the page of `whether serve` in a real browser (Chromium; .ci/browser installs it where it is missing)
	WHETHER_BROWSER_REQUIRED=1 $(ONE_THREAD) $(BIN)/python -m pytest tests/browser $(ARGS)

lint: $(INSTALLED)  ## formatting, lint, types, layers, spelling
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy src
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(INSTALLED)  ## put the formatting right, and what ruff can repair
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

# Every example on the pages is executed. The real cohorts of the tutorials are read from WHETHER_DATA, or simulated.
docs: $(INSTALLED)  ## the documentation, in docs/_build/html (a warning is an error)
	$(ONE_THREAD) $(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

words: $(INSTALLED)  ## every sentence that can be printed, with its file (ARGS=telling for some files)
	@$(BIN)/python -m tests.wording.listing $(ARGS)

bench: $(INSTALLED)  ## time and memory per method
	$(BIN)/python -m benchmarks

# Resolves everything anew in a throw-away environment. The head of constraints.txt, down to its marker line, is kept.
# The versions hold for the Python that resolved them and newer ones: an older Python cannot install them all.
constraints:  ## resolve and pin all dependencies of development and of the field study anew
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	$(PYTHON) -m venv "$$scratch/venv" && \
	"$$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check '.[dev,peers]' && \
	"$$scratch/venv/bin/python" -m pip freeze --exclude whether > "$$scratch/freeze" && \
	python=$$("$$scratch/venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') && \
	sed '/^# --- resolved/q' constraints.txt > "$$scratch/pins" && \
	sed "s/$$/ ; python_version >= \"$$python\"/" "$$scratch/freeze" >> "$$scratch/pins" && \
	cp "$$scratch/pins" constraints.txt && \
	echo "constraints.txt is up to date: read the difference, then run make lint test"

clean:  ## remove .venv, caches and build output
	rm -rf $(VENV) build dist demo-report docs/_build docs/api/generated docs/gallery docs/tutorials .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./.git -prune -o -type d \( -name __pycache__ -o -name '*.egg-info' \) -prune -exec rm -rf {} +
