#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# export_sdk.sh FOLDER
#
# Copies what is needed of a Wireshark that is installed here, for Linux, to build a plugin for the same release on
# Windows: the headers, and the names of what its libraries export, which are the same there.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }
libraries=$(pkg-config --variable=libdir wireshark)
mkdir -p "$1/include" "$1/exports"
cp -r "$(pkg-config --variable=includedir glib-2.0)/glib-2.0" "$1/include"
cp "$(pkg-config --variable=libdir glib-2.0)/glib-2.0/include/glibconfig.h" "$1/include/glibconfig.linux.h"
cp -r /usr/include/wireshark "$1/include"
# A module definition for each library: NAME, or NAME DATA.
while read -r library dll; do
  {
    echo "LIBRARY \"$dll\""
    echo EXPORTS
    nm -D --defined-only "$libraries/$library" | sed 's/@.*//' |
      awk '$2 == "T" { print $3 } $2 ~ /[BDR]/ { print $3, "DATA" }' | sort -u
  } >"$1/exports/${dll%.dll}.def"
done <<'END'
libwireshark.so libwireshark.dll
libwsutil.so libwsutil.dll
libwiretap.so libwiretap.dll
libglib-2.0.so glib-2.0-0.dll
END
sed -n 's/^#define WIRESHARK_VERSION_\(MAJOR\|MINOR\) *//p' /usr/include/wireshark/ws_version.h | paste -sd . \
  >"$1/release"
