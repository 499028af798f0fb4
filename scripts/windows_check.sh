#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# windows_check.sh [--no-wine] [SUITE [FOLDER]]
#
# Builds the plugin for 64-bit Windows (packaging/windows/build.sh), for the release of Wireshark in the Debian release
# SUITE (bookworm 4.0, trixie 4.4, sid 4.6; default trixie), and writes the zip for download into FOLDER. Checks the
# imports and exports of godot.dll, and that MSVC's layout of epan's structs equals that of its compiler. Then runs the
# codec's tests, built for Windows, under Wine, and loads godot.dll there; windows_proof.sh tests it in a Wireshark. The
# compiler is Debian 13's, the first with Windows' newer C library (UCRT). Needs root, and a mirror that apt knows;
# exits with 77 if a chroot cannot be made. See chroots.sh for where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

wine=yes
[ "${1:-}" != --no-wine ] || { wine=no; shift; }
suite=${1:-trixie} folder=${2:-}
[ $# -le 2 ] && [[ $suite =~ ^(bookworm|trixie|sid)$ ]] || { sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 2; }

tools=(ccache cmake ninja-build pkg-config g++-mingw-w64-ucrt64 libjs-dygraphs googletest dpkg-dev python3)
[ $wine = no ] || tools+=(wine64)

chroot_install "$suite" build "${build_packages[@]}"
chroot_install trixie windows "${tools[@]}"
say "Building the plugin for Windows, with the headers of Debian $suite"
chroot_run "$suite" build bash -euc 'rm -rf /shared/sdk && /repo/packaging/windows/export_sdk.sh /shared/sdk'
release=$(cat "$chroots/$suite/build.shared/sdk/release")
rm -rf "$chroots/trixie/windows.shared/sdk-$release"
cp -r "$chroots/$suite/build.shared/sdk" "$chroots/trixie/windows.shared/sdk-$release"
options=()
[ $wine = yes ] || options=(--no-tests)
chroot_run trixie windows /repo/packaging/windows/build.sh "${options[@]}" "/shared/sdk-$release" "/shared/$release" ||
  die "no godot.dll for Wireshark $release"
cp "$chroots/trixie/windows.shared/$release/layouts.i" "$chroots/$suite/build.shared"
chroot_run "$suite" build python3 /repo/packaging/windows/layouts.py /shared/layouts.i ||
  die "the layout of structs differs between MSVC and the plugin's compiler"
if [ $wine = yes ]; then
  say "The codec's tests and the plugin under Wine"
  chroot_run trixie windows bash -euc '
    export WINEPREFIX=/root/.wine WINEDEBUG=-all
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    cd "/shared/$1/tests"
    # Excludes tests that need features that Wine lacks: symbolic links, and setting the time of a folder.
    "$wine" codec_tests.exe --gtest_brief=1 \
      --gtest_filter=-ProjectFiles.LinksOutOfTheFolderAreNotFollowed:ProjectFiles.ChangesAreNoticed:ProjectFiles.UnreadableFileIsNotReportedAsMissing
    "$wine" load.exe godot.dll "${1%.*}" "${1#*.}" | tr -d "\r" | tee load.txt
    [ "$(grep -c "called: proto_register_plugin" load.txt)" = 4 ] && grep -qx registered load.txt
    wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
    "$wineserver" -k || true
  ' wine "$release" || die "the codec or the plugin fails on Windows"
fi
if [ -n "$folder" ]; then
  chroot_run trixie windows bash -euc 'rm -rf /shared/zip && /repo/packaging/zip.sh windows-x64 "$1/plugins" "$1/licences" /shared/zip' \
    zip "/shared/$release"
  mkdir -p "$folder"
  cp "$chroots/trixie/windows.shared/zip"/*.zip "$folder"
fi
