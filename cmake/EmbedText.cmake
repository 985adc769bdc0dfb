# cmake -DOUTPUT=header.h -DNAMESPACE=ns -DFILES="a.js;b.css" -P EmbedText.cmake:
# a header with each file as `inline constexpr std::string_view`, named after
# the file with '_' for '.': a_js, b_css.
set(text "// Generated from the files that it holds.\n#pragma once\n\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(file ${FILES})
  file(READ ${file} content)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  string(APPEND text "\ninline constexpr std::string_view ${name} = R\"EMBEDDED(${content})EMBEDDED\";\n")
endforeach()
file(WRITE ${OUTPUT} "${text}\n} // namespace ${NAMESPACE}\n")
