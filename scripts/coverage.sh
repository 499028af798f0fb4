#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# coverage.sh [-v] [FOLDER]
#
# Prints a table by folder of the lines and functions of the codec and the plugin that are covered by the codec's tests,
# the fuzzers' corpora and the plugin's tests. Builds with clang, in build-coverage or FOLDER.
# -v: also prints the lines that are not covered.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

verbose=
case ${1:-} in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit ;;
  -v) verbose=1; shift ;;
esac
build=${1:-$repo/build-coverage}

need_build_tools
need clang llvm libclang-rt-dev libgtest-dev wireshark-common python3
tools=$(clang++ -print-prog-name=llvm-profdata)
tools=$(dirname "$(readlink -f "$tools")")
flags="-fprofile-instr-generate -fcoverage-mapping"
say "Building in $build"
cmake -S "$repo" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="$flags" \
  -DTESTS_BY_FILE=ON -DLINT=OFF -DFUZZING=OFF -DLIVE_TESTS="$(may_capture)" >/dev/null
ninja -C "$build" --quiet

# tshark runs as another user if root runs the tests, so the folder must be writable for all. The processes share a few
# files.
profiles=$(mktemp -d)
trap 'rm -rf "$profiles"' EXIT
chmod 1777 "$profiles"
umask 0
say "Testing"
LLVM_PROFILE_FILE=$profiles/%4m.profraw ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --quiet \
  -R '^(codec_tests|plugin_tests|fuzz.replay|plugin.reference|project.command|attack.state)' ||
  echo "Some tests fail: see above"

"$tools/llvm-profdata" merge -o "$profiles/all.profdata" "$profiles"/*.profraw
programs=()
for program in "$build"/plugins/*/epan/godot.so "$build"/tests/codec_tests "$build"/tests/*_replay; do
  programs+=(-object "$program")
done
llvm_cov() {
  "$tools/llvm-cov" "$@" -instr-profile="$profiles/all.profdata" "${programs[@]:1}" "$repo/codec/godot-codec" "$repo/plugin"
}
if [ -n "$verbose" ]; then
  # Prints each template once, not once per instance.
  llvm_cov show -show-instantiations=false | awk '/^\/.*:$/ { file = $0 } /^ *[0-9]+\| *0\|/ { print file $0 }'
fi
say "Coverage"
llvm_cov export -summary-only | python3 -c '
import collections, json, os, sys

repo = sys.argv[1]
folders = collections.defaultdict(lambda: [0, 0, 0, 0])
for file in json.load(sys.stdin)["data"][0]["files"]:
    folder = os.path.relpath(os.path.dirname(file["filename"]), repo)
    summary = file["summary"]
    found = [summary[kind][what] for kind in ("lines", "functions") for what in ("covered", "count")]
    for name in (folder, folder.split("/")[0] + ", all"):
        folders[name] = [sum(pair) for pair in zip(folders[name], found)]
print(f"{str():32}{str():8}lines            functions")
for name, (lines, all_lines, functions, all_functions) in sorted(folders.items()):
    print(f"{name:32}{lines:6} of {all_lines:6} {100 * lines / all_lines:5.1f} %{functions:6} of {all_functions:5} "
          f"{100 * functions / all_functions:5.1f} %")
' "$repo"
