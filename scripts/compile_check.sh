#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compile_check.sh SUITE FOLDER
#
# Compiles the plugin's sources, without linking, against the Wireshark of another Debian release: trixie has 4.4,
# sid 4.6. Its headers are downloaded by apt from the machine's own mirror, and unpacked below FOLDER; nothing is
# installed. Exits with 77 where they cannot be had.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

unavailable() { echo "$(basename "$0"): $*" >&2; exit 77; }

[ $# -eq 2 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
suite=$1 folder=$2/$1
packages=(libwireshark-dev wireshark-dev libwiretap-dev libwsutil-dev)

if [ ! -e "$folder/.complete" ]; then
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" 'Component: main' |
    head -n 1)
  [ -n "$mirror" ] || unavailable "apt knows no mirror of $codename"
  rm -rf "$folder"
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,root}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$folder/sources.list"
  apt=(apt-get -qq -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Acquire::Languages=none
    -o APT::Sandbox::User=root -o Dir::State::Status=/dev/null)
  "${apt[@]}" update || unavailable "cannot get the package lists of $suite"
  (cd "$folder" && "${apt[@]}" download "${packages[@]}") || unavailable "cannot download ${packages[*]} of $suite"
  for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/root"; done
  rm -rf "$folder"/*.deb "$folder/lists" "$folder/cache"
  touch "$folder/.complete"
fi

include=$folder/root/usr/include/wireshark
read -ra glib <<<"$(pkg-config --cflags-only-I glib-2.0 | sed 's/-I/-isystem /g')"
grep -h 'define WIRESHARK_VERSION_M' "$include/ws_version.h"
for source in "$repo"/plugin/*.cpp "$repo"/plugin/*/*.cpp; do
  echo "${source#"$repo/"}"
  "${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -DGODOT_PLUGIN_VERSION='""' \
    -I "$repo" -I "$repo/codec" -isystem "$include" "${glib[@]}" "$source"
done
