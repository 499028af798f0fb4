#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Records a game in browsers, with the keys, on this machine's loopback interface. As root, on Debian 12 or later with
# firefox-esr, chromium, tshark and python3.
#
#   record_browser.sh ENGINE GODOT SCENARIO ...
#
# ENGINE: a folder with the official web build of Godot 4.6 (index.js and index.wasm of the export templates, or of a
# package of npm that ships them). GODOT: a Godot 4.6 for what is native. Into tests/data/: SCENARIO.pcapng, and what each
# peer said as SCENARIO.jsonl.
#
#   web_star        three tabs in Firefox, client and server, DTLS 1.2
#   web_channels    a game's own data channels in Firefox, DTLS 1.2
#   web_channels13  the same with DTLS 1.3, as browsers have it
#   web_mesh        three tabs in Firefox, a mesh, with nodes that are spawned and synchronized; signalling is not in it
#   web_nodes       the same game, client and server
#   web_log         the same game in Chromium, client and server: of its log, without keys (chromium_sctp.py)
#   web_deflate     WebSocket with permessage-deflate, in Chromium: a game of three, and messages of the game's own. Needs
#                   node, and its package ws where NODE_PATH says
#   web_http2       a WebSocket over HTTP/2 (RFC 8441), in Chromium, by HAProxy: what web_deflate has, with one client. What
#                   is large of the page comes by another connection, which is not in it
#   web_turn        the server in one Firefox and a client in another, DTLS 1.2, by a relay over UDP: each browser's way to
#                   the relay, and the relay's between the two, which are three views of the same messages. Needs coturn,
#                   as the next two
#   web_turn_tcp    the client is Chromium, whose way to the relay is TCP: that alone is in it
#   web_turns       the same over TLS, with its keys
#   web_turn_log    the same over UDP: of Chromium's log alone, without keys
#   web_moved       the server in Firefox, a client in Chromium, DTLS 1.2: ICE moves the connection
set -euo pipefail
[ $# -ge 3 ] || { sed -n '/^#   rec/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$captures/../tests/data
engine=$1 godot=$2; shift 2
port=8061
nodes=0
host=$(hostname -I | cut -d ' ' -f 1)  # browsers do not speak TCP to a relay on a loopback address
work=$(mktemp -d)
server= signalling= dumpcap= relay=
trap 'kill $server $signalling $dumpcap $relay 2>/dev/null || true; rm -rf "$work"' EXIT

# The native engine may run in another root folder. It then gets a copy of the project in the folder that the caller
# sets.
project=${GODOT_PROJECT:-$captures/projects/web}
$godot --headless --path "$project" --script pack.gd -- "${GODOT_PACK:-$work/game.pck}" >"$work/pack.log" 2>&1
pack=${GODOT_PACK_HERE:-$work/game.pck}
[ -s "$pack" ] || { cat "$work/pack.log"; exit 1; }

proxy_() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/proxy.key" -out "$work/proxy.pem" 2>/dev/null
  cat "$work/proxy.key" >>"$work/proxy.pem"
  cat >"$work/haproxy.cfg" <<CONF
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
frontend page_and_game
  bind 127.0.0.1:8443 ssl crt $work/proxy.pem alpn h2
  http-request redirect location https://127.0.0.1:8444%[path] if { path /index.wasm /index.js /favicon.ico }
  use_backend game if { path /game }
  use_backend echo if { path /echo }
  default_backend page
frontend large
  bind 127.0.0.1:8444 ssl crt $work/proxy.pem alpn http/1.1
  http-response set-header access-control-allow-origin *
  default_backend page
backend page
  server page 127.0.0.1:$port
backend game
  server game 127.0.0.1:9081
backend echo
  server echo 127.0.0.1:9083
CONF
  haproxy -f "$work/haproxy.cfg" & relay=$!
}

relay_() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:$host \
    -keyout "$work/relay.key" -out "$work/relay.pem" 2>/dev/null
  turnserver -n --listening-ip="$host" --relay-ip="$host" --no-cli --lt-cred-mech --realm=r \
    --user=u:p --min-port=20000 --max-port=20099 --cert="$work/relay.pem" --pkey="$work/relay.key" --log-file=stdout \
    --pidfile="$work/relay.pid" --userdb="$work/relay.db" >"$work/relay.log" 2>&1 & relay=$!
}

# url PLAY PEERS ID ...
url() { local play=$1 peers=$2; shift 2; printf 'http://127.0.0.1:%s/page.html?play=%s&peers=%s&nodes=%s' "$port" "$play" "$peers" "$nodes"; printf '&id=%s' "$@"; }

# firefox_ URL MAX_DTLS SECONDS [PROFILE]: 771 is DTLS 1.2, 772 is 1.3
firefox_() {
  local profile=$work/${4:-firefox}
  mkdir -p "$profile"
  cat >"$profile/user.js" <<PREFS
user_pref("media.peerconnection.dtls.version.max", $2);
user_pref("media.peerconnection.ice.obfuscate_host_addresses", false);
user_pref("media.peerconnection.ice.loopback", true);
user_pref("dom.min_background_timeout_value", 4);
user_pref("dom.ipc.processCount", 1);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("browser.region.network.url", "");
PREFS
  HOME=$work MOZ_HEADLESS=1 SSLKEYLOGFILE=$work/keys timeout "$3" firefox-esr --no-remote --profile "$profile" "$1"
}

chromium_() { # URL SECONDS [OPTION ...]
  HOME=$work SSLKEYLOGFILE=$work/keys timeout "$2" chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/chromium" \
    --no-first-run --disable-background-networking --disable-extensions --disable-component-update \
    --disable-features=WebRtcHideLocalIpsWithMdns "${@:3}" "$1"
}

logged=(--enable-logging=stderr --vmodule='*/webrtc/*=1')

play() { # SCENARIO SECONDS
  case $1 in
    web_star) firefox_ "$(url star 3 1 20002 1300000003)" 771 "$2" ;;
    web_mesh) firefox_ "$(nodes=1 url mesh 3 1 20002 1300000003)" 771 "$2" ;;
    web_nodes) firefox_ "$(nodes=1 url star 3 1 20002 1300000003)" 771 "$2" ;;
    web_log) chromium_ "$(nodes=1 url star 3 1 20002 1300000003)" "$2" "${logged[@]}" ;;
    web_deflate | web_http2)
      local address count=3
      address=$(url wsclient 3 2 3)
      if [ "$1" = web_http2 ]; then
        address=$(url wsclient 2 2)
        address="https://127.0.0.1:8443/${address##*/}&relay=wss://127.0.0.1:8443" count=2
      fi
      $godot --headless --path "$project" -- play=wsserver peers=$count >"$work/game.log" 2>&1 & game=$!
      node "$captures/deflate.js" & proxy=$!
      chromium_ "$address" "$2" --ignore-certificate-errors || true
      kill $game $proxy
      sed -n 's/^T //p' "$work/game.log" >"$work/told/server.jsonl" ;;
    web_channels) firefox_ "$(url channels 2 1 20002)" 771 "$2" ;;
    web_channels13) firefox_ "$(url channels 2 1 20002)" 772 "$2" ;;
    web_turn*)
      firefox_ "$(nodes=1 url star 2 1)&relay=turn:$host:3478" 771 "$2" &
      local client; client=$(nodes=1 url star 2 20002)
      case $1 in
        web_turn) firefox_ "$client&relay=turn:$host:3478" 771 "$2" firefox_other || true ;;
        web_turn_tcp) chromium_ "$client&relay=turn:$host:3478%3Ftransport=tcp" "$2" || true ;;
        web_turn_log) chromium_ "$client&relay=turn:$host:3478" "$2" "${logged[@]}" || true ;;
        web_turns) chromium_ "$client&relay=turns:$host:5349%3Ftransport=tcp" "$2" --ignore-certificate-errors || true ;;
      esac
      wait $! ;;
    web_moved)
      firefox_ "$(url star 2 1)" 771 "$2" &
      chromium_ "$(url star 2 20002)" "$2" || true
      wait $! ;;
    *) echo "record_browser.sh: no scenario $1" >&2; exit 2 ;;
  esac
}

# True if this number of peers has reported that it is done.
is_done() { [ "$(cat "$work"/told/*.jsonl 2>/dev/null | grep -c '"done":true')" -ge "$1" ]; }

for scenario in "$@"; do
  rm -rf "$work/told" "$work/keys" "$work"/firefox* "$work/chromium"; mkdir -p "$work/told"
  python3 "$captures/serve_web.py" "$engine" "$pack" "$work/told" "$port" & server=$!
  $godot --headless --path "$project" -- play=signalling >"$work/signalling.log" 2>&1 & signalling=$!
  filter="tcp port 9080 or udp"
  case $scenario in web_turn*) relay_ ;; web_http2) proxy_ ;; esac
  case $scenario in web_mesh) filter=udp ;; web_turn_tcp | web_turns) filter="tcp port 9080 or tcp port 3478 or tcp port 5349" ;; web_deflate) filter="tcp port 9083" ;; web_http2) filter="tcp port 8443" ;; esac
  dumpcap -q -P -i lo -f "$filter" -w "$work/all.pcap" 2>/dev/null & dumpcap=$!
  sleep 3
  play "$scenario" "${SECONDS_TO_PLAY:-60}" >"$work/browsers.log" 2>&1 & browsers=$!
  peers=3; case $scenario in web_channels* | web_moved | web_turn* | web_http2) peers=2 ;; web_deflate) peers=4 ;; esac
  while kill -0 "$browsers" 2>/dev/null && ! is_done "$peers"; do sleep 1; done
  is_done "$peers" || { cat "$work/browsers.log"; echo "record_browser.sh: $scenario was not played to its end" >&2; exit 1; }
  sleep 2
  kill -INT "$dumpcap"; wait "$dumpcap" || true
  kill "$server" "$signalling" ${relay:+"$relay"} 2>/dev/null || true
  # The browser exits after the time that it was given.
  wait "$browsers" || true
  cat "$work"/told/*.jsonl >"$data/$scenario.jsonl"
  if [[ $scenario = *_log ]]; then
    grep ' # SCTP_PACKET ' "$work/browsers.log" >"$work/log"
    "$captures/../scripts/chromium_sctp.py" "$work/log" "$data/$scenario.pcapng"
    continue
  fi
  keys=()
  [ ! -s "$work/keys" ] || keys=(--inject-secrets "tls,$work/keys")
  editcap -F pcapng "${keys[@]}" --capture-comment "Godot 4.6 (web), scenario $scenario" \
    "$work/all.pcap" "$data/$scenario.pcapng"
  echo "$scenario.pcapng: $(stat -c %s "$data/$scenario.pcapng") bytes"
done
