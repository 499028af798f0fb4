#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stubs.sh SDK PLUGIN FOLDER
#
# Makes load.exe, and in the place of Wireshark's libraries and GLib ones that have just the names which the plugin
# imports, and say that they were called: enough to see that Windows can load the plugin, and that it registers.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=x86_64-w64-mingw32ucrt
mkdir -p "$3"
for definition in "$1"/exports/*.def; do
  dll=$(basename "$definition" .def).dll
  # What the plugin imports of this library, and which of that is data.
  names=$($target-objdump -p "$2" |
    awk -v dll="$dll" '/DLL Name:/ { ours = tolower($3) == tolower(dll) } ours && /^\t[0-9a-f]+/ { print $NF }')
  [ -n "$names" ] || continue
  {
    echo '#include <stdio.h>'
    for name in $names; do
      if grep -qx "$name DATA" "$definition"; then
        echo "__declspec(dllexport) char $name[4096];"
      else
        echo "__declspec(dllexport) void *$name(void) { puts(\"called: $name\"); return 0; }"
      fi
    done
  } >"$3/${dll%.dll}.c"
  $target-gcc -O1 -w -fno-builtin -shared -static-libgcc -o "$3/$dll" "$3/${dll%.dll}.c"
done
$target-gcc -O1 -Wall -Wno-cast-function-type -static -o "$3/load.exe" "$here/load.c"
cp "$2" "$3"
