#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# screenshot.sh [--game FOLDER | --frames | --problems | --table OPTION | --expert | --flow | --plots] PLUGINS PICTURE.png [CAPTURE [FRAME [FILTER]]]
#
# Takes a picture of Wireshark's window on a virtual screen, with the plugin in the folder PLUGINS, such as
# build/plugins, and the profile Godot: the capture (default: the sample), with that frame selected and expanded.
# --game: with the names of the game in that folder
# --frames: after a click on the button Problems
# --problems: with the table of problems, after a row's filter was copied into the filter bar and its first frame was
# selected
# --table: with a table of the menu Statistics, named as for tshark's -z: enet,connections
# --expert: after a click on the circle in the lower left corner, which opens Expert Information
# --flow: the window Statistics, Flow Graph, with Godot's flows; works around its position in 4.0
# --plots: the window Statistics, Plots, which only 4.6 has
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

click='' table='' game='' width=1366 height=900
case ${1:-} in
  --frames | --expert | --flow | --plots) click=$1; shift ;;
  --table) table=$2; width=1900; shift 2 ;;
  --problems) click=$1 table=godot,problems width=1600 height=860; shift ;;
  --game) game=$2; shift 2 ;;
esac
[ $# -ge 2 ] || { sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 2; }
plugins=$1 picture=$2 capture=${3:-$repo/captures/game_godot4.6.pcapng} frame=${4:-8} filter=${5:-}
[ -r "$capture" ] || die "cannot read $capture"
need wireshark xvfb xdotool imagemagick

# Another user can read it.
work=$(mktemp -d)
profiles=$work/.config/wireshark/profiles
mkdir -p "$profiles" "$work/run"
chmod 700 "$work/run"
cp -r "$repo/profile/Godot" "$profiles/"
cp -r "$plugins" "$work/plugins"
cp "$capture" "$work/$(basename "$capture")"
[ -z "$game" ] || cp -r "$game" "$work/game"
# Disables Wireshark's questions, and makes the window fill the screen.
printf 'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: %d\ngui.geometry_main_height: %d\n' \
  $width $height >"$work/.config/wireshark/recent_common"
printf 'gui.update.enabled: FALSE\n' >>"$profiles/Godot/preferences"
chmod -R a+rX "$work"

Xvfb -displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp 3>"$work/display" >"$work/xvfb.log" 2>&1 &
xvfb=$!
window=
finish() {
  [ -z "$window" ] || kill "$window" 2>/dev/null || true
  kill "$xvfb" 2>/dev/null || true
  wait || true
  rm -rf "$work"
}
trap finish EXIT
for _ in $(seq 300); do [ -s "$work/display" ] && break; sleep 0.2; done
export DISPLAY=:$(cat "$work/display")

options=(-C Godot -r "$work/$(basename "$capture")" -g "$frame")
[ -z "$game" ] || options+=(-o "godot_mp.project:$work/game")
[ -z "$filter" ] || [ "$click" = --problems ] || options+=(-Y "$filter")
[ -z "$table" ] || options+=(-z "$table")
as_user "$work" env XDG_RUNTIME_DIR="$work/run" WIRESHARK_PLUGIN_DIR="$work/plugins" LC_ALL=C.UTF-8 \
  wireshark "${options[@]}" >"$work/wireshark.log" 2>&1 &
window=$!
# find_window OPTION TEXT: waits for a visible window that `xdotool search` finds with this option and text. Ignores the
# window $main.
find_window() {
  local found
  for _ in $(seq 240); do
    found=$(xdotool search --onlyvisible "$1" "$2" 2>/dev/null | grep -vx "${main:-none}" | head -n 1) && echo "$found" && return
    sleep 0.5
  done
  cat "$work/wireshark.log" >&2
  die "Wireshark's window did not come"
}

main=$(find_window --name "^$(basename "$capture")")
xdotool windowmove "$main" 0 0 windowsize "$main" $width $height
sleep 3
case ${click:-$table} in
  '') # As a user does: a click into the details, End to their last line, and expand it.
    xdotool mousemove 250 600 click 1 key End key shift+Right ;;
  --frames) xdotool mousemove $((width - 37)) 77 click 1 ;;
  --flow)
    xdotool mousemove 325 11 click 1 sleep 1 mousemove 357 714 click 1
    dialog=$(find_window --name '^Wireshark .* ')
    xdotool windowmove "$dialog" 0 0 sleep 2 mousemove 719 665 click 1 sleep 1 type G
    xdotool key Return ;;
  --plots)
    xdotool mousemove 325 11 click 1 sleep 1 mousemove 319 184 click 1
    dialog=$(find_window --name '^Wireshark .* ')
    xdotool windowmove "$dialog" 0 0 windowsize "$dialog" $width $((height - 180)) sleep 2 ;;
  --problems)
    dialog=$(find_window --name '^Wireshark .* ')
    xdotool windowmove "$dialog" 20 $((height - 260)) windowsize "$dialog" $((width - 40)) 225 sleep 1
    xdotool mousemove 400 77 click 1 sleep 1 type "$filter"
    xdotool key Return sleep 3 mousemove 400 123 click 1 sleep 2 mousemove 250 530 click 1 key End key shift+Right ;;
  --expert) xdotool mousemove 16 $((height - 11)) click 1 ;;&
  *) # In front of the window, as wide as the screen.
    dialog=$(find_window --name '^Wireshark .* ')
    xdotool windowmove "$dialog" 20 440 windowsize "$dialog" $((width - 40)) 420 ;;
esac
sleep 3
import -window root "$work/picture.png"
convert "$work/picture.png" -strip +dither -colors 96 "PNG8:$picture"
