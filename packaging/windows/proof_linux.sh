#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# proof_linux.sh FOLDER
#
# Linux' part of scripts/windows_proof.sh, in a chroot: builds the plugin, installs it and the profile for a user, writes
# what tshark prints of FOLDER/inputs and the captures into FOLDER/printed, and what it takes into FOLDER/figures.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
cmake -S "$here/../.." -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
  -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >"$folder/build.log"
ninja -C "$folder/build" --quiet >>"$folder/build.log" || { tail -n 20 "$folder/build.log" >&2; exit 1; }
home=$folder/home
rm -rf "$home" "$folder/printed" "$folder/Spiel Übung"
mkdir -p "$home"/.local/lib/wireshark "$home"/.config/wireshark/profiles "$folder/printed" "$folder/Spiel Übung"
cp -r "$folder/build/plugins" "$home/.local/lib/wireshark"
cp -r "$here/../../profile/Godot" "$home/.config/wireshark/profiles"
cp -r "$here/../../tests/projects/arena" "$folder/Spiel Übung"
chown -R 65534:65534 "$home" "$folder/printed" "$folder/Spiel Übung"
# Wireshark started by root loads no plugin but the system's.
as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$home")
"${as_user[@]}" tshark -G plugins | grep godot
"${as_user[@]}" "$here/outputs.sh" "$folder/inputs" "$folder/Spiel Übung/" "$folder/printed" tshark
rm "$folder/printed/errors"
"$here/figures.py" Linux "$folder/inputs/big.pcapng" "$folder/figures" "${as_user[@]}" tshark
