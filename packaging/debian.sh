#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages (rung, librung0, librung-dev, python3-rung) from a clean export of the last commit, and checks
# them with lintian. usage: debian.sh [FOLDER]      default: build/debian
set -eu
cd "$(dirname "$0")/.."
folder=$(mkdir -p "${1:-build/debian}" && cd "${1:-build/debian}" && pwd)
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' debian/changelog)
rm -rf "$folder"/*
git archive --prefix="rung-$version/" HEAD -- . ':!debian' | gzip -n >"$folder/rung_$version.orig.tar.gz"
tar -xzf "$folder/rung_$version.orig.tar.gz" -C "$folder"
git archive --prefix="rung-$version/" HEAD debian | tar -x -C "$folder"
cd "$folder/rung-$version"
dpkg-buildpackage -us -uc
cd ..
# The bug that announces a new package to Debian is opened by whoever uploads it.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs rung_*.changes
ls -l ./*.deb
