#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# one_by_one.sh PROGRAM FILTER
# Runs tests in one process. If a signal ends the process, runs each test in its own process, so that one crash does not
# hide the results of the others.
program=$1 filter=$2
"$program" --gtest_brief=1 "--gtest_filter=$filter"
status=$?
[ $status -ge 128 ] || exit $status
echo "Ended by signal $((status - 128)). Each test alone:"
"$program" --gtest_list_tests "--gtest_filter=$filter" |
  awk '{ sub(/ *#.*/, "") } /^[^ ]/ { suite = $1 } /^ / { print suite $1 }' |
  while read -r name; do
    "$program" --gtest_brief=1 "--gtest_filter=$name" || echo "[  FAILED  ] $name ended with $?"
  done
exit $status
