# cmake -D BUILD=dir -D PREFIX=dir -D COMPONENTS=a;b -P install.cmake
file(REMOVE_RECURSE ${PREFIX})
if(COMPONENTS)
  foreach(component ${COMPONENTS})
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
      --component ${component} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
else()
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
