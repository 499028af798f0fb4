#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# zip.sh SYSTEM PLUGINS LICENCES FOLDER
#
# Makes the zip that people download: FOLDER/godot-wireshark-VERSION-SYSTEM-wireshark-RELEASE.zip. SYSTEM is windows-x64,
# macos-arm64 or macos-x86_64. PLUGINS has the plugin as RELEASE/epan/godot.dll or RELEASE/epan/godot.so; LICENCES has the
# texts of what is inside of it and not this project's. The same files give the same zip, byte for byte. Needs python3.
set -euo pipefail
[ $# -eq 4 ] && [[ $1 =~ ^(windows-x64|macos-(arm64|x86_64))$ ]] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
system=$1 plugins=$(realpath "$2") licences=$(realpath "$3")
mkdir -p "$4"
folder=$(realpath "$4")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(dirname "$here")

version=$(sed -n 's/^project(godot-wireshark VERSION \([0-9.]*\).*/\1/p' "$repo/CMakeLists.txt")
release=$(ls "$plugins")
[[ $release =~ ^[0-9]+\.[0-9]+$ ]] || { echo "not one release in $plugins: $release" >&2; exit 1; }
content=$(mktemp -d)
trap 'rm -rf "$content"' EXIT

# as_text FROM TO: of Windows, lines end with two characters
as_text() {
  local end=
  [[ $system != windows-* ]] || end='\r'
  sed -e "s/@release@/$release/" -e "s/\$/$end/" "$1" >"$content/$2"
}

mkdir -p "$content"/{profiles,LICENSES}
if [[ $system = windows-* ]]; then
  mkdir -p "$content/plugins/$release/epan"
  cp "$plugins/$release/epan/godot.dll" "$content/plugins/$release/epan"
  as_text "$here/install/windows.txt" README.txt
  for name in install uninstall; do as_text "$here/windows/$name.cmd" "$name.cmd"; done
else
  # Wireshark's application for macOS names its folders with a dash.
  mkdir -p "$content/plugins/${release/./-}/epan"
  cp "$plugins/$release/epan/godot.so" "$content/plugins/${release/./-}/epan"
  as_text "$here/install/macos.txt" README.txt
  cp "$here"/macos/*.command "$content"
fi
cp -r "$repo/profile/Godot" "$content/profiles"
# The pages that rows of Problems name.
mkdir "$content/doc"
for page in "$repo"/doc/*.md; do as_text "$page" "doc/${page##*/}"; done
for licence in "$repo"/LICENSES/*.txt "$licences"/*.txt; do as_text "$licence" "LICENSES/${licence##*/}"; done

zip=$folder/godot-wireshark-$version-$system-wireshark-$release.zip
rm -f "$zip"
python3 - "$content" "$zip" <<'END'
import pathlib, sys, zipfile
content = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "x", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(path for path in content.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(path.relative_to(content).as_posix(), (2000, 1, 1, 0, 0, 0))
        entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if path.suffix == ".command" else 0o644) << 16
        archive.writestr(entry, path.read_bytes())
END
echo "$zip"
