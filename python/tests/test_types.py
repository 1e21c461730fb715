# SPDX-License-Identifier: BSD-3-Clause
"""Type checkers see the package as it is: they accept a project that uses it, and find mistakes."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import rung
from rung import _stubs

TYPED = pathlib.Path(__file__).with_name("typed")
PACKAGE = pathlib.Path(rung.__file__).parent
INSTALLED = PACKAGE.parent.name == "site-packages"
MISTAKES = [n for n, line in enumerate((TYPED / "mistakes.py").read_text().splitlines(), 1) if line.endswith("# wrong")]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    if not INSTALLED:  # the sources have no methods.pyi; the build of a wheel makes it
        _stubs.write(PACKAGE / "methods.pyi")
    os.environ["MYPY_CACHE_DIR"] = str(tmp_path_factory.mktemp("mypy"))


def run(tool, *words):
    if importlib.util.find_spec(tool.partition(".")[0]) is None:
        pytest.skip(f"there is no {tool}")
    environment = dict(os.environ)
    if not INSTALLED:
        environment["PYTHONPATH"] = str(PACKAGE.parent)
    done = subprocess.run(
        [sys.executable, "-m", tool, *map(str, words)], capture_output=True, text=True, env=environment, cwd=TYPED
    )
    return done.returncode, done.stdout + done.stderr


def mypy(*words):
    # untyped imports: scikit-learn and cffi have no types
    return run("mypy", "--disable-error-code", "import-untyped", *words)


def test_mypy():
    _, told = mypy("--strict", "project.py", "mistakes.py")
    found = re.findall(r"^(\w+\.py):(\d+): error", told, re.MULTILINE)
    assert found == [("mistakes.py", str(line)) for line in MISTAKES], told


def test_mypy_within_the_package():
    status, told = mypy("-p", "rung")
    assert status == 0, told


def test_stub_is_true(tmp_path):
    (tmp_path / "mypy.ini").write_text("[mypy]\ndisable_error_code = import-untyped\n")
    made_by_sklearn = tmp_path / "allowed"
    made_by_sklearn.write_text(r"rung\.methods\..*\.set_\w+_request" + "\n")
    options = "--mypy-config-file", tmp_path / "mypy.ini", "--allowlist", made_by_sklearn
    status, told = run("mypy.stubtest", "rung.methods", *options)
    assert status == 0, told


def test_pyright(tmp_path):
    settings = {
        "include": [str(TYPED)],
        "typeCheckingMode": "standard",
        "extraPaths": [str(PACKAGE.parent)],
        "pythonVersion": "3.10",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    _, told = run("basedpyright", "-p", tmp_path, "--pythonpath", sys.executable, "--outputjson")
    found = [
        (pathlib.Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in json.loads(told)["generalDiagnostics"]
        if one["severity"] == "error"
    ]
    assert sorted(set(found)) == [("mistakes.py", line) for line in MISTAKES]
