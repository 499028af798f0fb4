#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# codec.sh [RUNS]
#
# Times the codec against bytes_to_var() of Godot 4 on the same bytes, in turns (7, if not told otherwise), and prints
# the medians. The codec is built with optimisation; its sink sums every number and hashes every text. GODOT: the
# engine's command (godot), which must see the same files; FOLDER: where they are written (a temporary folder).
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

runs=${1:-7}
read -ra godot <<<"${GODOT:-godot}"
folder=${FOLDER:-$(mktemp -d)}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

say "Building"
sources=("$repo"/codec/godot-codec/{core,variant}/*.cpp "$repo"/tests/benchmark/{sum,codec_benchmark}.cpp)
"${CXX:-g++}" -std=c++20 -O3 -DNDEBUG -I"$repo/codec" -I"$repo/tests/benchmark" "${sources[@]}" -o "$build/codec_benchmark"
cp "$repo/scripts/benchmark/bytes_to_var.gd" "$folder"

# engine WHAT ...: what the engine's script prints of its results
engine() {
  "${godot[@]}" --headless --script "${SEEN_AS:-$folder}/bytes_to_var.gd" -- "$@" 2>/dev/null | grep -E '^[a-z_]+ [0-9.]+$' || true
}
engine write "${SEEN_AS:-$folder}"

names=(dictionary dictionaries ints packed_floats)
for ((run = 0; run < runs; ++run)); do
  "$build/codec_benchmark" "${names[@]/#/$folder/}" >>"$build/codec" 2>&1 || die "the codec cannot read the engine's bytes"
  engine time "${names[@]/#/${SEEN_AS:-$folder}/}" >>"$build/engine"
done

# median FILE NAME
median() { awk -v name="$2" '$1 == name { print $2 }' "$1" | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

printf '%-16s %14s %14s %8s\n' value codec_ns godot_ns ratio
for name in "${names[@]}"; do
  printf '%-16s %14.0f %14.0f %8.1f\n' "$name" "$(median "$build/codec" "$name")" "$(median "$build/engine" "$name")" \
    "$(awk -v a="$(median "$build/engine" "$name")" -v b="$(median "$build/codec" "$name")" 'BEGIN { print a / b }')"
done
