#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh [CAPTURE]
#
# Builds the plugin and prints a capture through it: the sample, or one of your own.
# Installs what is missing (Debian 12 or 13). The system's Wireshark is left as it is.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit ;; esac
capture=${1:-$repo/captures/game_godot4.6.pcapng}
[ -f "$capture" ] && [ -r "$capture" ] || die "cannot read $capture"
capture=$(realpath "$capture")

need_build_tools
build=$repo/build
say "Building the plugin in $build"
cmake -S "$repo" -B "$build" -G Ninja -DBUILD_TESTING=OFF >"$build.log" 2>&1 || { cat "$build.log" >&2; die "cmake failed"; }
ninja -C "$build" --quiet godot >"$build.log" 2>&1 || { cat "$build.log" >&2; die "the build failed"; }
rm -f "$build.log"

# Where another user can read it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$build/plugins" "$work/plugins"
cp "$capture" "$work/capture"
chmod -R a+rX "$work"

# A capture that breaks off in the middle of a packet is shown as far as it goes.
tshark_with_plugin() {
  as_user "$work" env WIRESHARK_PLUGIN_DIR="$work/plugins" tshark -r "$work/capture" "$@" || true
}
as_user "$work" tshark -r "$work/capture" -c 1 >/dev/null || die "$capture is no capture"

# The servers' ports: where the first packet of each conversation goes, or the packets that a filter finds. Ports below
# 1024 belong to others.
server_ports() { # udp | tcp [FILTER]
  tshark_with_plugin -Y "${2:-$1}" -T fields -e "$1.stream" -e "$1.dstport" 2>/dev/null |
    awk -F '[\t,]' '!seen[$1]++ && $NF >= 1024 && !port[$NF]++ { list = list sep $NF; sep = "," } END { print list }'
}
udp=$(server_ports udp)
websocket=$(server_ports tcp 'http.upgrade contains "ebsocket" && http.request')
other_tcp=tcp
[ -z "$websocket" ] || other_tcp="tcp && !(tcp.port in {$websocket})"
tcp=$(server_ports tcp "$other_tcp")
options=()
if [ -n "$udp" ]; then
  # ENet if all of it reads as ENet.
  misfits=$(tshark_with_plugin -o "enet.udp.port:$udp" -Y "udp.port in {$udp} && (!enet || enet.malformed || enet.unsupported)" | wc -l)
  [ "$misfits" = 0 ] && protocol=enet || protocol=godot
  options+=(-o "$protocol.udp.port:$udp")
fi
[ -z "$tcp" ] || options+=(-o "godot.tcp.port:$tcp")
[ -z "$websocket" ] || options+=(-o "godot.ws.port:$websocket")

say "The packets of $(basename "$capture") (servers on UDP ports: ${udp:-none}; TCP: ${tcp:-none}; WebSocket: ${websocket:-none})"
tshark_with_plugin "${options[@]}" -Y 'godot || godot_mp || enet'

frame=$(tshark_with_plugin "${options[@]}" -Y 'godot.entry' -T fields -e frame.number | sed -n '2p;2q')
[ -n "$frame" ] || frame=$(tshark_with_plugin "${options[@]}" -Y 'godot || godot_mp || enet' -T fields -e frame.number | head -n 1)
if [ -z "$frame" ]; then
  echo "No packet of Godot's in it: see \"When nothing shows\" in README.md."
else
  say "Packet $frame in full"
  tshark_with_plugin "${options[@]}" -Y "frame.number == $frame" -O godot,godot_mp,enet
fi

say "The same in Wireshark's window (package wireshark; not as root, whose Wireshark loads the system's plugins only)"
printf 'WIRESHARK_PLUGIN_DIR=%q wireshark' "$build/plugins"
printf ' %q' "${options[@]}" "$capture"
printf '\nTo have the plugin there always, see "Install" in README.md.\n'
