# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034 # variables for those who source it
# Sourced by the tests beside it: installs the build $1 into a temporary folder, then moves it, as one may.
# Sets work (removed at the end), prefix, lib, header, version and PKG_CONFIG_PATH.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() { echo "FAIL: $*"; exit 1; }

cmake --install "$1" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; bad "cmake --install"; }
mv "$work/first" "$work/prefix"
prefix=$work/prefix
header=$prefix/include/rung/rung.h
version=$(sed -n 's/^#define RUNG_VERSION "\(.*\)".*/\1/p' "$header")
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name rung.pc)")
export PKG_CONFIG_PATH
lib=$(dirname "$PKG_CONFIG_PATH")
