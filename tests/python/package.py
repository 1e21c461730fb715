# SPDX-License-Identifier: BSD-3-Clause
"""The tests of the Python package, python/tests, on the library just built:

    package.py REPOSITORY [--part I/N] [PYTEST OPTIONS]

--part: a share of the files, without that of the type checkers.
RUNG_LIBRARY and RUNG_COMMAND tell where things are. Skipped (77) where pytest or what the package needs
is not installed; tools/setup install test installs it."""

import importlib.util
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import part  # noqa: E402

some, share = "--part" in sys.argv, part.take(sys.argv)
root = os.path.abspath(sys.argv[1])
missing = [name for name in ("cffi", "numpy", "pandas", "pytest", "sklearn") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} has no {', '.join(missing)}")
    sys.exit(77)
environment = dict(os.environ, PYTHONPATH=os.path.join(root, "python"), PYTHONDONTWRITEBYTECODE="1")
options = sys.argv[2:] or [os.path.join(root, "python", "tests")]
if some:
    files = (name for name in sorted(os.listdir(options[0])) if name.startswith("test_") and name != "test_types.py")
    options = [os.path.join(options[0], name) for name in share(files)]
command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", root, *options]
sys.exit(subprocess.run(command, env=environment, cwd=root).returncode)
