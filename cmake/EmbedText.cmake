# cmake -DOUTPUT=header.h -DNAMESPACE=ns -DFILES="a.js;b.css" -P EmbedText.cmake:
# a header with each file as `inline constexpr std::string_view`, named after
# the file with '_' for '.': a_js, b_css; and `all`, their names and texts.
set(text "// Generated from the files that it holds.\n#pragma once\n\n#include <string_view>\n#include <utility>\n\nnamespace ${NAMESPACE} {\n")
set(all "")
foreach(file ${FILES})
  file(READ ${file} content)
  get_filename_component(name ${file} NAME)
  set(file ${name})
  string(MAKE_C_IDENTIFIER ${name} name)
  string(APPEND all "    {\"${file}\", ${name}},\n")
  string(APPEND text "\ninline constexpr std::string_view ${name} = R\"EMBEDDED(${content})EMBEDDED\";\n")
endforeach()
file(WRITE ${OUTPUT} "${text}\ninline constexpr std::pair<std::string_view, std::string_view> all[] = {\n${all}};\n\n} // namespace ${NAMESPACE}\n")
