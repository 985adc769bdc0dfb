# Two commands for a fresh machine; CMake does the work (see CMakePresets.json).
#   make demo   installs what is missing, builds, runs the demonstration
#   make test   installs what is missing, builds, passes every test
#   make fuzz   damaged files and texts against every reader, with sanitizers
.PHONY: demo test fuzz build install-packages clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)

install-packages:
	scripts/install-packages.sh

build: install-packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# The tools alone: a newcomer need not wait for the tests to build.
demo: install-packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target kiln kiln-opt
	scripts/demo.sh build/release build/demo

test: build
	ctest --preset release -j $(JOBS) --no-tests=error

# Builds only what reads: some three minutes on two cores.
fuzz: install-packages
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS) --target isa-tests isa-fuzz
	ctest --preset fuzz -R '^(unit.isa-tests|fuzz.isa)$$' --no-tests=error

clean:
	rm -rf build/release build/fuzz build/demo
