#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# releases.sh [-c g++|clang++] [SUITE ...] [-- CTEST_ARGUMENT ...]
#
# Builds everything with warnings as errors and runs the whole test suite for other releases of Wireshark, each in a
# chroot of the Debian release that has it, with GCC and with clang:
#   bookworm   Debian 12   Wireshark 4.0
#   trixie     Debian 13   Wireshark 4.4
#   sid        unstable    currently Wireshark 4.6
# Omits formatting and lint, which do not depend on Wireshark's release.
# Needs root, and a mirror that apt knows; exits with 77 if a chroot cannot be made. chroots.sh says where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

compilers=(g++ clang++) suites=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit ;;
    -c) [[ ${2:-} =~ ^(g\+\+|clang\+\+)$ ]] || die "-c takes g++ or clang++"; compilers=("$2"); shift ;;
    --) shift; break ;;
    bookworm | trixie | sid) suites+=("$1") ;;
    *) die "what is '$1'? See --help" ;;
  esac
  shift
done
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie sid)

failed=() table=
for suite in "${suites[@]}"; do
  chroot_install "$suite" build "${build_packages[@]}"
  release=$(chroot_run "$suite" build tshark --version | sed -n '1s/.* \([0-9.]*[0-9]\).*/\1/p')
  for compiler in "${compilers[@]}"; do
    say "Debian $suite, Wireshark $release, $compiler"
    result=passed
    # shellcheck disable=SC2016
    chroot_run "$suite" build bash -euc '
      build=/shared/$1 compiler=$1; shift
      cmake -S /repo -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
        -DWARNINGS_AS_ERRORS=ON -DLINT=OFF -DTESTS_BY_FILE=ON -DLIVE_TESTS='"$(may_capture)"'
      ninja -C "$build" --quiet
      ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
    ' tests "$compiler" "$@" || { result=FAILED; failed+=("$suite/$compiler"); }
    table+="$suite Wireshark-$release $compiler $result ${SECONDS}s"$'\n'
    SECONDS=0
  done
done
say "Suites of tests"
column -t <<<"$table"
[ ${#failed[@]} = 0 ] || die "failed: ${failed[*]}"
