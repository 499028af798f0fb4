#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# recipe_pictures.sh PLUGINS
#
# Takes the pictures of README and doc/recipes.md anew, with the plugin below the folder PLUGINS, such as build/plugins: what
# a person sees after at most two clicks, for each of the six questions; and the flow graph.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 1 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }
pictures=$repo/doc/recipes
mkdir -p "$pictures"

# take PICTURE CAPTURE FRAME OPTION ...: the options are screenshot.sh's
take() {
  local picture=$1 capture=$2 frame=$3
  shift 3
  "$repo/scripts/screenshot.sh" "$@" "$plugins" "$pictures/$picture.png" "$repo/captures/$capture.pcapng" "$frame"
}

plugins=$1
"$repo/scripts/screenshot.sh" --game "$repo/tests/projects/arena" "$plugins" "$repo/doc/wireshark.png" "$repo/tests/projects/arena.pcapng" 240
take does_not_connect connect_godot4.6_godot3.6 1 --table enet,connections
take never_arrives trouble_godot4.6 22 --trouble
take bandwidth mp_spawn_godot4.6 2 --table godot,overhead
take checksum mp_auth_godot4.6 69 --trouble
take lags trouble_godot4.6 1 --table enet,connections
take garbled garbled_godot4.6 1 --expert
take flow mp_spawn_godot4.6 1 --flow
# Only 4.6 has it.
! wireshark --version | grep -q '^Wireshark 4\.[6-9]' ||
  "$repo/scripts/screenshot.sh" --plots "$plugins" "$pictures/plots.png" "$repo/tests/data/server_hitch.pcapng" 1
