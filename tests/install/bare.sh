#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every target of the Makefile does its own set-up when it is the first thing run on a bare Debian: minimal systems that
# have the sources, git and make, and nothing else. Each target gets a fresh one, made by debootstrap from the mirrors
# that apt uses here. Its output is in FOLDER/TARGET.log. With CCACHE_DIR in the environment they share that cache of
# compiled files, and ccache is the one program more that they have.
# usage: bare.sh [-f FOLDER] [TARGET]...      default: build/bare, and every target but test-long
# exit 77: not on Debian, not root, without debootstrap, or where mounts are not allowed
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
skip() {
    echo "bare: skipped: $1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "only root makes systems"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
if [ -z "${RUNG_BARE-}" ]; then # mounts of a namespace of its own end with it
    unshare --mount --propagation private true 2>/dev/null || skip "mounts are not allowed"
    RUNG_BARE=1 exec unshare --mount --propagation private "$0" "$@"
fi
folder=$here/build/bare
if [ "${1-}" = -f ]; then
    folder=$2
    shift 2
fi
[ $# -gt 0 ] || set -- all demo check figures test test-r test-octave deb wheel mpi fuzz tsan format lint coverage bench
mkdir -p "$folder/archives/partial"
folder=$(cd "$folder" && pwd)
base=$folder/base system=$folder/system

# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
# shellcheck disable=SC2016 # fields of apt
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 2>/dev/null |
    awk -v name="$codename" '$2 == name && $3 == "main" { print $1; exit }')
[ -n "$mirror" ] || skip "apt has no mirror of this release"

make_base() {
    cp -n /var/cache/apt/archives/*.deb "$folder/archives/" 2>/dev/null # what is here need not be fetched again
    rm -rf "$base"
    debootstrap --variant=minbase --cache-dir="$folder/archives" "$codename" "$base.new" "$mirror" || return
    cp -a /etc/apt/sources.list /etc/apt/sources.list.d "$base.new/etc/apt/" 2>/dev/null
    cp -an /usr/share/keyrings/. "$base.new/usr/share/keyrings/"
    cp -a /etc/apt/trusted.gpg.d /etc/apt/auth.conf.d "$base.new/etc/apt/" 2>/dev/null
    apt-config dump | grep -E '^Acquire::(http|https)::' >"$base.new/etc/apt/apt.conf.d/90mirror"
    cp /etc/resolv.conf /etc/hosts "$base.new/etc/"
    inside "$base.new" apt-get update -q &&
        inside "$base.new" apt-get install -y -q --no-install-recommends make git ${CCACHE_DIR:+ccache} &&
        git clone -q --depth 1 "file://$here" "$base.new/rung" && mv "$base.new" "$base"
}

# The words of pip, such as where it finds packages, are those of this machine. inside ROOT COMMAND...
inside() {
    local root=$1
    shift
    # shellcheck disable=SC2046 # words
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        $(env | grep -iE '^(PIP_[a-z_]*|[a-z]*_proxy)=[^ ]*$') ${PIP_CERT:+PIP_CERT=/certificates} \
        ${CCACHE_DIR:+CCACHE_DIR=/ccache CCACHE_BASEDIR=/rung CCACHE_NOHASHDIR=1 CMAKE_C_COMPILER_LAUNCHER=ccache} \
        chroot "$root" "$@"
}

# A copy of the base, with the few things that a running system has.
make_system() {
    local place
    for place in "$system"/{proc,dev,ccache,var/cache/apt/archives}; do umount -l "$place" 2>/dev/null; done
    [ -z "${PIP_FIND_LINKS-}" ] || umount -l "$system$PIP_FIND_LINKS" 2>/dev/null
    rm -rf --one-file-system "$system"
    cp -a "$base" "$system" || return
    mount -t proc proc "$system/proc" && mount --rbind /dev "$system/dev" || return
    mount --bind "$folder/archives" "$system/var/cache/apt/archives"
    if [ -n "${CCACHE_DIR-}" ]; then mkdir -p "$system/ccache" && mount --bind "$CCACHE_DIR" "$system/ccache"; fi
    if [ -d "${PIP_FIND_LINKS-}" ]; then
        mkdir -p "$system$PIP_FIND_LINKS" && mount --bind -o ro "$PIP_FIND_LINKS" "$system$PIP_FIND_LINKS"
    fi
    [ ! -f "${PIP_CERT-}" ] || cp -L "$PIP_CERT" "$system/certificates"
}

[ -d "$base" ] || make_base >"$folder/base.log" 2>&1 || {
    tail -5 "$folder/base.log"
    echo "bare: no base system can be made"
    exit 1
}
git -C "$here" bundle create -q "$folder/tree" HEAD
passed=0 failed=0
for target in "$@"; do
    make_system || exit
    cp "$folder/tree" "$system/tree"
    inside "$system" sh -c 'cd /rung && git fetch -q /tree HEAD && git reset -q --hard FETCH_HEAD' || exit
    before=()
    case $target in # these say what they need instead of installing it
    all | install | figures) before=(tools/setup install build \&\&) ;;
    esac
    if inside "$system" sh -c "cd /rung && ${before[*]} make $target SECONDS=10" >"$folder/$target.log" 2>&1; then
        echo "make $target: works"
        passed=$((passed + 1))
    else
        echo "make $target: fails"
        tail -15 "$folder/$target.log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
