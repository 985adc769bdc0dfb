# Finds every package Kiln is built from, and names the Debian package to
# install where one is missing. Fails at configure time, never later.

function(kiln_require found what package)
  if(NOT ${found})
    message(FATAL_ERROR "Kiln needs ${what}, which was not found.\n"
      "On Debian 12: sudo apt-get install -y --no-install-recommends ${package}\n"
      "All packages at once: scripts/install-packages.sh")
  endif()
endfunction()

set(KILN_LLVM_VERSION 22)
find_package(LLVM ${KILN_LLVM_VERSION}.1 QUIET CONFIG
  HINTS /usr/lib/llvm-${KILN_LLVM_VERSION}/lib/cmake/llvm)
kiln_require(LLVM_FOUND "LLVM ${KILN_LLVM_VERSION}" "llvm-22-dev llvm-22-tools")
find_package(MLIR QUIET CONFIG
  HINTS /usr/lib/llvm-${KILN_LLVM_VERSION}/lib/cmake/mlir)
kiln_require(MLIR_FOUND "MLIR ${KILN_LLVM_VERSION}" "libmlir-22-dev mlir-22-tools")
find_package(fmt QUIET CONFIG)
kiln_require(fmt_FOUND "fmt" "libfmt-dev")
find_package(absl QUIET CONFIG)
kiln_require(absl_FOUND "abseil" "libabsl-dev")
find_package(nlohmann_json QUIET CONFIG)
kiln_require(nlohmann_json_FOUND "nlohmann-json" "nlohmann-json3-dev")
# LLVM's own packages bring it, too.
find_library(KILN_Z3 z3)
find_path(KILN_Z3_INCLUDE z3++.h)
if(NOT KILN_Z3_INCLUDE)
  set(KILN_Z3 "")
endif()
kiln_require(KILN_Z3 "Z3" "libz3-dev")
find_package(Threads REQUIRED)
find_path(KILN_HANA_INCLUDE boost/hana.hpp)
kiln_require(KILN_HANA_INCLUDE "Boost.Hana 1.81" "libboost1.81-dev")
# Packages belong to the system's Python, which need not be first on PATH.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
kiln_require(Python3_Interpreter_FOUND "Python 3, for the manual and the tests" "python3")
if(KILN_BUILD_TESTS)
  find_path(KILN_CATCH2_INCLUDE catch2/catch.hpp)
  kiln_require(KILN_CATCH2_INCLUDE "Catch2" "catch2")
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import numpy"
    RESULT_VARIABLE KILN_NO_NUMPY OUTPUT_QUIET ERROR_QUIET)
  if(KILN_NO_NUMPY EQUAL 0)
    set(KILN_NUMPY_FOUND TRUE)
  endif()
  kiln_require(KILN_NUMPY_FOUND "NumPy, for tests" "python3-numpy")
endif()

# A compilation makes millions of small objects, which tcmalloc gives out faster
# and in less memory. Only the library itself is installed, without what a -dev
# package adds. Sanitizers bring an allocator of their own.
set_property(CACHE KILN_ALLOCATOR PROPERTY STRINGS tcmalloc system)
if(NOT KILN_ALLOCATOR MATCHES "^(tcmalloc|system)$")
  message(FATAL_ERROR "KILN_ALLOCATOR is ${KILN_ALLOCATOR}, not tcmalloc or system")
endif()
if(KILN_ALLOCATOR STREQUAL tcmalloc AND NOT KILN_SANITIZE)
  find_library(KILN_TCMALLOC NAMES tcmalloc_minimal libtcmalloc_minimal.so.4)
  if(NOT KILN_TCMALLOC)
    message(STATUS "No tcmalloc (libtcmalloc-minimal4): the tools use the system's malloc")
  endif()
endif()

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_program(KILN_CCACHE ccache)
if(KILN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source tree: all clones and work trees share results.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${KILN_CCACHE})
endif()
find_program(KILN_LLD NAMES ld.lld-22 ld.lld PATHS ${LLVM_TOOLS_BINARY_DIR})
if(KILN_LLD)
  get_filename_component(KILN_LLD_DIR ${KILN_LLD} DIRECTORY)
  add_link_options(-fuse-ld=lld)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_link_options(-B${LLVM_TOOLS_BINARY_DIR})
  endif()
endif()
