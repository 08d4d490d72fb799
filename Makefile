# Every target sets up what it needs, once: Python packages in .venv/, Java and two jars where they are missing.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-dbt soak check bench lock clean

PACKAGES := .venv/.ready
ENGINE := .venv/.engine
WARM := .venv/.warm

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

demo: $(ENGINE) ## a sales dashboard of dynamic tables on a lake in ./demo-lake
	@.venv/bin/headrace demo demo-lake

test: $(WARM) ## the tests, without the slow ones
	.venv/bin/python -m pytest -m "not slow" --numprocesses 2 --dist worksteal

test-all: $(WARM) ## all tests
	.venv/bin/python -m pytest

test-dbt: $(WARM) ## the adapter's tests, with all of dbt's own suite
	.venv/bin/python -m pytest --numprocesses 2 --dist worksteal dbt-headrace/tests

soak: $(WARM) ## ten minutes of a served lake whose server, clusters and connections are killed
	.venv/bin/python -m tests.soak.soak 600

check: $(PACKAGES) ## linter, formatter, types and import contracts
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy --strict
	.venv/bin/lint-imports

bench: $(ENGINE) ## benchmarks against plain PySpark and Iceberg
	.venv/bin/python -m bench

lock: ## requirements.lock from both pyproject.toml; versions already locked stay where they fit
	@scripts/bootstrap lock

clean: ## removes what make has made here
	rm -rf .venv .tools demo-lake .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# A checkout that was moved, or whose Python is gone, gets a new environment.
ifneq ($(shell test -x .venv/bin/python && cat $(PACKAGES) 2>/dev/null),$(CURDIR))
.PHONY: $(PACKAGES)
endif

$(PACKAGES): requirements.lock pyproject.toml dbt-headrace/pyproject.toml scripts/bootstrap scripts/uv-requirement.txt
	@scripts/bootstrap

$(ENGINE): $(PACKAGES) src/headrace/lake/java.py src/headrace/lake/jars.py
	@.venv/bin/python -m headrace.lake.jars
	@touch $@

# tests start Spark many times; where its classes cannot be kept they only take longer
$(WARM): $(ENGINE)
	-@.venv/bin/headrace warm
	@touch $@
