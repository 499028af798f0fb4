#!/bin/sh
# SPDX-License-Identifier: MIT
# Takes away what install.command has copied.
cd "$(dirname "$0")" || exit 1
release=$(ls plugins)
plugins=$HOME/.local/lib/wireshark/plugins
if [ -e "$plugins/$release/epan/godot.so" ]; then
  rm "$plugins/$release/epan/godot.so" || exit 1
  echo "Deleted the plugin: $plugins/$release/epan/godot.so"
  # These go only where nothing else is in them.
  rmdir "$plugins/$release/epan" "$plugins/$release" 2>/dev/null
else
  echo "The plugin is not there: $plugins/$release/epan/godot.so"
fi
settings=$HOME/.config/wireshark
[ -d "$settings" ] || [ ! -d "$HOME/.wireshark" ] || settings=$HOME/.wireshark
profile=$settings/profiles/Godot
if [ -d "$profile" ]; then
  rm -r "$profile" || exit 1
  echo "Deleted the profile: $profile"
fi
