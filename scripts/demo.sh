#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh [--install | --built PLUGINS] [CAPTURE]
#
# Builds the plugin, decodes a capture with it (the sample, or CAPTURE), and prints the problems of that game. Installs
# missing packages (Debian 12 or 13). The system's Wireshark does not change.
# --install also installs the plugin and the profile "Godot" (columns, colours, buttons, graphs; an existing profile is
# kept): for the current user, or system-wide if run as root.
# --built builds nothing, and uses the plugin in the folder PLUGINS.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit ;; esac
install='' plugins=''
case ${1:-} in
  --install) install=yes; shift ;;
  --built) plugins=$(realpath "${2:?the folder of the plugin}"); shift 2 ;;
esac
capture=${1:-$repo/captures/game_godot4.6.pcapng}
[ -f "$capture" ] && [ -r "$capture" ] || die "cannot read $capture"
capture=$(realpath "$capture")

# An estimate: on a machine of 2026, the build takes five minutes of one core.
minutes_to_build() {
  local minutes=$(((5 + $(nproc) - 1) / $(nproc)))
  [ $minutes -gt 1 ] && echo "$minutes minutes" || echo "a minute"
}

build_plugin() {
  need_build_tools
  [ -z "$install" ] || need wireshark
  local for_user=OFF
  [ "$(id -u)" = 0 ] || for_user=ON
  say "Building the plugin in $build: about $(minutes_to_build) the first time, seconds later"
  cmake -S "$repo" -B "$build" -G Ninja -DBUILD_TESTING=OFF -DINSTALL_FOR_USER=$for_user >"$build.log" 2>&1 ||
    { cat "$build.log" >&2; die "cmake failed"; }
  # Shows the progress in a single line.
  NINJA_STATUS='%f of %t, %e s|' ninja -C "$build" godot 2>&1 | tee "$build.log" |
    while IFS='|' read -r progress _; do [[ $progress != *' of '* ]] || printf '\r    %s' "$progress"; done ||
    { printf '\n'; cat "$build.log" >&2; die "the build failed"; }
  printf '\n'
  rm -f "$build.log"
}

build=$repo/build
if [ -z "$plugins" ]; then
  build_plugin
  plugins=$build/plugins
fi

if [ -n "$install" ]; then
  say "Installing"
  cmake --install "$build" --component plugin | grep -v '^-- Install config'
  if [ -e "$HOME/.config/wireshark/profiles/Godot" ]; then
    echo "Kept the existing profile $HOME/.config/wireshark/profiles/Godot"
  else
    cmake --install "$build" --component profile | grep -v '^-- Install config'
  fi
fi

# The copy of the capture can be read by another user.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$plugins" "$work/plugins"
cp "$capture" "$work/capture"
chmod -R a+rX "$work"

# tshark reports files that it cannot open, so it runs in a folder that its user can read.
tshark_there() { (cd "$work" && as_user "$work" env WIRESHARK_PLUGIN_DIR="$work/plugins" tshark -r "$work/capture" "$@"); }
# If the capture is truncated within a packet, tshark fails after it has shown the complete packets.
tshark_with_plugin() { tshark_there "$@" || true; }
tshark_there -c 1 >/dev/null || die "$capture is not a capture"

mine='godot || godot_mp || godot_debug || enet'
say "The packets of $(basename "$capture")"
tshark_with_plugin -Y "$mine"

frame=$(tshark_with_plugin -Y 'godot.entry' -T fields -e frame.number | sed -n '2p;2q')
[ -n "$frame" ] || frame=$(tshark_with_plugin -Y "$mine" -T fields -e frame.number | head -n 1)
if [ -z "$frame" ]; then
  echo "No Godot traffic was detected in this capture: see doc/troubleshooting.md."
else
  say "Packet $frame in full"
  tshark_with_plugin -Y "frame.number == $frame" -O godot,godot_mp,godot_debug,enet
fi

say "The same in Wireshark's window"
command -v wireshark >/dev/null || echo "sudo apt install wireshark"
# As root, Wireshark loads only plugins that are installed system-wide.
if [ -n "$install" ]; then
  printf 'wireshark -C Godot %q\n' "$capture"
elif [ "$(id -u)" != 0 ] || [ -n "${SUDO_USER:-}" ]; then
  # Uses the plugin's profile without installing it, because the profile shows peers instead of two equal addresses.
  config=$(dirname "$plugins")/wireshark
  mkdir -p "$config/profiles" && cp -r "$repo/profile/Godot" "$config/profiles/"
  [ -z "${SUDO_USER:-}" ] || chown -R "$SUDO_USER" "$config"
  printf 'WIRESHARK_CONFIG_DIR=%q WIRESHARK_PLUGIN_DIR=%q wireshark -C Godot %q\n' "$config" "$plugins" "$capture"
else
  printf '%q --install && wireshark -C Godot %q\n' "$0" "$capture"
fi

say "What is wrong in $(basename "$capture")"
tshark_with_plugin -2 -q -z godot,problems | sed -n '/^ *Rank/,/^===/p' | grep -vE '^=|^Godot' | sed 's/  */ /g; s/ *| */ | /g'

say "The match on one page, for a browser"
if tshark_with_plugin -2 -q -z "godot,page,$work/match.html" && [ -s "$work/match.html" ]; then
  cp "$work/match.html" "$(dirname "$plugins")/match.html"
  printf 'file://%s\n' "$(dirname "$plugins")/match.html"
fi
