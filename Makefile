# `make run` starts everything. `make run ARGS="--port 9000"` passes options on; `make help` lists the rest.
VENV ?= .venv
PYTHON = $(VENV)/bin/python
PIP = $(PYTHON) -m pip --disable-pip-version-check install -qq --require-hashes
ARGS ?=

# Where this is set, every start of the service and every worker of the tests compiles the whole project anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run install test bench calibrate check lock screenshots conformance
.DEFAULT_GOAL := help

help:
	@echo 'make run      start everything: database, demo data, web server (ARGS="--port 9000" passes options on)'
	@echo 'make install  everything for development'
	@echo 'make test     all tests but the benchmark (ARGS="tests/policy -x" passes options on)'
	@echo 'make bench    the benchmark'
	@echo 'make calibrate   refit the relevance on measured requests (DATA=requests.json)'
	@echo 'make check    lint, format, types, migrations, deployment checks'
	@echo 'make conformance   what holds of forgetting and correcting, tried cell by cell, into docs/conformance.md'
	@echo 'make screenshots   the pictures in docs/screenshots anew'

# A `make` that is killed takes its service along (Linux).
run: export MEMORY_END_WITH_PARENT = 1
run: $(VENV)/run.stamp
	@$(PYTHON) manage.py up $(ARGS)

install: $(VENV)/dev.stamp

# Each worker has a database server of its own, and takes neighbouring tests, which share what they start; whoever is
# done takes over half of what another has left. The browser's tests, which serve pages from threads on the same
# database, come after, in one process.
test: $(VENV)/dev.stamp
	@$(PYTHON) -m pytest -p no:schemathesis \
		$(or $(ARGS),--ignore=tests/browser -n auto --maxprocesses 4 --dist worksteal)
	@$(if $(ARGS),,$(PYTHON) -m pytest -p no:schemathesis tests/browser)

bench: $(VENV)/dev.stamp
	@$(PYTHON) -m tests.bench $(ARGS)

calibrate: $(VENV)/dev.stamp
	@$(PYTHON) -m tests.calibrate '$(or $(DATA),$(error DATA=requests.json is missing))' $(ARGS)

conformance: $(VENV)/dev.stamp
	@$(PYTHON) -m pytest -q tests/conformance --write-conformance

screenshots: $(VENV)/dev.stamp
	@$(PYTHON) -m tests.browser.screenshots

# The deployment checks see what the README's production environment sets.
check: $(VENV)/dev.stamp
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) manage.py makemigrations --check --dry-run
	@echo '$(PYTHON) manage.py check --deploy --fail-level WARNING'
	@SECRET_KEY="$$($(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(64))')" \
	DATABASE_URL=postgresql://memory@db.example.org/memory ALLOWED_HOSTS=memory.example.org MEMORY_HTTPS=1 \
	MEMORY_TRUSTED_PROXY=1 MEMORY_METRICS=10.0.0.0/8 EMAIL_URL=smtp://mail.example.org $(PYTHON) manage.py check --deploy --fail-level WARNING

# Renews the locks within the bounds of the .in files. The hashes serve every Python and platform.
lock: $(VENV)/dev.stamp
	$(PYTHON) -m pip --disable-pip-version-check install --quiet pip-tools
	for name in requirements requirements-dev; do \
		CUSTOM_COMPILE_COMMAND='make lock' $(PYTHON) -m piptools compile --quiet --upgrade \
			--output-file $$name.txt $$name.in || exit 1; \
	done

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	@echo 'Installing what development needs ...'
	@$(PIP) -r requirements.txt -r requirements-dev.txt
	@touch $@

$(VENV)/run.stamp: requirements.txt
	@if ! $(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null; then \
		found=; \
		for each in python3.14 python3.13 python3.12 python3 python \
				"$$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do \
			if "$$each" -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then found=$$each; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo 'Python 3.12 or newer with its venv module is needed, and none was found on the PATH.' >&2; exit 1; \
		fi; \
		echo "Making $(VENV) with $$("$$found" -V) ..."; \
		"$$found" -m venv --clear '$(VENV)' || exit 1; \
	fi
	@echo 'Installing what the service needs ...'
	@$(PIP) -r requirements.txt
	@touch $@

NEW_ENOUGH = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))
