# Acervo: `make run` serves it, `make test` tests it. Both set up everything they need.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# Tests wait for servers, browsers and files now and then: one more at a time than there are cores.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

.PHONY: run test lint bench load chaos clean

$(VENV)/.installed: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

run: $(VENV)/.installed  ## set up, sample organization, serve on PORT
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py demo
	PORT=$(PORT) $(BIN)/python manage.py serve

# A worker has a core, and BLAS's threads beside it only wait, at twice the processor time.
test: export OPENBLAS_NUM_THREADS ?= 1
test: $(VENV)/.installed-dev  ## every test that needs no server of its own
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not slow"

lint: $(VENV)/.installed-dev  ## format, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports

bench: $(VENV)/.installed-dev  ## measure PERFORMANCE.md's targets; writes docs/performance.md
	$(BIN)/python -m bench

load: $(VENV)/.installed-dev  ## 500 streams, 100 uploads, 1,000,000 chunks: LOAD="--chunks 20000", see bench/load
	nice -n 10 $(BIN)/python -m bench.load $(LOAD)

chaos: $(VENV)/.installed-dev  ## hurt real processes, each fault 20 times; hours; writes docs/reliability.md's table
	$(BIN)/python -m tests.services.faults --times 20

clean:
	rm -rf $(VENV) staticfiles
