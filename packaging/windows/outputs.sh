#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# outputs.sh INPUTS PROJECTS FOLDER TSHARK [ARGUMENT ...]
#
# Writes what a tshark prints into FOLDER, so that what one for Linux and one for Windows print can be compared: of every
# capture of the repository and its tests and in INPUTS (inputs.py) the list, the trees, statistics, followed streams, and
# PDML of a second pass; and of some the profile's columns, a filter, the names out of a game's folder. Mutated captures
# are read with the protocols of INPUTS/protocols alone. PROJECTS is what stands before the name of a game's folder: on
# Windows, with a drive letter and backslashes. FOLDER/errors has what tshark said.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
inputs=$1 projects=$2 folder=$3; shift 3
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
captures=$repo/captures
tshark=("$@")
mkdir -p "$folder"
export TZ=UTC LC_ALL=C.UTF-8

# What differs by right: line ends, when and by what PDML was written, how Windows names the time zone and groups digits,
# which years it knows, where games are, and so how wide a column is.
same_form() {
  sed -E -e 's/\r+$//' -e '/^<pdml /d' -e '/^<!-- /d' -e 's/ (UT|UTC|Coordinated Universal Time|Greenwich Standard Time)("|$)/ UTC\2/g' \
    -e 's/[A-Z][a-z]{2} +[0-9]+, (-[0-9]+|1[0-8][0-9]{2}|19[0-6][0-9]|[3-9][0-9]{3}|[0-9]{5,}) [0-9:.]+( UTC)?/Not representable/g' -e 's/([0-9]),([0-9]{3} bytes )/\1\2/g' -e "s|${projects//\\/\\\\}|PROJECTS|g" \
    -e '/PROJECTS/s/ +\|/ |/g'
}

# print NAME OPTION ...
print() {
  local name=$1; shift
  timeout 300 "${tshark[@]}" -n "$@" 2>"$folder/said" </dev/null | same_form >"$folder/$name" ||
    echo "ended with ${PIPESTATUS[0]}" >>"$folder/$name"
  sed -e 's/\r$//' "$folder/said" >>"$folder/errors"
  rm "$folder/said"
}

statistics=(-z expert -z conv,enet -z follow,godot_mp,ascii,0 -z follow,enet,raw,0)
for table in enet,connections godot,{overhead,problems,variants,websockets} godot_mp,{calls,objects,peers,syncs} godot_debug,messages; do
  statistics+=(-z "$table")
done
for capture in "$captures"/*.pcapng "$repo"/tests/data/*.pcap* "$inputs"/{mutated,nested}*.pcapng; do
  name=$(basename "${capture%.*}")
  options=()
  if [ -e "${capture%.*}.options" ]; then
    # Which other protocol owns a port depends on those that are built.
    options=(--only-protocols "$(cat "$inputs/protocols")" -o godot.owned_ports:FALSE)
    while read -r preference; do options+=(-o "${preference/PROJECTS/"$projects"}"); done <"${capture%.*}.options"
  fi
  [ "$name" != nested ] || options=(-d udp.port==5009,godot)
  print "$name.first" "${options[@]}" -r "$capture" -P -V "${statistics[@]}"
  print "$name.second" "${options[@]}" -r "$capture" -2 -T pdml
done
print profile -C Godot -r "$captures/mp_rpc_godot4.6.pcapng"
print filter -r "$captures/udp_types_godot4.6.pcapng" -Y 'godot.string matches "[^ -~]"' -T fields -e godot.string
arena=$repo/tests/projects/arena.pcapng
print project -o "godot_mp.project:${projects}arena" -r "$arena" -z godot_mp,calls
print project.second -o "godot_mp.project:${projects}arena" -r "$arena" -2 -T pdml
print project.missing -o "godot_mp.project:${projects}nothing" -r "$arena" -V
