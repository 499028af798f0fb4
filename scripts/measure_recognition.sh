#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measure_recognition.sh [PACKETS]
#
# Measures how often other traffic is mistaken for Godot's if no port is configured: in PACKETS generated packets (10
# million, and a quarter of that with all of Wireshark's dissectors enabled), and in captures of other programs. Then
# measures how much of the captures of Godot is detected, with one pass and with two, and on ports of other protocols;
# and in PACKETS generated game messages, whether each by itself is read as the right engine's. See
# doc/recognition_measured.md. Installs missing packages (Debian 12). Mistaken packets are kept in
# build-test/recognition.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in -h | --help) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit ;; esac
packets=${1:-10000000}
[[ $packets =~ ^[0-9]+$ ]] || die "$packets is not a number of packets"
chunk=250000 # packets per tshark, which keeps state for every conversation
classes=(random zeros ascii counters records first_words enet_like mp_like cut schemas structs kinds enet_games)
# Port options for the servers in captures/, from the list in captures/README.md. The plugin should detect this traffic.
# shellcheck disable=SC2054
told=(-o godot.udp.port:5005,5007-5009 -o godot.tcp.port:5006 -o godot.ws.port:5011
  -o enet.udp.port:5020-5027,5030-5034,9890-9895 -o godot_mp.ws.port:5040,5042 -o godot_mp.sctp.port:5000)
# UDP ports whose dissectors accept every packet: WAP, RakNet, Quake, CIP, LLC, DNS, AFS, DIS.
owned=(9200 9201 9202 9203 19132 26000 27960 2222 12000 53 7000 3000)

need_build_tools
need libgtest-dev clang clang-format clang-tidy wireshark-common bsdextrautils util-linux python3
build=$repo/build-test
say "Building in $build"
cmake -S "$repo" -B "$build" -G Ninja -DWARNINGS_AS_ERRORS=ON
ninja -C "$build" godot recognition_generator recognition_dialects

# The folder can be read by another user. It has two homes: one enables all dissectors of Wireshark, the other only the
# plugin's.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work
mkdir -p "$work"/{all,ours/.config/wireshark,results,kept,captures,other,cut}
cp -r "$build/plugins" "$work/plugins"
cp "$build/tests/recognition_generator" "$work/generator"
cp "$repo"/captures/*.pcapng "$work/captures"
cp "$repo"/captures/other/*.pcapng "$work/other"
for capture in "$work"/other/*.pcapng; do
  editcap -F pcap "$capture" "$work/cut/$(basename "$capture" .pcapng).pcap"
done
chmod -R a+rX "$work"

# tshark_in all|ours ARGUMENT ...
tshark_in() {
  local log=$work/tshark.log.$BASHPID
  env HOME="$work/$1" WIRESHARK_PLUGIN_DIR="$work/plugins" tshark "${@:2}" 2>>"$log" || { cat "$log" >&2; return 1; }
}
export -f tshark_in
unprivileged() { as_user "$work" bash -euo pipefail -c "$@"; }

# The plugin's protocols that this build has.
known=$(unprivileged 'tshark_in all -G protocols' | cut -f 3)
ours=$(grep -xE 'godot|godot_mp|godot_debug|enet' <<<"$known" | paste -sd '|')
[ -n "$ours" ] || die "tshark does not load the plugin"
export ours filter=${ours//|/ || }
grep -vxE "frame|raw|eth|ip|udp|tcp|http|websocket|data|godot_detect|$ours" <<<"$known" >"$work/ours/.config/wireshark/disabled_protos"

# --- Generated packets

# measure_chunk DISSECTORS CLASS ARRANGEMENT TRANSPORT PACKETS SEED
measure_chunk() {
  local name=$1_$2_$3_$4_$6 stream=$4.stream
  local hits=$work/results/$name.hits
  generate() { "$work/generator" "$1" "$2" "$3" "$4" "$5" "$work"/cut/*.pcap; }
  generate "${@:2}" | tshark_in "$1" -n -r - -Y "$filter" -T fields -e frame.number -e "$stream" -e frame.protocols >"$hits"
  # The result is the first of the plugin's protocols in each packet. For ENet of other games, detecting ENet is
  # correct.
  local mistaken=$ours
  [ "$2" != enet_games ] || { mistaken='godot|godot_mp|godot_debug'; grep -E 'godot' "$hits" >"$hits.ours" || true; mv "$hits.ours" "$hits"; }
  awk -F '\t' -v OFS='\t' -v ours="^($mistaken)\$" -v row="$1 $2 $3 $4" -v packets="$5" '
    { taken++; talks += !seen[$2]++
      count = split($3, names, ":"); for (i = 1; i <= count; i++) if (names[i] ~ ours) { by[names[i]]++; break } }
    END { print row, packets, taken + 0, talks + 0; for (name in by) print "by", row, name, by[name] }
  ' "$hits" >"$work/results/$name.tsv"
  [ -s "$hits" ] || return 0
  local numbers
  numbers=$(head -n 200 "$hits" | cut -f 1)
  # tshark stops after the last packet it needs, so that the generator gets SIGPIPE.
  { generate "${@:2}" || true; } | tshark_in "$1" -n -r - -c "$(tail -n 1 <<<"$numbers")" -w "$work/kept/$name.pcapng" \
    -Y "frame.number in {$(paste -sd , <<<"$numbers")}"
}
export -f measure_chunk

# Half of the packets are of the first class. The other classes share the rest.
jobs() { # DISSECTORS PACKETS
  local class arrangement transport left seed=1 share=$(($2 / 8))
  for class in "${classes[@]}"; do
    for arrangement in alone talks; do
      for transport in udp tcp; do
        [ "$class $transport" != "enet_games tcp" ] || continue
        for ((left = share; left > 0; left -= chunk)); do
          echo "$1 $class $arrangement $transport $((left < chunk ? left : chunk)) $((seed++))"
        done
      done
    done
    share=$(($2 / 8 / (${#classes[@]} - 1)))
  done
}

print_table() { # DISSECTORS
  cat "$work"/results/"$1"_*.tsv | awk -F '\t' -v OFS='\t' -v order="${classes[*]}" '
    $1 == "by" { by[$2 FS $3] += $4; names[$3]; next }
    { packets[$1] += $2; taken[$1] += $3; talks[$1] += $4; sum_packets += $2; sum_taken += $3; sum_talks += $4 }
    function by_whom(row, text, name) {
      for (name in names) if ((row FS name) in by) text = text (text ? ", " : "") name " " by[row FS name]
      return text ? text : "-"
    }
    END {
      print "class", "arrangement", "transport", "packets", "taken", "conversations", "by"
      count = split(order, classes, " "); split("alone talks", arrangements, " "); split("udp tcp", transports, " ")
      for (c = 1; c <= count; c++) for (a = 1; a <= 2; a++) for (t = 1; t <= 2; t++)
        for (row in packets) if (row ~ " " classes[c] " " arrangements[a] " " transports[t] "$")
          print classes[c], arrangements[a], transports[t], packets[row], taken[row], talks[row], by_whom(row)
      print "all", "-", "-", sum_packets, sum_taken, sum_talks, "-"
    }' | column -t -s $'\t'
}

for dissectors in ours all; do
  case $dissectors in
    ours)
      say "Generated packets, all of Wireshark's dissectors off: ours are asked about every packet"
      jobs ours "$packets" >"$work/jobs" ;;
    all)
      say "Generated packets, all of Wireshark's dissectors on"
      jobs all $((packets / 4)) >"$work/jobs" ;;
  esac
  unprivileged 'xargs -P "$0" -L 1 bash -euo pipefail -c '\''measure_chunk "$@"'\'' _ <"$work/jobs"' "$(nproc)" ||
    die "measuring failed"
  print_table "$dissectors"
done

# --- Captures

# Prints number, conversation and protocols of each packet with a payload.
payloads_of() { # DISSECTORS CAPTURE OPTION ...
  unprivileged 'tshark_in "$0" -n -r "$@" -Y "udp.length > 8 || tcp.len > 0" -T fields -E occurrence=f -e frame.number \
    -e udp.stream -e tcp.stream -e frame.protocols' "$@" | awk -F '\t' '{ print $1, ($2 != "" ? "udp" $2 : "tcp" $3), $4 }'
}

say "Captures of other programs, with all of Wireshark's dissectors off and on"
for capture in "$work"/other/*.pcapng; do
  for dissectors in ours all; do payloads_of "$dissectors" "$capture" | sed "s/^/$dissectors /"; done |
    awk -v OFS='\t' -v ours="(^|:)($ours)(:|\$)" -v name="$(basename "$capture")" '
      { packets[$1]++ }
      $4 ~ ours { taken[$1]++; frames = frames " " $2 }
      END { print name, packets["all"], taken["ours"] + 0, taken["all"] + 0, frames ? substr(frames, 2, 60) : "-" }'
done | { printf 'capture\tpackets\toff: taken\ton: taken\tframes\n'; cat; } | column -t -s $'\t'

# Column "first": for each conversation with a detected packet, the index of its first detected packet. Column "not,
# but": the protocols of the undetected packets. With two passes, packets before the decisive packet are dissected, too.
for passes in 1 2; do
  say "Captures of Godot (and of ENet), passes: $passes. Detected with configured ports, and without"
  two=()
  [ $passes = 1 ] || two=(-2)
  for capture in "$work"/captures/*.pcapng; do
    payloads_of all "$capture" "${two[@]}" "${told[@]}" >"$work/told"
    payloads_of all "$capture" "${two[@]}" | awk -v OFS='\t' -v ours="(^|:)($ours)(:|\$)" -v name="$(basename "$capture")" '
      NR == FNR { told[$1] = $3 ~ ours; next }
      { packets++ }
      !told[$1] { more += $3 ~ ours; next }
      { there++; if (!($2 in nth)) conversations[++count] = $2; nth[$2]++ }
      $3 ~ ours { recognised++; if (!($2 in first)) first[$2] = nth[$2]; next }
      { last = $3; sub(/.*:/, "", last); passes[last]++ }
      END {
        for (i = 1; i <= count; i++) list = list (i > 1 ? " " : "") (conversations[i] in first ? first[conversations[i]] : "never")
        for (other in passes) others = others (others ? ", " : "") other " " passes[other]
        print name, packets, there + 0, recognised + 0, sprintf("%.1f", there ? 100 * recognised / there : 0), more + 0, list ? list : "-", others ? others : "-"
      }' "$work/told" -
  done | { printf 'capture\tpackets\ttold\trecognised\t%%\tmore\tfirst\tnot, but\n'; cat; } | column -t -s $'\t'
done

# --- Ports of other protocols

# Prints how many packets the plugin detected, and how many there are. Counts the captures FIRST to LAST of a file by
# gather_at_port.py.
shown_of() { # FILE FIRST LAST
  unprivileged 'tshark_in all -n -2 -r "$0" -T fields -E occurrence=f -e ip.src -e frame.protocols' "$1" |
    awk -F '\t' -v ours="(^|:)($ours)(:|\$)" -v first="$2" -v last="$3" '
      { split($1, ip, "."); if (ip[3] < first || ip[3] > last) next; all++; shown += $2 ~ ours }
      END { printf "%d of %d\t%.1f\n", shown, all, all ? 100 * shown / all : 0 }'
}

say "Captures over UDP with their servers on ports of other protocols, without configuration, two passes"
enet=("$work"/captures/enet_*.pcapng "$work"/captures/mp_{auth,enet,many,rpc,spawn}*.pcapng)
variants=("$work"/captures/{game,objects,typed,udp_types}_*.pcapng)
for port in 50000 "${owned[@]}"; do
  "$repo/scripts/packets/gather_at_port.py" "$port" "$work/moved.pcapng" "${enet[@]}" "${variants[@]}"
  printf '%s\t%s\t%s\n' "$port" "$(shown_of "$work/moved.pcapng" 1 ${#enet[@]})" \
    "$(shown_of "$work/moved.pcapng" $((${#enet[@]} + 1)) 255)"
done | { printf 'port\tENet\t%%\tVariants\t%%\n'; cat; } | column -t -s $'\t'

# --- Single messages

say "Single game messages, each in its own conversation"
"$build/tests/recognition_dialects" "$packets"

# --- Other results

if grep -sh 'Dissector bug' "$work"/*.log.*; then die "a dissector has a bug"; fi
if [ -n "$(ls "$work/kept")" ]; then
  rm -rf "$build/recognition"
  cp -r "$work/kept" "$build/recognition"
  say "Mistaken packets, at most 200 of each run (DISSECTORS_CLASS_ARRANGEMENT_TRANSPORT_SEED.pcapng): $build/recognition"
fi
