# How Kiln's own targets are declared: warnings, sanitizers, include layout.

# kiln_compile_settings(TARGET) - warnings and the switches of the presets.
function(kiln_compile_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic
    -Wno-unused-parameter -ffp-contract=off)
  # g++ 12 sees an overlapping copy in `"x" + std::to_string(i)` (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(KILN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(KILN_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${KILN_SANITIZE}
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${KILN_SANITIZE})
  endif()
  if(KILN_FUZZ) # Tells the fuzzer which branches an input takes.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(KILN_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# kiln_add_library(NAME SOURCES... [LINK targets...]) - a static library
# kiln::NAME whose headers are in include/ beside its CMakeLists.txt.
function(kiln_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;DEPENDS")
  add_library(kiln-${name} STATIC ${arg_SOURCES})
  add_library(kiln::${name} ALIAS kiln-${name})
  set_target_properties(kiln-${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(kiln-${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_link_libraries(kiln-${name} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(kiln-${name} ${arg_DEPENDS})
  endif()
  kiln_compile_settings(kiln-${name})
endfunction()

# The headers of MLIR, compiled once. Only for g++: others read them fast enough,
# and ccache needs no more settings.
function(kiln_precompile_mlir_headers target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(NOT TARGET kiln-mlir-headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mlir-headers.cpp CONTENT "")
    add_library(kiln-mlir-headers OBJECT ${PROJECT_BINARY_DIR}/mlir-headers.cpp)
    target_include_directories(kiln-mlir-headers SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_link_libraries(kiln-mlir-headers PRIVATE fmt::fmt)
    kiln_compile_settings(kiln-mlir-headers)
    target_compile_options(kiln-mlir-headers PRIVATE -fpch-preprocess)
    target_precompile_headers(kiln-mlir-headers PRIVATE ${PROJECT_SOURCE_DIR}/cmake/KilnMlirHeaders.h)
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM kiln-mlir-headers)
endfunction()

# kiln_mlir_settings(TARGET) - compile and link against MLIR.
function(kiln_mlir_settings target)
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}> $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  kiln_precompile_mlir_headers(${target})
endfunction()
