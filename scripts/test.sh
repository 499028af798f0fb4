#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test.sh [--releases] [CTEST_ARGUMENT ...]
#
# Builds everything with warnings as errors and runs the whole test suite: the codec, the plugin in tshark, a live Godot
# server, fuzzing, formatting, and lint. For Wireshark 4.4 and 4.6, it downloads the headers and only compiles the
# plugin. Installs missing packages (Debian 12 or 13). On Debian 13: without lint, because the sources are formatted
# with Debian 12's clang-format.
# --releases: if chroots can be made, also tests the releases: the plugin's tests with Wireshark 4.4 and GCC; with 4.6,
#   whose failures are reported but ignored, because Debian sid changes; Debian's packages; Windows. The first run
#   downloads Debian 12, 13 and sid (8 GB on disk). For all releases, both compilers and the whole suite: releases.sh.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

releases=OFF
case ${1:-} in
  -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit ;;
  --releases) releases=ON; shift ;;
esac

need_build_tools
need libgtest-dev clang clang-format clang-tidy libclang-rt-dev wireshark-common godot3-server postgresql util-linux \
  chromium chromium-driver python3-selenium firefox-esr libfirefox-marionette-perl \
  wireshark xvfb dbus at-spi2-core gir1.2-atspi-2.0 python3-gi xdotool imagemagick bzip2
live=$(may_capture)
# Lists disabled tests at the end, together with the skipped tests.
left_out=()
[ "$live" = ON ] || left_out+=("live_test: capturing on loopback is not allowed here")
# Other releases of clang-format and clang-tidy expect different sources, so the lint is off without the right release.
lint=ON
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [ "$codename" != bookworm ]; then
  lint=OFF
  left_out+=("style: lint needs the tools of Debian 12, this is $codename")
fi
# If there are arguments, registers each test separately, because the arguments may select tests by name.
by_file=OFF
[ $# -gt 0 ] || by_file=ON
build=$repo/build-test
say "Building in $build"
# -g1 is enough for stack traces. More debug information would take the compiler an eighth more time.
cmake -S "$repo" -B "$build" -G Ninja -DWARNINGS_AS_ERRORS=ON -DLIVE_TESTS="$live" -DLINT=$lint -DTESTS_BY_FILE=$by_file \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1 -DNDEBUG" -DPACKAGE_CHECKS=$releases -DWINDOWS_CHECK=$releases
# Downloads in the background, because this needs the network but no processor.
"$repo/scripts/headers.sh" "$build/headers" >"$build/headers.log" 2>&1 &
headers=$!
"$repo/scripts/wireshark_tools.sh" "$build/headers/tools" >"$build/tools.log" 2>&1 &
tools=$!
ninja -C "$build"
wait $headers || say "No headers of other releases, so that nothing is compiled with them: $build/headers.log"
wait $tools || say "None of Wireshark's own checks: $build/tools.log"
if [ $releases = ON ]; then
  # 77: chroots cannot be made here.
  say "Other releases"
  "$repo/scripts/releases.sh" -c g++ trixie -- -L plugin || [ $? = 77 ] || die "the tests fail with Wireshark 4.4"
  "$repo/scripts/releases.sh" -c g++ sid -- -L plugin || echo "The tests fail with Debian sid: please check whether the plugin has to change"
fi
say "Testing"
report=$build/junit.xml
rm -f "$report"
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --output-junit "$report" "$@" |
  "$repo/scripts/list_skipped.py" "$report" --also "${left_out[@]}"
