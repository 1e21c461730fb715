# SPDX-License-Identifier: BSD-3-Clause
"""Labels: which rows have one, which classes there are, and in which order."""

import numbers
import warnings

import numpy as np
from sklearn.utils.validation import column_or_1d

from ._library import RungWarning

MOST_NUMERIC_CLASSES = 50


def class_name(label):
    """How a class is called in a model file: a whole number without a point, as the command line writes it."""
    if isinstance(label, numbers.Real) and not isinstance(label, (bool, np.bool_)):
        return str(int(label)) if label == int(label) else repr(float(label))
    return str(label)


def classes_from_names(names):
    """The labels of a model file: whole numbers, numbers, or texts."""
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)


def _is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True


def labelled_rows(y, unlabelled="auto"):
    """Which rows have a label, and y as an array.

    None, NaN and pandas.NA are no label. unlabelled: a further value that means none; 'auto': -1 where it cannot well
    be a class, that is beside at least two other labels which are whole numbers from 0 on; None: nothing else.
    """
    categorical = getattr(y, "cat", y)  # a Series keeps its codes there
    if hasattr(getattr(y, "dtype", None), "categories") and hasattr(categorical, "codes"):
        y = np.asarray(y, dtype=object)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
    elif y.dtype.kind == "O":
        known = np.array([not _is_missing(value) for value in y], dtype=bool)
    else:
        known = np.ones(len(y), dtype=bool)
    if unlabelled is None:
        return known, y
    if not isinstance(unlabelled, str) or unlabelled != "auto":
        return known & np.array([value != unlabelled for value in y], dtype=bool), y
    try:
        values = np.unique(np.array(list(y[known])))
    except TypeError:  # of several kinds
        return known, y
    if values.dtype.kind not in "if" or -1 not in values:
        return known, y
    others = values[values != -1]
    if len(others) < 2 or others[0] < 0 or np.any(others != np.floor(others)):
        return known, y
    if len(others) == 2 and others[0] == 0 and others[1] == 1:
        warnings.warn(
            "the labels are -1, 0 and 1: rows with -1 are taken as unlabelled; say unlabelled=-1 if that is right, "
            "or unlabelled=None if -1 is the lowest class",
            RungWarning,
            stacklevel=4,
        )
    return known & (y != -1), y


def _ordered_categories(y):
    dtype = getattr(y, "dtype", None)
    return np.asarray(dtype.categories) if getattr(dtype, "ordered", False) else None


def rank(y, order=None, unlabelled="auto"):
    """The classes, lowest first, and the rank of every row: 1, 2, ..., 0 where it is unlabelled.

    The order is `order`, else that of an ordered pandas Categorical, else the sorted labels.
    """
    if order is None:
        order = _ordered_categories(y)
    known, y = labelled_rows(y, unlabelled)
    labels = np.array(list(y[known])) if y.dtype.kind == "O" else y[known]
    if order is None:
        if labels.dtype.kind == "f" and np.any(np.isinf(labels)):
            raise ValueError("Input y contains infinity")
        if labels.dtype.kind == "f" and np.any(labels != np.floor(labels)):
            raise ValueError(
                "Unknown label type: continuous. Labels are whole numbers or texts; declare others as classes by "
                "order=, or take a regressor for real targets"
            )
        classes = np.unique(labels)
        if classes.dtype.kind in "USO" and len(classes) > 1:
            warnings.warn(
                f"the labels are text and taken in alphabetical order ({' < '.join(map(str, classes[:6]))}"
                f"{' < ...' if len(classes) > 6 else ''}); give order=[lowest, ..., highest] or an ordered Categorical",
                RungWarning,
                stacklevel=4,
            )
        elif len(classes) > MOST_NUMERIC_CLASSES:
            raise ValueError(
                f"{len(classes)} distinct numbers are too many for classes (at most {MOST_NUMERIC_CLASSES} without "
                "order=); a regressor takes real targets"
            )
    else:
        classes = np.asarray(order)
        if classes.ndim != 1 or len(set(classes.tolist())) != len(classes):
            raise ValueError("order must be a list of distinct classes, lowest first")
    ranks = np.zeros(len(y), dtype=np.intc)
    ranks[known] = ranks_of(labels, classes)
    return classes, ranks


def ranks_of(labels, classes):
    """The ranks, from 1, of labels that all are classes."""
    place = {label: number for number, label in enumerate(classes.tolist(), 1)}
    try:
        return np.array([place[label] for label in np.asarray(labels).tolist()], dtype=np.intc)
    except KeyError as missing:
        raise ValueError(
            f"label {missing.args[0]!r} is not one of the classes {', '.join(map(str, classes[:10]))}"
            f"{', ...' if len(classes) > 10 else ''}"
        ) from None
