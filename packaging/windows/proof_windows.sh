#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# proof_windows.sh WIRESHARK FOLDER
#
# Windows' part of scripts/windows_proof.sh, in a chroot with Wine: installs WIRESHARK's files as Windows' installer does,
# and the zip in FOLDER/zip by its own install.cmd; writes what tshark.exe prints of FOLDER/inputs and the captures into
# FOLDER/printed, and what it takes into FOLDER/figures; then removes the plugin by uninstall.cmd.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wireshark=$1 folder=$2
export WINEPREFIX=$folder/wine WINEDEBUG=-all LC_ALL=C.UTF-8 XDG_RUNTIME_DIR=/tmp
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
"$wineserver" -k || true
rm -rf "$WINEPREFIX" "$folder/printed" "$folder/figures"
mkdir -p "$folder/printed"
"$wine" cmd /c exit </dev/null >/dev/null 2>&1
trap '"$wineserver" -k || true' EXIT
drive=$WINEPREFIX/drive_c
program="$drive/Program Files/Wireshark"
cp -r "$wireshark" "$program"
tshark=("$wine" 'C:\Program Files\Wireshark\tshark.exe')
version=$("${tshark[@]}" --version </dev/null 2>/dev/null | sed -n '1s/.*) \([0-9.]*\).*/\1/p' | tr -d '\r')
echo "Wireshark $version"
"$wine" reg add 'HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall\Wireshark' \
  /v DisplayVersion /d "$version" /f </dev/null >/dev/null 2>&1

# ---- installed from the zip, in a folder whose name is not easy
unpacked="$drive/my zip (1) ä"
mkdir "$unpacked"
python3 -m zipfile -e "$folder"/zip/*.zip "$unpacked"
cd "$unpacked"
"$wine" cmd /c install.cmd /q </dev/null 2>/dev/null | tr -d '\r'
cd /
"${tshark[@]}" -G plugins </dev/null 2>/dev/null | tr -d '\r' | grep godot
mkdir "$drive/Spiel Übung"
cp -r "$here/../../tests/projects/arena" "$drive/Spiel Übung"

"$here/outputs.sh" "$folder/inputs" 'C:\Spiel Übung\' "$folder/printed" "${tshark[@]}"
mv "$folder/printed/errors" "$folder/errors"
"$here/figures.py" Windows "$folder/inputs/big.pcapng" "$folder/figures" "${tshark[@]}"

# ---- where the language writes 1,5 for 1.5
localedef -i de_DE -f UTF-8 de_DE.UTF-8
capture=$here/../../captures/udp_types_godot4.6.pcapng
values() { "${tshark[@]}" -n -V -r "$capture" </dev/null 2>/dev/null | sed '/Arrival Time/d'; } # which names the time zone
values >"$folder/english"
"$wineserver" -k || true
LC_ALL=de_DE.UTF-8 values >"$folder/german"
cmp "$folder/english" "$folder/german"
"$wineserver" -k || true

cd "$unpacked"
"$wine" cmd /c uninstall.cmd /q </dev/null 2>/dev/null | tr -d '\r'
cd /
! "${tshark[@]}" -G plugins </dev/null 2>/dev/null | grep godot
