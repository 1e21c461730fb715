# SPDX-License-Identifier: BSD-3-Clause
import ast
import doctest
import pathlib

import rung
from rung import _stubs


def test_stub_is_that_of_the_table():
    path = pathlib.Path(rung.__file__).with_name("methods.pyi")
    expected = _stubs.stub()
    ast.parse(expected)
    assert path.read_text() == expected, "run: python -m rung._stubs python/rung/methods.pyi"


def test_examples_in_the_docstrings():
    for module in (rung, rung.metrics):
        assert doctest.testmod(module, extraglobs={"rung": rung}).failed == 0


def test_everything_is_exported():
    for name in rung.__all__:
        assert getattr(rung, name) is not None
    assert rung.__version__ == rung._library._defined(rung._library._header, "RUNG_VERSION")
