# SPDX-License-Identifier: MIT
# Sourced, after common.sh, by the scripts that need another Debian release, or a clean one. Needs root.
#
# A chroot is a folder outside of the repository. debootstrap makes it once, from the mirror that this machine's apt
# uses; then it needs no network. To update the release, remove its folder. Commands run in separate namespaces, so that
# no mount and no process remains.

chroots=${GODOT_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/godot-wireshark}

# Packages to build the tests and the Debian packages in these releases.
build_packages=(g++ clang libclang-rt-dev ccache cmake ninja-build pkg-config libgtest-dev libwireshark-dev
  wireshark-dev libwiretap-dev libwsutil-dev libglib2.0-dev libenet-dev libzstd-dev zlib1g-dev libjs-dygraphs tshark wireshark-common godot3-server
  dpkg-dev lintian)

# If this machine lacks a prerequisite, the sources are not at fault: ctest reports this exit code as "skipped".
unavailable() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 77; }

debian_mirror() {
  local codename mirror
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" 'Component: main' |
    head -n 1)
  [ -n "$mirror" ] || unavailable "apt knows no mirror of $codename"
  echo "$mirror"
}

# chroot_make SUITE: makes the release's chroot with debootstrap, unless it exists.
chroot_make() {
  local suite=$1 base=$chroots/$1/base mirror
  [ "$(id -u)" = 0 ] || unavailable "needs root"
  mkdir -p "$chroots/$suite/archives"
  exec {chroot_lock}>"$chroots/$suite/lock"
  flock "$chroot_lock"
  if [ ! -e "$base/.complete" ]; then
    need debootstrap debian-archive-keyring
    mirror=$(debian_mirror)
    say "Making a chroot of Debian $suite in $base"
    rm -rf "$base"
    debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$base" "$mirror" \
      >"$chroots/$suite/debootstrap.log" 2>&1 ||
      { tail -n 5 "$chroots/$suite/debootstrap.log" >&2; unavailable "debootstrap of $suite failed"; }
    echo "deb-src $mirror $suite main" >>"$base/etc/apt/sources.list"
    # Copies this machine's settings, such as a proxy, or permission to use a mirror with expired lists.
    apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$base/etc/apt/apt.conf.d/90machine" || true
    printf '%s\n' 'APT::Install-Recommends "false";' 'APT::Sandbox::User "root";' 'Acquire::Languages "none";' \
      'DPkg::Options:: "--force-unsafe-io";' >"$base/etc/apt/apt.conf.d/91chroot"
    touch "$base/.complete"
  fi
  exec {chroot_lock}>&-
}

# chroot_run SUITE LAYER COMMAND ...
#
# Runs a command in the release. LAYER keeps the changes that the command makes; the layer `fresh` is discarded
# afterwards. The repository is mounted read-only on /repo, and $chroots/SUITE/LAYER.shared on /shared.
chroot_run() {
  local suite=$1 layer=$2; shift 2
  mkdir -p "$chroots/$suite/root" "$chroots/$suite/$layer".{changes,work,shared} "$chroots/ccache"
  cp -f /etc/resolv.conf /etc/hosts "$chroots/$suite/$layer.shared"
  # shellcheck disable=SC2016
  flock "$chroots/$suite/$layer.lock" unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    folder=$1 layer=$2 repo=$3 ccache=$4; shift 4
    root=$folder/root
    if [ "$layer" = fresh ]; then
      mount -t tmpfs tmpfs "$folder/fresh.work"
      mkdir "$folder/fresh.work"/{changes,work}
      mount -t overlay overlay "$root" \
        -o "lowerdir=$folder/base,upperdir=$folder/fresh.work/changes,workdir=$folder/fresh.work/work"
    else
      mount -t overlay overlay "$root" \
        -o "lowerdir=$folder/base,upperdir=$folder/$layer.changes,workdir=$folder/$layer.work"
    fi
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mkdir -p "$root"/{repo,shared,ccache}
    mount --bind -o ro "$repo" "$root/repo"
    mount --bind "$folder/$layer.shared" "$root/shared"
    mount --bind "$folder/archives" "$root/var/cache/apt/archives"
    mount --bind "$ccache" "$root/ccache"
    cp -f "$root/shared/resolv.conf" "$root/shared/hosts" "$root/etc"
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive "$@"
  ' chroot "$chroots/$suite" "$layer" "$repo" "$chroots/ccache" "$@"
}

# chroot_install SUITE LAYER PACKAGE ...: installs packages in a kept layer; does nothing if they are installed.
chroot_install() {
  local suite=$1 layer=$2; shift 2
  local log=$chroots/$suite/$layer.log
  chroot_make "$suite"
  [ "$(cat "$chroots/$suite/$layer.packages" 2>/dev/null)" != "$*" ] || return 0
  say "Installing in the chroot $suite: $*"
  { chroot_run "$suite" "$layer" apt-get update -qq && chroot_run "$suite" "$layer" apt-get install -y -qq "$@"; } \
    >"$log" 2>&1 || { tail -n 5 "$log" >&2; unavailable "cannot install the packages in $suite"; }
  echo "$*" >"$chroots/$suite/$layer.packages"
}
