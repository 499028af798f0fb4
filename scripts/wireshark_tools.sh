#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# wireshark_tools.sh FOLDER
#
# Downloads the checks of Wireshark's own tree (tools/ in the source package of this machine's Debian release) into
# FOLDER, from the mirror that this machine's apt uses. tests/wireshark_checks.py runs them on the plugin. Existing
# files are not updated: remove the folder first. Needs no root; exits with 77 if the package cannot be downloaded.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

case ${1:-} in "" | -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit ;; esac
folder=$1
[ ! -e "$folder/checkAPIs.pl" ] || exit 0

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
mirror=$(debian_mirror)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
say "Downloading the checks of Wireshark's source package of Debian $suite"
mkdir -p "$lists"/{state/lists/partial,cache/archives/partial,parts,source}
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$lists/sources.list"
apt=(apt-get -qq -o Dir::State="$lists/state" -o Dir::State::status=/dev/null -o Dir::Cache="$lists/cache"
  -o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts="$lists/parts" -o Acquire::Languages=none
  -o APT::Sandbox::User="$(id -un)")
"${apt[@]}" update || unavailable "no list of $suite's source packages"
(cd "$lists" && "${apt[@]}" source --download-only --tar-only wireshark) || unavailable "no source package of Wireshark"
mkdir -p "$folder"
tar -xf "$lists"/wireshark_*.orig.tar.* -C "$lists/source" --strip-components=2 --wildcards '*/tools/check*'
mv "$lists"/source/check* "$folder"
