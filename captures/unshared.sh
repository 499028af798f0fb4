# SPDX-License-Identifier: MIT
# Sourced by the recording scripts: begins the script that sources it anew in a network namespace of its own, where nothing else is in
# the capture and the ports are free.
#
#   tools=(PROGRAM ...) namespaces=(--net ...)      # what it needs, besides ip and unshare; which namespaces
#   . unshared.sh "$@"

if [ -z "${RECORD_IN_NAMESPACE:-}" ]; then
  for tool in "${tools[@]}" ip unshare; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is not installed" >&2; exit 1; }
  done
  unshare=(unshare "${namespaces[@]}")
  [ "$(id -u)" = 0 ] || unshare+=(--map-root-user)
  "${unshare[@]}" true || { echo "$0: cannot make a network namespace: run it as root" >&2; exit 1; }
  exec env RECORD_IN_NAMESPACE=1 "${unshare[@]}" "$0" "$@"
fi
# Loopback transfers TCP data in segments of up to 64 KiB, unless it is configured to send single segments.
ip link set lo up mtu 1500 gso_max_segs 1 || { echo "$0: cannot set up the loopback interface of the namespace" >&2; exit 1; }
