#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers.sh FOLDER [SUITE ...]
#
# Downloads Wireshark's headers of other Debian releases (default: trixie and sid) into FOLDER/SUITE, from the mirror
# that this machine's apt uses. With them the plugin's sources can be compiled, not linked, for those releases within a
# minute; releases.sh builds and tests in chroots instead. Existing headers are not updated: remove the folder first.
# Needs no root; exits with 77 if the headers cannot be downloaded.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

case ${1:-} in "" | -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit ;; esac
folder=$1; shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(trixie sid)

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
mirror=$(debian_mirror)
for suite in "${suites[@]}"; do
  [ ! -e "$folder/$suite/wireshark/ws_version.h" ] || continue
  say "Downloading Wireshark's headers of Debian $suite"
  mkdir -p "$lists/$suite"/{state/lists/partial,cache/archives/partial,parts}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$lists/$suite/sources.list"
  apt=(apt-get -qq -o Dir::State="$lists/$suite/state" -o Dir::State::status=/dev/null
    -o Dir::Cache="$lists/$suite/cache" -o Dir::Etc::sourcelist="$lists/$suite/sources.list"
    -o Dir::Etc::sourceparts="$lists/$suite/parts" -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)")
  "${apt[@]}" update || unavailable "no list of $suite's packages"
  (cd "$lists/$suite" && "${apt[@]}" download libwireshark-dev libwiretap-dev libwsutil-dev) ||
    unavailable "no packages of $suite"
  for package in "$lists/$suite"/*.deb; do dpkg-deb -x "$package" "$lists/$suite/root"; done
  mkdir -p "$folder/$suite"
  rm -rf "$folder/$suite/wireshark"
  mv "$lists/$suite/root/usr/include/wireshark" "$folder/$suite/wireshark"
done
