#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages.sh [--no-test] SUITE FOLDER
#
# Builds godot-wireshark and libgodot-codec-dev for a Debian release (bookworm, trixie or sid), runs lintian, writes
# them to FOLDER, and tests them in a clean system: install, use by root and by another user, remove. Needs root, and a
# mirror that apt knows; exits with 77 if a chroot cannot be made. chroots.sh says where chroots are.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/chroots.sh"

test=yes
[ "${1:-}" != --no-test ] || { test=no; shift; }
[ $# -eq 2 ] && [[ $1 =~ ^(bookworm|trixie|sid)$ ]] || { sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; }
suite=$1 folder=$2

chroot_install "$suite" build "${build_packages[@]}"
say "Building the packages for Debian $suite"
# shellcheck disable=SC2016
chroot_run "$suite" build bash -euc '
  build=/shared/packages
  rm -rf "$build"
  eval "$(dpkg-buildflags --export=sh)"
  # The installed files must not contain paths of the build.
  export CXXFLAGS="$CXXFLAGS $CPPFLAGS -ffile-prefix-map=/repo=. -g0"
  cmake -S /repo -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_TESTING=OFF \
    -DDEBIAN_PACKAGES=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  ninja -C "$build" --quiet
  cd "$build"
  cpack
  lintian --fail-on error --tag-display-limit 0 --allow-root ./*.deb
  dpkg-deb -f godot-wireshark_*.deb Package Version Depends Recommends
  dpkg-deb -c godot-wireshark_*.deb
' packages >"$chroots/$suite/packages.log" 2>&1 || { tail -n 40 "$chroots/$suite/packages.log" >&2; die "no packages"; }
grep -A 1000 '^CPack: - package' "$chroots/$suite/packages.log" || true
mkdir -p "$folder"
rm -f "$folder"/*.deb
cp "$chroots/$suite/build.shared/packages"/*.deb "$folder"
[ "$test" = yes ] || exit 0

say "Testing them in a clean Debian $suite"
rm -rf "$chroots/$suite/fresh.shared"
mkdir -p "$chroots/$suite/fresh.shared"
cp "$folder"/*.deb "$repo/scripts/try_packages.sh" "$chroots/$suite/fresh.shared"
chroot_run "$suite" fresh bash /shared/try_packages.sh
