# SPDX-License-Identifier: BSD-3-Clause
# A thin front to CMake (see CMakePresets.json): everything here can be done by hand.
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CONFIGURE = cmake --preset release
BUILD = cmake --build --preset release -j $(JOBS)

.PHONY: all build mpi demo figures test check test-r test-octave wheel deb test-long fuzz coverage tsan install bench \
	format lint clean help
.DEFAULT_GOAL := all

all: build ## build the command (build/rung) and the libraries; checks first that all packages are installed

build:
	@tools/setup check build
	$(CONFIGURE) -DBUILD_TESTING=OFF -DRUNG_BENCH=OFF
	$(BUILD)

mpi: ## install Open MPI (Debian) and build the command with it: mpirun rung ... (docs/cluster.md)
	tools/setup install build mpi
	$(CONFIGURE) -DBUILD_TESTING=OFF -DRUNG_BENCH=OFF -DRUNG_MPI=ON
	$(BUILD)

demo: ## install missing packages (Debian), build, then run the demonstration
	tools/setup install build
	@$(MAKE) build
	build/rung demo

figures: build ## redraw the figures of README and docs (docs/figures)
	tools/figures.sh build/rung

test: ## install missing packages (Debian), build with warnings as errors, run all tests; also under ASan and UBSan
	tools/setup install build test mpi
	@tools/test.sh release 'asan:^(unit|cli)$$'

check: ## build and test what depends on one method, in seconds: make check METHOD=kdlor
	tools/setup install build test
	@tools/check.sh $(or $(METHOD),kdlor)

test-r: ## install R and its packages (Debian), check the R package and compare it with the command
	@tools/test-r.sh

test-octave: ## install Octave (Debian) and test its class RUNG on a toy example
	tools/setup install build octave
	@$(MAKE) build
	tests/octave/run.sh . "$$PWD/build/rung"

deb: ## build the Debian packages from the last commit and check them with lintian (build/debian)
	tools/setup install build debian
	packaging/debian.sh

wheel: ## build a self-contained wheel and the source distribution (build/wheels)
	tools/setup install build wheel
	tools/wheel.sh

test-long: ## tests too slow for every change: wheels, pages in a browser, debug build, clang, valgrind, bare systems
	tools/setup install build test lint long
	@$(MAKE) tsan
	@tools/test.sh 'release:^long$$' 'asan:^numeric$$' debug clang 'valgrind:^unit$$'

fuzz: ## fuzz the readers of data, plans, journals and models for SECONDS (default 600) in total
	tools/setup install build test fuzz
	tools/fuzz.sh $(or $(SECONDS),600)

coverage: ## lines and branches of src/ covered by the unit and command tests: uncovered ones, and the total
	tools/setup install build test
	cmake --preset coverage -DBUILD_TESTING=ON
	cmake --build --preset coverage -j $(JOBS)
	find build/coverage -name '*.gcda' -delete
	status=0; ctest --preset coverage -L '^(unit|cli)$$' -j $(JOBS) || status=1; \
	tools/coverage.py build/coverage --least 95 && exit $$status

tsan: ## a search and an experiment under ThreadSanitizer (clang, libomp, archer)
	tools/setup install build lint
	cmake --preset tsan -DBUILD_TESTING=OFF
	cmake --build --preset tsan -j $(JOBS) --target rung_command
	tools/tsan.sh build/tsan

install: ## install to $(DESTDIR)$(PREFIX)
	@tools/setup check build
	$(CONFIGURE) -DBUILD_TESTING=OFF -DRUNG_BENCH=OFF -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	$(BUILD)
	DESTDIR="$(DESTDIR)" cmake --install build

bench: ## build and run the benchmarks, then write docs/performance.md
	tools/setup install build peers
	$(CONFIGURE) -DBUILD_TESTING=OFF -DRUNG_BENCH=ON
	$(BUILD)
	@for program in $$(find build/bench -maxdepth 1 -type f -executable ! -name bench_scale | sort); do \
	    echo "== $$program"; $$program || exit; done
	bench/performance.py build docs/performance.md --peers build/peers/bin/python

format: ## format the C files
	tools/setup install lint
	tools/lint.sh format

lint: ## check format, include order, clang-tidy, cppcheck and a clang build, all warnings as errors
	tools/setup install build test lint
	tools/lint.sh check

clean: ## remove build files (keeps build/venv, the downloaded Python packages)
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} +

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
