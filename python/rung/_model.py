# SPDX-License-Identifier: BSD-3-Clause
"""A trained model: a handle of the library that predicts, describes itself, and can be saved and pickled."""

import json
import os

import numpy as np

from ._library import Context, ffi, lib, pointer, text

MANY_ROWS = 20000  # from here on a prediction may take long enough to be interrupted


class Model:
    def __init__(self, handle):
        self.pointer = handle
        self._description = None

    @classmethod
    def load(cls, path):
        return cls(Context().make("model", lib.rung_model_load, os.fsencode(path)))

    @classmethod
    def from_bytes(cls, data):
        return cls(Context().make("model", lib.rung_model_load_memory, ffi.from_buffer(data), len(data)))

    def save(self, path):
        Context().call(lib.rung_model_save, self.pointer, os.fsencode(path))

    def to_bytes(self):
        """The bytes of a model file."""
        out, size = ffi.new("char **"), ffi.new("int64_t *")
        Context().call(lib.rung_model_save_memory, self.pointer, out, size)
        return bytes(ffi.buffer(ffi.gc(out[0], lib.rung_free), size[0]))

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def __deepcopy__(self, memo):
        return self  # read-only

    @property
    def description(self):
        """The contents of `rung inspect --json`."""
        # Not a cached_property: its lock, held by another thread, would stay shut in a forked child.
        if self._description is None:
            out = ffi.new("char **")
            Context().call(lib.rung_model_describe, self.pointer, out)
            self._description = json.loads(text(ffi.gc(out[0], lib.rung_free)))
        return self._description

    classes = property(lambda self: lib.rung_model_classes(self.pointer))
    outputs = property(lambda self: lib.rung_model_outputs(self.pointer))
    has_probabilities = property(lambda self: bool(lib.rung_model_has_probabilities(self.pointer)))
    has_ranks = property(lambda self: bool(lib.rung_model_has_ranks(self.pointer)))
    is_real = property(lambda self: bool(lib.rung_model_is_real(self.pointer)))
    interval = property(lambda self: text(lib.rung_model_interval(self.pointer)))
    training_rows = property(lambda self: lib.rung_model_training_rows(self.pointer))

    def predict(self, ctx, rows, n, *wanted, level=0.0):
        """The requested arrays (rank, score, proba, sd, low, high) for n rows; rows None: the training rows."""
        shape = {"score": (n, self.outputs), "proba": (n, self.classes)}
        arrays = {
            name: np.empty(shape.get(name, n), np.intc if name in ("rank", "low", "high") else np.float64)
            for name in wanted
        }
        out = ffi.new("rung_output *")
        for name, array in arrays.items():
            setattr(out, name, pointer(array, "int" if array.dtype == np.intc else "double"))
        out.level = level
        if rows is None:
            ctx.call(lib.rung_model_predict_training, self.pointer, out)
        else:
            ctx.run(lib.rung_model_predict, self.pointer, rows, out, long=n >= MANY_ROWS)
        return [arrays[name] for name in wanted]
