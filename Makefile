# The first two commands of a newcomer: `make demo` and `make test`.
# Both do all of the set-up; the second time that takes a moment only.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
WERROR := $(if $(CI),ON,OFF)
COVERED := analysis arch codeobject prove/compare prove/judge trace

# Tests start thousands of interpreters; each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup system test-system native libraries demo test lint tidy weekly coverage mutants sanitize wheel bench clean

help:
	@echo "make demo      set up, then profile an example"
	@echo "make test      set up, then run every check and test"
	@echo "make lint      ruff, mypy, clang-format, import directions, prose"
	@echo "make tidy      clang-tidy over native/ (an hour of processor time)"
	@echo "make weekly    the tests that make test leaves out because they take long"
	@echo "make coverage  lines and branches that the tests of the computing rooms execute"
	@echo "make mutants   does a test notice changed code? a sample of mutants"
	@echo "make sanitize  the native tests under address and undefined-behaviour sanitizers"
	@echo "make wheel     a wheel with the built libraries, in dist/"
	@echo "make bench     the benchmark tables"
	@echo "make clean     remove what the other targets made"

setup: system $(STAMP)

system:
	@scripts/system-packages.sh

test-system:
	@scripts/system-packages.sh --tests

$(STAMP): pyproject.toml scripts/make-venv.sh
	@scripts/make-venv.sh $(PYTHON) $(VENV)
	@touch $@

# The compiler does not wait for the virtual environment, which takes a minute of one core.
native: system
	@$(MAKE) --silent --no-print-directory -j 2 $(STAMP) libraries
	@$(BIN)/rocm-perf vrocm path >/dev/null

libraries:
	@cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DROCM_PERF_WERROR=$(WERROR) >build.log 2>&1 || (cat build.log; exit 1)
	@cmake --build build -j $$(nproc) >>build.log 2>&1 || (tail -n 60 build.log; exit 1)
	@rm -f build.log

demo: native
	@scripts/demo.sh $(BIN)

lint: setup
	@scripts/lint.sh $(BIN)

tidy: native
	@scripts/tidy.sh $(BIN) build

test: test-system native
	@$(BIN)/python -m pytest -n auto --dist worksteal --durations=25 -m 'not weekly'
	@scripts/other-pythons.sh --install & installing=$$!; \
		scripts/lint.sh $(BIN) && wait $$installing
	@scripts/other-pythons.sh

weekly: test-system native
	@$(BIN)/python -m pytest -n auto --dist worksteal -m weekly

coverage: native
	@$(BIN)/python -m pytest -q -n auto --dist worksteal -m 'not native and not slow and not weekly' \
		$(COVERED:%=tests/%) --cov

mutants: native
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[mutants]'
	@$(BIN)/python scripts/mutants.py

sanitize: setup
	@scripts/sanitize.sh $(BIN) build-sanitize

wheel: native
	@rm -rf build/python dist
	@ROCM_PERF_LAB_BUILT=build $(BIN)/python -m build --no-isolation --wheel --outdir dist . >build/wheel.log 2>&1 \
		|| (tail -n 30 build/wheel.log; exit 1)
	@ls dist/*.whl

bench: native
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .venv-* build build-sanitize dist .demo
