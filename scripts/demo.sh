#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh [--profile] [CAPTURE]
#
# Builds the plugin and prints a capture through it: the sample, or one of your own.
# Installs what is missing (Debian 12 or 13). The system's Wireshark is left as it is.
# --profile also puts the profile "Godot" (columns, colours, buttons, graphs) to yours, where you have none of that name.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit ;; esac
options=()
if [ "${1:-}" = --profile ]; then
  shift
  profile=${XDG_CONFIG_HOME:-$HOME/.config}/wireshark/profiles/Godot
  if [ -e "$profile" ]; then
    say "There is a profile already, left as it is: $profile"
  else
    mkdir -p "$(dirname "$profile")"
    cp -r "$repo/profile/Godot" "$profile"
  fi
  options=(-C Godot)
fi
capture=${1:-$repo/captures/game_godot4.6.pcapng}
[ -f "$capture" ] && [ -r "$capture" ] || die "cannot read $capture"
capture=$(realpath "$capture")

need_build_tools
build=$repo/build
say "Building the plugin in $build"
cmake -S "$repo" -B "$build" -G Ninja -DBUILD_TESTING=OFF >"$build.log" 2>&1 || { cat "$build.log" >&2; die "cmake failed"; }
# One line that is written over shows how far it is.
NINJA_STATUS='%f of %t, %e s|' ninja -C "$build" godot 2>&1 | tee "$build.log" |
  while IFS='|' read -r progress _; do [[ $progress != *' of '* ]] || printf '\r    %s' "$progress"; done ||
  { printf '\n'; cat "$build.log" >&2; die "the build failed"; }
printf '\n'
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

if [ $# -gt 0 ]; then
  say "What is wrong in $(basename "$capture")"
  tshark_with_plugin -2 -q -z godot,problems | sed -n '/^Problem/,/^===/p' | grep -vE '^=|^Godot' | sed 's/  */ /g; s/ *| */ | /g'
fi
mine='godot || godot_mp || godot_debug || enet'
say "The packets of $(basename "$capture")"
tshark_with_plugin -Y "$mine"

frame=$(tshark_with_plugin -Y 'godot.entry' -T fields -e frame.number | sed -n '2p;2q')
[ -n "$frame" ] || frame=$(tshark_with_plugin -Y "$mine" -T fields -e frame.number | head -n 1)
if [ -z "$frame" ]; then
  echo "No packet of Godot's was recognised in it: see \"When nothing shows\" in README.md."
else
  say "Packet $frame in full"
  tshark_with_plugin -Y "frame.number == $frame" -O godot,godot_mp,godot_debug,enet
fi

say "The same in Wireshark's window (package wireshark; not as root, whose Wireshark loads the system's plugins only)"
printf 'WIRESHARK_PLUGIN_DIR=%q wireshark %s%q\n' "$build/plugins" "${options[*]:+${options[*]} }" "$capture"
printf 'To have the plugin there always, see "Install" in README.md.\n'
