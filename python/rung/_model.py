# SPDX-License-Identifier: BSD-3-Clause
"""A trained model: a handle of the library that predicts, describes itself, and can be saved and pickled."""

import hashlib
import os
import weakref

import numpy as np

from ._library import Context, ffi, lib, metrics_dict, pointer, struct, text

MANY_ROWS = 20000  # from here on a prediction may take long enough to be interrupted

# Models made from bytes, by their digest: a process that unpickles a model with every task reads it once while it is in
# use.
_from_bytes: "weakref.WeakValueDictionary[bytes, Model]" = weakref.WeakValueDictionary()


def model_of(data):
    """The model of the bytes of a file. It is read-only: the same bytes give the same object, as long as it lives."""
    digest = hashlib.blake2b(data, digest_size=16).digest()
    model = _from_bytes.get(digest)
    if model is None:
        model = Model(Context().make("model", lib.rung_model_load_memory, ffi.from_buffer(data), len(data)))
        _from_bytes[digest] = model
    return model


class Model:
    def __init__(self, handle):
        self.pointer = handle
        self._description = self._columns = self._inputs = None

    @classmethod
    def load(cls, path):
        return cls(Context().make("model", lib.rung_model_load, os.fsencode(path)))

    @classmethod
    def from_bytes(cls, data):
        return model_of(data)

    def save(self, path):
        Context().call(lib.rung_model_save, self.pointer, os.fsencode(path))

    def to_bytes(self):
        """The bytes of a model file."""
        out, size = ffi.new("char **"), ffi.new("int64_t *")
        Context().call(lib.rung_model_save_memory, self.pointer, out, size)
        return bytes(ffi.buffer(ffi.gc(out[0], lib.rung_free), size[0]))

    def export(self, form, with_rows, level, **texts):
        """The model as a file for programs without rung; texts: of a page."""
        out, size, options = ffi.new("char **"), ffi.new("int64_t *"), struct("export_options")
        options.with_rows, options.level = with_rows, level
        kept = {name: ffi.new("char[]", text.encode()) for name, text in texts.items() if text is not None}
        for name, text in kept.items():
            setattr(options, name, text)
        Context().call(lib.rung_model_export, self.pointer, form.encode(), options, out, size)
        return bytes(ffi.buffer(ffi.gc(out[0], lib.rung_free), size[0]))

    def __reduce__(self):
        return model_of, (self.to_bytes(),)

    def __deepcopy__(self, memo):
        return self  # read-only

    @property
    def description(self):
        """The contents of `rung inspect --json`."""
        # Not a cached_property: its lock, held by another thread, would stay shut in a forked child.
        if self._description is None:
            self._description = Context().described(lib.rung_model_describe, self.pointer)
        return self._description

    method = property(lambda self: text(lib.rung_model_method(self.pointer)))
    scale = property(lambda self: text(lib.rung_model_scale(self.pointer)))
    decision = property(lambda self: text(lib.rung_model_decision(self.pointer)))
    classes = property(lambda self: lib.rung_model_classes(self.pointer))
    outputs = property(lambda self: lib.rung_model_outputs(self.pointer))
    has_probabilities = property(lambda self: bool(lib.rung_model_has_probabilities(self.pointer)))
    has_ranks = property(lambda self: bool(lib.rung_model_has_ranks(self.pointer)))
    has_latent = property(lambda self: bool(lib.rung_model_has_latent(self.pointer)))
    is_real = property(lambda self: bool(lib.rung_model_is_real(self.pointer)))
    interval = property(lambda self: text(lib.rung_model_interval(self.pointer)))
    by_costs = property(lambda self: lib.rung_model_cost(self.pointer, ffi.NULL) != ffi.NULL)

    @property
    def cost(self):
        """The costs by which it answers, classes x classes; None: by none."""
        costs = lib.rung_model_cost(self.pointer, ffi.NULL)
        size = self.classes**2 * ffi.sizeof("double")
        return None if costs == ffi.NULL else np.frombuffer(ffi.buffer(costs, size)).reshape(self.classes, -1).copy()

    may_abstain = property(lambda self: self.description.get("abstain") is not None)
    training_rows = property(lambda self: lib.rung_model_training_rows(self.pointer))

    @property
    def params(self):
        """The texts of the parameters that are set, by the library's names."""
        values, value = {}, ffi.new("char **")
        while (name := lib.rung_model_param_at(self.pointer, len(values), value)) != ffi.NULL:
            values[text(name)] = text(value[0])
        return {name: value for name, value in values.items() if value is not None}

    def _column(self, j):
        is_text = ffi.new("int *")
        return text(lib.rung_model_column(self.pointer, j, is_text)), bool(is_text[0])

    @property
    def columns(self):
        """The columns before they are coded: features of a table, then those that are derived. Their names ("": none)
        and whether they are text."""
        if self._columns is None:
            self._columns = [self._column(j) for j in range(lib.rung_model_columns(self.pointer))]
        return self._columns

    @property
    def inputs(self):
        """The columns of a table that the model needs, in the same way."""
        if self._inputs is None:
            places = (lib.rung_model_input(self.pointer, i) for i in range(lib.rung_model_inputs(self.pointer)))
            self._inputs = [self._column(j) for j in places]
        return self._inputs

    @property
    def derives(self):
        """Whether columns are derived from others."""
        last = lib.rung_model_columns(self.pointer) - 1
        return bool(lib.rung_model_column_derived(self.pointer, last))

    @property
    def notes(self):
        """How the model was made: the call or command, seed, and data with their checksum."""
        found, value = {}, ffi.new("char **")
        while (name := lib.rung_model_note_at(self.pointer, len(found), value)) != ffi.NULL:
            found[text(name)] = text(value[0])
        return found

    @property
    def class_names(self):
        return [text(lib.rung_model_class_name(self.pointer, rank + 1)) for rank in range(self.classes)]

    @property
    def present(self):
        """The classes that had labels, from 0."""
        known = [bool(lib.rung_model_class_present(self.pointer, rank + 1)) for rank in range(self.classes)]
        return np.flatnonzero(known)

    @property
    def thresholds(self):
        """On the score, between the classes that had labels; empty: none."""
        out = np.empty(lib.rung_model_thresholds(self.pointer, 0, ffi.NULL))
        lib.rung_model_thresholds(self.pointer, len(out), pointer(out))
        return out

    @property
    def means(self):
        """Of the classes that had labels, by rows; empty: none."""
        out = np.empty(lib.rung_model_means(self.pointer, 0, ffi.NULL))
        lib.rung_model_means(self.pointer, len(out), pointer(out))
        return out.reshape(-1, self.outputs)

    @property
    def cv(self):
        """The metrics of the rows held out of the fit, None where one is undefined; None: none were held out."""
        out = struct("metrics")
        if not lib.rung_model_cv(self.pointer, out):
            return None
        return {name: None if np.isnan(value) else value for name, value in metrics_dict(out).items()}

    @property
    def cv_median(self):
        """The metrics of always predicting the median of the labels, on the same rows; None: as above."""
        out = struct("metrics")
        if not lib.rung_model_cv_median(self.pointer, out):
            return None
        return {name: None if np.isnan(value) else value for name, value in metrics_dict(out).items()}

    def predict(self, ctx, rows, n, *wanted, level=0.0, by_class=False, cost=None, abstain=0.0):
        """The requested arrays (rank, score, proba, sd, low, high) for n rows; rows None: the training rows. cost: a
        matrix; None: that of the model."""
        shape = {"score": (n, self.outputs), "proba": (n, self.classes)}
        arrays = {
            name: np.empty(shape.get(name, n), np.intc if name in ("rank", "low", "high") else np.float64)
            for name in wanted
        }
        out, how = struct("output"), struct("predict_options")
        for name, array in arrays.items():
            setattr(out, name, pointer(array, "int" if array.dtype == np.intc else "double"))
        how.level, how.by_class, how.abstain = level, bool(by_class), abstain
        if cost is not None:
            how.cost = pointer(cost)
        if rows is None:
            ctx.call(lib.rung_model_predict_training, self.pointer, how, out)
        else:
            ctx.run(lib.rung_model_predict, self.pointer, rows, how, out, long=n >= MANY_ROWS)
        return [arrays[name] for name in wanted]
