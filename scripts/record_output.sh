#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_output.sh PLUGINS FOLDER [CAPTURE ...]
#
# Writes tshark's output for each capture (default: all of captures/), with the plugin in the folder PLUGINS, such as
# build/plugins, into files in FOLDER: the list and the trees (-V), in one pass and in two, and the expert items. Run it
# before and after a change that must not change the output:
#   record_output.sh build/plugins before; …; record_output.sh build/plugins after; diff -r before after
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -ge 2 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
plugins=$1 folder=$2
shift 2
if [ $# -gt 0 ]; then captures=("$@"); else captures=("$repo"/captures/*.pcap* "$repo"/captures/other/*.pcap*); fi

# Another user can read it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$plugins" "$work/plugins"
mkdir "$work/out"

# print CAPTURE SUFFIX TSHARK_ARGUMENT ...
print() {
  local capture=$1 out=$work/out/$(basename "$1").$2
  shift 2
  env WIRESHARK_PLUGIN_DIR="$work/plugins" WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 tshark -n -r "$capture" "$@" \
    >"$out" 2>"$out.errors" </dev/null || echo "exit code $?" >>"$out.errors"
  [ -s "$out.errors" ] || rm -f "$out.errors"
}
print_all() {
  local capture
  for capture in "$@"; do
    print "$capture" list
    print "$capture" list2 -2
    print "$capture" tree -V
    print "$capture" tree2 -2 -V
    print "$capture" expert -q -z expert
  done
}
export -f print print_all
export work
for i in "${!captures[@]}"; do
  cp "${captures[$i]}" "$work/$(basename "${captures[$i]}")"
  captures[i]=$work/$(basename "${captures[$i]}")
done
chmod -R a+rX "$work"
as_user "$work" bash -c 'printf "%s\0" "$@" | xargs -0 -P 2 -n 4 bash -c "print_all \"\$@\"" _' _ "${captures[@]}"
mkdir -p "$folder"
cp "$work"/out/* "$folder/"
