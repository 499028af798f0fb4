#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test.sh [CTEST_ARGUMENT ...]
#
# Builds everything with warnings as errors and runs the whole test suite: the codec, the plugin in tshark, a live Godot
# server, fuzzing, formatting, lint, and compiling for other releases of Wireshark. Installs what is missing (Debian 12).
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need_build_tools
need libgtest-dev libbenchmark-dev clang clang-format clang-tidy libclang-rt-dev wireshark-common godot3-server util-linux
live=ON
timeout 20 dumpcap -q -i lo -a duration:1 -w - >/dev/null 2>&1 || {
  live=OFF
  say "Capturing on loopback is not allowed here: the test with a live Godot server is left out"
}
build=$repo/build-test
say "Building in $build"
cmake -S "$repo" -B "$build" -G Ninja -DWARNINGS_AS_ERRORS=ON -DCOMPILE_CHECKS=ON -DLIVE_TESTS=$live
ninja -C "$build"
say "Testing"
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
