# SPDX-License-Identifier: BSD-3-Clause
"""librung, bound through its own headers.

The binding is the text of rung.h and experimental.h: cffi reads the declarations and calls the shared library, so there
is no list of functions or structures to keep up to date and nothing to compile per version of Python. NumPy is not
needed here nor in _table.py and _signatures.py: they also run where a wheel is built (_stubs.py).
"""

import keyword
import os
import pathlib
import re
from typing import Any

import cffi

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent  # of the sources, where the package is used without being installed


def _first(*candidates):
    for path in candidates:
        if path and pathlib.Path(path).exists():
            return str(path)
    raise ImportError(f"none of these files exists: {', '.join(str(path) for path in candidates if path)}")


def _declarations(header):
    """The declarations of a header, without preprocessor directives."""
    text = header[header.index("\ntypedef ") : header.rindex("#ifdef __cplusplus")]
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\bRUNG_(API|CHECK)\b", "", text)


def defined(header, name):
    return re.search(rf'^#define {name} "?([^"\s]+)', header, flags=re.MULTILINE).group(1)


def _read(name):
    return pathlib.Path(_first(HERE / name, TREE / "include/rung" / name)).read_text(encoding="utf-8")


HEADER, EXPERIMENTAL = _read("rung.h"), _read("experimental.h")
ffi: Any = cffi.FFI()
ffi.cdef(_declarations(HEADER) + _declarations(EXPERIMENTAL))


def _library():
    """Set by RUNG_LIBRARY, beside the package, in the build folder of the sources, else that of the system."""
    candidates = os.environ.get("RUNG_LIBRARY"), HERE / "librung.so", TREE / "build/librung.so"
    return next((str(path) for path in candidates if path and pathlib.Path(path).exists()), f"librung.so.{_abi}")


_abi = defined(HEADER, "RUNG_ABI")
# Never unloaded: handles are released, and threads of OpenMP sleep, until the very end of the interpreter.
lib: Any = ffi.dlopen(_library(), ffi.RTLD_NOW | ffi.RTLD_NODELETE)
if str(lib.rung_abi()) != _abi:
    raise ImportError(f"librung has ABI {lib.rung_abi()}, but its header {_abi}; reinstall rung")
_version = defined(HEADER, "RUNG_VERSION")  # experimental.h is that of one version
if ffi.string(lib.rung_version()).decode() != _version:
    raise ImportError(f"librung is version {ffi.string(lib.rung_version()).decode()}, not {_version}; reinstall rung")


def text(pointer):
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def each(getter, *arguments):
    """What getter(*arguments, index) returns for the indices from 0, up to NULL."""
    index = 0
    while (one := getter(*arguments, index)) != ffi.NULL:
        yield one
        index += 1


__version__ = text(lib.rung_version())


def argument_name(key):
    """What a parameter of the library is called in Python."""
    return key.replace("-", "_") + ("_" if keyword.iskeyword(key) else "")


def check_texts(arguments):
    """A NUL would end a name or a path in C."""
    for one in arguments:
        if isinstance(one, bytes) and b"\0" in one:
            raise ValueError(f"{os.fsdecode(one)!r} contains a NUL character; names and paths must not")


def c_text(value):
    """A string as char[]."""
    encoded = str(value).encode()
    check_texts([encoded])
    return ffi.new("char[]", encoded)
