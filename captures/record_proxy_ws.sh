#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_proxy_ws.sh GODOT4_BINARY
#
# A game over WebSocket behind nginx, which ends connections that have been silent for two seconds (its default is 60):
# writes tests/data/ws_proxy.pcapng, with both of nginx' sides. Needs what record_connect_ws.sh needs,
# and nginx.
set -euo pipefail

[ $# = 1 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
captures=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$PATH:/usr/sbin:/sbin
tools=(dumpcap editcap nginx) namespaces=(--net)
. "$captures/unshared.sh" "$@"

work=$(mktemp -d)
trap 'kill "${dumpcap_pid:-}" "${server_pid:-}" "${nginx_pid:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  server {
    listen 127.0.0.1:5083;
    location / {
      proxy_pass http://127.0.0.1:5081;
      proxy_http_version 1.1;
      proxy_set_header Upgrade \$http_upgrade;
      proxy_set_header Connection upgrade;
      proxy_read_timeout 2s;
    }
  }
}
CONF
play=("$1" --headless --path "$captures/projects/godot4" --script connect_ws.gd --)
"${play[@]}" server 60 >"$work/server.log" 2>&1 & server_pid=$!
nginx -c "$work/nginx.conf" & nginx_pid=$!
until grep -q listening "$work/server.log"; do sleep 0.2; done
dumpcap -q -i lo -P -f "tcp port 5081 or tcp port 5083" -w "$work/ws.pcap" 2>"$work/dumpcap.log" & dumpcap_pid=$!
sleep 1
timeout 60 "${play[@]}" client ws://127.0.0.1:5083/
sleep 1.5 # dumpcap writes once a second
kill -INT "$dumpcap_pid"; wait "$dumpcap_pid"; dumpcap_pid=
editcap -F pcapng --capture-comment "Godot 4.6, record_proxy_ws.sh" "$work/ws.pcap" "$work/ws.pcapng"
cat "$work/ws.pcapng" >"$captures/../tests/data/ws_proxy.pcapng"
