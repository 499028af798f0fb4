#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# windows_proof.sh [SUITE]
#
# Tests the zip for Windows in a Wireshark for Windows, under Wine, for the release of Wireshark in the Debian release
# SUITE (trixie 4.4, sid 4.6; default trixie): builds tshark.exe (windows_tshark.sh; hours the first time) and the zip
# (windows_check.sh), runs its install.cmd, and compares the output of tshark.exe for all captures with the output of
# the same release on Linux. Then measures time and memory with 100,000 packets, and runs uninstall.cmd. The last lines
# are the figures. Needs root, and a mirror that apt knows; exits with 77 if a chroot cannot be made. See chroots.sh for
# where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

suite=${1:-trixie}
[ $# -le 1 ] && [[ $suite =~ ^(trixie|sid)$ ]] || { sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 2; }
# Only the chroot of Debian 13 has Wine, so it is used for all tested releases.
windows=$chroots/trixie/windows-proof.shared
linux=$chroots/$suite/build.shared/proof

chroot_install trixie windows-proof wine64 python3 locales
"$repo/scripts/windows_tshark.sh" "$suite" "$windows/wireshark-$suite"
rm -rf "$windows"/{zip,inputs}
"$repo/scripts/windows_check.sh" --no-wine "$suite" "$windows/zip"
chroot_run trixie windows-proof /repo/packaging/windows/inputs.py /shared/inputs
chroot_run trixie windows-proof /repo/packaging/windows/protocols.sh "/shared/wireshark-$suite" /shared/inputs/protocols
mkdir -p "$linux"
rm -rf "$linux/inputs"
cp -r "$windows/inputs" "$linux"

say "Linux: Wireshark of Debian $suite"
chroot_install "$suite" build "${build_packages[@]}"
chroot_run "$suite" build /repo/packaging/windows/proof_linux.sh /shared/proof || die "Linux' part failed"
say "Windows: the same release under Wine"
chroot_run trixie windows-proof /repo/packaging/windows/proof_windows.sh "/shared/wireshark-$suite" /shared ||
  die "Windows' part failed"

say "What differs"
diff -r "$linux/printed" "$windows/printed" >"$windows/differences" || true
files=$(find "$linux/printed" -type f | wc -l)
different=$({ grep -c '^diff ' "$windows/differences" || true; })
alone=$({ grep -c '^Only in ' "$windows/differences" || true; })
head -n 40 "$windows/differences"
echo "$files files: $different differ, $alone exist on one side only ($windows/differences)"
broken=$({ grep -l '^ended with ' "$linux"/printed/* "$windows"/printed/* || true; } | wc -l)
paste -d '\n' "$linux/figures" "$windows/figures"
[ "$different$alone" = 00 ] || die "the output differs between Windows and Linux"
[ "$broken" = 0 ] || die "$broken files were not printed to their end"
