#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a wheel (tools/wheel.sh) and installs it into clean virtual environments: one for every version of Python that
# is there, in which it must work without libraries of the system. In the first one it runs the package's tests and the
# tutorial notebook.
# usage: wheel.sh REPOSITORY RUNG PYTHON...      RUNG: the command to compare with; PYTHON: any from 3.10 on
# Fetches from PyPI what the package and its tests need.
set -euo pipefail
root=$(cd "$1" && pwd) rung=$2
shift 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset RUNG_LIBRARY PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

"$root/tools/wheel.sh" "$place/dist"
wheel=$(ls "$place"/dist/rung-*.whl)
cp -r "$root/python/tests" "$place/tests"
cd "$place"
for python in "$@"; do
    "$python" -m venv clean
    clean/bin/pip install --quiet "$wheel"
    clean/bin/python "$root/tests/python/selfcontained.py"
    [ -e tested ] || { # the first
        touch tested
        clean/bin/pip install --quiet "$wheel[test]" nbclient ipykernel
        RUNG_COMMAND=$rung RUNG_GOLDEN=$root/tests/golden/cases clean/bin/python -m pytest -q -p no:cacheprovider tests
        clean/bin/python "$root/tests/python/notebook.py" "$root/examples/few_labels.ipynb"
    }
    rm -rf clean
done
