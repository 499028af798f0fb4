# SPDX-License-Identifier: MIT
# godot-codec::godot-codec needs no other libraries. godot-codec::godot-game and godot-compression need the libraries
# that decompress ENet's datagrams. They are only defined if these libraries are found.
include("${CMAKE_CURRENT_LIST_DIR}/godot-codecTargets.cmake")
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/godot-gameTargets.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/GodotCodecLibraries.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/godot-gameNeeds.cmake")
  set(_godot_missing)
  foreach(_godot_library ${GODOT_GAME_NEEDS})
    if(NOT TARGET ${_godot_library})
      list(APPEND _godot_missing ${_godot_library})
    endif()
  endforeach()
  if(_godot_missing)
    message(STATUS "godot-codec: no godot-codec::godot-game, which needs ${_godot_missing}")
  else()
    include("${CMAKE_CURRENT_LIST_DIR}/godot-gameTargets.cmake")
  endif()
endif()
