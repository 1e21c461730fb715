# SPDX-License-Identifier: BSD-3-Clause
import ast
import doctest
import pathlib
import subprocess
import sys

import rung
from rung import _binding, _stubs


def test_stub_is_that_of_the_table(tmp_path):
    """Made without the package, NumPy and scikit-learn, as the build of a wheel does it; installed, it is there."""
    path, here = tmp_path / "methods.pyi", pathlib.Path(rung.__file__).parent
    block = "import sys, runpy; sys.modules.update(numpy=None, sklearn=None); sys.argv[1:] = sys.argv[2:]; "
    make = block + f"runpy.run_path({str(here / '_stubs.py')!r}, run_name='__main__')"
    subprocess.run([sys.executable, "-c", make, "_", path], check=True)
    ast.parse(path.read_text())
    assert path.read_text() == _stubs.stub()
    if here.parent.name == "site-packages":
        assert (here / "methods.pyi").read_text() == _stubs.stub()


def test_examples_in_the_docstrings():
    for module in (rung, rung.metrics):
        assert doctest.testmod(module, extraglobs={"rung": rung}).failed == 0


def test_everything_is_exported():
    for name in rung.__all__:
        assert getattr(rung, name) is not None
    assert rung.__version__ == _binding.defined(_binding.HEADER, "RUNG_VERSION")
