# Everything starts here. `make demo` and `make test` do all of their set-up, once, and say what they do.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

VENV   := .venv
PYTHON := $(VENV)/bin/python
PIP    := $(PYTHON) -m pip --disable-pip-version-check --no-input -qq
UV     := .venv-lock/bin/uv
LOCK   := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make lock'

# Options for demo: `make demo SECONDS=60 SPEED=4`. Further arguments of any target: `make test ARGS='-k journal'`.
SECONDS ?=
SPEED   ?=
ARGS    ?=
# `make test HALVES=yes` runs the tests that wait and those that compute side by side; a run with ARGS never does.
HALVES  ?=
# And for chaos.
MINUTES ?=
SEED    ?=
# And for deb.
VERSION ?=

.PHONY: help demo test lint bench fuzz soak chaos schema docs deb deb-test lock venv clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.installed-demo ## every kind of table with simulated devices, a broker and a game server on this machine
	$(VENV)/bin/dealer-daemon demo $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SPEED),--speed $(SPEED)) $(ARGS)

test: $(VENV)/.installed-test tests/js/node_modules/.installed | system-test ## every test but the long ones
	$(PYTHON) $(if $(HALVES),$(if $(ARGS),-m pytest,tests/halves.py),-m pytest) $(ARGS)

lint: $(VENV)/.installed-test ## style, types and the import contracts
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: $(VENV)/.installed-test ## one JSON object a line, each with its floor measured in the same run
	@$(PYTHON) tests/bench/run.py $(ARGS)

fuzz: $(VENV)/.installed-test ## inputs that nobody means to send, `make fuzz COUNT=1000000`: none may be unhandled
	@$(PYTHON) tests/fuzz/run.py --count $(or $(COUNT),1000000) $(ARGS)

soak: $(VENV)/.installed-test | system-test system-soak ## the long runs
	$(PYTHON) -m pytest -m soak --timeout=0 $(ARGS)

chaos: $(VENV)/.installed-test | system-test ## everything goes wrong at once and nothing may be lost: MINUTES=20 SEED=1
	@PYTHONPATH=tests $(PYTHON) -m chaos.run $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(ARGS)

schema: $(VENV)/.installed-test ## docs/reference/schemas and docs/reference/reasons.md, from the types
	$(PYTHON) -m dealer_daemon.schema docs/reference

docs: $(VENV)/.installed-test ## the pages as a site in build/site; a link that leads nowhere is an error
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going --quiet -b html -c docs/site docs build/site
	@echo build/site/index.html

deb: $(VENV)/.installed-demo ## the Debian package in dist/: VERSION=0.1.0+site2 to tell builds of one version apart
	@PYTHONPATH=systemd $(PYTHON) -m dealer_package build --out dist $(if $(VERSION),--version $(VERSION)) $(ARGS)

deb-test: $(VENV)/.installed-test | system-test system-soak ## install, upgrade, remove and purge the package in a clean Debian 12
	$(PYTHON) -m pytest -m soak --timeout=0 tests/deb $(ARGS)

venv: $(VENV)/.installed-test ## the virtual environment alone

lock: pyproject.toml .venv-lock/bin/uv ## newer versions into the lock files
	$(LOCK) --upgrade --extra test pyproject.toml -o requirements-test.lock
	$(LOCK) --extra build --extra demo --constraints requirements-test.lock pyproject.toml -o requirements.lock

clean: ## all that the targets above made
	rm -rf $(VENV) .venv-lock build dist tests/js/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find drivers daemon calibration hw-sim tests -name __pycache__ -prune -exec rm -rf {} +

# --- set-up, each step once -------------------------------------------------------------------------------------

.PHONY: system-test system-soak

system-soak:
	@scripts/system-packages rabbitmqctl:rabbitmq-server debootstrap:debootstrap systemd-nspawn:systemd-container >&2

system-test:
	@scripts/system-packages systemd-analyze:systemd udevadm:udev node:nodejs npm:npm mosquitto:mosquitto ejabberdctl:ejabberd nats-server:nats-server umockdev-run:umockdev libusb-1.0.so.0:libusb-1.0-0 libzbar.so.0:libzbar0 chromium:chromium /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc:fonts-noto-cjk >&2

$(VENV)/.made:
	@scripts/system-packages venv:python3-venv >&2
	@echo "== making $(VENV) with $$(scripts/python)" >&2
	@python=$$(scripts/python) && $$python -m venv $(VENV)
	@touch $@

# The stamps differ and the environment is one: the test lock holds every version of the runtime lock, and more.
$(VENV)/.installed-demo: requirements.lock pyproject.toml | $(VENV)/.made
	@echo "== installing the versions of requirements.lock into $(VENV) (once; half a minute)" >&2
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-test: requirements-test.lock pyproject.toml | $(VENV)/.made
	@echo "== installing the versions of requirements-test.lock into $(VENV) (once; a minute)" >&2
	@$(PIP) install --require-hashes -r requirements-test.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

tests/js/node_modules/.installed: tests/js/package-lock.json | system-test
	@echo "== installing the versions of tests/js/package-lock.json into tests/js/node_modules" >&2
	@cd tests/js && npm ci --silent --no-fund --no-audit --no-update-notifier
	@touch $@

.venv-lock/bin/uv:
	@scripts/system-packages venv:python3-venv >&2
	@python=$$(scripts/python) && $$python -m venv .venv-lock
	@.venv-lock/bin/pip install -qq uv==0.13.9
