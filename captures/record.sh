#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh GODOT_BINARY [SCENARIO ...]
# record.sh libenet
#
# Plays the scenarios (all of them if none is named) of projects/godot<generation>/
# with this Godot and writes SCENARIO_godotVERSION.pcapng and .expected beside this script;
# or compiles projects/libenet/ and records enet_libenet.
# Needs dumpcap, editcap, mergecap, tshark, ip and unshare, and either root or user namespaces.
set -euo pipefail

die() { echo "record.sh: $*" >&2; exit 1; }

[ $# -ge 1 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

tools=(dumpcap editcap mergecap tshark) namespaces=(--net)
. "$captures/unshared.sh" "$@"
# A client that does not choose its port gets one that no Wireshark dissector claims.
echo "50001 50009" >/proc/sys/net/ipv4/ip_local_port_range

work=$(mktemp -d)
dumpcap_pid= any_pid=
trap 'kill $dumpcap_pid $any_pid 2>/dev/null || true; rm -rf "$work"' EXIT

godot=$1; shift
export LANG=en_US.UTF-8 # Godot 3.2 complains about "C"
enet=(enet_none enet_range_coder enet_fastlz enet_zlib enet_zstd enet_loss)
if [ "$godot" = libenet ]; then
  libraries=$(pkg-config --cflags --libs libenet glib-2.0) || die "the headers of libenet and GLib are needed"
  # shellcheck disable=SC2086
  "${CXX:-c++}" -std=c++17 "$captures/projects/libenet/peers.cpp" -o "$work/peers" $libraries
  version="libenet $(pkg-config --modversion libenet)" suffix='' scenarios=(enet_libenet)
else
  version=$("$godot" --version 2>/dev/null || true) # Godot 3 says it and fails
  version=$(grep -Eom 1 '^[0-9]+(\.[0-9]+)+' <<<"$version") || die "$godot does not tell its version"
  version="Godot $version"
  case $version in
    'Godot 4.'*) project=$captures/projects/godot4 suffix=_godot$(cut -d. -f1,2 <<<"${version#Godot }")
                 scenarios=(udp_types tcp_types objects typed game ws "${enet[@]}" mp_rpc mp_many mp_auth mp_spawn mp_ws mp_wss lost_arguments trouble garbled big_endian own_bytes own_bytes_tcp own_streams pairs debug_script debug_editor) ;;
    'Godot 3.'*) project=$captures/projects/godot3 suffix=_godot${version#Godot }
                 scenarios=(udp_types tcp_types objects game pairs ws "${enet[@]}" mp_rpc mp_ws debug_script) ;;
    *) die "no project for $version" ;;
  esac
fi
[ $# -eq 0 ] || scenarios=("$@")

play() { # SCENARIO EXPECTED_FILE
  case $version in
    'Godot 4.'*) if [ "$1" = debug_editor ]; then play_editor "$2"
                 else timeout 60 "${preload[@]}" "$godot" --headless --path "$project" --script main.gd -- "$@"; fi ;;
    'Godot 3.'*) timeout 60 "$godot" --path "$project" -s main.gd "--scenario=$1" "--expected=$2" ;;
    libenet*) timeout 60 "$work/peers" "$2" ;;
  esac
}
play_editor() { # EXPECTED_FILE
  # Uses the settings of a new editor, and does not change the user's settings.
  XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work \
    timeout 60 "$godot" --headless --editor --path "$work/debugged" --debug-server tcp://127.0.0.1:6007 -- "$1"
}

# What the debugger of debug_… debugs. A copy, because the engine leaves files
# in it; its errors are meant to be, so its log is another one.
play_debugged() { # SCENARIO
  [ "$1" != debug_editor ] || wait_for "the editor's plugin is ready" grep -qs 'The conductor is ready' "$work/godot.log"
  wait_for "the debugger listens" listening
  case $version in
    'Godot 4.'*) timeout 60 "$godot" --headless --path "$work/debugged" --remote-debug tcp://127.0.0.1:6007 ;;
    'Godot 3.'*) timeout 60 "$godot" --path "$work/debugged" --remote-debug 127.0.0.1:6007 ;;
  esac
}
listening() { grep -q '0100007F:1777 00000000:0000 0A' /proc/net/tcp; } # 127.0.0.1:6007

loopback_packets() { awk '$1 == "lo:" { print $3 }' /proc/net/dev; }

# wait_for DESCRIPTION COMMAND ...: waits for success for at most ten seconds
wait_for() {
  local what=$1 i; shift
  for ((i = 0; i < 200; i++)); do
    if "$@"; then return; fi
    kill -0 "$dumpcap_pid" 2>/dev/null || break
    sleep 0.05
  done
  cat "$work/dumpcap.log" >&2
  die "waited in vain until $what"
}
capturing() { grep -q '^File: ' "$work/dumpcap.log"; }
block_length() { od -An -tu4 -j4 -N4 "$1" | tr -d ' '; } # of a pcapng file's first block
also_capturing() { grep -qs '^File: ' "$work/any.log"; }
all_captured() { # dumpcap reports its count once a second
  [ "$(tr '\r' '\n' <"$work/dumpcap.log" | grep -Eo '^Packets: [0-9]+' | tail -n 1)" = "Packets: $1" ]
}

for scenario in "${scenarios[@]}"; do
  name=$scenario$suffix
  # Exports the keys of encrypted traffic.
  secrets=() preload=()
  if [ "$scenario" = mp_wss ]; then
    "${CC:-cc}" -O2 -shared -fPIC -o "$work/godot_keys.so" "$captures/godot_keys.c"
    preload=(env "SSLKEYLOGFILE=$work/keys" "LD_PRELOAD=$work/godot_keys.so")
    secrets=(--inject-secrets "tls,$work/keys")
  fi
  before=$(loopback_packets)
  dumpcap -i lo -P -w "$work/$name.pcap" 2>"$work/dumpcap.log" &
  dumpcap_pid=$!
  wait_for "dumpcap captures" capturing
  # Captures the same traffic on another interface as well.
  any_pid=
  if [ "$scenario" = enet_twice ]; then
    dumpcap -i any -P -w "$work/any.pcap" 2>"$work/any.log" &
    any_pid=$!
    wait_for "the other dumpcap captures" also_capturing
  fi

  if [[ $scenario = debug_* ]]; then
    rm -rf "$work/debugged"
    cp -r "${project}_debug" "$work/debugged"
    cp "$project/expected.gd" "$work/debugged"
    rm -f "$work/godot.log"
    play_debugged "$scenario" >"$work/debugged.log" 2>&1 &
  fi
  if ! play "${scenario/enet_twice/enet_none}" "$work/$name.expected" >"$work/godot.log" 2>&1 ||
     grep -q 'SCRIPT ERROR' "$work/godot.log"; then
    head -n 30 "$work/godot.log" >&2
    die "$scenario failed"
  fi
  [[ $scenario != debug_* ]] || wait $! || true # 4.6.3 has crashed when it quits, after all was sent

  sent=$(($(loopback_packets) - before))
  wait_for "dumpcap has all $sent packets" all_captured "$sent"
  kill -INT "$dumpcap_pid"
  wait "$dumpcap_pid" || die "dumpcap failed"
  dumpcap_pid=
  if [ -n "$any_pid" ]; then
    kill -INT "$any_pid"
    wait "$any_pid" || die "dumpcap failed"
    mergecap -I none -w "$work/merged.pcapng" "$work/$name.pcap" "$work/any.pcap"
  fi

  # For a lossy link, keeps the packets on the clients' side. For a debugged game, omits the game's own traffic.
  filter=
  case $scenario in
    enet_loss) filter='udp.port == 5025' ;;
    trouble) filter='udp.port == 5035' ;;
    debug_*) filter='tcp.port == 6007' ;;
  esac
  if [ -n "$filter" ]; then
    mv "$work/$name.pcap" "$work/both.pcap"
    tshark -r "$work/both.pcap" -Y "$filter" -F pcap -w "$work/$name.pcap" 2>"$work/tshark.log" ||
      { cat "$work/tshark.log" >&2; die "tshark failed"; }
    sent=$(tshark -r "$work/$name.pcap" 2>/dev/null | wc -l)
  fi
  # Converts by way of pcap, so that the file's headers contain nothing about this machine.
  editcap -F pcapng "${secrets[@]}" --capture-comment "$version, scenario $scenario" "$work/$name.pcap" "$work/$name.pcapng"
  if [ -n "$any_pid" ]; then # two link types, which no pcap holds: the blocks of both behind that header
    head -c "$(block_length "$work/$name.pcapng")" "$work/$name.pcapng" >"$work/both.pcapng"
    tail -c "+$(($(block_length "$work/merged.pcapng") + 1))" "$work/merged.pcapng" >>"$work/both.pcapng"
    mv "$work/both.pcapng" "$work/$name.pcapng"
    sent=$((2 * sent))
  fi
  # Replaces the old files only after both new files are complete.
  cat "$work/$name.pcapng" >"$captures/$name.pcapng"
  cat "$work/$name.expected" >"$captures/$name.expected"
  echo "$name.pcapng: $sent packets"
done
