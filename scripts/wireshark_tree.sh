#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# wireshark_tree.sh [--link] SUITE
#
# Builds the plugin as a part of Wireshark's own tree, as Wireshark's developers would (CUSTOM_PLUGIN_SRC_DIR), in a
# chroot with the sources of the Debian release SUITE (bookworm 4.0, trixie 4.4). CMake configures the whole tree, and
# the plugin's and the codec's sources are compiled with warnings as errors. With --link, libwireshark is built as well
# and the plugin linked and loaded, which takes an hour. Needs root, and a mirror that apt knows; exits with 77 if a
# chroot cannot be made. See chroots.sh for where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

link=no
[ "${1:-}" != --link ] || { link=yes; shift; }
[ $# -eq 1 ] && [[ $1 =~ ^(bookworm|trixie)$ ]] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
suite=$1

tree_packages=(g++ ccache cmake ninja-build pkg-config flex perl python3 libglib2.0-dev libgcrypt20-dev libc-ares-dev
  libpcre2-dev libspeexdsp-dev libxml2-dev libpcap-dev libenet-dev libzstd-dev zlib1g-dev libjs-dygraphs dpkg-dev)
chroot_install "$suite" tree "${tree_packages[@]}"
chroot_run "$suite" tree bash -euc '
  cd /shared
  [ ! -e wireshark/.complete ] || exit 0
  rm -rf wireshark wireshark_*
  apt-get -qq source --download-only --tar-only wireshark
  mkdir wireshark
  tar -xf wireshark_*.orig.tar.* -C wireshark --strip-components 1
  rm wireshark_*
  touch wireshark/.complete' || unavailable "no source package of Wireshark in $suite"

say "The plugin in the tree of the Wireshark of Debian $suite"
# shellcheck disable=SC2016
chroot_run "$suite" tree bash -euc '
  place=plugins/epan/godot
  rm -rf "/shared/wireshark/$place"
  mkdir -p "/shared/wireshark/$place"
  cd /repo
  cp -r CMakeLists.txt codec page plugin profile "/shared/wireshark/$place"
  cd /shared
  options=(-DBUILD_wireshark=OFF -DENABLE_PCAP=ON -DENABLE_WERROR=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  for compiler in C CXX; do options+=("-DCMAKE_${compiler}_COMPILER_LAUNCHER=ccache"); done
  cmake -S wireshark -B build -G Ninja "${options[@]}" "-DCUSTOM_PLUGIN_SRC_DIR=$place" -DWARNINGS_AS_ERRORS=ON >configure.log 2>&1 ||
    { tail -n 30 configure.log; exit 1; }
  ! grep "match page will have no plots" configure.log || exit 1
  if [ "$1" = yes ]; then
    nice -n 19 ninja -C build -j 2 godot tshark
    build/run/tshark -G plugins | grep "^godot"
    build/run/tshark -2 -q -z godot,page,page.html -r /repo/captures/game_godot4.6.pcapng
    grep -q "WITHOUT WARRANTY OF ANY KIND" page.html
  else
    # Does not run ninja, which would first build all of libwireshark, because these sources are linked to it. The page
    # is the only generated source.
    ninja -C build -t commands "$place/plugin/page_template.cpp" | tail -n 1 >page
    (cd build && sh ../page)
    python3 /repo/scripts/compile_commands.py build/compile_commands.json "$place/codec/godot-codec" "$place/plugin" >commands
    [ "$(wc -l <commands)" -gt 100 ] || { echo "only $(wc -l <commands) sources were found"; exit 1; }
    nice -n 19 xargs -P 2 -d "\n" -n 1 sh -c <commands
    echo "$(wc -l <commands) sources compiled"
  fi
' tree "$link" || die "the plugin does not build in Wireshark's tree"
