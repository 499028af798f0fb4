#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# protocols.sh WIRESHARK FILE
#
# Writes the names of the protocols that the tshark.exe in WIRESHARK knows, and the plugin's, into FILE, with commas between
# them. It is built with some of Wireshark's dissectors, and others would get some of the packets on Linux.
set -euo pipefail
wireshark=$1 file=$2
WINEPREFIX=$(mktemp -d)
export WINEPREFIX WINEDEBUG=-all XDG_RUNTIME_DIR=/tmp
trap 'rm -rf "$WINEPREFIX"' EXIT
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
tshark() { "$wine" "$wireshark/tshark.exe" "$@" </dev/null 2>&1 | tr -d '\r'; }
names=$(tshark -G protocols | cut -s -f 3 | grep -v '^_ws')
# Parts of protocols have names, too, but cannot be switched.
parts=$(tshark --only-protocols "$(paste -s -d , <<<"$names")" -r nothing | sed -n 's/.*No such protocol //p' || true)
[ -n "$parts" ] || { echo "protocols.sh: tshark.exe does not say which of these are no protocols" >&2; exit 1; }
names=$(grep -vxF "$parts" <<<"$names" | paste -s -d ,)
echo "$names,enet,game,godot,godot_debug,godot_mp,godot_webrtc,godot_websocket" >"$file"
