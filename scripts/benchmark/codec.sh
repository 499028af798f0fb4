#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# codec.sh [RUNS]
#
# Compares the codec with Godot 4's bytes_to_var() on the same bytes. Prints two tables of median processor times of
# RUNS alternating runs (default 5): with a sink that sums every number and hashes every text, and with a tree of values
# (variant/variant_value.h), which the engine builds, too. The time for starting and loading is measured in each run and
# subtracted. The codec is built like a release, with -O3. Variables: GODOT: the engine's command (godot), which must be
# able to read the files; FOLDER: where they are written (a temporary folder); SEEN_AS: the engine's path of that
# folder.
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

runs=${1:-5}
read -ra godot <<<"${GODOT:-godot}"
folder=${FOLDER:-$(mktemp -d)}
seen_as=${SEEN_AS:-$folder}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

say "Building"
sources=("$repo"/codec/godot-codec/{core,variant}/*.cpp "$repo"/tests/benchmark/{sum,codec_benchmark}.cpp)
"${CXX:-g++}" -std=c++20 -O3 -DNDEBUG -I"$repo/codec" -I"$repo/tests/benchmark" "${sources[@]}" -o "$build/codec_benchmark"
cp "$repo/scripts/benchmark/bytes_to_var.gd" "$folder"

engine() { "${godot[@]}" --headless --script "$seen_as/bytes_to_var.gd" -- "$@" >"$build/said" 2>&1; }
summed() { "$build/codec_benchmark" "$@"; }
built() { "$build/codec_benchmark" "$@" tree; }
engine write "$seen_as" || die "the engine does not write: $(tail -n 3 "$build/said")"

# user_seconds COMMAND ...: prints the processor time of the command
user_seconds() {
  local TIMEFORMAT=%U
  { time "$@" 2>&3; } 3>&2 2>"$build/time" || die "$* has failed"
  cat "$build/time"
}

# nanoseconds COUNT COMMAND ...: prints the time of one of COUNT readings
nanoseconds() {
  local count=$1 empty full
  shift
  empty=$(user_seconds "$@" 0)
  full=$(user_seconds "$@" "$count")
  awk -v full="$full" -v empty="$empty" -v count="$count" 'BEGIN { printf "%.1f\n", (full - empty) / count * 1e9 }'
}

# Each entry: the value; how often the engine and the codec read it, so that each takes about a second; the title.
values=(
  "dictionary 200000 1000000 a Dictionary of 400 bytes"
  "dictionaries 4 30 100,000 Dictionaries in an Array"
  "ints 300 800 100,000 ints in an Array"
  "packed_floats 300 4000 PackedFloat32Array of a million"
)
for ((run = 1; run <= runs; ++run)); do
  say "Run $run of $runs"
  for value in "${values[@]}"; do
    read -r name by_engine by_codec _ <<<"$value"
    nanoseconds "$by_codec" summed "$folder/$name" >>"$build/$name.sum"
    nanoseconds "$by_codec" built "$folder/$name" >>"$build/$name.tree"
    nanoseconds "$by_engine" engine read "$seen_as/$name" >>"$build/$name.engine"
  done
done

median() { sort -g "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# table KIND TITLE
table() {
  echo "| value | $2, µs | bytes_to_var(), µs | times as fast |"
  echo "|---|--:|--:|--:|"
  for value in "${values[@]}"; do
    read -r name _ _ title <<<"$value"
    awk -v title="$title" -v codec="$(median "$build/$name.$1")" -v engine="$(median "$build/$name.engine")" \
      'BEGIN { printf "| %s | %.2f | %.2f | %.1f |\n", title, codec / 1000, engine / 1000, engine / codec }'
  done
}
table sum "a sink that sums up"
echo
table tree "a tree of values"
