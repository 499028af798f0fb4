# SPDX-License-Identifier: MIT
# cmake -DSOURCE=page -DOUTPUT=match_page.cpp [-DLIBRARY=dygraph.min.js -DLICENCE=its licence] -P assemble.cmake
# Builds the match page, and writes it as a C++ file. Combines the modules into one script, in which each module is a
# function that returns its exports, because a page opened from disk cannot import modules.
cmake_minimum_required(VERSION 3.25)

# In dependency order: a module imports only modules before it.
set(modules data format model plots view bandwidth game tables timeline values state main)
set(script "")
foreach(module IN LISTS modules)
  file(READ ${SOURCE}/${module}.js text)
  set(names "")
  string(REGEX MATCHALL "\nexport [a-z ]+ [A-Za-z]+" exports "${text}")
  foreach(export IN LISTS exports)
    string(REGEX REPLACE ".* " "" name "${export}")
    string(APPEND names "${name}, ")
  endforeach()
  string(REGEX REPLACE "\nimport [^;]*;" "" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  string(APPEND script "const {${names}} = (() => {\n${text}\nreturn {${names}};\n})();\n")
endforeach()
set(library "")
if(LIBRARY)
  file(READ ${LIBRARY} library)
  string(REGEX REPLACE "\n//# sourceMappingURL[^\n]*" "" library "${library}")
endif()
file(READ ${SOURCE}/page.html html)
file(READ ${SOURCE}/page.css style)
string(REPLACE "@STYLE@" "${style}" html "${html}")
string(REPLACE "@SCRIPT@" "${library}\n(() => {\n'use strict';\n${script}\n})();" html "${html}")
# "--" must not occur inside an HTML comment.
set(licence "")
if(LICENCE)
  file(READ ${LICENCE} licence)
  string(REPLACE "--" "- -" licence "\nThe plots of this page are drawn by dygraphs, which is in its script.\n\n${licence}")
endif()
string(REPLACE "@LICENCE@" "${licence}" html "${html}")
file(WRITE ${OUTPUT}.html "${html}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "(................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
set(has_library true)
if(NOT LIBRARY)
  set(has_library false)
endif()
file(WRITE ${OUTPUT} "// Made by page/assemble.cmake.
#include \"plugin/page/match_page.h\"

namespace godot_plugin {

std::string_view page_template() {
  static constexpr unsigned char bytes[] = {
${bytes}};
  return {reinterpret_cast<const char *>(bytes), sizeof bytes};
}

bool has_page_library() { return ${has_library}; }

}  // namespace godot_plugin
")
