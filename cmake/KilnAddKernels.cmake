# kiln_follow_calls(TARGET) - lets the tool see which line called a helper: code
# of kernels has frames, a table of lines, and no two calls that became one.
function(kiln_follow_calls target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-g1>
    -fno-omit-frame-pointer -fno-optimize-sibling-calls)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -fno-ipa-icf -fno-crossjumping -fno-tree-tail-merge -fno-code-hoisting)
  else()
    foreach(pass hoist-common-insts sink-common-insts enable-tail-merge)
      target_compile_options(${target} PRIVATE "SHELL:-mllvm -${pass}=0")
    endforeach()
  endif()
endfunction()

# kiln_add_kernels(NAME SOURCES file.cpp... [DEFINITIONS NAME=VALUE...])
#
# Builds the kernels that the sources export with KILN_EXPORT into a shared
# library lib<NAME>.so for the tool: `kiln run lib<NAME>.so:kernel`. Works in
# Kiln's own build and, after find_package(Kiln COMPONENTS dsl), in any other.
function(kiln_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "kiln_add_kernels(${name}): name at least one file after SOURCES")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kiln_add_kernels(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX lib SUFFIX .so
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE kiln::dsl)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  # References are computed in double: the same on every host.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  # As the tool builds a file: it may load two versions of a kernel.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fno-gnu-unique)
  endif()
  kiln_follow_calls(${name})
endfunction()
