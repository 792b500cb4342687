# `make run` and `make test` do all set-up by themselves, with the system's python3 and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run-ready
DEV := $(VENV)/.dev-ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test check coverage format bench soak screenshots clean

run: $(RUN)
	@$(BIN)/jobdeck

test: check
	$(BIN)/python -m pytest -n 2

check: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

coverage: $(DEV)
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# `make bench PARTS="waking submitting"` measures some parts only, `make bench PLOT=1` draws too.
bench: $(DEV)
	PARTS="$(PARTS)" PLOT="$(PLOT)" $(BIN)/python -m tests.bench

# Engines killed at every statement and at random moments; a year of a busy store with 30 days kept; then random lives of
# a store until one breaks a promise, `make soak LIVES=1000` for so many.
soak: $(DEV)
	$(BIN)/python -m tests.machine.crash
	$(BIN)/python -m tests.store.year
	$(BIN)/python -m tests.engine.soak $(LIVES)

screenshots: $(DEV)
	$(BIN)/python -m tests.screenshots

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov

$(RUN): .requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r .requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(DEV): $(RUN) .requirements-dev.txt
	$(BIN)/python -m pip install --quiet -r .requirements-dev.txt
	touch $@
