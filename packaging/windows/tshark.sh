#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tshark.sh FOLDER
#
# Builds tshark.exe and editcap.exe for 64-bit Windows into FOLDER/wireshark, to try a plugin in, from the package sources
# of the Debian release that this runs in (Debian 13 or later). It has no window, no Lua, of the libraries that Wireshark
# can use those that it cannot do without, nghttp2 and zlib, and of Wireshark's own dissectors those below: all 1,700 take hours. What
# is done stays done: after an interruption it goes on where it was.
#
# Needs bison, cmake, dpkg-dev, flex, g++-mingw-w64-ucrt64, lemon, libgcrypt-mingw-w64-dev, meson, ninja-build, perl,
# pkg-config, python3, xz-utils, package sources (deb-src). ccache is used where it is there.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(realpath "$1")
target=x86_64-w64-mingw32ucrt
debian=/usr/x86_64-w64-mingw32 # Debian's libraries for Windows
prefix=$folder/prefix
sources=$folder/sources
jobs=$(nproc)
launcher=$(command -v ccache || true)
mkdir -p "$prefix"/{bin,include,lib/pkgconfig} "$sources"

# What carries Godot's traffic in the captures, what these carry besides or a mutated one is taken for, and some that Wireshark cannot start without:
# it takes for granted that there are a postdissector (communityid), a table of statistics (dhcp), one of response times
# (mgcp, snmp), and what rtp looks for (rtp-events, v150fw).
dissectors='arp ber communityid coseventcomm data dhcp dns dtls eth ethertype frame hipercontracer http http2 icmp icmpv6 ip
  ipv6 jpeg json media media-type mgcp null ocsp per pkcs1 png raw rtcdc rtcp rtp rtp-events rtsp sctp sll snmp stun tcp text-media tls
  tls-utils udp urlencoded v150fw websocket wireguard x11 x509af x509ce x509if x509sat'

log=
trap '[ -z "$log" ] || { tail -n 20 "$log"; echo "failed: $log"; } >&2' EXIT

# step NAME FUNCTION: once
step() {
  [ ! -e "$folder/.$1" ] || return 0
  printf '%s %s\n' "$(date +%T)" "$1"
  log=$folder/$1.log
  "$2" >"$log" 2>&1
  touch "$folder/.$1"
  log=
}

package_file() { # NAME VERSION LIBRARIES
  printf '%s\n' "libdir=$prefix/lib" "Name: $1" "Description: $1" "Version: $2" "Cflags: -I$prefix/include" "Libs: -L$prefix/lib ${*:3}" \
    >"$prefix/lib/pkgconfig/$1.pc"
}

fetch() {
  cd "$sources"
  rm -rf ./*
  apt-get -qq -o APT::Sandbox::User=root source --download-only --tar-only wireshark glib2.0 c-ares nghttp2 pcre2 xxhash zlib
  local archive
  for archive in *.orig.tar.*; do
    mkdir "${archive%%_*}"
    tar -xf "$archive" -C "${archive%%_*}" --strip-components 1
    rm "$archive"
  done
}

zlib() {
  cd "$sources/zlib"
  CC="$launcher $target-gcc" AR=$target-ar RANLIB=$target-ranlib CFLAGS=-O2 ./configure --static --prefix="$prefix"
  make -j "$jobs" install
}

pcre2() {
  cmake -S "$sources/pcre2" -B "$folder/build-pcre2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF -DCMAKE_C_COMPILER_LAUNCHER="$launcher"
  ninja -C "$folder/build-pcre2" -j "$jobs" install
}

# It brings what configure would find out of Windows: config-win32.h.
c_ares() {
  local objects=$folder/build-c-ares c_ares=$sources/c-ares
  rm -rf "$objects"
  mkdir -p "$objects"
  cd "$objects"
  find "$c_ares/src/lib" -name '*.c' -print0 | xargs -0 -P "$jobs" -n 4 $launcher $target-gcc -c -O1 -w -DCARES_STATICLIB \
    -DCARES_BUILDING_LIBRARY -D_WIN32_WINNT=0x0602 -I"$c_ares/include" -I"$c_ares/src/lib" -I"$c_ares/src/lib/include"
  rm -f "$prefix/lib/libcares.a"
  $target-ar rcs "$prefix/lib/libcares.a" ./*.o
  cp "$c_ares"/include/*.h "$prefix/include"
}

# HTTP/2's compression of headers.
nghttp2() {
  cmake -S "$sources/nghttp2" -B "$folder/build-nghttp2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DENABLE_LIB_ONLY=ON -DENABLE_DOC=OFF -DBUILD_TESTING=OFF \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DCMAKE_C_COMPILER_LAUNCHER="$launcher"
  ninja -C "$folder/build-nghttp2" -j "$jobs" install
}

# Wireshark 4.6 needs it.
xxhash() {
  $target-gcc -c -O2 -o "$folder/xxhash.o" "$sources/xxhash/xxhash.c"
  rm -f "$prefix/lib/libxxhash.a"
  $target-ar rcs "$prefix/lib/libxxhash.a" "$folder/xxhash.o"
  cp "$sources/xxhash/xxhash.h" "$prefix/include"
}

# Debian's DLLs for Windows.
gcrypt() {
  cp "$debian"/include/{gcrypt,gpg-error}.h "$prefix/include"
  cp "$debian"/lib/{libgcrypt,libgpg-error}.dll.a "$prefix/lib"
  find "$debian/bin" "$debian/lib" \( -name 'libgcrypt*.dll' -o -name 'libgpg-error*.dll' \) -exec cp {} "$prefix/bin" \;
}

# GLib without GObject and GIO, which alone need libffi; its texts are not translated. Windows' own Wireshark has GLib's
# libraries without "lib" in front of their names, and so asks godot.dll for them.
glib() {
  cat >"$prefix/include/libintl.h" <<'END'
#pragma once
static inline char *gettext(const char *text) { return (char *)text; }
static inline char *dgettext(const char *domain, const char *text) { return (char *)text; }
static inline char *dcgettext(const char *domain, const char *text, int category) { return (char *)text; }
static inline char *ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }
static inline char *dngettext(const char *domain, const char *one, const char *many, unsigned long n) {
  return (char *)(n == 1 ? one : many);
}
static inline char *textdomain(const char *domain) { return (char *)domain; }
static inline char *bindtextdomain(const char *domain, const char *folder) { return (char *)folder; }
static inline char *bind_textdomain_codeset(const char *domain, const char *codeset) { return (char *)codeset; }
END
  package_file libffi 3.4
  cat >"$folder/meson.txt" <<END
[binaries]
c = [$([ -z "$launcher" ] || echo "'$launcher', ")'$target-gcc']
cpp = [$([ -z "$launcher" ] || echo "'$launcher', ")'$target-g++']
ar = '$target-ar'
strip = '$target-strip'
windres = '$target-windres'
pkg-config = 'pkg-config'
[built-in options]
c_args = ['-I$prefix/include', '-DPCRE2_STATIC']
cpp_args = ['-I$prefix/include']
c_link_args = ['-L$prefix/lib', '-static-libgcc']
[properties]
# What Meson would find out by compiling thirty programs.
AF_UNIX = 1
AF_INET = 2
AF_INET6 = 23
MSG_OOB = 1
MSG_PEEK = 2
MSG_DONTROUTE = 4
pkg_config_libdir = '$prefix/lib/pkgconfig'
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
END
  local source=$sources/glib2.0
  sed -i "/^  name_prefix/d; s/^  version : library_version,/  name_prefix : '',\n&/" "$source"/{glib,gmodule,gthread}/meson.build
  sed -i -e "/^subdir('\(gobject\|gio\|girepository\|fuzzing\|docs\/reference\)')/d" \
    -e 's/cc.compute_int(d\[0\], prefix: inet_includes)/meson.get_external_property(d[0])/' "$source/meson.build"
  rm -rf "$folder/build-glib"
  meson setup "$folder/build-glib" "$sources/glib2.0" --cross-file "$folder/meson.txt" --prefix "$prefix" \
    --buildtype release --wrap-mode nofallback -Dtests=false -Dintrospection=disabled -Dnls=disabled
  cd "$folder/build-glib"
  ninja -j "$jobs" {glib/glib,gmodule/gmodule,gthread/gthread}-2.0-0.dll
  cp {glib/glib,gmodule/gmodule,gthread/gthread}-2.0-0.dll "$prefix/bin"
  local module
  for module in glib gmodule gthread; do
    cp $module/*$module-2.0.dll.a "$prefix/lib/lib$module-2.0.dll.a"
    package_file "$module-2.0" "$(sed -n "s/^ *version *: '\([0-9.]*\)',$/\1/p" "$sources/glib2.0/meson.build" | head -n 1)" \
      "-l$module-2.0"
  done
  mkdir -p "$prefix/include/glib-2.0" "$prefix/lib/glib-2.0/include"
  local header
  (cd "$sources/glib2.0" && find glib gmodule -name '*.h' && cd "$folder/build-glib" && find glib gmodule -name '*.h') |
    sort -u | while read -r header; do
      install -D -m 644 "$([ -e "$header" ] && echo "$header" || echo "$sources/glib2.0/$header")" \
        "$prefix/include/glib-2.0/$header"
    done
  cp "$prefix"/include/glib-2.0/gmodule/*.h "$prefix/include/glib-2.0"
  cp "$prefix"/include/glib-2.0/glib/{glib,glib-unix,glib-object}.h "$prefix/include/glib-2.0" 2>/dev/null || true
  cp glib/glibconfig.h "$prefix/lib/glib-2.0/include"
}

# Statistics of protocols that are left out.
taps='camelsrt diameter-avp gsm_astat httpstat icmpstat icmpv6stat macltestat rlcltestat rpcprogs rtp rtspstat sctpchunkstat
  sipstat smbsids sv voip wspstat'

# Nothing of Wireshark's own is measured: it is compiled for speed of compiling, and without the sixty warnings whose
# names are tried on the compiler before.
wireshark() {
  local list=$sources/wireshark/epan/dissectors/CMakeLists.txt
  [ -e "$list.all" ] || cp "$list" "$list.all"
  # shellcheck disable=SC2086
  awk -v names="$(echo $dissectors)" '
    BEGIN { count = split(names, name, " "); for (i = 1; i <= count; i++) kept["packet-" name[i] ".c"] = kept["file-" name[i] ".c"] = 1 }
    /^set\(/ { in_list = 1 }
    /^\)/ { in_list = 0 }
    in_list && /^[ \t]+.*\/(packet|file)-[^ \/]*\.c$/ { file = $0; sub(/.*\//, "", file); if (!(file in kept)) next }
    { print }' "$list.all" >"$list"
  # shellcheck disable=SC2086
  sed -i "$(printf '/ui\/cli\/tap-%s\.c$/d;' $taps)" "$sources/wireshark/CMakeLists.txt"
  sed -i 's/^foreach(THIS_FLAG \${WIRESHARK_COMMON_FLAGS} .*/foreach(THIS_FLAG)/' "$sources/wireshark/CMakeLists.txt"
  export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
  cmake -S "$sources/wireshark" -B "$folder/build-wireshark" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS='-w -DPCRE2_STATIC -DCARES_STATICLIB -DNGHTTP2_STATICLIB' -DCMAKE_CXX_FLAGS=-w \
    -DCMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' -DCMAKE_CXX_FLAGS_RELEASE='-O0 -DNDEBUG' \
    -DCMAKE_SHARED_LINKER_FLAGS= -DCMAKE_C_STANDARD_LIBRARIES='-lws2_32 -liphlpapi -lwinmm -lole32 -luuid' \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH -DUSE_REPOSITORY=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_Git=ON \
    -DBUILD_wireshark=OFF -DBUILD_sharkd=OFF -DBUILD_rawshark=OFF -DBUILD_randpkt=OFF -DBUILD_dftest=OFF \
    -DBUILD_androiddump=OFF -DBUILD_sshdump=OFF -DBUILD_ciscodump=OFF -DBUILD_dpauxmon=OFF -DBUILD_randpktdump=OFF \
    -DBUILD_wifidump=OFF -DBUILD_udpdump=OFF -DBUILD_mmdbresolve=OFF -DBUILD_dumpcap=OFF -DBUILD_stratoshark=OFF \
    -DBUILD_strato=OFF -DENABLE_PCAP=OFF -DENABLE_LUA=OFF -DENABLE_GNUTLS=OFF -DENABLE_ZLIBNG=OFF -DENABLE_MINIZIP=OFF \
    -DENABLE_MINIZIPNG=OFF -DENABLE_LZ4=OFF -DENABLE_BROTLI=OFF -DENABLE_SNAPPY=OFF -DENABLE_ZSTD=OFF \
    -DENABLE_NGHTTP3=OFF -DENABLE_SMI=OFF -DENABLE_KERBEROS=OFF -DENABLE_SBC=OFF \
    -DENABLE_SPANDSP=OFF -DENABLE_BCG729=OFF -DENABLE_AMRNB=OFF -DENABLE_ILBC=OFF -DENABLE_LIBXML2=OFF \
    -DENABLE_OPUS=OFF -DENABLE_SINSP=OFF
  ninja -C "$folder/build-wireshark" -j "$jobs" wsutil wiretap
  left_out
  ninja -C "$folder/build-wireshark" -j "$jobs" tshark editcap copy_data_files
}

# Dissectors that are kept name functions and tables of ones that are not. The linker lists them; here each function
# returns 0, and each table is empty.
left_out() {
  local build=$folder/build-wireshark name
  ninja -C "$build" -j "$jobs" epan >"$folder/left_out.log" 2>&1 || true
  sed -n "s/.*undefined reference to [\`']\([A-Za-z0-9_]*\)'.*/\1/p" "$folder/left_out.log" | sort -u >"$folder/left_out.txt"
  while read -r name; do
    if grep -rqE "\b$name *\(" --include='*.h' "$sources/wireshark"; then
      echo "long long $name(void) { return 0; }"
    else
      echo "long long $name[1024];"
    fi
  done <"$folder/left_out.txt" >"$folder/left_out.c"
  cat "$folder/left_out.c"
  $target-gcc -w -c -o "$folder/left_out.o" "$folder/left_out.c"
  cmake -S "$sources/wireshark" -B "$build" -DCMAKE_SHARED_LINKER_FLAGS="$folder/left_out.o"
}

collect() {
  rm -rf "$folder/wireshark"
  cp -r "$folder/build-wireshark/run" "$folder/wireshark"
  cp "$prefix"/bin/*.dll "$($target-gcc -print-file-name=libgcc_s_seh-1.dll)" /usr/$target/lib/libwinpthread-1.dll \
    "$folder/wireshark"
  find "$folder/wireshark" \( -name '*.exe' -o -name '*.dll' \) -exec $target-strip {} \;
}

step fetch fetch
step zlib zlib
step pcre2 pcre2
step c-ares c_ares
step nghttp2 nghttp2
step xxhash xxhash
step gcrypt gcrypt
step glib glib
step wireshark wireshark
step collect collect
