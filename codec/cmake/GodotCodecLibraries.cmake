# SPDX-License-Identifier: MIT
# Finds the libraries that decompress ENet's datagrams. Defines the targets godot-codec-libraries::zlib, ::zstd and
# ::enet. A target exists only if its library was found.
#
# Searches the folders that pkg-config returns, if pkg-config is installed, then CMake's folders (CMAKE_PREFIX_PATH,
# vcpkg's folders). Does not use find_package(ZLIB), because Wireshark's tree has a module of this name that defines no
# target.

function(godot_codec_find_library name header package)
  set(target godot-codec-libraries::${name})
  if(TARGET ${target})
    return()
  endif()
  set(hints)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(GODOT_CODEC_PC_${name} QUIET ${package})
    set(hints GODOT_CODEC_PC_${name})
  endif()
  find_path(GODOT_CODEC_${name}_INCLUDE_DIR ${header} HINTS ${${hints}_INCLUDE_DIRS})
  find_library(GODOT_CODEC_${name}_LIBRARY NAMES ${ARGN} HINTS ${${hints}_LIBRARY_DIRS})
  mark_as_advanced(GODOT_CODEC_${name}_INCLUDE_DIR GODOT_CODEC_${name}_LIBRARY)
  if(GODOT_CODEC_${name}_INCLUDE_DIR AND GODOT_CODEC_${name}_LIBRARY)
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION ${GODOT_CODEC_${name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${GODOT_CODEC_${name}_INCLUDE_DIR})
  endif()
endfunction()

godot_codec_find_library(zlib zlib.h zlib z zlib zlibstatic zlib1)
godot_codec_find_library(zstd zstd.h libzstd zstd zstd_static)
godot_codec_find_library(enet enet/enet.h libenet enet)
if(WIN32 AND TARGET godot-codec-libraries::enet)
  # A static ENet does not link the libraries for Windows' sockets and clock.
  set_target_properties(godot-codec-libraries::enet PROPERTIES INTERFACE_LINK_LIBRARIES "ws2_32;winmm")
endif()
