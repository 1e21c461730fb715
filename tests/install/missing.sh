#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where something is missing, CMake names the Debian package, and make names the one command to run and runs nothing.
# usage: missing.sh SOURCE CC
set -eu
source=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() { echo "FAIL: $*"; [ ! -f "$work/log" ] || cat "$work/log"; exit 1; }

# A pkg-config that does not know the modules in $without.
mkdir "$work/bin"
cat >"$work/bin/pkg-config" <<EOF
#!/bin/sh
for module in \$without; do case " \$* " in *" \$module "*) exit 1 ;; esac; done
exec $(command -v pkg-config) "\$@"
EOF
chmod +x "$work/bin/pkg-config"
configure() { # WITHOUT OPTION...
    without=$1
    export without
    shift
    # As for the first time, but for what CMake has found out of the compiler, which takes longer than all else.
    [ ! -d "$work/build" ] || find "$work/build" -mindepth 1 ! -path "$work/build/CMakeFiles" \
        ! -path "$work/build/CMakeFiles/[0-9]*" -delete
    cmake -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DPKG_CONFIG_EXECUTABLE="$work/bin/pkg-config" \
        "$@" >"$work/log" 2>&1
}
refused() { # PACKAGES WITHOUT OPTION...: configuring fails and asks for just these packages
    packages=$1
    shift
    echo "== without $packages"
    if configure "$@"; then bad "configured without $packages"; fi
    grep -qxF "    apt-get install $packages" "$work/log" || bad "the error does not ask for $packages"
}
off=-DBUILD_TESTING=OFF
no=-DCMAKE_DISABLE_FIND_PACKAGE_
openmp=gcc
case $("$cc" --version) in *clang*) openmp=libomp-dev ;; esac
refused "pkg-config libjansson-dev libcairo2-dev libsqlite3-dev" "" $off ${no}PkgConfig=ON
refused libopenblas-dev "" $off ${no}LAPACK=ON
refused liblapacke-dev "" $off -DLAPACKE_LIBRARY=OFF
refused libjansson-dev jansson $off
refused zlib1g-dev "" $off ${no}ZLIB=ON
refused $openmp "" $off ${no}OpenMP=ON
refused libcairo2-dev cairo $off
refused libsqlite3-dev sqlite3 $off
refused "libjansson-dev zlib1g-dev libsqlite3-dev libcmocka-dev" "jansson sqlite3 cmocka" -DBUILD_TESTING=ON \
    ${no}ZLIB=ON

echo "== the tests are built where they can be, unless asked for"
configure "" || bad "not configured with everything there"
[ -d "$work/build/tests" ] || bad "the tests are off"
configure cmocka || bad "not configured without cmocka"
[ ! -d "$work/build/tests" ] || bad "the tests are on without cmocka"
refused libcmocka-dev cmocka -DBUILD_TESTING=ON

echo "== libmicrohttpd is optional"
configure libmicrohttpd $off || bad "not configured without libmicrohttpd"
grep -q 'they need libmicrohttpd (Debian: libmicrohttpd-dev)' "$work/log" || bad "the package is not named"

echo "== so are the readers of statistics programs and workbooks"
configure "libzip expat" $off -DREADSTAT_LIBRARY=OFF || bad "not configured without ReadStat, libzip and expat"
grep -q 'they need ReadStat (Debian: libreadstat-dev)' "$work/log" || bad "ReadStat is not named"
grep -q 'they need libzip and expat (Debian: libzip-dev libexpat1-dev)' "$work/log" || bad "libzip is not named"

echo "== BUILD_SHARED_LIBS=OFF"
configure "" $off -DBUILD_SHARED_LIBS=OFF || bad "not configured"
grep -q 'INTERFACE_LINK_LIBRARIES rung::static' "$work/build/rungConfig.cmake" ||
    bad "rung::rung is not the static library"
if grep -F 'librung.so' "$work/build/cmake_install.cmake"; then bad "the shared library is installed"; fi

echo "== make and make install ask for packages, and call neither sudo nor apt-get nor CMake"
mkdir -p "$work/tree/tools" "$work/bare"
cp "$source/Makefile" "$work/tree"
cp "$source/tools/setup" "$work/tree/tools"
for program in sudo apt-get cmake; do
    printf '#!/bin/sh\necho %s >>"%s"\n' $program "$work/called" >"$work/bare/$program"
done
printf '#!/bin/sh\nexit 1\n' >"$work/bare/dpkg-query" # nothing is installed
chmod +x "$work/bare"/*
for target in all install; do
    if PATH=$work/bare:$PATH make -C "$work/tree" $target >"$work/log" 2>&1; then bad "make $target goes on"; fi
    [ ! -f "$work/called" ] || bad "make $target calls $(cat "$work/called")"
    [ "$(grep -c 'apt-get install.* libopenblas-dev .*libcairo2-dev' "$work/log")" = 1 ] ||
        bad "make $target does not tell"
done
echo "missing packages: named"
