# SPDX-License-Identifier: MIT
# godot-codec::godot-codec needs nothing; godot-codec::godot-game (and godot-compression) the libraries that ENet's
# datagrams are compressed with: they are there where those are.
include("${CMAKE_CURRENT_LIST_DIR}/godot-codecTargets.cmake")
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/godot-gameTargets.cmake")
  find_package(ZLIB QUIET)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND AND NOT TARGET PkgConfig::ENET)
    pkg_check_modules(ENET QUIET IMPORTED_TARGET libenet)
  endif()
  if(PKG_CONFIG_FOUND AND NOT TARGET PkgConfig::ZSTD)
    pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
  endif()
  if(TARGET ZLIB::ZLIB AND TARGET PkgConfig::ENET AND TARGET PkgConfig::ZSTD)
    include("${CMAKE_CURRENT_LIST_DIR}/godot-gameTargets.cmake")
  else()
    message(STATUS "godot-codec: no godot-codec::godot-game, which needs zlib, libenet and libzstd")
  endif()
endif()
