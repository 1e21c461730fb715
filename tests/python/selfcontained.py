# SPDX-License-Identifier: BSD-3-Clause
"""An installed wheel works and loads none of its libraries from the system."""

import pathlib
import re
import sys

import rung

X, y = rung.generate("toy", rows=300, unlabelled=0.8)
types = pathlib.Path(rung.__file__).with_name("methods.pyi").read_text()
assert all(f"class {name}(" in types for name in rung.methods.__all__), "methods.pyi does not list every class"
rung.KDLOR().fit(X, y).predict_proba(X)
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if ".so" in line}
foreign = [
    path for path in loaded if re.search("blas|lapack|jansson|gomp|gfortran|quadmath", path) and sys.prefix not in path
]
print(f"Python {sys.version.split()[0]}: rung {rung.__version__} from {rung.__file__}")
sys.exit(f"libraries of the system: {foreign}" if foreign or sys.prefix not in rung.__file__ else 0)
