# SPDX-License-Identifier: BSD-3-Clause
"""Labels that are intervals of classes: text such as "2..4", "<=2" or "low..mid", or two arrays (lower, upper)."""

import numpy as np

from ._library import Context, c_text, ffi, lib, text, texts
from ._names import class_name, order_text


def is_interval(label):
    """Whether a label has the form of an interval, which it is if the library says so."""
    return isinstance(label, str) and (".." in label or label.startswith(("<=", ">=")))


def label_ranks(label, classes):
    """The lowest and the highest rank of a class or interval of classes, from 1; None: it is neither."""
    ends, names = ffi.new("int[2]"), texts(classes)
    found = lib.rung_label_ranks(len(classes), names, c_text(label), ends, ends + 1)
    return tuple(ends) if found else None


def two_arrays(y):
    """The lower and the upper ends, if y is a pair of arrays or has two columns, else None."""
    if isinstance(y, tuple) and len(y) == 2 and all(np.ndim(end) == 1 for end in y):
        return y
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 2:
        columns = getattr(y, "columns", None)
        return (y[:, 0], y[:, 1]) if columns is None else (y[columns[0]], y[columns[1]])
    return None


def rows_of(y):
    """y as something that has a length of one per row."""
    pair = two_arrays(y)
    return y if pair is None else pair[0]


def _read(labels, order):
    """Distinct texts as the library reads the cells of a label column: the names of the classes, and the lowest and the
    highest rank of every text, 0: no label."""
    ctx = Context()
    declared = ffi.NULL if order is None else c_text(order_text(order))
    data = ctx.make("data", lib.rung_data_new_labels, len(labels), texts(labels), declared)
    names = [text(lib.rung_data_class_name(data, k + 1)) for k in range(lib.rung_data_classes(data))]
    low, high = lib.rung_data_ranks(data), lib.rung_data_uppers(data)
    low = list(low[0 : len(labels)])
    return names, low, low if high == ffi.NULL else list(high[0 : len(labels)])


def _classes(names, labels, ranks):
    """The classes as labels: those that occur as they are, ends of intervals as numbers if the other labels are."""
    given = {
        rank: label
        for label, (rank, _) in zip(labels, ranks, strict=True)
        if not is_interval(label) or label in names
    }
    numbers = bool(given) and not any(isinstance(label, str) for label in given.values())
    return [given[k] if k in given else _number(name) if numbers else name for k, name in enumerate(names, 1)]


def _number(name):
    value = float(name)
    return int(value) if value == int(value) else value


def split(labels, order=None):
    """Two object arrays, the lower and the upper ends of labels, and which of them are labels at all, where some are
    intervals; else None. order: the classes; None: not yet known."""
    if not any(map(is_interval, labels)):
        return None
    cells = [class_name(label) for label in labels]
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    names, low, high = _read(list(place), order)
    if not any(is_interval(cell) and cell not in names for cell in place):
        return None
    if not any(low) and order is None:  # words
        names, low, high = _read(list(place), sorted(names))
    ranks = [(low[place[cell]], high[place[cell]]) for cell in cells]
    classes = _classes(names, labels, ranks) if order is None else order.tolist()
    # for the library an interval of all classes is no label; its ends are classes nevertheless
    ranks = [(1, len(classes)) if not rank and is_interval(cell) else (rank, upper)
             for cell, (rank, upper) in zip(cells, ranks, strict=True)]  # fmt: skip
    low, high = (np.array([None if not pair[e] else classes[pair[e] - 1] for pair in ranks] + [None], object)[:-1]
                 for e in (0, 1))  # fmt: skip
    return low, high, np.array([rank > 0 for rank, _ in ranks], dtype=bool)
