# SPDX-License-Identifier: BSD-3-Clause
"""The type stub of methods.py, from the table of methods:  python -m rung._stubs [FILE]

Type checkers and editors do not run the code that generates the classes; they read methods.pyi. Without FILE it is
printed."""

import pathlib
import sys

from . import methods
from ._table import DEFAULT, METHODS

HEAD = """\
# SPDX-License-Identifier: BSD-3-Clause
# Made from the table of methods by `python -m rung._stubs python/rung/methods.pyi`; do not edit.
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


def _class(name, bases, doc, positional, rows):
    return (
        f"class {name}({', '.join(f'_base.{base.__name__}' for base in bases)}):\n"
        f'    """{doc}"""\n\n'
        f"    def __init__(\n        self,\n{positional}        *,\n{_arguments(rows)}    ) -> None: ...\n"
    )


def _method(method):
    common = methods._common(methods.parts(method)[-1], method)
    rows = [(p.name, p.annotation, p.default) for p in method.parameters]
    rows += [(name, annotation, default) for name, (annotation, default, _) in common.items()]
    return _class(method.class_name, methods.parts(method), f"{method.title}.", "", rows)


def _by_name(cls, doc, default):
    common = methods._common(cls)
    rows = [("params", "Mapping[str, Any] | None", None)]
    rows += [(name, annotation, default) for name, (annotation, default, _) in common.items()]
    return _class(cls.__name__, cls.__bases__, doc, f"        method: str = {default!r},\n", rows)


def stub():
    parts = [
        HEAD,
        _by_name(methods.OrdinalClassifier, "Any method, by name, for classes.", DEFAULT),
        _by_name(methods.OrdinalRegressor, "A method that supports real targets, by name.", "krr"),
        *(_method(method) for method in METHODS.values()),
        "__all__ = [\n" + "".join(f"    {name!r},\n" for name in methods.__all__) + "]\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(stub(), encoding="utf-8")
    else:
        print(stub(), end="")
