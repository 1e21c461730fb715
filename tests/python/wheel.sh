#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a wheel, installs it into a clean virtual environment, runs the package's tests and the tutorial notebook there.
# usage: wheel.sh REPOSITORY PYTHON RUNG      PYTHON: any Python from 3.10 on; RUNG: the command to compare with
# Fetches from PyPI what the package and its tests need.
set -euo pipefail
root=$(cd "$1" && pwd) python=$2 rung=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset RUNG_LIBRARY PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

"$python" -m venv "$place/build" "$place/clean"
"$place/build/bin/pip" install --quiet build
"$place/build/bin/python" -m build --quiet --outdir "$place/dist" "$root" # a source distribution, and from that a wheel
"$place/clean/bin/pip" install --quiet "$(ls "$place"/dist/rung-*.whl)[test]" nbclient ipykernel
cp -r "$root/python/tests" "$place/tests"
cd "$place"
clean=$place/clean/bin/python
"$clean" -c 'import rung, sys; print("rung", rung.__version__, rung.__file__); sys.exit(not rung.__file__.startswith(sys.prefix))'
RUNG_COMMAND=$rung RUNG_GOLDEN=$root/tests/golden/cases "$clean" -m pytest -q -p no:cacheprovider tests
"$clean" "$root/tests/python/notebook.py" "$root/examples/few_labels.ipynb"
