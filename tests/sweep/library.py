# SPDX-License-Identifier: BSD-3-Clause
"""The library, called in this process: a table is written, read, coded, fitted and predicted as the command does it."""
import json

import numpy as np

from rung._columns import fill
from rung._library import c_text, ffi, keep, lib, pointer, struct, text, texts


class Refused(Exception):
    """The library said no: its status and its sentence."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = text(lib.rung_status_name(status)), message


@ffi.callback("rung_log_fn")
def _log(user, level, message):
    ffi.from_handle(user).append((level, text(message)))


class Session:
    """A context. warnings: what it said."""

    def __init__(self, seed=1, threads=1):
        out = ffi.new("rung_ctx **")
        assert lib.rung_ctx_new(out) == lib.RUNG_OK
        self.pointer, self.said = ffi.gc(out[0], lib.rung_ctx_free), []
        self.handle = ffi.new_handle(self.said)
        lib.rung_ctx_set_log(self.pointer, _log, self.handle)
        lib.rung_ctx_set_seed(self.pointer, seed)
        lib.rung_ctx_set_threads(self.pointer, threads)

    warnings = property(lambda self: [message for level, message in self.said if level == lib.RUNG_LOG_WARNING])

    def call(self, function, *arguments):
        status = function(self.pointer, *arguments)
        if status != lib.RUNG_OK:
            raise Refused(status, text(lib.rung_ctx_message(self.pointer)))

    def make(self, kind, function, *arguments, also=()):
        """An object that keeps alive what it was made of."""
        out = ffi.new(f"rung_{kind} **")
        self.call(function, *arguments, out)
        return keep(ffi.gc(out[0], getattr(lib, f"rung_{kind}_free")), *also)

    # ---- files and tables ----

    def files(self, path):
        name = c_text(path)
        return self.make("files", lib.rung_files_new, ffi.new("char *[]", [name, ffi.NULL]), also=[name])

    @staticmethod
    def reading(form):
        options = struct("read_options")
        options.header = lib.RUNG_HEADER_AUTO if form.header else lib.RUNG_HEADER_ABSENT
        return options

    @staticmethod
    def encoding(table, o, form):
        def word(name):
            return table.word(name, form.header)
        options, kept = struct("encode_options"), {}
        kept["label"] = c_text(word(table.label)) if table.label else ffi.NULL
        kept["order"] = ffi.NULL if o.order is None else c_text(o.order)
        kept["weights"] = ffi.NULL if table.weights is None else c_text(word(table.weights))
        kept["groups"] = ffi.NULL if table.groups is None else c_text(word(table.groups))
        for name, value in kept.items():
            setattr(options, name, value)
        options.missing_error, options.real = int(o.missing_error), int(o.real)
        options.bins, options.bins_width = o.bins, int(o.bins_width)
        said = {"nominal": [(word(n), None) for n in o.nominal], "numeric": [(word(n), None) for n in o.numeric],
                "ordinal": [(word(n), order.split("<")) for n, order in o.ordinal.items()]}
        return keep(fill(options, said), kept)

    def read(self, path, form):
        return self.make("table", lib.rung_table_read_files, self.files(path), self.reading(form))

    def encode(self, source, table, o, form):
        return self.make("data", lib.rung_data_encode, source, self.encoding(table, o, form))

    # ---- fits ----

    def spec(self, o, features):
        spec = self.make("spec", lib.rung_spec_new, o.method.encode(), int(o.as_published))
        method = lib.rung_method_find(o.method.encode())
        if lib.rung_method_param_find(method, b"shape") != ffi.NULL and "shape" not in o.params:
            self.call(lib.rung_spec_set, spec, b"shape", shape_of(features).encode())
        for name, value in o.params.items():
            self.call(lib.rung_spec_set, spec, name.encode(), value.encode())
        self.call(lib.rung_spec_set_scale, spec, o.scale.encode())
        self.call(lib.rung_spec_set_equal_rows, spec, o.equal_rows.encode())
        if o.balanced:
            self.call(lib.rung_spec_set_balanced, spec, 1)
        for name, weight in o.class_weights.items():
            self.call(lib.rung_spec_set_class_weight, spec, name.encode(), weight)
        return spec

    def set_cost(self, spec, o, data):
        if o.cost is None:
            return
        classes = lib.rung_data_classes(data)
        cost = np.empty((classes, classes))
        self.call(lib.rung_cost_parse, o.cost.encode(), classes, pointer(cost))
        self.call(lib.rung_spec_set_cost, spec, classes, pointer(cost), o.abstain)

    def fit(self, spec, data):
        return self.make("model", lib.rung_model_fit, spec, data)

    def fit_in_passes(self, path, table, o, form, features):
        spec = self.spec(o, features)
        data = self.make("data", lib.rung_data_open, spec, self.files(path), self.reading(form),
                         self.encoding(table, o, form), lib.RUNG_PASSES_ALWAYS)
        self.set_cost(spec, o, data)
        return self.fit(spec, data)

    def conditions(self, spec, data, model):
        """(name, value, tolerance) of the conditions that are not met."""
        found = self.make("verification", lib.rung_model_verify, spec, data, model)
        unmet, index = [], 0
        while (c := lib.rung_verification_at(found, index)) != ffi.NULL:
            if not c.ok:
                unmet.append((text(c.name), c.value, c.tolerance))
            index += 1
        return unmet

    # ---- models ----

    def saved(self, model):
        out, size = ffi.new("char **"), ffi.new("int64_t *")
        self.call(lib.rung_model_save_memory, model, out, size)
        return bytes(ffi.buffer(ffi.gc(out[0], lib.rung_free), size[0]))

    def loaded(self, data):
        return self.make("model", lib.rung_model_load_memory, ffi.from_buffer(data), len(data))

    def read_for(self, model, path, form):
        """A file read and coded as a model needs it."""
        table = self.make("table", lib.rung_model_read, model, self.files(path), self.reading(form))
        return self.make("data", lib.rung_model_encode, model, table, lib.RUNG_LABELS_IGNORED)

    def predict(self, model, view, level=0.8):
        return Answers(self, model, view, level)


# Scores along eigenvectors: where eigenvalues are equal up to rounding, any basis of what they span is an answer.
DIRECTIONS = {"kda", "skda", "lda", "mlda"}


class Answers:
    """What a model says of rows: rank, score, and where it has them proba, low and high, sd."""

    directions = False

    def __init__(self, session, model, view, level):
        n, how, out, self.arrays = view.n, struct("predict_options"), struct("output"), {}
        wanted = {"score": (n, lib.rung_model_outputs(model))}
        if lib.rung_model_has_ranks(model):
            wanted["rank"] = n
        if lib.rung_model_has_probabilities(model):
            wanted["proba"] = (n, lib.rung_model_classes(model))
        if lib.rung_model_interval(model) != ffi.NULL:
            wanted |= {"low": n, "high": n}
            how.level = level
        if lib.rung_model_has_latent(model):
            wanted["sd"] = n
        for name, shape in wanted.items():
            whole = name in ("rank", "low", "high")
            array = np.empty(shape, np.intc if whole else np.float64)
            setattr(out, name, pointer(array, "int" if whole else "double"))
            self.arrays[name] = array
        session.call(lib.rung_model_predict, model, ffi.addressof(view), how, out)
        keep(out, view)

    def __getattr__(self, name):
        return self.arrays.get(name)

    def same(self, other):
        """Where the bits differ: the name of an array, or None."""
        if self.arrays.keys() != other.arrays.keys():
            return "other kinds of answers: " + ", ".join(sorted(self.arrays.keys() ^ other.arrays.keys()))
        for name, array in self.arrays.items():
            if array.shape != other.arrays[name].shape:
                return f"{name} has the shape {array.shape} and {other.arrays[name].shape}"
            if array.tobytes() != other.arrays[name].tobytes() and not np.array_equal(array, other.arrays[name]):
                where = np.argwhere(array != other.arrays[name])[0]
                at = tuple(where)
                return f"{name} of row {where[0] + 1}: {array[at]!r} and {other.arrays[name][at]!r}"
        return None


def shape_of(features):
    """The most square shape with this many cells."""
    side = next(a for a in range(int(max(features, 1) ** 0.5), 0, -1) if features % a == 0)
    return f"{features // side}x{side}"


def methods():
    from rung import _table
    return _table.METHODS


class Fit:
    """A table written, read, coded, fitted and predicted."""

    def __init__(self, table, options, form, folder, name="data", threads=1, fitted=True):
        self.table, self.options, self.form = table, options, form
        self.session = Session(options.seed, threads)
        self.path = str(form.write(table, folder / f"{name}.csv"))
        source = self.session.read(self.path, form)
        self.data = self.session.encode(source, table, options, form)
        self.features = lib.rung_data_features(self.data)
        if not fitted:
            return
        if options.passes:
            self.model = self.session.fit_in_passes(self.path, table, options, form, self.features)
            self.spec = None
        else:
            self.spec = self.session.spec(options, self.features)
            self.session.set_cost(self.spec, options, self.data)
            self.model = self.session.fit(self.spec, self.data)
        self.answers = self.session.predict(self.model, lib.rung_data_view(self.data))
        self.answers.directions = options.method in DIRECTIONS

    def bytes(self):
        return self.session.saved(self.model)

    def report(self):
        """What the method says of its fit."""
        out = ffi.new("char **")
        self.session.call(lib.rung_model_describe, self.model, out)
        return json.loads(text(ffi.gc(out[0], lib.rung_free))).get("report") or {}

    def on(self, table, folder, name="new", form=None):
        """The answers for another table."""
        form = form or self.form
        path = str(form.write(table, folder / f"{name}.csv"))
        data = self.session.read_for(self.model, path, form)
        answers = keep_data(self.session.predict(self.model, lib.rung_data_view(data)), data)
        answers.directions = self.answers.directions
        return answers


def keep_data(answers, data):
    answers.data = data
    return answers
