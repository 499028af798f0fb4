# SPDX-License-Identifier: MIT
file(GLOB codec_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codec/godot-codec/*/*.h)

# Builds the codec once with the flags that libFuzzer, a part of clang, needs. The sources of a folder are combined into
# one unit, so that their headers are parsed only once.
set(fuzzing_flags -std=c++20 -gline-tables-only -O1 -fsanitize=fuzzer,address,undefined
  -fno-sanitize-recover=undefined -I${PROJECT_SOURCE_DIR}/codec)
set(fuzzing_objects)
foreach(folder core variant layout encryption stream enet project multiplayer debugger detection embedded webrtc game)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codec/godot-codec/${folder}/*.cpp)
  list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE lines)
  string(JOIN "" text ${lines})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/fuzzing_${folder}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${text}")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/fuzzing_${folder}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${FUZZING_CXX} ${fuzzing_flags} -c ${unit} -o ${object}
    DEPENDS ${unit} ${sources} ${codec_headers})
  list(APPEND fuzzing_objects ${object})
endforeach()
add_custom_target(fuzzing_codec DEPENDS ${fuzzing_objects})

# The number of runs keeps each fuzzer at some seconds; scripts/fuzz.sh runs longer.
set(runs 20000)
set(runs_stream 8000)
set(runs_project 2000)

foreach(name ${fuzzers})
  set(runs_of_this ${runs})
  if(DEFINED runs_${name})
    set(runs_of_this ${runs_${name}})
  endif()
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}_fuzzer.cpp)
  set(fuzzer ${CMAKE_CURRENT_BINARY_DIR}/${name}_fuzzer)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/found_${name})
  add_custom_command(OUTPUT ${fuzzer}
    COMMAND ${FUZZING_CXX} ${fuzzing_flags} ${source} ${fuzzing_objects} -lenet -lz -lzstd -o ${fuzzer}
    DEPENDS ${source} ${fuzzing_objects})
  add_custom_target(${name}_fuzzing ALL DEPENDS ${fuzzer})
  add_dependencies(${name}_fuzzing fuzzing_codec)
  file(MAKE_DIRECTORY ${found})
  add_test(NAME fuzz.run.${name}
    COMMAND ${fuzzer} -runs=${runs_of_this} -seed=1 -max_len=4096 -timeout=10 ${found} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus_${name})
  set_tests_properties(fuzz.run.${name} PROPERTIES LABELS fuzz)
endforeach()
