#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_truth.sh GODOT PROJECT
#
# Prints how the engine, an editor build of Godot 4.4 or later, reads a project's scripts and scenes; see README.md.
set -euo pipefail
[ $# = 2 ] || { sed -n '3,5s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$2/." "$work"
"$1" --headless --path "$work" --import >/dev/null
cp "$here/truth.gd" "$work"
"$1" --headless --path "$work" --script res://truth.gd >"$work/output"
grep -P '^script\t' "$work/output" | LC_ALL=C sort
grep -P '^(node|configured|sync|types|spawner)\t' "$work/output"
