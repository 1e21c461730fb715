# SPDX-License-Identifier: BSD-3-Clause
"""Labels that are intervals of classes: text such as "2..4", "<=2" or "low..mid", or two arrays (lower, upper)."""

import math

import numpy as np


def is_interval(label):
    """Whether a label has the form of an interval."""
    return isinstance(label, str) and (".." in label or label.startswith(("<=", ">=")))


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


def _number(end):
    value = float(end)
    return int(value) if value == int(value) else value


def _parts(label):
    """The ends of an interval as text, None where it is open; every way to read it."""
    if label.startswith(("<=", ">=")):
        end = label[2:].strip()
        yield (None, end) if label[0] == "<" else (end, None)
        return
    at = label.find("..")
    while at >= 0:
        yield label[:at].strip(), label[at + 2 :].strip()
        at = label.find("..", at + 1)


def read(label, classes):
    """The two ends of a label as classes, None where it is open. classes: the known ones by their name; empty: not yet
    known, then the first way to read it counts."""
    for low, high in _parts(label):
        if low == "" or high == "":
            continue
        if not classes:
            return low, high
        if all(end is None or end in classes for end in (low, high)):
            return tuple(None if end is None else classes[end] for end in (low, high))
    known = f"; the classes are {', '.join(classes)}" if classes else ""
    raise ValueError(f"label {label!r} is no interval of classes, such as 2..4, <=2 or >=4{known}")


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _between(label, others):
    """Whether text that looks like an interval is one, where the classes are not known: an end of it occurs among the other
    labels, or all are numbers. "<=50K" beside ">50K" is a class."""
    for parts in _parts(label):
        given = [end for end in parts if end]
        if any(end in others for end in given) or (given and all(map(_is_number, (*given, *others)))):
            return True
    return label in ("..", "<=", ">=")


def split(labels, classes):
    """Two object arrays, the lower and the upper ends of labels (None: open), where some are intervals; else None.

    classes: by their name; empty: not yet known. Then the ends are numbers if the other labels are.
    """
    odd = [is_interval(label) and label not in classes for label in labels]
    others = [label for label, one in zip(labels, odd, strict=True) if not one]
    if not classes:
        names = {str(label) for label in others}
        odd = [one and _between(label, names) for label, one in zip(labels, odd, strict=True)]
    if not any(odd):
        return None
    numbers = bool(others) and not any(isinstance(label, str) for label in others)
    low, high = np.empty(len(labels), dtype=object), np.empty(len(labels), dtype=object)
    for i, label in enumerate(labels):
        low[i], high[i] = read(label, classes) if odd[i] else (label, label)
        if odd[i] and numbers and not classes:
            try:
                low[i], high[i] = (None if end is None else _number(end) for end in (low[i], high[i]))
            except ValueError:
                raise ValueError(f"label {label!r} is an interval of text, but the other labels are numbers") from None
    return low, high
