# SPDX-License-Identifier: MIT
# Installs the codec's package into a folder, builds the examples against it, and runs them on a packet and on recorded
# games. Then builds the codec as a subproject of a project that sets none of its options but enables unity builds.
file(REMOVE_RECURSE ${WORK_DIR})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix --component codec)

# Each header compiles by itself.
file(GLOB_RECURSE headers ${WORK_DIR}/prefix/include/*.h)
list(LENGTH headers count)
if(count LESS 70)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
run(${CXX} -std=c++20 -fsyntax-only -w -I ${WORK_DIR}/prefix/include -x c++ ${headers})

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/codec/example -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)

# {"a": 1}, as Godot 4.6 sends it.
set(packet "\\x1b\\0\\0\\0\\1\\0\\0\\0\\4\\0\\0\\0\\1\\0\\0\\0a\\0\\0\\0\\2\\0\\0\\0\\1\\0\\0\\0")
execute_process(COMMAND printf "${packet}" OUTPUT_FILE ${WORK_DIR}/packet COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK_DIR}/build/print-variant INPUT_FILE ${WORK_DIR}/packet
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
set(expected "Godot 4: {\"a\": 1}\n     4    4  count\n    12    4  string.length\n    16    1  string\n    17    3  padding\n    24    4  int\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "printed:\n${output}expected:\n${expected}")
endif()

# A capture of a Godot 4.6 game, read by a program that uses only the installed library.
execute_process(COMMAND ${WORK_DIR}/build/read-game ${SOURCE_DIR}/captures/lost_arguments_godot4.6.pcapng
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${SOURCE_DIR}/tests/data/lost_arguments.read expected_game)
if(NOT output STREQUAL expected_game)
  message(FATAL_ERROR "printed:\n${output}expected:\n${expected_game}")
endif()
# Compressed with the range coder and zlib, in fragments: every message is decoded.
foreach(capture mp_enet1_godot4.2 mp_enet3_godot3.1)
  execute_process(COMMAND ${WORK_DIR}/build/read-game ${SOURCE_DIR}/captures/${capture}.pcapng
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "RPC [^\n]*\\(" OR output MATCHES "incomplete")
    message(FATAL_ERROR "of ${capture}, printed:\n${output}")
  endif()
endforeach()

file(WRITE ${WORK_DIR}/other/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES CXX)
include(CTest)
add_subdirectory(${CODEC} codec)
add_executable(print-variant ${CODEC}/example/print_variant.cpp)
target_link_libraries(print-variant PRIVATE godot-codec::godot-codec)
]])
run(${CMAKE_COMMAND} -S ${WORK_DIR}/other -B ${WORK_DIR}/other/build -G ${GENERATOR} -DCODEC=${SOURCE_DIR}/codec
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/other/build --target print-variant)
execute_process(COMMAND ${WORK_DIR}/other/build/print-variant INPUT_FILE ${WORK_DIR}/packet
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "as a part of another project, printed:\n${output}expected:\n${expected}")
endif()

# Without pkg-config and libenet, as on Windows: data of the range coder stays compressed, zlib's is decompressed.
run(${CMAKE_COMMAND} -S ${WORK_DIR}/other -B ${WORK_DIR}/other/build -DGODOT_CODEC_COMPRESSION=ON
    -DGODOT_CODEC_RANGE_CODER=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/other/build --target read-game)
foreach(capture mp_enet1_godot4.2 mp_enet3_godot3.1)
  execute_process(COMMAND ${WORK_DIR}/other/build/codec/read-game ${SOURCE_DIR}/captures/${capture}.pcapng
                  OUTPUT_VARIABLE ${capture} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(mp_enet1_godot4.2 MATCHES "RPC [^\n]*\\(" OR NOT mp_enet3_godot3.1 MATCHES "RPC [^\n]*\\(")
  message(FATAL_ERROR "without the range coder, printed:\n${mp_enet1_godot4.2}\n${mp_enet3_godot3.1}")
endif()
