#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# write_reference.sh [--check] PLUGINS
#
# Writes doc/fields.md: all fields, expert items, preferences, heuristics and statistics of the plugin below the folder
# PLUGINS, such as build/plugins, as tshark lists them. --check only says whether the file is current.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check=
if [ "${1:-}" = --check ]; then check=yes; shift; fi
[ $# = 1 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }

# Where another user can read it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$1" "$work/plugins"
chmod -R a+rX "$work"
tshark_with_plugin() { as_user "$work" env WIRESHARK_PLUGIN_DIR="$work/plugins" LC_ALL=C.UTF-8 tshark "$@"; }
tshark_with_plugin -G fields >"$work/fields"
tshark_with_plugin -G values | awk -F'\t' '$2 ~ /^(godot|enet)/' >"$work/values"
# Since 4.4 it says "true or false".
tshark_with_plugin -G defaultprefs | sed "s/^# true or false/# TRUE or FALSE/" >"$work/preferences"
tshark_with_plugin -G heuristic-decodes >"$work/heuristics"
tshark_with_plugin -z help >"$work/statistics" 2>&1 || true

protocols='godot godot_mp godot_debug enet godot_webrtc godot_websocket'

# What a field's numbers are called.
values_of_fields() {
  awk -F'\t' '
    $1 == "V" { text[$2] = text[$2] (text[$2] == "" ? "" : ", ") $3 " " $4 }
    $1 == "R" { text[$2] = text[$2] (text[$2] == "" ? "" : ", ") $3 "-" $4 " " $5 }
    END { for (field in text) print field "\t" text[field] }' "$work/values"
}

# fields PROTOCOL
fields() {
  printf '| field | type | title | what it is |\n|---|---|---|---|\n'
  awk -F'\t' -v protocol="$1" '
    FNR == NR { values[$1] = $2; next }
    $1 == "F" && $5 == protocol && !($4 == "FT_NONE" && $8 == "") {
      text = $8
      if ($3 in values) text = text (text == "" ? "" : ": ") values[$3]
      gsub(/\|/, "\\|", text)
      print "| `" $3 "` | " tolower(substr($4, 4)) " | " $2 " | " text " |"
    }' <(values_of_fields) "$work/fields"
}

# expert_items PROTOCOL: they are fields with a title alone
expert_items() {
  printf '| expert item | what it says |\n|---|---|\n'
  awk -F'\t' -v protocol="$1" '$1 == "F" && $5 == protocol && $4 == "FT_NONE" && $8 == "" {
    print "| `" $3 "` | " $2 " |" }' "$work/fields"
}

# preferences PROTOCOL: the comment above each setting, and its default
preferences() {
  printf '| preference | default | what it is for |\n|---|---|---|\n'
  awk -v start="#$1." '
    /^# / { text = text (text == "" ? "" : " ") substr($0, 3); next }
    index($0, start) == 1 {
      name = substr($0, 2, index($0, ":") - 2)
      print "| `" name "` | " substr($0, length(name) + 4) " | " text " |"
    }
    { text = "" }' "$work/preferences"
}

{
  echo '# Reference'
  echo
  echo 'Written by `scripts/write_reference.sh` from what tshark lists; not to be edited by hand.'
  for protocol in $protocols; do
    title=$(awk -F'\t' -v protocol="$protocol" '$1 == "P" && $3 == protocol { print $2 }' "$work/fields")
    printf '\n## %s: `%s`\n\n' "$title" "$protocol"
    fields "$protocol"
    echo
    expert_items "$protocol"
    grep -q "^#$protocol\." "$work/preferences" || continue
    echo
    preferences "$protocol"
  done
  printf '\n## Heuristics\n\nThe protocols that look at conversations which nobody has claimed.\n\n| over | protocol |\n|---|---|\n'
  awk -F'\t' -v wanted=" $protocols " 'index(wanted, " " $2 " ") { print "| `" $1 "` | `" $2 "` |" }' "$work/heuristics" |
    LC_ALL=C sort
  printf '\n## Statistics\n\nFor `tshark -q -z`.\n\n'
  grep -oE '[a-z_]+,(enet|godot[a-z_]*)[a-z_,]*|\b(enet|godot[a-z_]*),[a-z_,]+' "$work/statistics" | LC_ALL=C sort -u |
    sed 's/.*/- `&`/'
} | sed 's/[[:space:]]*$//' >"$work/fields.md"

if [ -z "$check" ]; then
  cp "$work/fields.md" "$repo/doc/fields.md"
elif ! diff -u "$repo/doc/fields.md" "$work/fields.md"; then
  die "doc/fields.md is not current: scripts/write_reference.sh writes it"
fi
