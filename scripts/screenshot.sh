#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# screenshot.sh PLUGINS PICTURE.png [CAPTURE [FRAME [FILTER]]]
#
# A picture of Wireshark's window with the plugin below the folder PLUGINS, such as build/plugins, and the profile Godot,
# without a screen: the capture (the sample, if none is named), that frame chosen and unfolded.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -ge 2 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }
plugins=$1 picture=$2 capture=${3:-$repo/captures/game_godot4.6.pcapng} frame=${4:-8} filter=${5:-}
[ -r "$capture" ] || die "cannot read $capture"
need wireshark xvfb xdotool imagemagick

# Where another user can read it.
work=$(mktemp -d)
profiles=$work/.config/wireshark/profiles
mkdir -p "$profiles" "$work/run"
chmod 700 "$work/run"
cp -r "$repo/profile/Godot" "$profiles/"
cp -r "$plugins" "$work/plugins"
cp "$capture" "$work/$(basename "$capture")"
# Nothing asks anything, and the window takes the whole screen.
printf 'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: 1400\ngui.geometry_main_height: 900\n' \
  >"$work/.config/wireshark/recent_common"
printf 'gui.update.enabled: FALSE\n' >>"$profiles/Godot/preferences"
chmod -R a+rX "$work"

number=$((100 + $$ % 400))
Xvfb ":$number" -screen 0 1400x900x24 -nolisten tcp >"$work/xvfb.log" 2>&1 &
xvfb=$!
window=
finish() {
  [ -z "$window" ] || kill "$window" 2>/dev/null || true
  kill "$xvfb" 2>/dev/null || true
  wait || true
  rm -rf "$work"
}
trap finish EXIT
export DISPLAY=:$number
for _ in $(seq 50); do xdotool getmouselocation >/dev/null 2>&1 && break; sleep 0.2; done

options=(-C Godot -r "$work/$(basename "$capture")" -g "$frame")
[ -z "$filter" ] || options+=(-Y "$filter")
as_user "$work" env XDG_RUNTIME_DIR="$work/run" WIRESHARK_PLUGIN_DIR="$work/plugins" LC_ALL=C.UTF-8 \
  wireshark "${options[@]}" >"$work/wireshark.log" 2>&1 &
window=$!
main=
for _ in $(seq 120); do
  main=$(xdotool search --onlyvisible --name "$(basename "$capture")" 2>/dev/null | head -n 1) && [ -n "$main" ] && break
  sleep 0.5
done
[ -n "$main" ] || { cat "$work/wireshark.log" >&2; die "Wireshark's window did not come"; }
xdotool windowmove "$main" 0 0 windowsize "$main" 1400 900
sleep 3
# What a person does: a click into the details, to their last line, which is unfolded.
xdotool mousemove 250 600 click 1 key End key shift+Right
sleep 3
import -window root "$work/picture.png"
convert "$work/picture.png" -strip -colors 128 "PNG8:$picture"
