# Installs every library as a component of its own, so that each can be
# installed, found and linked alone:
#   cmake --install build/release --prefix P [--component isa]
#   find_package(Kiln COMPONENTS isa)   -> kiln::isa
# Components: isa-headers, isa, dsl, sim, compiler, kernels, tool. What a
# component needs of others is read off the targets, never written twice.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KILN_COMPONENTS isa-headers isa dsl sim compiler kernels)
set(kiln_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Kiln)

# Folder of a component, and the component of a folder.
set(kiln_folder_isa-headers "")
set(kiln_folder_isa isa)
set(kiln_folder_dsl dsl)
set(kiln_folder_sim runtime-sim)
set(kiln_folder_compiler compiler)
set(kiln_folder_kernels kernels)

# kiln_component_of(VAR TARGET) - the component that installs TARGET, or "".
function(kiln_component_of var target)
  set(${var} "" PARENT_SCOPE)
  if(target STREQUAL kiln-isa-headers)
    set(${var} isa-headers PARENT_SCOPE)
    return()
  endif()
  get_target_property(source ${target} SOURCE_DIR)
  file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
  string(REGEX REPLACE "/.*" "" source ${source})
  foreach(component ${KILN_COMPONENTS})
    if(source STREQUAL kiln_folder_${component})
      set(${var} ${component} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# kiln_library_targets(VAR DIR) - library targets of DIR and below.
function(kiln_library_targets var dir)
  get_property(found DIRECTORY ${dir} PROPERTY BUILDSYSTEM_TARGETS)
  set(result "")
  foreach(target ${found})
    get_target_property(type ${target} TYPE)
    if(target MATCHES "^kiln-" AND type MATCHES "^(STATIC|INTERFACE)_LIBRARY$")
      list(APPEND result ${target})
    endif()
  endforeach()
  get_property(nested DIRECTORY ${dir} PROPERTY SUBDIRECTORIES)
  foreach(folder ${nested})
    kiln_library_targets(more ${folder})
    list(APPEND result ${more})
  endforeach()
  set(${var} ${result} PARENT_SCOPE)
endfunction()

set(kiln_all_libraries "")
foreach(component ${KILN_COMPONENTS})
  if(kiln_folder_${component})
    kiln_library_targets(more ${PROJECT_SOURCE_DIR}/${kiln_folder_${component}})
    list(APPEND kiln_all_libraries ${more})
  endif()
endforeach()

set(kiln_component_facts "set(Kiln_known_components ${KILN_COMPONENTS} tool)\n")
foreach(component ${KILN_COMPONENTS})
  set(requires "")
  set(packages "")
  set(mine "")
  foreach(target ${kiln_all_libraries})
    kiln_component_of(owner ${target})
    if(NOT owner STREQUAL component)
      continue()
    endif()
    list(APPEND mine ${target})
    install(TARGETS ${target} EXPORT Kiln-${component}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})

    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    foreach(other ${kiln_all_libraries})
      string(REPLACE "kiln-" "kiln::" alias ${other})
      kiln_component_of(owner ${other})
      if(";${links};" MATCHES "[;:]${alias}[;>]|[;:]${other}[;>]" AND NOT owner STREQUAL component)
        list(APPEND requires ${owner})
      endif()
    endforeach()
    foreach(package fmt absl nlohmann_json Threads)
      if(links MATCHES "${package}::")
        list(APPEND packages ${package})
      endif()
    endforeach()
    if(";${links};" MATCHES ";MLIR")
      list(APPEND packages MLIR)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES requires)
  list(REMOVE_DUPLICATES packages)
  string(APPEND kiln_component_facts
    "set(Kiln_${component}_requires ${requires})\n"
    "set(Kiln_${component}_packages ${packages})\n")

  if(NOT mine)
    continue()
  endif()
  install(EXPORT Kiln-${component} NAMESPACE kiln:: FILE Kiln-${component}.cmake
    DESTINATION ${kiln_package_dir} COMPONENT ${component})
endforeach()

# Headers, written and generated. isa's go with isa-headers: the language needs
# them and nothing else of isa. The manual's sources (.td) stay behind.
foreach(component isa dsl sim compiler kernels)
  set(owner ${component})
  if(component STREQUAL isa)
    set(owner isa-headers)
  endif()
  set(folder ${kiln_folder_${component}})
  foreach(root ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/${folder})
    install(DIRECTORY ${root}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      COMPONENT ${owner} OPTIONAL
      FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc")
  endforeach()
endforeach()

# What a kernel file that calls kernels of the library includes. The tool looks
# for `linear/matmul/kernel.h` here, in an install tree as in a build tree.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kiln/library COMPONENT dsl
  FILES_MATCHING PATTERN "*.h" PATTERN "include" EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/KilnConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/KilnConfig.cmake
  INSTALL_DESTINATION ${kiln_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/KilnConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(WRITE ${PROJECT_BINARY_DIR}/package/KilnComponents.cmake "${kiln_component_facts}")
foreach(component ${KILN_COMPONENTS} tool)
  install(FILES
    ${PROJECT_BINARY_DIR}/package/KilnConfig.cmake
    ${PROJECT_BINARY_DIR}/package/KilnConfigVersion.cmake
    ${PROJECT_BINARY_DIR}/package/KilnComponents.cmake
    ${PROJECT_SOURCE_DIR}/cmake/KilnAddKernels.cmake
    DESTINATION ${kiln_package_dir} COMPONENT ${component})
endforeach()

# The tool finds MLIR where it was linked, and its headers beside itself.
install(TARGETS kiln RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
