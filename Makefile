# make run, make test: each does all the set-up it needs on a machine with Python 3.11 or later and make.
# The Python of the system, where it is new enough: those of distributions were built with profiles of their work, and run
# all of this a sixth faster than one that was built on the spot. PYTHON=python3.13 takes another one.
SYSTEM := /usr/bin/python3
PYTHON ?= $(shell $(SYSTEM) -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(SYSTEM) || echo python3)
PORT ?= 8501
HOST ?= 127.0.0.1
WORKSPACE ?=
PYTEST_ARGS ?=
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)
# One more than there are processors: a test of the browser often waits.
WORKERS ?= $(shell echo $$(($(PROCESSORS) + 1)))
BIN := .venv/bin
# Where this is set, every process of a test compiles what it imports anew.
export PYTHONDONTWRITEBYTECODE :=

# Every package at the version and with the bytes it was tested with: pip refuses any other file.
INSTALL := -m pip install --quiet --disable-pip-version-check --require-hashes
AUDIT := .venv/audit

.PHONY: setup run test test-fast test-long check audit lock docs pictures bench wheels clean

setup: .venv/ready

.venv/ready: requirements.txt requirements-extras.txt requirements-dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Readback needs Python 3.11 or later" if sys.version_info < (3, 11) else 0)'
	.venv/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv  # one that works keeps its Python
	$(BIN)/python $(INSTALL) -r requirements.txt -r requirements-extras.txt -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q -j 0 src  # once, and not by every process of the first run at the same time
	touch $@

run: setup
	$(BIN)/readback serve $(if $(WORKSPACE),"$(WORKSPACE)") --host $(HOST) --port $(PORT)

test: setup
	$(BIN)/python tests/browser/find_browser.py --install
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(PYTEST_ARGS)

# What a person runs at every save: no browser, no real data, nothing that needs a busy machine or a long count.
test-fast: WORKERS := $(PROCESSORS)
test-fast: setup
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal -m "not browser and not realdata and not long and not slow" $(PYTEST_ARGS)

# Counts of the marker long in full: hours of random input rather than minutes.
test-long: setup
	$(BIN)/python tests/browser/find_browser.py --install
	READBACK_LONG=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(PYTEST_ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# On a busy machine its workers may not start in time; it says so and is asked again, alone.
	$(BIN)/mypy --num-workers auto || $(BIN)/mypy
	$(BIN)/mypy --strict tests/notebook/a_users_file.py
	$(BIN)/lint-imports
	page=$$(mktemp) && trap 'rm -f "$$page"' EXIT && $(BIN)/readback rule --markdown > "$$page" && test -s "$$page" \
		|| { echo "the page of the rules cannot be built: readback rule --markdown says why, or says nothing"; exit 1; }

# What pip-audit and uv run in: an environment of their own, for they need other packages than Readback.
$(AUDIT)/ready: requirements-audit.txt
	$(PYTHON) -m venv --clear $(AUDIT)
	$(AUDIT)/bin/python $(INSTALL) -r requirements-audit.txt
	touch $@

# Known weaknesses of what is installed. Where nobody can be asked about them that is a sentence, and no failure.
audit:
	@$(MAKE) --no-print-directory $(AUDIT)/ready \
		|| { echo "audit: pip-audit cannot be installed here, so nothing was audited"; exit 0; }; \
	$(AUDIT)/bin/python .ci/audit.py requirements.txt requirements-extras.txt requirements-dev.txt requirements-audit.txt

# Works out requirements*.txt from pyproject.toml: the versions that are there stay, but for UPGRADE=name.
COMPILE = $(AUDIT)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade-package $(UPGRADE))
WITHOUT = $$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package \1/p' $(1))
lock: $(AUDIT)/ready
	$(COMPILE) pyproject.toml -o requirements.txt
	$(COMPILE) pyproject.toml --all-extras -c requirements.txt $(call WITHOUT,requirements.txt) -o requirements-extras.txt
	$(COMPILE) pyproject.toml --all-extras --group dev -c requirements.txt -c requirements-extras.txt \
		$(call WITHOUT,requirements.txt requirements-extras.txt) -o requirements-dev.txt
	$(COMPILE) --group pyproject.toml:audit -c requirements.txt -c requirements-extras.txt -c requirements-dev.txt \
		-o requirements-audit.txt

# docs/rules.md is made of the rules and not kept in git; the notebook is kept, with its answers.
docs: setup
	$(BIN)/readback rule --markdown > docs/rules.md.new && test -s docs/rules.md.new && mv docs/rules.md.new docs/rules.md
	$(BIN)/python docs/make_notebook.py

# The pictures of README.md, taken from the demo workspaces by a real browser.
pictures: setup
	READBACK_PICTURES=docs/pictures $(BIN)/python -m pytest tests/browser/test_pictures.py

bench: setup
	for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Everything pip needs to install Readback on a machine without internet; EXTRAS=1 takes along what its extras need.
wheels: setup
	rm -rf dist/wheels && mkdir -p dist/wheels
	$(BIN)/python -m pip wheel --quiet --require-hashes --wheel-dir dist/wheels -r requirements.txt $(if $(EXTRAS),-r requirements-extras.txt)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist/wheels .

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
