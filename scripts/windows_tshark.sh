#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# windows_tshark.sh SUITE FOLDER
#
# Makes tshark.exe for 64-bit Windows, with its DLLs, of the Wireshark in the Debian release SUITE (trixie 4.4, sid
# 4.6), and copies it into FOLDER. It is built once, which takes an hour of two processors
# (packaging/windows/tshark.sh), and kept. Needs root, and a mirror that apt knows; exits with 77 if a chroot cannot be
# made. See chroots.sh for where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

[ $# -eq 2 ] && [[ $1 =~ ^(trixie|sid)$ ]] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
suite=$1 folder=$2

chroot_install "$suite" windows-tshark bison ccache cmake dpkg-dev flex g++-mingw-w64-ucrt64 lemon \
  libgcrypt-mingw-w64-dev meson ninja-build perl pkg-config python3 xz-utils
say "Building tshark.exe of Debian $suite"
chroot_run "$suite" windows-tshark /repo/packaging/windows/tshark.sh /shared/build || die "no tshark.exe of $suite"
mkdir -p "$folder"
cp -r "$chroots/$suite/windows-tshark.shared/build/wireshark/." "$folder"
