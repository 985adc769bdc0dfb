# How Kiln's own targets are declared: warnings, sanitizers, include layout.

# kiln_compile_settings(TARGET) - warnings and the switches of the presets.
function(kiln_compile_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic
    -Wno-unused-parameter -ffp-contract=off)
  # g++ 12 sees an overlapping copy in `"x" + std::to_string(i)` (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  # The library of g++ 12 sorts with a function that it calls deprecated itself.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(KILN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(KILN_SANITIZE)
    # What is found ends the program, so that a test cannot pass over it.
    target_compile_options(${target} PRIVATE -fsanitize=${KILN_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # They take a third of the time to compile. The address sanitizer sees accesses
    # through a null pointer and past an object; a wrong cast within one, nobody does.
    if(KILN_SANITIZE MATCHES "address,undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${KILN_SANITIZE})
  endif()
  if(KILN_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# kiln_compile_in_groups(TARGET) - with KILN_GROUPS, several sources of a target at a
# time: their headers and templates are compiled once for all of a group. For
# targets of many small sources, whose names in anonymous namespaces differ.
function(kiln_compile_in_groups target)
  if(KILN_GROUPS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()

# kiln_use_allocator(TARGET) - links a tool with the allocator of KILN_ALLOCATOR.
# A library leaves that to the program that it is part of.
function(kiln_use_allocator target)
  if(KILN_TCMALLOC AND KILN_ALLOCATOR STREQUAL tcmalloc AND NOT KILN_SANITIZE)
    # It replaces malloc for the shared libraries too, whether or not the linker
    # sees a call that it answers.
    target_link_options(${target} PRIVATE LINKER:--no-as-needed)
    target_link_libraries(${target} PRIVATE ${KILN_TCMALLOC})
  endif()
endfunction()

# kiln_add_library(NAME [ALONE] SOURCES... [LINK targets...]) - a static library
# kiln::NAME whose headers are in include/ beside its CMakeLists.txt. ALONE keeps
# its sources out of groups.
function(kiln_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "" "SOURCES;LINK;DEPENDS")
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
  if(NOT arg_ALONE)
    kiln_compile_in_groups(kiln-${name})
  endif()
endfunction()

# kiln_add_precompiled(SET HEADER [LINK targets...] [OPTIONS flags...] [DEPENDS
# targets...]) - compiles what HEADER includes once, for all targets that
# kiln_use_precompiled(TARGET SET) names. They must have the flags of the set. Half
# of the time to compile most files goes into headers. Without KILN_PRECOMPILED, a
# file that forgot to include what it uses does not compile.
function(kiln_add_precompiled set header)
  if(NOT KILN_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINK;OPTIONS;DEPENDS")
  set(name kiln-precompiled-${set})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled-${set}.cpp CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled-${set}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  kiln_compile_settings(${name})
  # Not -fpch-preprocess: ccache would take the set of the last build for what
  # the new one is made of, and hand out an old one.
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  # By name: with its path, the set of each clone would be another to ccache.
  get_filename_component(folder ${header} DIRECTORY)
  get_filename_component(file ${header} NAME)
  target_include_directories(${name} PUBLIC ${folder})
  target_precompile_headers(${name} PRIVATE <${file}>)
endfunction()

function(kiln_use_precompiled target set)
  if(TARGET kiln-precompiled-${set})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # Lets ccache see through it.
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
    target_precompile_headers(${target} REUSE_FROM kiln-precompiled-${set})
    # For what reads the set as text, such as clang-tidy.
    target_include_directories(${target} PRIVATE
      $<TARGET_PROPERTY:kiln-precompiled-${set},INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endfunction()

# kiln_mlir_settings(TARGET SET) - compile and link against MLIR, with a set of
# precompiled headers.
function(kiln_mlir_settings target set)
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}> $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  kiln_use_precompiled(${target} ${set})
endfunction()
