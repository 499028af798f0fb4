#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# version.sh [VERSION | --notes]
#
# Prints the version of the sources, and checks that it is the same in all places. If VERSION is given, checks that the
# version equals VERSION and that CHANGELOG.md describes it.
# --notes: prints the section of CHANGELOG.md instead.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

in_file() { sed -n "s/$2/\\1/p" "$repo/$1" | head -n 1; }
version=$(in_file CMakeLists.txt '^project(godot-wireshark VERSION \([0-9.]*\).*')
while read -r file pattern; do
  found=$(in_file "$file" "$pattern")
  [ "$found" = "$version" ] || die "$file says $found, CMakeLists.txt says $version"
done <<'END'
codec/CMakeLists.txt ^project(godot-codec VERSION \([0-9.]*\).*
packaging/arch/PKGBUILD ^pkgver=\(.*\)
packaging/fedora/godot-wireshark.spec ^Version: *\(.*\)
END
notes=$(awk -v heading="## [$version]" '
  index($0, "## ") == 1 { inside = index($0, heading) == 1; next } inside' "$repo/CHANGELOG.md")
[ -n "${notes//[[:space:]]/}" ] || die "CHANGELOG.md does not describe version $version"

case ${1:-} in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0" ;;
  --notes) echo "$notes" ;;
  '' | "$version") echo "$version" ;;
  *) die "the sources are of version $version, not $1" ;;
esac
