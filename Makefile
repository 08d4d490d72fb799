# Every target sets up what it needs, once: Python packages in .venv/, Java and three jars where they are missing,
# the jar of our own Java classes, and the files of the web pages.
.DEFAULT_GOAL := help
.PHONY: help demo studio test test-all test-dbt test-studio test-kills soak check format jar studio-assets bench lock clean

PACKAGES := .venv/.ready
ENGINE := .venv/.engine
WARM := .venv/.warm
JAR := src/headrace/install/headrace-jvm.jar
JAR_READY := .venv/.jar
ADAPTER := .venv/.adapter
STUDIO := .venv/.studio
BROWSER := .venv/.browser
MARIADB := .venv/.mariadb
STUDIO_FILES := src/headrace/server/studio_assets
SECONDS := 600

# every process of a test would compile what it imports: 2 of the 3 seconds that it takes to start
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(ENGINE) $(JAR_READY) ## a sales dashboard of dynamic tables on a lake in ./demo-lake
	@.venv/bin/headrace demo demo-lake
	@test -e $(WARM) || { nohup nice sh -c '.venv/bin/headrace warm && touch $(WARM)' >.venv/warm.log 2>&1 & }

studio: $(WARM) $(STUDIO) ## a live demo in the browser: the dashboard of dynamic tables, with new orders every second
	@.venv/bin/headrace demo demo-lake --live

test: $(WARM) $(ADAPTER) $(STUDIO) $(BROWSER) $(MARIADB) ## the tests: all that are not sampled, and a fresh share of those that are
	.venv/bin/python -m pytest --numprocesses 6 --dist loadfile --no-loadscope-reorder

test-all: $(WARM) $(ADAPTER) $(STUDIO) $(BROWSER) $(MARIADB) ## all tests
	.venv/bin/python -m pytest --all-shares --numprocesses 2 --dist loadfile --no-loadscope-reorder

test-dbt: $(WARM) $(ADAPTER) ## the adapter's tests, with all of dbt's own suite
	.venv/bin/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --all-shares dbt-headrace/tests

test-studio: $(WARM) $(STUDIO) $(BROWSER) ## the tests of the web pages, in a browser
	scripts/studio test
	STUDIO_IDLE=1 .venv/bin/python -m pytest --all-shares tests/studio

test-kills: $(WARM) $(MARIADB) ## 30 kills of each source of data; only one of them: make test-kills SOURCE=kafka
	.venv/bin/python -m pytest --all-shares -m kills -k '$(SOURCE)' tests/ingest

soak: $(WARM) ## a served lake whose server, clusters and connections are killed, for SECONDS=600
	.venv/bin/python -m tests.soak.soak $(SECONDS)

check: $(ENGINE) ## linter, formatter, types and import contracts; Java and TypeScript without warnings
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy --strict
	.venv/bin/mypy --strict jvm/build_java.py jvm/hatch_build.py
	.venv/bin/lint-imports
	.venv/bin/python jvm/build_java.py check
	scripts/studio check

format: $(ENGINE) ## formats Python, Java and TypeScript
	.venv/bin/ruff format
	.venv/bin/python jvm/build_java.py format
	scripts/studio format

jar: $(JAR_READY) ## the jar of our Java classes, which the wheel carries

studio-assets: $(STUDIO) ## the files of the web pages, which the wheel carries

bench: $(ENGINE) $(JAR_READY) ## benchmarks against plain PySpark and Iceberg
	.venv/bin/python -m bench

lock: ## requirements.lock from every pyproject.toml; versions already locked stay where they fit
	@scripts/bootstrap lock

clean: ## removes what make has made here
	rm -rf .venv .tools $(JAR) $(STUDIO_FILES) studio/node_modules demo-lake .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# A checkout that was moved, or whose Python is gone, gets a new environment.
ifneq ($(shell test -x .venv/bin/python && cat $(PACKAGES) 2>/dev/null),$(CURDIR))
.PHONY: $(PACKAGES)
endif

$(PACKAGES): requirements.lock pyproject.toml $(wildcard */pyproject.toml) scripts/bootstrap scripts/uv-requirement.txt
	@scripts/bootstrap

$(ADAPTER): $(PACKAGES) $(shell find dbt-headrace/src -type f -not -name '*.pyc')
	@scripts/bootstrap adapter
	@touch $@

$(ENGINE): $(PACKAGES) src/headrace/install/java.py src/headrace/install/jars.py
	@.venv/bin/python -m headrace.install.jars
	@touch $@

# The stamp is new whenever the jar was built; the jar itself only when its contents are, as the class archive is made for it.
ifeq ($(wildcard $(JAR)),)
.PHONY: $(JAR_READY)
endif

$(JAR_READY): $(ENGINE) $(shell find jvm/src/main) jvm/build_java.py jvm/hatch_build.py
	@.venv/bin/python jvm/build_java.py jar
	@touch $@

ifeq ($(wildcard $(STUDIO_FILES)/index.html),)
.PHONY: $(STUDIO)
endif

$(STUDIO): $(PACKAGES) scripts/studio $(shell find studio -type f -not -path '*/node_modules/*' -not -name schema.d.ts)
	@scripts/studio build
	@touch $@

# tests start Spark many times; where its classes cannot be kept they only take longer
$(WARM): $(ENGINE) $(JAR_READY)
	-@.venv/bin/headrace warm
	@touch $@

# without a browser, its tests are skipped
$(BROWSER): $(PACKAGES)
	-@scripts/browser && touch $@

# without MariaDB, the tests of syncs from it are skipped
$(MARIADB): $(PACKAGES)
	-@scripts/mariadb && touch $@
