#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The type stub of methods.py, from the table of methods:  python/rung/_stubs.py FILE

Type checkers and editors do not run the code that generates the classes; they read methods.pyi. The build of a wheel or
a package makes it; Python needs nothing but cffi for that, and RUNG_LIBRARY names the library."""

import pathlib
import sys
import types

if __name__ == "__main__":  # the modules beside this file without the package, which needs scikit-learn
    sys.path.pop(0)
    sys.modules["rung"] = types.ModuleType("rung")
    sys.modules["rung"].__path__ = [str(pathlib.Path(__file__).resolve().parent)]
    __package__ = "rung"

from ._signatures import BY_NAME, bases, common
from ._table import DEFAULT, METHODS

HEAD = """\
# SPDX-License-Identifier: BSD-3-Clause
# Made from the table of methods by _stubs.py; do not edit.
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.random import RandomState
from numpy.typing import ArrayLike

from . import _base
from ._types import Columns

CLASSES: dict[str, type[_base.Estimator]]
"""


def _arguments(rows):
    return "".join(f"        {name}: {annotation} = {default!r},\n" for name, annotation, default in rows)


def _class(name, base_names, doc, positional, rows):
    return (
        f"class {name}({', '.join(f'_base.{base}' for base in base_names)}):\n"
        f'    """{doc}"""\n\n'
        f"    def __init__(\n        self,\n{positional}        *,\n{_arguments(rows)}    ) -> None: ...\n"
    )


def _shared(kind, method=None):
    return [(name, annotation, default) for name, (annotation, default, _) in common(kind, method).items()]


def _method(method):
    names = bases(method)
    rows = [(p.name, p.annotation, p.default) for p in method.parameters]
    return _class(method.class_name, names, f"{method.title}.", "", rows + _shared(names[-1], method))


def _by_name(name, doc, default):
    rows = [("params", "Mapping[str, Any] | None", None), *_shared(BY_NAME[name][-1])]
    return _class(name, BY_NAME[name], doc, f"        method: str = {default!r},\n", rows)


def stub():
    names = [*BY_NAME, *(method.class_name for method in METHODS.values())]
    parts = [
        HEAD,
        _by_name("OrdinalClassifier", "Any method, by name, for classes.", DEFAULT),
        _by_name("OrdinalRegressor", "A method that supports real targets, by name.", "krr"),
        *(_method(method) for method in METHODS.values()),
        "__all__ = [\n" + "".join(f"    {name!r},\n" for name in names) + "]\n",
    ]
    return "\n".join(parts)


def write(path):
    """Leaves the file alone where it is right."""
    path, text = pathlib.Path(path), stub()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1])
