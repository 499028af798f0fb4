#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# suite_cpu.sh BUILD [CTEST_ARGUMENT ...]
#
# Runs the tests of a build folder one after another, and prints how many seconds of a processor each has taken, the
# longest first, and their sum. To compare two versions: suite_cpu.sh build-dev -L 'quick|plugin'
set -euo pipefail
build=$1
shift
TIMEFORMAT='%U %S'
ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p' | while read -r name; do
  note=
  seconds=$({ time ctest --test-dir "$build" -R "^${name//./\\.}\$" &>/dev/null; } 2>&1) || note=" (fails)"
  awk -v name="$name$note" '{ printf "%8.1f %s\n", $1 + $2, name }' <<<"$seconds"
done | sort -rn | awk '{ sum += $1; print } END { printf "%8.1f in all\n", sum }'
