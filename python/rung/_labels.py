# SPDX-License-Identifier: BSD-3-Clause
"""Labels: which rows are labelled, the classes, and their order."""

import numbers

import numpy as np
from sklearn.utils.validation import column_or_1d

from ._frame import one_order
from ._intervals import is_interval, rows_of, split, two_arrays
from ._library import Context, ffi, lib, text, texts, warn
from ._names import class_name  # noqa: F401


def classes_from_names(names):
    """The labels of a model file: truth values, integers, floats or strings."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)


def check_kind(labels, classes):
    """Text is compared with text, and numbers with numbers: otherwise no label is right."""
    kinds = [one.dtype.kind for one in (labels, classes)]
    if len(labels) and "O" not in kinds and _are_words(labels) != _are_words(classes):
        kind = ["numbers", "text"]
        raise ValueError(f"the labels are {kind[_are_words(labels)]} and the classes {kind[_are_words(classes)]}")


def is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True


def without_mask(y):
    """A masked array as one of objects, None where it is masked; others as they are."""
    if not isinstance(y, np.ma.MaskedArray):
        return y
    out = y.data.astype(object)
    out[np.ma.getmaskarray(y)] = None
    return out


def _column(y):
    """y, or the single column of a frame, which has the categories."""
    columns = getattr(y, "columns", ())
    return y[columns[0]] if len(columns) == 1 else y


def own_order(y):
    """The order of the labels themselves: that of an ordered pandas Categorical, a polars Enum or an ordered dictionary
    of pyarrow, or None."""
    y = _column(y)
    if getattr(getattr(y, "type", None), "ordered", False):  # a dictionary of pyarrow
        chunks = y.chunks if hasattr(y, "chunks") else [y]
        return np.array(one_order([chunk.dictionary.to_pylist() for chunk in chunks], "y"))
    dtype = getattr(y, "dtype", None)
    if not getattr(dtype, "ordered", type(dtype).__name__ == "Enum"):
        return None
    return np.asarray(dtype.categories)


def labelled_rows(y, unlabelled="auto", others=()):
    """Which rows are labelled, and y as an array.

    None, NaN and pandas.NA mean no label, and so does a masked element. unlabelled: another value that means no label;
    'auto': -1 if it is unlikely to be a class, that is if there are at least two other labels, here or among others,
    all integers >= 0; None: no other value.
    """
    y = _column(y)
    y = without_mask(y)
    if isinstance(y, list) and any(map(is_interval, y)):
        y = np.array(y, dtype=object)  # where numbers stay numbers beside text
    if any(hasattr(getattr(y, "dtype", None), name) for name in ("categories", "na_value")):
        y = np.asarray(y, dtype=object)  # where whole numbers stay what they are beside missing ones
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
    elif y.dtype.kind == "O":
        known = np.array([not is_missing(value) for value in y], dtype=bool)
    else:
        known = np.ones(len(y), dtype=bool)
    if unlabelled is None:
        return known, y
    if not isinstance(unlabelled, str) or unlabelled != "auto":
        return known & np.array([value != unlabelled for value in y], dtype=bool), y
    try:
        there = [value for value in (*y[known], *others) if not is_interval(value) and not is_missing(value)]
        values = np.unique(np.array(there))
    except TypeError:  # of several kinds
        return known, y
    if values.dtype.kind not in "if" or -1 not in values:
        return known, y
    others = values[values != -1]
    if len(others) < 2 or others[0] < 0 or np.any(others != np.floor(others)):
        return known, y
    if len(others) == 2 and others[0] == 0 and others[1] == 1:
        warn(
            "the labels are -1, 0 and 1; rows with -1 are treated as unlabelled. Give order=[-1, 0, 1] if -1 is the "
            "lowest class, or mark unlabelled rows with NaN"
        )
    return known & (y != -1), y


# ---- the order of the classes ----


def _are_words(labels):
    return labels.dtype.kind in "USO"


def _sorted(labels):
    """The distinct labels, lowest first, and whether they have a natural order, as numbers do, even as text."""
    classes = np.unique(labels)
    if not _are_words(classes) or len(classes) < 2:
        return classes, True
    try:
        return classes[np.argsort([float(label) for label in classes], kind="stable")], True
    except (TypeError, ValueError):
        return classes, False


def _listed(classes, between, most):
    return between.join(map(str, classes[:most])) + (f"{between}..." if len(classes) > most else "")


def _given(order):
    classes = np.asarray(order)
    if classes.ndim != 1 or len(set(classes.tolist())) != len(classes):
        raise ValueError("order must be a list of distinct classes, lowest first")
    return classes


def _unlabelled_beside(order, unlabelled):
    """What means no label where the classes are known: -1 beside classes that are all integers >= 0, whichever labels
    occur; beside others it is a class, or a mistake."""
    if order is None or not isinstance(unlabelled, str) or unlabelled != "auto":
        return unlabelled
    counts = all(isinstance(one, numbers.Real) and one >= 0 and one == np.floor(one) for one in order.tolist())
    return -1 if counts else None


def ends(y, order=None, unlabelled="auto", others=()):
    """Which rows are labelled, and the lower and upper ends of their labels: the same array where none is an interval,
    else two arrays of objects, None where an interval is open. order: the classes, where they are known; others: labels
    beside which -1 may be one."""
    unlabelled = _unlabelled_beside(order, unlabelled)
    pair = two_arrays(y)
    if pair is not None:
        both = [value for end in pair for value in np.asarray(end, dtype=object).tolist()]
        (known, low), (other, high) = (labelled_rows(end, unlabelled, (*both, *others)) for end in pair)
        if len(known) != len(other):
            raise ValueError(f"{len(known)} lower and {len(other)} upper ends of labels")
        either = known | other
        low, high = (
            np.array([value if there else None for value, there in zip(end, which, strict=True)], dtype=object)
            for end, which in ((low, known), (high, other))
        )
        return either, low[either], high[either]
    known, y = labelled_rows(y, unlabelled, others)
    found = split(y[known].tolist(), order) if y.dtype.kind in "OUS" else None
    if found is None:
        return known, plain(y[known]), None
    low, high, labelled = found
    known[known] = labelled
    return known, low[labelled], high[labelled]


def ranks_between(low, high, classes):
    """The ranks of both ends (see ends); the second is None where no label is an interval."""
    if high is None:
        return ranks_of(low, classes), None
    low, high = (
        np.array([value if value is not None else classes[open_end] for value in end.tolist()], dtype=object)
        for end, open_end in ((low, 0), (high, -1))
    )
    ranks, upper = ranks_of(low, classes), ranks_of(high, classes)
    if np.any(upper < ranks):
        i = np.flatnonzero(upper < ranks)[0]
        raise ValueError(f"label {low[i]}..{high[i]} is an interval that ends below its beginning")
    return (ranks, None) if np.array_equal(ranks, upper) else (ranks, upper)


def named(low, high):
    """The classes that labels name."""
    return low if high is None else plain(np.array([v for v in (*low, *high) if v is not None], dtype=object))


def rank(y, order=None, unlabelled="auto"):
    """The classes, lowest first, the rank of every row: 1, 2, ..., 0 where it is unlabelled, and its upper rank where
    labels are intervals (the first one is the lower then), else None.

    The order is `order`, else the labels' own (see own_order), else that of the sorted labels: numbers by value, other
    text alphabetically, with a warning.
    """
    order = own_order(y) if order is None else _given(order)
    known, low, high = ends(y, order, unlabelled)
    classes = _classes_to_learn(named(low, high)) if order is None else order
    ranks = np.zeros(len(known), dtype=np.intc)
    upper = ranks.copy()
    ranks[known], highest = ranks_between(low, high, classes)
    if highest is None:
        return classes, ranks, None
    upper[known] = highest
    return classes, ranks, upper


def plain(labels):
    return np.array(list(labels)) if labels.dtype.kind == "O" else labels


def _classes_to_learn(labels):
    if labels.dtype.kind == "f" and np.any(np.isinf(labels)):
        raise ValueError("Input y contains infinity")
    if labels.dtype.kind == "f" and np.any(labels != np.floor(labels)):
        raise ValueError(
            "Unknown label type: continuous. Labels must be integers or strings; declare other classes with "
            "order=, or use a regressor for real targets"
        )
    classes, ordered = _sorted(labels)
    if not ordered:
        warn(
            f"the labels are text and sorted alphabetically ({_listed(classes, ' < ', 6)}); give "
            "order=[lowest, ..., highest] or an ordered Categorical"
        )
    elif len(classes) > lib.RUNG_MOST_NUMERIC_CLASSES:
        raise ValueError(
            f"{len(classes)} distinct numbers are too many for classes (at most {lib.RUNG_MOST_NUMERIC_CLASSES} "
            "without order=); use a regressor for real targets"
        )
    return classes


def grade(y_true, y_pred=None, *, order=None, ordered=True, whole=False):
    """The classes, lowest first, the ranks of true (0: no label) and predicted labels, which are to be compared, and
    the upper ranks of true labels that are intervals (None: none is).

    The order is `order`, else that of either argument (see own_order), else that of numbers. Other text is rejected if
    the order matters (ordered): the alphabetical order would give meaningless numbers. whole: numbers whose order
    nobody gave keep their distances (see _whole_scale).
    """
    order = _given(order) if order is not None else _common_order(y_true, y_pred)
    answered, answers = labelled_rows(rows_of(y_true) if y_pred is None else y_pred, None)
    # A predicted -1 is a class.
    said = answers[answered].tolist() if y_pred is not None and order is None else []
    known, low, high = ends(y_true, order, None if -1 in said else "auto", said)
    if len(answers) != len(known):
        raise ValueError(f"{len(known)} true and {len(answers)} predicted labels")
    if y_pred is not None and np.any(known & ~answered):
        raise ValueError(f"row {np.flatnonzero(known & ~answered)[0]} has a true label but no predicted one")
    truth, answers = named(low, high), plain(answers[known])
    if y_pred is None:
        answers = truth
    classes = _classes_to_compare(truth, answers, ordered) if order is None else order
    if whole and ordered and order is None:
        classes = _whole_scale(classes)
    ranks, predicted = np.zeros(len(known), dtype=np.intc), np.ones(len(known), dtype=np.intc)
    upper = ranks.copy()
    ranks[known], highest = ranks_between(low, high, classes)
    if y_pred is not None:
        predicted[known] = ranks_of(answers, classes)
    elif highest is None:
        predicted[known] = ranks[known]
    upper[known] = ranks[known] if highest is None else highest
    return classes, ranks, predicted, None if highest is None else upper


def _classes_to_compare(truth, answers, ordered):
    if len(truth) and _are_words(truth) != _are_words(answers):
        kind = ["numbers", "text"]
        raise ValueError(
            f"the true labels are {kind[_are_words(truth)]} and the predicted ones {kind[_are_words(answers)]}"
        )
    classes, natural = _sorted(np.concatenate([truth, answers]))
    if classes.dtype.kind == "f" and np.any(classes != np.floor(classes)):
        raise ValueError(
            f"label {classes[classes != np.floor(classes)][0]} is not an integer; round to classes first, or "
            "declare the classes with order=[lowest, ..., highest]"
        )
    if ordered and not natural:
        raise ValueError(
            f"the order of the text labels ({_listed(classes, ', ', 6)}) is not known: give order=[lowest, ..., "
            "highest], or labels as an ordered Categorical (pandas) or Enum (polars)"
        )
    return classes


def _whole_scale(classes):
    """Whole numbers as a scale without gaps, as `rung metrics` has it: a 1 that should be a 5 is four classes away."""
    if len(classes) < 2 or classes.dtype.kind not in "iufUS":
        return classes
    names, out = [class_name(label) for label in classes.tolist()], ffi.new("char **")
    Context().call(lib.rung_labels_order, len(names), texts(names), out)
    scale = text(ffi.gc(out[0], lib.rung_free)).split("<")
    if len(scale) == len(names):
        return classes
    return np.array(scale) if _are_words(classes) else np.array([int(name) for name in scale], dtype=classes.dtype)


def with_others(classes, labels):
    """The classes and, if these are numbers in natural order, the labels that are not among them."""
    together, natural = _sorted(np.concatenate([classes, labels]))
    return together if natural and classes.tolist() == _sorted(classes)[0].tolist() else classes


def _common_order(y_true, y_pred):
    orders = [order for order in map(own_order, (y_true, y_pred)) if order is not None]
    if len(orders) == 2 and orders[0].tolist() != orders[1].tolist():
        raise ValueError(
            f"the true labels have the order {_listed(orders[0], ' < ', 6)} and the predicted ones "
            f"{_listed(orders[1], ' < ', 6)}; set order="
        )
    return orders[0] if orders else None


def ranks_of(labels, classes, unknown=None):
    """The ranks, from 1, of labels; labels that are not a class get `unknown`, or are an error if that is None."""
    place = {label: number for number, label in enumerate(classes.tolist(), 1)}
    ranks = [place.get(label, unknown) for label in np.asarray(labels).tolist()]
    if None in ranks:
        raise ValueError(
            f"label {np.asarray(labels).tolist()[ranks.index(None)]!r} is not one of the classes "
            f"{_listed(classes, ', ', 10)}"
        )
    return np.array(ranks, dtype=np.intc)
