# Two commands for a fresh machine; CMake does the work (see CMakePresets.json).
#   make demo   installs what the tools need, builds them, runs the demonstration
#   make test   installs what is missing, builds, passes every test
#   make sanitized   compiler, kernels and readers under the sanitizers
.PHONY: demo test sanitized build install-packages clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
# ON compiles small sources in groups: quick from nothing, slow after an edit.
KILN_GROUPS ?= OFF

install-packages:
	scripts/install-packages.sh

build: install-packages
	cmake --preset release -DKILN_BUILD_TESTS=ON -DKILN_GROUPS=$(KILN_GROUPS)
	cmake --build --preset release -j $(JOBS)

# The tool and the manual alone: a newcomer need not wait for the tests.
demo:
	scripts/install-packages.sh tools
	cmake --preset tool
	cmake --build --preset tool -j $(JOBS) --target kiln manual
	scripts/demo.sh build/tool build/demo

test: build
	ctest --preset release -j $(JOBS) --no-tests=error

# Every pass, kernel and instruction, programs of chance, and damaged files and
# texts against every reader, with AddressSanitizer and the undefined-behaviour
# sanitizer.
SANITIZED := kiln-opt kiln-import-tool isa-fuzz kernels-test instructions-test \
  random-programs
SANITIZED_TESTS := ^(lit|instructions(\.tiles)?|kernels\.small|random\.programs|fuzz\.isa)$$
sanitized: build
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) --target $(SANITIZED)
	ctest --preset asan -j $(JOBS) -R '$(SANITIZED_TESTS)' --no-tests=error

clean:
	rm -rf build/release build/tool build/asan build/tsan build/demo
