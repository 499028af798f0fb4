# SPDX-License-Identifier: MIT
# Only what Wireshark looks up may be visible: the plugin shares a process with others.
execute_process(COMMAND ${NM} -D --defined-only ${PLUGIN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\n]* ([^ \n]+)\n" "\\1 " symbols "${output}")
set(expected "plugin_describe plugin_register plugin_version plugin_want_major plugin_want_minor ")
if(NOT symbols STREQUAL expected)
  message(FATAL_ERROR "exported: ${symbols}\nexpected: ${expected}")
endif()
