#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# build.sh [--no-tests] SDK FOLDER
#
# Builds the plugin for 64-bit Windows into FOLDER/plugins/RELEASE/epan/godot.dll, on Debian 13 or later, for the
# release of Wireshark whose headers export_sdk.sh has put into SDK. Checks that it asks Windows for nothing but
# Wireshark's libraries, GLib and the system's. In FOLDER/licences are the texts of what it has inside of it.
# layouts.i is for layouts.py. And what is run to try it, in FOLDER/tests: codec_tests.exe, load.exe.
#
# Needs cmake, ninja-build, pkg-config, g++-mingw-w64-ucrt64, libjs-dygraphs, dpkg-dev, package sources (deb-src); for the
# tests, googletest.
set -euo pipefail
tests=yes
[ "${1:-}" != --no-tests ] || { tests=no; shift; }
[ $# -eq 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sdk=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
target=x86_64-w64-mingw32ucrt
release=$(cat "$sdk/release")
prefix=$folder/prefix
mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/Wireshark} "$folder/sources"

# ---- the libraries that the plugin brings along, from Debian's sources: what is needed of them

package_file() { # NAME FLAGS
  printf '%s\n' "Name: $1" "Description: $1" 'Version: 99' "Cflags: -I$prefix/include $2" "Libs: -L$prefix/lib ${*:3}" \
    >"$prefix/lib/pkgconfig/$1.pc"
}

# static_library NAME FOLDER FLAGS SOURCE ...
static_library() {
  local name=$1 sources=$2 flags=$3 objects=$folder/objects/$1; shift 3
  rm -rf "$objects"
  mkdir -p "$objects"
  # shellcheck disable=SC2086
  (cd "$objects" && printf '%s\n' "${@/#/$sources/}" |
    xargs -P "$(nproc)" -n 4 $target-gcc -c -O2 -g $flags "-ffile-prefix-map=$folder=.")
  rm -f "$prefix/lib/lib$name.a"
  $target-ar rcs "$prefix/lib/lib$name.a" "$objects"/*.o
}

if [ ! -e "$folder/sources/.complete" ]; then
  (
    cd "$folder/sources"
    rm -rf ./*
    apt-get -qq -o APT::Sandbox::User=root source --download-only --tar-only enet zlib libzstd
    for archive in *.orig.tar.*; do
      mkdir "${archive%%_*}"
      tar -xf "$archive" -C "${archive%%_*}" --strip-components 1
    done
  )
  touch "$folder/sources/.complete"
fi
enet=$folder/sources/enet zlib=$folder/sources/zlib zstd=$folder/sources/libzstd
if [ ! -e "$prefix/.libraries" ]; then
  static_library z "$zlib" '' adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c \
    compress.c deflate.c trees.c uncompr.c
  cp "$zlib"/{zlib.h,zconf.h} "$prefix/include"
  mapfile -t zstd_sources < <(cd "$zstd/lib" && ls common/*.c compress/*.c decompress/*.c)
  static_library zstd "$zstd/lib" -DZSTD_DISABLE_ASM "${zstd_sources[@]}"
  cp "$zstd"/lib/zstd*.h "$prefix/include"
  package_file libzstd '' -lzstd
  mapfile -t enet_sources < <(cd "$enet" && ls ./*.c)
  static_library enet "$enet" "-I$enet/include" "${enet_sources[@]}"
  cp -r "$enet/include/enet" "$prefix/include"
  package_file libenet '' -lenet -lws2_32 -lwinmm
  touch "$prefix/.libraries"
fi

# ---- Wireshark and GLib: headers, and import libraries made of the names

cp -r "$sdk/include/wireshark" "$sdk/include/glib-2.0" "$prefix/include"
# The one header of GLib that differs: Windows has 32 bits in a long, 64 in a size.
sed -e 's/\bG_OS_UNIX\b/G_OS_WIN32/' -e 's/\(define GLIB_SIZEOF_LONG *\)8/\14/' \
  -e 's/\(define \(GLIB_SIZEOF_SSIZE_T\|GLIB_SIZEOF_SIZE_T\) *\)4/\18/' \
  -e 's/typedef signed long \(gint64\|gssize\|goffset\|gintptr\)/typedef signed long long \1/' \
  -e 's/typedef unsigned long \(guint64\|gsize\|guintptr\)/typedef unsigned long long \1/' \
  -e 's/\(define G_G\(INT64\|UINT64\|SIZE\|SSIZE\|INTPTR\|UINTPTR\)_MODIFIER *\)"l"/\1"ll"/' \
  -e 's/\(define G_GINT64_FORMAT *\)"li"/\1"lli"/' -e 's/\(define G_GUINT64_FORMAT *\)"lu"/\1"llu"/' \
  -e 's/\(define G_GSIZE_FORMAT *\)"lu"/\1"llu"/' -e 's/\(define G_GSSIZE_FORMAT *\)"li"/\1"lli"/' \
  -e 's/(glong)/(gint64)/' -e 's/(gulong)/(guint64)/' \
  -e 's/(val##L)/(val##LL)/' -e 's/(val##UL)/(val##ULL)/' \
  -e 's/\b\(G_MINSSIZE\|G_MAXSSIZE\|G_MAXSIZE\)\(\t*\)G_\(MIN\|MAX\|MAXU\)LONG/\1\2G_\3INT64/' \
  -e 's/\(define G_MODULE_SUFFIX *\)"so"/\1"dll"/' -e 's/typedef int GPid/typedef void * GPid/' \
  "$sdk/include/glibconfig.linux.h" >"$prefix/include/glib-2.0/glibconfig.h"
package_file glib-2.0 "-I$prefix/include/glib-2.0" -lglib-2.0-0
for definition in "$sdk"/exports/*.def; do
  $target-dlltool -d "$definition" -l "$prefix/lib/lib$(basename "$definition" .def | sed 's/^lib//').dll.a"
done
cat >"$prefix/lib/cmake/Wireshark/WiresharkConfig.cmake" <<END
set(Wireshark_MAJOR_VERSION ${release%.*})
set(Wireshark_MINOR_VERSION ${release#*.})
set(Wireshark_INCLUDE_DIR $prefix/include/wireshark)
set(Wireshark_PLUGIN_INSTALL_DIR plugins/$release)
add_library(epan INTERFACE IMPORTED)
target_link_libraries(epan INTERFACE $prefix/lib/libwireshark.dll.a $prefix/lib/libwsutil.dll.a)
END

export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
launcher=$(command -v ccache || true)

# configure FOLDER OPTION ...
configure() {
  cmake -S "$here/../.." -B "$1" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release -DWARNINGS_AS_ERRORS=ON -DFUZZING=OFF -DLINT=OFF \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" "${@:2}"
}

# ---- the plugin

configure "$folder/build" -DBUILD_TESTING=OFF
ninja -C "$folder/build" --quiet
dll=$folder/build/plugins/$release/epan/godot.dll
$target-strip "$dll"
# The library's licence is in each page.
grep -aq 'Dan Vanderkam and others' "$dll" && grep -aq 'WITHOUT WARRANTY OF ANY KIND' "$dll" ||
  { echo "the match page has no plots: libjs-dygraphs is missing" >&2; exit 1; }
rm -rf "$folder/plugins"
cp -r "$folder/build/plugins" "$folder/plugins"

rm -rf "$folder/licences"
mkdir "$folder/licences"
for name in enet zlib libzstd; do cp "$folder/sources/$name/LICENSE" "$folder/licences/$name.txt"; done
cp /usr/share/doc/libjs-dygraphs/copyright "$folder/licences/dygraphs.txt"
# Of the compiler and of Windows' C library, what is linked into every program.
cp /usr/share/doc/gcc-mingw-w64-ucrt64-runtime/copyright "$folder/licences/gcc.txt"
cp /usr/share/doc/mingw-w64-ucrt64-dev/copyright "$folder/licences/mingw-w64.txt"

imports=$($target-objdump -p "$dll" | sed -n 's/^\s*DLL Name: //p' | sort -u)
printf '%s imports:\n%s\n' "${dll##*/}" "$imports"
unexpected=$(grep -vixE '(libwireshark|libwsutil|glib-2\.0-0|kernel32|ws2_32|winmm|api-ms-win-crt-.*)\.dll' <<<"$imports" ||
  true)
[ -z "$unexpected" ] || { echo "unexpected: $unexpected" >&2; exit 1; }
exports=$($target-objdump -p "$dll" | awk '
  /\[Ordinal\/Name Pointer\] Table/ { names = 1; next }
  $1 ~ /^\[/ && names { print $NF }
  !NF { names = 0 }' | sort | paste -sd ' ')
[ "$exports" = 'plugin_describe plugin_register plugin_version plugin_want_major plugin_want_minor' ] ||
  { echo "exports: $exports" >&2; exit 1; }

# What the plugin includes of epan, as C, for layouts.py, but for what only Wireshark's own tree has.
{
  echo '#include <epan/packet.h>'
  grep -rhoE '#include <(epan|wsutil)/[^>]*>' "$here/../../plugin" | sort -u | grep -v 'epan/exceptions.h\|epan/show_exception.h' |
    sed -E 's/.*(<.*>)/#if __has_include(\1)\n&\n#endif/'
  echo '#include <epan/exceptions.h>'
} >"$folder/layouts.c"
$target-gcc -E -P -DHAVE_PLUGINS "-I$prefix/include/wireshark" "-I$prefix/include/glib-2.0" "$folder/layouts.c" \
  -o "$folder/layouts.i"

[ $tests = yes ] || exit 0

# ---- the codec's tests

if [ ! -e "$prefix/lib/libgtest.a" ]; then
  cmake -S /usr/src/googletest -B "$folder/googletest" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_GMOCK=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
  ninja -C "$folder/googletest" --quiet install >/dev/null
fi
# They are run by whoever has Windows, or Wine: here, nobody asks the program for its tests.
# This compiler warns of what the tests never do.
configure "$folder/build-tests" -DBUILD_PLUGIN=OFF -DWARNINGS_AS_ERRORS=OFF -DCMAKE_CROSSCOMPILING_EMULATOR=true
ninja -C "$folder/build-tests" --quiet codec_tests
mkdir -p "$folder/tests"
cp "$folder/build-tests/tests/codec_tests.exe" "$folder/tests"
"$here/stubs.sh" "$sdk" "$dll" "$folder/tests"
