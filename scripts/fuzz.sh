#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fuzz.sh [-s SECONDS] [TARGET ...]
#
# Runs the fuzzers of the codec's entry points (tests/fuzz) one after another with the address and the undefined
# behaviour sanitizer, each for SECONDS (default 450: an hour for all), and prints a summary of each. Continues with the
# inputs that earlier runs found, in build-fuzz/corpus. Keeps inputs that fail in build-fuzz/found; then the exit code
# is 1.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=450
case ${1:-} in
  -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit ;;
  -s) [[ ${2:-} =~ ^[0-9]+$ ]] || die "-s takes a number of seconds"; seconds=$2; shift 2 ;;
esac
targets=("$@")
[ $# -gt 0 ] || for source in "$repo"/tests/fuzz/*_fuzzer.cpp; do targets+=("$(basename "$source" _fuzzer.cpp)"); done

need g++ cmake ninja-build pkg-config libenet-dev libzstd-dev zlib1g-dev libgtest-dev clang libclang-rt-dev
build=$repo/build-fuzz
say "Building in $build"
cmake -S "$repo" -B "$build" -G Ninja -DBUILD_PLUGIN=OFF -DLINT=OFF >/dev/null
ninja -C "$build" --quiet "${targets[@]/%/_fuzzing}"

mkdir -p "$build/found"
failed=()
table="target executions edges of inputs-kept result"$'\n'
for target in "${targets[@]}"; do
  say "$target"
  corpus=$build/corpus/$target log=$build/$target.log result=ok
  mkdir -p "$corpus"
  "$build/tests/${target}_fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/found/$target-" "$corpus" "$repo/tests/fuzz/corpus_$target" 2>"$log" || {
      result=FAILED failed+=("$target")
      grep -E "ERROR:|runtime error:|SUMMARY:" "$log" || tail -5 "$log"
    }
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  all=$(sed -n 's/.*modules.*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$log")
  table+="$target ${executed:--} ${edges:--} ${all:--} $(find "$corpus" -type f | wc -l) $result"$'\n'
done
say "$seconds seconds each"
column -t <<<"$table"
[ ${#failed[@]} = 0 ] || die "failed: ${failed[*]}; see $build/found"
