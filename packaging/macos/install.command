#!/bin/sh
# SPDX-License-Identifier: MIT
# install.command [WIRESHARK'S APPLICATION]
#
# Copies the plugin and the profile Godot to where Wireshark looks for yours, and tells macOS that the plugin may be
# loaded. Nothing else is changed, and it needs no administrator.
cd "$(dirname "$0")" || exit 1
release=$(ls plugins)
application=${1:-/Applications/Wireshark.app}
if [ -d "$application" ]; then
  # Its folder of plugins is named 4-6 in Wireshark 4.6.
  installed=$(ls "$application/Contents/PlugIns/wireshark" 2>/dev/null | grep '^[0-9]*-[0-9]*$' | tail -n 1)
  if [ "$installed" != "$release" ]; then
    echo "You have Wireshark $(echo "$installed" | tr - .), and this plugin is for $(echo "$release" | tr - .):"
    echo "take the zip whose name ends with your release. Nothing was installed."
    exit 1
  fi
  echo "Wireshark $(echo "$release" | tr - .) was found."
else
  echo "No Wireshark was found: there is no $application. The plugin is for $(echo "$release" | tr - .)."
fi
plugin=$HOME/.local/lib/wireshark/plugins/$release/epan
mkdir -p "$plugin" && cp "plugins/$release/epan/godot.so" "$plugin/godot.so" || exit 1
# What a browser has downloaded is not loaded until this mark is gone.
xattr -d com.apple.quarantine "$plugin/godot.so" 2>/dev/null
echo "Copied the plugin: $plugin/godot.so"
settings=$HOME/.config/wireshark
[ -d "$settings" ] || [ ! -d "$HOME/.wireshark" ] || settings=$HOME/.wireshark
profile=$settings/profiles/Godot
if [ -e "$profile" ]; then
  echo "Left your profile Godot as it is: $profile"
else
  mkdir -p "$profile" && cp profiles/Godot/* "$profile" || exit 1
  echo "Copied the profile: $profile"
fi
echo 'Start Wireshark anew: "Help - About Wireshark - Plugins" lists godot.so. uninstall.command takes both away.'
