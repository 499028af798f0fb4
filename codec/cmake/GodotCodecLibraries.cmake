# SPDX-License-Identifier: MIT
# The libraries that ENet's datagrams are compressed with, as the targets godot-codec-libraries::zlib, ::zstd and ::enet:
# each exists if its library was found.
#
# Searched for where CMake looks (CMAKE_PREFIX_PATH, vcpkg's folders), and first where pkg-config says, if that is
# installed. find_package(ZLIB) is not used: Wireshark's tree has a module of that name, which makes no target.

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
  # Windows' sockets and clock, which a static ENet does not bring along.
  set_target_properties(godot-codec-libraries::enet PROPERTIES INTERFACE_LINK_LIBRARIES "ws2_32;winmm")
endif()
