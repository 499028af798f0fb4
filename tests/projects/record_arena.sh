#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_arena.sh GODOT [versions]
#
# Plays a match of arena/ (arena_play.gd) with an engine, Godot 4.4 or later, and writes arena.pcapng and arena.played.
# versions: the server's World has an additional method, roar(); writes arena_versions.pcapng.
# Needs dumpcap, editcap, ip and unshare, and root.
set -euo pipefail
[ $# = 1 ] || [ "$#/${2:-}" = 2/versions ] || { sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Runs in a new network namespace, so that the capture has no other traffic and the ports are free.
[ -n "${RECORD_IN_NAMESPACE:-}" ] || exec env RECORD_IN_NAMESPACE=1 unshare --net "${BASH_SOURCE[0]}" "$@"
ip link set lo up mtu 1500
echo "50001 50009" >/proc/sys/net/ipv4/ip_local_port_range

work=$(mktemp -d)
dumpcap_pid=
trap 'kill $dumpcap_pid 2>/dev/null || true; rm -rf "$work"' EXIT
name=arena${2:+_versions}
for side in server client; do
  cp -r "$here/arena" "$work/$side"
  cp "$here/arena_play.gd" "$work/$side"
  [ "$side/${2:-}" != server/versions ] ||
    printf '\n\n@rpc("any_peer")\nfunc roar() -> void:\n\tpass\n' >>"$work/$side/world/world.gd"
  "$1" --headless --path "$work/$side" --import >"$work/import.log" 2>&1 || true
done
version=$("$1" --version 2>/dev/null | grep -Eo '^[0-9]+(\.[0-9]+)+')

dumpcap -q -i lo -P -w "$work/arena.pcap" 2>"$work/dumpcap.log" &
dumpcap_pid=$!
sleep 1
play() { timeout 60 "$1" --headless --path "$work/$2" --script arena_play.gd -- "$2" "$work/$2.played" >"$work/$2.log" 2>&1; }
play "$1" server &
server_pid=$!
sleep 3
play "$1" client
wait "$server_pid"
sleep 2
kill -INT "$dumpcap_pid"
wait "$dumpcap_pid"
dumpcap_pid=
editcap -F pcapng --capture-comment "Godot $version, a match of $name" "$work/arena.pcap" "$here/$name.pcapng"
[ -n "${2:-}" ] || cat "$work/server.played" "$work/client.played" >"$here/arena.played"
