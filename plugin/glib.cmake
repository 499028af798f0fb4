# SPDX-License-Identifier: MIT
# GLib as the target godot-glib: the one that Wireshark was built with. Searched for where CMake looks
# (CMAKE_PREFIX_PATH), and first where pkg-config says, if that is installed.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(GODOT_PC_GLIB QUIET glib-2.0)
endif()
find_library(GODOT_GLIB_LIBRARY NAMES glib-2.0 glib-2.0-0 HINTS ${GODOT_PC_GLIB_LIBRARY_DIRS})
find_path(GODOT_GLIB_INCLUDE_DIR glib.h HINTS ${GODOT_PC_GLIB_INCLUDE_DIRS} PATH_SUFFIXES glib-2.0)
# What GLib's build found out is in another folder than its headers: beside the library.
get_filename_component(library_dir "${GODOT_GLIB_LIBRARY}" DIRECTORY)
find_path(GODOT_GLIB_CONFIG_DIR glibconfig.h HINTS ${GODOT_PC_GLIB_INCLUDE_DIRS} ${library_dir}/glib-2.0/include)
mark_as_advanced(GODOT_GLIB_LIBRARY GODOT_GLIB_INCLUDE_DIR GODOT_GLIB_CONFIG_DIR)
if(NOT GODOT_GLIB_LIBRARY OR NOT GODOT_GLIB_INCLUDE_DIR OR NOT GODOT_GLIB_CONFIG_DIR)
  message(FATAL_ERROR "GLib was not found (GODOT_GLIB_LIBRARY, GODOT_GLIB_INCLUDE_DIR, GODOT_GLIB_CONFIG_DIR)")
endif()
add_library(godot-glib UNKNOWN IMPORTED GLOBAL)
set_target_properties(godot-glib PROPERTIES
  IMPORTED_LOCATION ${GODOT_GLIB_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${GODOT_GLIB_INCLUDE_DIR};${GODOT_GLIB_CONFIG_DIR}")
