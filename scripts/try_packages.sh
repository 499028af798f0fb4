#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# try_packages.sh
#
# Run by packages.sh, as root, in a clean system: the packages are in /shared, this repository is in /repo.
set -euo pipefail
fail() { echo "try_packages.sh: $*" >&2; exit 1; }
quietly() { "$@" >/tmp/log 2>&1 || { cat /tmp/log >&2; fail "failed: $*"; }; }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp "$@"; }

# Without a network, uses the packages that were downloaded before.
apt-get update -qq >/dev/null 2>&1 || true
quietly apt-get install -y tshark
install -m 644 /repo/captures/game_godot4.6.pcapng /tmp/capture
expected='Dictionary(3) {cmd: "join", name: "Ada", version: 3}'

for user in root nobody; do
  run=(); [ $user = root ] || run=(as_nobody)
  ! "${run[@]}" tshark -G plugins 2>/dev/null | grep -q godot || fail "the plugin exists before it is installed"
done
quietly apt-get install -y /shared/godot-wireshark_*.deb
for user in root nobody; do
  run=(); [ $user = root ] || run=(as_nobody)
  "${run[@]}" tshark -G plugins 2>/dev/null | grep godot || fail "the plugin is missing for $user"
  first=$("${run[@]}" tshark -n -r /tmp/capture -c 1 2>/dev/null)
  [[ $first == *"$expected" ]] || fail "as $user, tshark shows: $first"
  echo "$user: $first"
  quietly "${run[@]}" tshark -2 -q -z "godot,page,/tmp/$user.html" -r /tmp/capture
  grep -q 'WITHOUT WARRANTY OF ANY KIND' "/tmp/$user.html" || fail "as $user, the match page has no plots"
done
quietly apt-get purge -y godot-wireshark
! tshark -G plugins 2>/dev/null | grep -q godot || fail "the plugin is still installed after it was removed"
left=$(find /etc /usr /var/lib /opt -name '*godot*' -not -path '/var/lib/dpkg/*')
[ -z "$left" ] || fail "left behind: $left"

quietly apt-get install -y /shared/libgodot-codec-dev_*.deb g++ cmake make
quietly cmake -S /repo/codec/example -B /tmp/example
quietly cmake --build /tmp/example
# {"a": 1}, as Godot 4 sends it.
text=$(printf '\x1b\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0a\0\0\0\2\0\0\0\1\0\0\0' | /tmp/example/print-variant | head -n 1)
[ "$text" = 'Godot 4: {"a": 1}' ] || fail "the example prints: $text"
quietly apt-get purge -y libgodot-codec-dev
[ ! -e /usr/include/godot-codec ] || fail "headers were left behind"
echo "installed, used and removed: $(cd /shared && echo *.deb)"
