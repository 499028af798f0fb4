# SPDX-License-Identifier: MIT
# The plugin may export only the symbols that Wireshark looks up, because it shares a process with other plugins.
execute_process(COMMAND ${NM} -D --defined-only ${PLUGIN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\n]* ([^ \n]+)\n" "\\1 " symbols "${output}")
set(expected "plugin_describe plugin_register plugin_version plugin_want_major plugin_want_minor ")
if(NOT symbols STREQUAL expected)
  message(FATAL_ERROR "exported: ${symbols}\nexpected: ${expected}")
endif()
