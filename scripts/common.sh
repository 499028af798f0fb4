# SPDX-License-Identifier: MIT
# Sourced by the other scripts.
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# need PACKAGE ...: installs the missing packages of this list of Debian packages.
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Installing ${missing[*]}"
  command -v apt-get >/dev/null || die "this script installs Debian's packages; here, install by hand: ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "needs root for: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

need_build_tools() {
  need g++ cmake ninja-build pkg-config libwireshark-dev wireshark-dev libwiretap-dev libwsutil-dev libglib2.0-dev \
    libenet-dev libzstd-dev zlib1g-dev libjs-dygraphs tshark
}

# may_capture: prints ON if this user can capture packets on loopback, otherwise OFF. The output is the value of
# LIVE_TESTS.
may_capture() {
  if timeout 20 dumpcap -q -i lo -a duration:1 -w - >/dev/null 2>&1; then echo ON; else echo OFF; fi
}

# as_user FOLDER COMMAND ...: runs a command as a user who is not root, with the home FOLDER. As root, Wireshark loads
# only the system's plugins.
as_user() {
  local home=$1; shift
  if [ "$(id -u)" = 0 ]; then
    chown -R 65534:65534 "$home"
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$home" "$@"
  else
    "$@"
  fi
}
