# SPDX-License-Identifier: BSD-3-Clause
"""Calls librung (_binding.py). The interpreter lock is free while a call runs. Arrays are handed over as views (pointer
and strides), never copied on the way.
"""

import json
import logging
import math
import os
import sys
import threading
import warnings
import weakref
from typing import Any

import numpy as np

from ._binding import HERE, __version__, argument_name, c_text, check_texts, each, ffi, lib, text  # noqa: F401

log = logging.getLogger("rung")


# ---- failures ----


class RungError(Exception):
    """A call of the library failed; the message gives the reason."""


class RungWarning(UserWarning):
    """A warning of the library about data or a fit."""


class DataError(RungError, ValueError):
    """An invalid value or unusable data."""


class FileError(RungError, OSError):
    """A file that could not be read or written."""


class FormatError(RungError, ValueError):
    """A model file that is damaged, foreign or newer than this library."""


class NumericError(RungError, ArithmeticError):
    """A factorisation failed, or an iteration did not converge."""


class LimitError(RungError, MemoryError):
    """Out of memory, or the memory limit would be exceeded."""


def warn(message):
    """A RungWarning at the line outside the package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(f"{HERE}{os.sep}"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RungWarning, stacklevel=level)


_ERRORS = {
    lib.RUNG_ENOMEM: LimitError,
    lib.RUNG_EARG: DataError,
    lib.RUNG_EDATA: DataError,
    lib.RUNG_EIO: FileError,
    lib.RUNG_EFORMAT: FormatError,
    lib.RUNG_ESINGULAR: NumericError,
    lib.RUNG_ENOCONV: NumericError,
    lib.RUNG_ELIMIT: LimitError,
    lib.RUNG_EINTERRUPT: KeyboardInterrupt,
}


# What Python says of the options of the library that a message names.
_ADVICE = {"memory": " (memory_limit)", "decimal": "; convert it to numbers", "nominal": " (dtype category)"}


def _own_words(message, detail):
    """The message in the words of Python, by what it is about (rung_ctx_detail)."""
    for line in detail.splitlines():
        kind, _, name = line.partition(" ")
        if kind == "parameter":
            message = message.replace(f"{name}=", f"{argument_name(name)}=")
        elif kind == "option":
            message += _ADVICE.get(name.partition("=")[0], "")
    return message


# ---- calls ----


@ffi.callback("rung_log_fn")
def _log(user, level, message):
    said, ctx = ffi.from_handle(user)
    said.append((level, _own_words(text(message), text(lib.rung_ctx_detail(ctx)))))


@ffi.callback("rung_progress_fn")
def _tell(user, stage, done):
    ffi.from_handle(user).tell(text(stage), done)


# OpenMP's threads belong to the thread that first had work for them, and are gone in a forked child: there a thread of
# its own, which gets new ones, does the work of every call.
_forked = threading.Event()
os.register_at_fork(after_in_child=_forked.set)
# cffi reads a declaration where it is first used, under a lock that must not be another thread's in a forked child.
os.register_at_fork(before=ffi._lock.acquire, after_in_parent=ffi._lock.release, after_in_child=ffi._lock.release)


class Context:
    """What a call needs: seed, threads, limit; its warnings and the reason of its failure. One per call.

    progress: what shows the progress of `run`; None: nothing does.
    """

    def __init__(self, seed=1, threads=0, memory=0, progress=None):
        out = ffi.new("rung_ctx **")
        if lib.rung_ctx_new(out) != lib.RUNG_OK:
            raise LimitError("out of memory")
        self._said = []
        self._handle = ffi.new_handle((self._said, out[0]))
        self._pointer = ffi.gc(out[0], lib.rung_ctx_free)
        lib.rung_ctx_set_log(self._pointer, _log, self._handle)
        lib.rung_ctx_set_seed(self._pointer, seed)
        lib.rung_ctx_set_threads(self._pointer, threads)
        lib.rung_ctx_set_memory(self._pointer, memory)
        self._progress = progress
        if progress is not None:
            self._shown = ffi.new_handle(progress)
            lib.rung_ctx_set_progress(self._pointer, _tell, self._shown)

    def call(self, function, *arguments):
        """Calls function(context, *arguments), passes on its warnings and raises if it fails."""
        check_texts(arguments)
        self._finish(function(self._pointer, *arguments))

    def quietly(self, function, *arguments):
        """Whether it succeeds; nobody is told what it says."""
        status = function(self._pointer, *arguments)
        self._said.clear()
        return status == lib.RUNG_OK

    def run(self, function, *arguments, long=True):
        """The same for work that uses many threads. long: Ctrl-C stops it.

        Python looks at signals in its main thread only, between its own instructions; so the work goes to another
        thread while the main one waits.
        """
        main = threading.current_thread() is threading.main_thread()
        if not _forked.is_set() and not (main and long) and self._progress is None:
            return self.call(function, *arguments)
        check_texts(arguments)
        status, finished = [], threading.Event()

        def work():
            try:
                status.append(function(self._pointer, *arguments))
            finally:
                finished.set()

        worker = threading.Thread(target=work, daemon=True)
        try:
            worker.start()
            while not finished.wait(0.2):  # a signal may have gone to another thread: look up now and then
                if self._progress is not None:
                    self._progress.tick()
        except BaseException:
            lib.rung_ctx_interrupt(self._pointer)  # stays, for a thread that has not come to the call yet
            if worker.ident is not None:
                finished.wait()
            raise
        finally:
            if self._progress is not None:
                self._progress.close()
        return self._finish(status[0])

    def run_here(self, function, *arguments):
        """The same in this thread, where what it calls back may have to run, such as MPI."""
        try:
            self.call(function, *arguments)
        finally:
            if self._progress is not None:
                self._progress.close()

    def make(self, kind, function, *arguments, call=None):
        """The object that function(context, *arguments, kind **out) creates; released with its last reference."""
        out = ffi.new(f"rung_{kind} **")
        (call or self.call)(function, *arguments, out)
        return ffi.gc(out[0], getattr(lib, f"rung_{kind}_free"))

    def described(self, function, thing):
        """The JSON that function(context, thing, char **out) writes, as Python objects."""
        out = ffi.new("char **")
        self.call(function, thing, out)
        return json.loads(text(ffi.gc(out[0], lib.rung_free)))

    def _finish(self, status):
        said = list(self._said)
        self._said.clear()
        for level, message in said:
            if level <= lib.RUNG_LOG_WARNING:
                warn(message)
            else:
                log.info(message)
        if status != lib.RUNG_OK:
            message = _own_words(text(lib.rung_ctx_message(self._pointer)), text(lib.rung_ctx_detail(self._pointer)))
            raise _ERRORS.get(status, RungError)(message or text(lib.rung_status_name(status)))


# ---- arrays ----

_alive: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def keep(owner, *things):
    """Keeps alive what a C object points to."""
    _alive[owner] = (*_alive.get(owner, ()), *things)
    return owner


def struct(kind):
    """A new struct of the library that begins with its size, with zeros: options to fill in, or room for a result."""
    return ffi.new(f"rung_{kind} *", {"size": ffi.sizeof(f"rung_{kind}")})


def finite(value):
    """A number as JSON has it: None for one that is not finite."""
    return value if math.isfinite(value) else None


def finite_list(values, n):
    """n numbers of the library, as above; None for NULL."""
    return None if values == ffi.NULL else [finite(value) for value in ffi.unpack(values, n)]


def metrics_dict(values):
    """A rung_metrics as a dict: every key of the library's table, the number of rows n, and how many of them have a
    label that is an interval."""
    keys = [entry.key for entry in each(lib.rung_metric_at)]
    out = {text(key): lib.rung_metrics_value(values, key) for key in keys}
    return out | {"n": values.n, "intervals": values.intervals}


def pointer(array, kind="double"):
    """A pointer to an array that the caller keeps alive; NULL for None."""
    return ffi.NULL if array is None else ffi.cast(f"{kind} *", array.ctypes.data)


def whole_steps(X):
    """An array whose elements are whole numbers of elements apart, as C counts; those of packed records are not."""
    return np.ascontiguousarray(X) if any(stride % X.itemsize for stride in X.strides) else X


def view(X):
    """A rung_view of a two-dimensional array of doubles, whatever its order and strides; X must be kept alive."""
    X = whole_steps(X)
    out = ffi.new("rung_view *")
    out.v, (out.n, out.d) = pointer(X), X.shape
    out.row, out.col = (stride // X.itemsize for stride in X.strides)
    return keep(out, X)


def texts(names, end=False):
    """Names as char *[]; NULL for None. end: terminated by NULL."""
    if names is None:
        return ffi.NULL
    kept = [c_text(name) for name in names]
    return keep(ffi.new("char *[]", kept + [ffi.NULL] * (end or not kept)), kept)
