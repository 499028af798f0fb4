#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# recipe_pictures.sh PLUGINS
#
# Takes the pictures of README and doc/ again, with the plugin in the folder PLUGINS, such as build/plugins: a game, the
# table of problems, the answer to each of the six questions of doc/recipes.md, the flow graph, and a match page.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 1 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }
pictures=$repo/doc/recipes
mkdir -p "$pictures"

# take PICTURE CAPTURE FRAME OPTION ...: takes a picture with these options of screenshot.sh
take() {
  local picture=$1 capture=$2 frame=$3
  shift 3
  "$repo/scripts/screenshot.sh" "$@" "$plugins" "$pictures/$picture.png" "$repo/captures/$capture.pcapng" "$frame"
}

plugins=$1
"$repo/scripts/screenshot.sh" --game "$repo/tests/projects/arena" "$plugins" "$repo/doc/wireshark.png" "$repo/tests/projects/arena.pcapng" 240
"$repo/scripts/screenshot.sh" --problems "$plugins" "$repo/doc/problems.png" "$repo/captures/trouble_godot4.6.pcapng" 1 \
  'godot_mp.unconfirmed_path and godot_mp.path == "Main/Lobby"'
take does_not_connect connect_godot4.6_godot3.6 1 --table enet,connections
take never_arrives trouble_godot4.6 22 --frames
take bandwidth mp_spawn_godot4.6 2 --table godot,overhead
take checksum mp_auth_godot4.6 69 --frames
take lags trouble_godot4.6 1 --table enet,connections
take garbled garbled_godot4.6 1 --expert
take flow mp_spawn_godot4.6 1 --flow
# Only Wireshark 4.6 and later have the window Plots.
! wireshark --version | grep -q '^Wireshark 4\.[6-9]' ||
  "$repo/scripts/screenshot.sh" --plots "$plugins" "$pictures/plots.png" "$repo/tests/data/server_hitch.pcapng" 1

need chromium imagemagick
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$plugins" "$work/plugins"
cp -r "$repo/tests/projects/arena" "$repo/tests/projects/arena.pcapng" "$work"
chmod -R a+rX "$work"
as_user "$work" env WIRESHARK_PLUGIN_DIR="$work/plugins" tshark -2 -q -r "$work/arena.pcapng" \
  -o "godot_mp.project:$work/arena" -z "godot,page,$work/match.html"
chromium --headless --no-sandbox --hide-scrollbars --virtual-time-budget=5000 --window-size=1366,768 \
  --screenshot="$work/match.png" "file://$work/match.html" >"$work/chromium.log" 2>&1
convert "$work/match.png" -strip +dither -colors 96 "PNG8:$repo/doc/page.png"
