#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh [SCENARIO ...]
#
# Runs programs that have nothing to do with Godot and writes what they send, SCENARIO.pcapng each, beside this script.
# All scenarios if none is named. Needs dumpcap, editcap, ip, unshare, either root or user namespaces, and
# Debian's packages: bind9-dnsutils busybox coturn curl dnsmasq-base g++ gstreamer1.0-plugins-base gstreamer1.0-plugins-good
# gstreamer1.0-tools iperf3 iproute2 libbson-dev mosquitto mosquitto-clients openssl pkg-config
# python3-websockets redis-server redis-tools snmp snmpd socat wireguard-go wireguard-tools x11-apps x11-utils xvfb
set -euo pipefail

exec 3>&2 # scenarios write theirs to a file
die() { echo "record.sh: $*" >&3; exit 1; }

case ${1:-} in -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Some programs send the name of the machine, so they run in a namespace with another name.
tools=(dumpcap editcap) namespaces=(--net --uts)
. "$here/../unshared.sh" "$@"
echo recording >/proc/sys/kernel/hostname
# As the servers' ports below, these ports have no registered Wireshark dissector. If a dissector is registered on a
# port, the packets are not offered to heuristics, so the capture would measure nothing.
echo "50001 50049" >/proc/sys/net/ipv4/ip_local_port_range
PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d)
dumpcap_pid=
servers=()
stop_servers() {
  local pid
  for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" || true; done
  servers=()
}
trap 'stop_servers; [ -z "$dumpcap_pid" ] || kill "$dumpcap_pid" 2>/dev/null || true; rm -rf "$work"' EXIT

# ---- what the scenarios use

# wait_for DESCRIPTION COMMAND ...: waits for success for at most ten seconds
wait_for() {
  local what=$1 i; shift
  for ((i = 0; i < 200; i++)); do
    if "$@"; then return; fi
    sleep 0.05
  done
  tail -n 20 "$work"/*.log >&3
  die "waited in vain until $what"
}
bound() { # udp | tcp PORT
  cat "/proc/net/$1" "/proc/net/$1"6 | awk -v port=":$(printf %04X "$2")" -v tcp="$([ "$1" = udp ] || echo 1)" \
    'index($2, port) == length($2) - 4 && (!tcp || $4 == "0A") { found = 1 } END { exit !found }'
}
# serve udp|tcp PORT COMMAND ...: runs a server until the scenario ends
serve() {
  local transport=$1 port=$2; shift 2
  "$@" >>"$work/server.log" 2>&1 3>&- </dev/null &
  servers+=($!)
  wait_for "$1 serves port $port" bound "$transport" "$port"
}
# Writes each line after a pause, so that it has a separate datagram or segment.
slowly() { while IFS= read -r line; do printf '%s\n' "$line"; sleep 0.02; done; }

certificate() {
  [ -f "$work/certificate.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=game.example \
    -keyout "$work/key.pem" -out "$work/certificate.pem"
}
compiled_peers() {
  local libraries
  [ ! -x "$work/peers" ] || return 0
  libraries=$(pkg-config --cflags --libs libbson-1.0)
  # shellcheck disable=SC2086
  "${CXX:-c++}" -std=c++20 "$here/peers.cpp" -o "$work/peers" $libraries
}
peers() { "$work/peers" "$@"; }

# ---- the scenarios: prepare_NAME runs before the recording, record_NAME during the recording

record_dns() {
  serve udp 50153 dnsmasq --keep-in-foreground --conf-file=/dev/null --pid-file= --user=root --port=50153 --no-resolv \
    --no-hosts --listen-address=127.0.0.1 --address=/game.example/10.1.2.3 --mx-host=game.example,mail.game.example,5 \
    --txt-record=game.example,"server list: none" --srv-host=_game._udp.game.example,one.game.example,7000,1,2
  local name
  for name in 'game.example A' 'game.example TXT' 'game.example MX' '_game._udp.game.example SRV' 'nobody.test A' \
    'game.example A +tcp' '_game._udp.game.example SRV +tcp' 'game.example A +noedns'; do
    # shellcheck disable=SC2086
    dig @127.0.0.1 -p 50153 $name
  done
}

record_http() {
  mkdir -p "$work/web"
  printf '<html><body><h1>Scores</h1></body></html>\n' >"$work/web/index.html"
  seq 2000 | gzip -n >"$work/web/scores.gz"
  serve tcp 50180 busybox httpd -f -p 127.0.0.1:50180 -h "$work/web"
  curl -s http://127.0.0.1:50180/ http://127.0.0.1:50180/scores.gz http://127.0.0.1:50180/none -o /dev/null -o /dev/null -o /dev/null
  curl -s --data '{"name": "Ada", "score": 5}' http://127.0.0.1:50180/ -o /dev/null
}

prepare_tls() { certificate; }
record_tls() {
  serve tcp 50143 openssl s_server -accept 50143 -cert "$work/certificate.pem" -key "$work/key.pem" -www
  curl -sk --tls-max 1.2 https://127.0.0.1:50143/ -o /dev/null
  curl -sk --tlsv1.3 https://127.0.0.1:50143/ -o /dev/null
}

prepare_dtls() { certificate; }
record_dtls() {
  # The server exits at the end of its input, so its input must last.
  serve udp 50144 bash -c 'exec openssl s_server -dtls -accept 50144 -cert "$0/certificate.pem" -key "$0/key.pem" -quiet \
    < <(sleep 0.8; printf "hello to you\nbye\n"; exec sleep 3)' "$work"
  { sleep 0.5; printf 'hello\nhow are you\n%0200d\n' 7 | slowly; sleep 0.3; } |
    openssl s_client -dtls -connect 127.0.0.1:50144 -quiet || true # it complains of the end of its input
}

record_rtp() {
  # RTP is sent to port 50104. The reports of the sender and the receiver are on ports 50105 and 50107.
  serve udp 50104 gst-launch-1.0 rtpbin name=bin \
    udpsrc port=50104 caps=application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU ! bin.recv_rtp_sink_0 \
    udpsrc port=50105 ! bin.recv_rtcp_sink_0 bin. ! rtppcmudepay ! fakesink \
    bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=50107 bind-port=50106 sync=false async=false
  # The receiver waits for reports without end, so it needs a timeout.
  timeout --preserve-status 4 gst-launch-1.0 rtpbin name=bin \
    audiotestsrc is-live=true num-buffers=150 samplesperbuffer=160 wave=ticks ! audio/x-raw,rate=8000,channels=1 ! \
    mulawenc ! rtppcmupay ! bin.send_rtp_sink_0 bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port=50104 bind-port=50102 \
    bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=50105 bind-port=50103 sync=false async=false \
    udpsrc port=50107 ! bin.recv_rtcp_sink_0 || true
}

record_stun() {
  # Two clients use a relay: allocations, permissions, indications, then ChannelData. Another client only requests its
  # address.
  serve udp 50178 turnserver --no-auth --no-cli --no-tls --no-dtls --allow-loopback-peers --listening-ip=127.0.0.1 \
    --relay-ip=127.0.0.1 --listening-port=50178 --min-port=50200 --max-port=50260 --pidfile="$work/turn.pid" \
    --userdb="$work/turn.db" --log-file="$work/turn.log" --simple-log
  turnutils_stunclient -p 50178 127.0.0.1
  turnutils_uclient -y -s -n 10 -m 1 -l 160 -p 50178 127.0.0.1
  turnutils_uclient -y -n 10 -m 1 -l 160 -p 50178 127.0.0.1
}
text() {
  printf '%s\n' hello 'join #lobby Ada' 'say hi there' '/move 10 20' ok '' 'PING 12345' 'PONG 12345' \
    'game.players:12|g' 'game.latency:35.2|ms|@0.1' '<34>1 2023-10-11T22:14:15Z host game 17 - - the server started' \
    'Die Tür ist zu.' 'ゲーム開始' "$(seq -s ' ' 200)"
}
json() {
  local i
  for i in 1 2 3 4 5 6; do
    printf '{"type":"move","id":%d,"x":%d.5,"y":-%d}\n' $i $((i * 10)) $i
    printf '{"jsonrpc":"2.0","method":"state","params":{"players":[{"name":"Ada","hp":%d},{"name":"Bo","hp":7}]},"id":%d}\n' $i $i
  done
  printf '%s\n' '[]' '{}' 'null' '[1,2,3]' '"text"' '17'
}
# exchange udp|tcp PORT COMMAND: sends the lines that the command prints to a server that echoes them
exchange() {
  local transport=$1 port=$2 protocol=${1^^}4
  serve "$transport" "$port" socat "$protocol-LISTEN:$port,bind=127.0.0.1" PIPE
  "$3" | slowly | socat -t 0.3 - "$protocol:127.0.0.1:$port"
}
record_text_udp() { exchange udp 50110 text; }
record_text_tcp() { exchange tcp 50111 text; }
record_json_udp() { exchange udp 50112 json; }
record_json_tcp() { exchange tcp 50113 json; }

record_ssdp() {
  serve udp 50114 socat -u UDP4-RECV:50114,bind=127.0.0.1 -
  local i
  for i in 1 2 3; do
    printf '%s\r\n' 'M-SEARCH * HTTP/1.1' 'HOST: 239.255.255.250:1900' 'MAN: "ssdp:discover"' "MX: $i" 'ST: ssdp:all' '' |
      socat -u - UDP4:127.0.0.1:50114
    printf '%s\r\n' 'NOTIFY * HTTP/1.1' 'HOST: 239.255.255.250:1900' 'NTS: ssdp:alive' 'NT: upnp:rootdevice' '' |
      socat -u - UDP4:127.0.0.1:50114
  done
}

x11_clients() { # DISPLAY
  serve tcp $((6000 + $1)) Xvfb ":$1" -listen tcp -nolisten unix -ac -screen 0 320x240x24 +extension GLX
  DISPLAY=127.0.0.1:$1 xdpyinfo
  DISPLAY=127.0.0.1:$1 timeout 1 xeyes || true
}
record_x11() { x11_clients 7; } # TCP 6007, where Godot's editor waits for games, too
record_x11_display1() { x11_clients 1; }

record_snmp() {
  printf 'rocommunity public 127.0.0.1\nsysDescr a game\nsysName game\nsysLocation here\nsysContact nobody\n' >"$work/snmpd.conf"
  serve udp 50161 snmpd -f -Lo -C -c "$work/snmpd.conf" -p "$work/snmpd.pid" udp:127.0.0.1:50161
  snmpget -v1 -c public 127.0.0.1:50161 .1.3.6.1.2.1.1.5.0
  snmpwalk -v2c -c public 127.0.0.1:50161 .1.3.6.1.2.1.1
}

record_mqtt() {
  printf 'listener 50183 127.0.0.1\nallow_anonymous true\nuser root\n' >"$work/mosquitto.conf"
  serve tcp 50183 mosquitto -c "$work/mosquitto.conf"
  timeout 3 mosquitto_sub -h 127.0.0.1 -p 50183 -t 'game/#' -C 3 &
  local subscriber=$! i
  sleep 0.5
  for i in 1 2 3; do
    mosquitto_pub -h 127.0.0.1 -p 50183 -q $((i - 1)) -t "game/score/$i" -m "{\"name\": \"Ada\", \"score\": $i}"
  done
  wait $subscriber
}

record_redis() {
  serve tcp 50179 redis-server --port 50179 --bind 127.0.0.1 --save '' --dir "$work"
  local command
  for command in PING 'SET name Ada' 'GET name' 'INCR score' 'HSET player hp 87 pos 10' 'HGETALL player' \
    'LPUSH log a b c' 'LRANGE log 0 -1' NOSUCH; do
    # shellcheck disable=SC2086
    redis-cli -p 50179 $command
  done
  redis-cli -p 50179 EVAL 'return {1, 2, {3}}' 0
}

record_iperf() { # over UDP, with the TCP connection that steers it
  serve tcp 50185 iperf3 -s -p 50185 -1
  iperf3 -c 127.0.0.1 -p 50185 -u -b 200K -l 200 -t 1
}

record_wireguard() {
  local i bytes
  for i in 0 1; do
    (umask 077 && wg genkey >"$work/key$i")
    WG_PROCESS_FOREGROUND=1 wireguard-go -f "rec$i" >>"$work/server.log" 2>&1 3>&- &
    servers+=($!)
    wait_for "wireguard-go runs" test -S "/var/run/wireguard/rec$i.sock"
    wg set "rec$i" listen-port 5012$i private-key "$work/key$i"
    ip link set "rec$i" up
  done
  # Sends to an address in the tunnel that does not exist. Both ends of the tunnel are in this namespace.
  ip addr add 10.9.0.1/32 dev rec0
  ip route add 10.9.0.9/32 dev rec0
  for i in 0 1; do
    wg set "rec$i" peer "$(wg pubkey <"$work/key$((1 - i))")" allowed-ips 0.0.0.0/0 \
      endpoint "127.0.0.1:5012$((1 - i))" persistent-keepalive 1
  done
  for bytes in 4 8 20 100 500 8 8 8 1000 4 4 4 60 60 60; do
    head -c "$bytes" /dev/zero | socat -u - UDP4:10.9.0.9:50009
    sleep 0.05
  done
  sleep 1.5
}

prepare_bson_udp() { compiled_peers; }
prepare_bson_tcp() { compiled_peers; }
prepare_bson_op_msg() { compiled_peers; }
prepare_json_prefixed() { compiled_peers; }
prepare_structs_udp() { compiled_peers; }
record_bson_udp() { peers bson_udp; }
record_bson_tcp() { peers bson_tcp; }
record_bson_op_msg() { peers bson_op_msg; }
record_json_prefixed() { peers json_prefixed; }
record_structs_udp() { peers structs_udp; }

record_ws_text() { /usr/bin/python3 "$here/chat.py" text 50115; }
record_ws_binary() { /usr/bin/python3 "$here/chat.py" binary 50116; }

# ---- recording

loopback_packets() { awk '$1 == "lo:" { print $3 }' /proc/net/dev; }
capturing() { grep -q '^File: ' "$work/dumpcap.log"; }
all_captured() { # dumpcap reports its count once a second
  [ "$(tr '\r' '\n' <"$work/dumpcap.log" | grep -Eo '^Packets: [0-9]+' | tail -n 1)" = "Packets: $(($(loopback_packets) - before))" ]
}

mapfile -t all < <(declare -F | sed -n 's/^declare -f record_//p')
[ $# -gt 0 ] || set -- "${all[@]}"
for name in "$@"; do
  declare -F "record_$name" >/dev/null || die "no scenario $name; there are: ${all[*]}"
  if declare -F "prepare_$name" >/dev/null; then "prepare_$name" >"$work/prepare.log" 2>&1 || { cat "$work/prepare.log" >&2; die "$name failed"; }; fi

  before=$(loopback_packets)
  : >"$work/dumpcap.log"
  dumpcap -i lo -P -w "$work/$name.pcap" 2>"$work/dumpcap.log" &
  dumpcap_pid=$!
  wait_for "dumpcap captures" capturing

  "record_$name" >"$work/scenario.log" 2>&1 || { tail -n 20 "$work"/*.log >&2; die "$name failed"; }
  stop_servers

  wait_for "dumpcap has all packets" all_captured
  kill -INT "$dumpcap_pid"
  wait "$dumpcap_pid" || die "dumpcap failed"
  dumpcap_pid=
  # Converts by way of pcap, so that the file's headers contain nothing about this machine.
  editcap -F pcapng --capture-comment "no Godot, scenario $name" "$work/$name.pcap" "$work/$name.pcapng"
  cat "$work/$name.pcapng" >"$here/$name.pcapng"
  echo "$name.pcapng: $(stat -c %s "$here/$name.pcapng") bytes"
done
