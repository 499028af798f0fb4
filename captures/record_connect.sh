#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_connect.sh GODOT4_BINARY GODOT3_BINARY
#
# Lets clients try to connect to servers that are not there, compress otherwise, refuse, or are of another generation,
# all at once, and writes connect_godot4.6_godot3.6.pcapng beside this script (the versions are those
# of the engines). Needs what record.sh needs.
set -euo pipefail

die() { echo "record_connect.sh: $*" >&2; exit 1; }

[ $# = 2 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=(dumpcap editcap) namespaces=(--net)
. "$captures/unshared.sh" "$@"

work=$(mktemp -d)
trap 'kill "${dumpcap_pid:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
export LANG=en_US.UTF-8
version_of() { "$1" --version 2>/dev/null | grep -Eom 1 '^[0-9]+(\.[0-9]+)+' || true; }
version4=$(version_of "$1") version3=$(version_of "$2")
godot4() { timeout 60 "$godot4" --headless --path "$captures/projects/godot4" --script connect.gd -- "$@"; }
godot3() { timeout 60 "$godot3" --path "$captures/projects/godot3" -s connect.gd "--connect=$1"; }
godot4=$1 godot3=$2

dumpcap -q -i lo -P -w "$work/connect.pcap" 2>"$work/dumpcap.log" &
dumpcap_pid=$!
# Uses ports 5061 and higher. No server listens on 5060.
{
  godot3 server,5061,12,1 &
  godot4 server 5062 12 &
  godot4 server 5063 12 refuse &
  godot3 server,5064,12,0 &
  sleep 4
  godot4 client 5060 5 50001 &
  godot4 client 5061 5 50002 &
  godot3 client,5062,5,1,50003 &
  godot4 client 5063 5 50004 &
  godot4 client 5064 2 50005 &
  wait
} >"$work/godot.log" 2>&1 &
wait $!
sleep 1.5 # dumpcap writes once a second
kill -INT "$dumpcap_pid"
wait "$dumpcap_pid" || die "dumpcap failed"
dumpcap_pid=
name=connect_godot${version4%.*}_godot${version3%.*}
editcap -F pcapng --capture-comment "Godot $version4 and $version3, record_connect.sh" \
  "$work/connect.pcap" "$work/$name.pcapng"
cat "$work/$name.pcapng" >"$captures/$name.pcapng"
grep -i 'error' "$work/godot.log" | head -n 20 || true
echo "$name.pcapng: $(tshark -r "$captures/$name.pcapng" 2>/dev/null | wc -l) packets"
