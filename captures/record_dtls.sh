#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_dtls.sh GODOT_COMMAND ...
#
# Plays projects/dtls, a game over ENet whose datagrams go through the engine's own DTLS, and writes
# ../tests/data/dtls_engine.pcapng, with the keys in it, and dtls_engine.txt beside it: what the game got at either end. Needs a Godot 4
# that has mbedTLS as a shared library, such as Debian's, whose keys godot_keys.c gets; a C compiler, dumpcap, editcap,
# and the right to capture. The command may be one that runs Godot in a chroot with the same root in it as here.
set -euo pipefail

die() { echo "record_dtls.sh: $*" >&2; exit 1; }

[ $# -ge 1 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=(dumpcap editcap ss "${CC:-cc}") namespaces=(--net)
. "$captures/unshared.sh" "$@"

# The folder must be visible to a Godot in a chroot, too: CHROOT/tmp.
root=${GODOT_ROOT:-}
work=$(mktemp -d "$root/tmp/record_dtls.XXXXXX")
seen=${work#"$root"}
trap 'kill "${dumpcap_pid:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
"${CC:-cc}" -O2 -shared -fPIC -o "$work/godot_keys.so" "$captures/godot_keys.c"
cp -r "$captures/projects/dtls" "$work/project"
play() {
  timeout 60 "${godot[@]}" env "SSLKEYLOGFILE=$seen/keys" "LD_PRELOAD=$seen/godot_keys.so" "${GODOT:-godot}" --headless --path "$seen/project" -- "$1" "$seen/$1.txt"
}
godot=("$@")
dumpcap -q -i lo -P -f 'udp port 6000' -w "$work/dtls.pcap" 2>"$work/dumpcap.log" &
dumpcap_pid=$!
sleep 1
play server >"$work/server.log" 2>&1 &
server=$!
until ss -lun | grep -q ':6000 '; do sleep 0.2; done
play client >"$work/client.log" 2>&1 || { cat "$work/client.log"; die "the client failed"; }
wait "$server"
sleep 1.5 # dumpcap writes once a second
kill -INT "$dumpcap_pid"
wait "$dumpcap_pid" || die "dumpcap failed"
dumpcap_pid=
target=$captures/../tests/data/dtls_engine
editcap -F pcapng --inject-secrets "tls,$work/keys" "$work/dtls.pcap" "$work/dtls.pcapng"
cat "$work/dtls.pcapng" >"$target.pcapng"
cat "$work/server.txt" "$work/client.txt" >"$target.txt"
grep -hi error "$work"/*.log | sort | uniq -c | head || true
echo "$(wc -l <"$target.txt") calls, $(tshark -r "$target.pcapng" 2>/dev/null | wc -l) packets"
