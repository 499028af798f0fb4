#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measure_owned_ports.sh [PACKETS]
#
# Measures cost and effect of godot.owned_ports without a game: the instructions of tshark with it and without it
# (valgrind), on captures of other programs; and whether it changes the output for any frame of these captures, or of
# PACKETS generated packets (200,000) on ports of other protocols. See doc/recognition_measured.md. Installs missing
# packages (Debian 12).
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit ;; esac
packets=${1:-200000}
[[ $packets =~ ^[0-9]+$ ]] || die "$packets is not a number of packets"
udp_ports=53,123,161,2222,3000,5353,7000,9200,12000,19132,26000,27960
tcp_ports=22,53,80,389,443,445,1433,1883,3306,5000,6000,6379,8080,9009
rounds=10 # number of repetitions of each capture in one run, so that tshark's start is not most of the cost

need_build_tools
need libgtest-dev valgrind wireshark-common python3 util-linux
build=${BUILD_DIR:-$repo/build-test}
[ -n "${BUILD_DIR:-}" ] || cmake -S "$repo" -B "$build" -G Ninja -DWARNINGS_AS_ERRORS=ON >/dev/null
ninja -C "$build" godot recognition_generator >/dev/null

# Another user can read it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work
cp -r "$build/plugins" "$work/plugins"
cp "$build/tests/recognition_generator" "$work/generator"
mkdir "$work/other" "$work/cut"
cp "$repo"/captures/other/*.pcapng "$work/other"
for capture in "$work"/other/*.pcapng; do
  editcap -F pcap "$capture" "$work/cut/$(basename "$capture" .pcapng).pcap"
done
chmod -R a+rX "$work"

# shell_in COMMAND: runs the command with tshark's environment
shell_in() { as_user "$work" env WIRESHARK_PLUGIN_DIR="$work/plugins" bash -euo pipefail -c "$1"; }
read_with() { echo "tshark -o godot.owned_ports:$1"; }

# same WHAT OPTIONS CAPTURE: compares the output with and without the preference
same() {
  local on off
  on=$(shell_in "$(read_with TRUE) $2 -r '$3' 2>&1 | md5sum")
  off=$(shell_in "$(read_with FALSE) $2 -r '$3' 2>&1 | md5sum")
  if [ "$on" = "$off" ]; then echo "$1: the same"; else echo "$1: CHANGED"; fi
}

say "Frames that change"
changed=0
for capture in "$work"/other/*.pcapng; do
  result=$(same "$(basename "$capture")" "-nV" "$capture")
  [[ $result == *same ]] || { echo "$result"; changed=$((changed + 1)); }
done
echo "captures of other programs that change: $changed"
classes=(random zeros ascii counters records first_words enet_like mp_like cut)
share=$((packets / (4 * ${#classes[@]})))
for class in "${classes[@]}"; do
  for arrangement in alone talks; do
    for transport in udp tcp; do
      name=${class}_${arrangement}_$transport
      "$work/generator" "$class" "$arrangement" "$transport" "$share" 7 "$work"/cut/*.pcap >"$work/$name.pcap"
      editcap "$work/$name.pcap" "$work/$name.pcapng"
      python3 "$repo/scripts/packets/spread_over_ports.py" "$work/$name.pcapng" "$work/moved.pcapng" "$udp_ports" "$tcp_ports"
      chmod a+r "$work/moved.pcapng"
      same "$name" "-n -T fields -e frame.number -e frame.protocols -e _ws.col.Info" "$work/moved.pcapng"
      rm "$work/$name.pcap" "$work/$name.pcapng" "$work/moved.pcapng"
    done
  done
done

say "Instructions"
inputs=()
for ((i = 0; i < rounds; i++)); do inputs+=("$work"/other/*.pcapng); done
mergecap -a -w "$work/all.pcapng" "${inputs[@]}"
editcap -r "$work/all.pcapng" "$work/none.pcapng" 0 2>/dev/null
chmod a+r "$work"/*.pcapng
instructions() { # TRUE|FALSE CAPTURE
  shell_in "valgrind --tool=callgrind --callgrind-out-file=/dev/null $(read_with "$1") -n -r '$2' 2>&1 >/dev/null" |
    awk '/Collected/ { print $4 }'
}
start=$(instructions FALSE "$work/none.pcapng")
off=$(instructions FALSE "$work/all.pcapng")
on=$(instructions TRUE "$work/all.pcapng")
awk -v start="$start" -v off="$off" -v on="$on" 'BEGIN {
  printf "%.0f without, %.0f with, %.0f of them to start: %+.2f %% for what is read\n", off, on, start, 100 * (on - off) / (off - start) }'
