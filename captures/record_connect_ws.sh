#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_connect_ws.sh GODOT4_BINARY
#
# Lets Godot's clients of WebSocket connect to servers that answer otherwise than they should, one after the other, and
# writes connect_ws_godot4.6.pcapng beside this script (the version is the engine's). Needs what record.sh needs, python3
# and a compiler.
set -euo pipefail

die() { echo "record_connect_ws.sh: $*" >&2; exit 1; }

[ $# = 1 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=(dumpcap editcap) namespaces=(--net)
. "$captures/unshared.sh" "$@"
echo "50001 50029" >/proc/sys/net/ipv4/ip_local_port_range

work=$(mktemp -d)
others=()
trap 'kill "${dumpcap_pid:-}" "${server_pid:-}" "${others[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export LANG=en_US.UTF-8
godot=$1
version=$("$godot" --version 2>/dev/null | grep -Eom 1 '^[0-9]+(\.[0-9]+)+')
play=("$godot" --headless --path "$captures/projects/godot4" --script connect_ws.gd --)
client() { timeout 60 "${play[@]}" client "$@" >>"$work/godot.log" 2>&1; }

other() { python3 "$captures/answer_http.py" "$@" & others+=($!); }
other 5072 "404 Not Found"
other 5073 "403 Forbidden"
other 5074 "101"
other 5079 "400 Bad Request"
other 5080 "101 other"
other 5082 "400 The plain HTTP request was sent to HTTPS port" # as nginx says it

"${play[@]}" server 120 >"$work/server.log" 2>&1 &
server_pid=$!
until grep -q listening "$work/server.log"; do sleep 0.2; done
dumpcap -q -i lo -P -w "$work/ws.pcap" 2>"$work/dumpcap.log" &
dumpcap_pid=$!
sleep 1
client ws://127.0.0.1:5071/lobby?room=7 chat,game
client ws://127.0.0.1:5072/game
client ws://127.0.0.1:5073/ "" "Origin: https://games.example"
client ws://127.0.0.1:5074/ chat
client ws://127.0.0.1:5075/ chat
client ws://127.0.0.1:5076/ game
client ws://127.0.0.1:5077/
client wss://127.0.0.1:5078/
client wss://127.0.0.1:5079/
client ws://127.0.0.1:5080/
client ws://127.0.0.1:5082/
# The killed program closes its connection without a closing handshake.
"${play[@]}" client ws://127.0.0.1:5081/ >>"$work/godot.log" 2>&1 &
killed=$!
sleep 3
kill -KILL "$killed" || true
wait "$killed" || true
sleep 1.5 # dumpcap writes once a second
kill -INT "$dumpcap_pid"
wait "$dumpcap_pid" || die "dumpcap failed"
dumpcap_pid=
name=connect_ws_godot${version%.*}
editcap -F pcapng --capture-comment "Godot $version, record_connect_ws.sh" "$work/ws.pcap" "$work/$name.pcapng"
cat "$work/$name.pcapng" >"$captures/$name.pcapng"
grep -hE '^(ws|server at)|ERROR' "$work/godot.log" "$work/server.log" || true
echo "$name.pcapng: $(tshark -r "$captures/$name.pcapng" 2>/dev/null | wc -l) packets"
