# SPDX-License-Identifier: BSD-3-Clause
"""Converts arrays and data frames to the library's data.

Arrays of numbers are handed over as they lie in memory. A data frame, anything with missing cells, and an array with a
column that may count the rows or hold dates go by a table, which the library codes as it codes a file: text one-of-k,
ordered categories as ranks, dates as days, missing cells by the median, columns that only count the rows left out.
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from . import _columns, _labels
from ._frame import Frame, Numbers, Text, frame_of
from ._labels import ends, ranks_between
from ._library import LimitError, c_text, ffi, keep, lib, pointer, struct, text, texts, view, warn, whole_steps
from ._names import class_name

SPARSE_LIMIT = 2**30  # bytes of a sparse matrix made dense, where memory_limit does not say otherwise


def _dense(estimator, X, reset):
    """A sparse matrix as an array, where it fits."""
    size, limit = 8 * X.shape[0] * X.shape[1], estimator.memory_limit or SPARSE_LIMIT
    if size > limit:
        raise LimitError(
            f"X is sparse; as the dense array that rung needs it would take {size / 2**20:.0f} MiB, and the limit is "
            f"{limit / 2**20:.0f} MiB. Reduce the number of columns first, for example with "
            f"sklearn.decomposition.TruncatedSVD, or allow it with memory_limit={size}"
        )
    if reset:
        warn(f"X is sparse and is converted to a dense array ({size / 2**20:.1f} MiB)")
    return X.toarray()


def _numbers(X):
    """An array whose masked elements are missing; times are none, as they would be counted in the unit they happen to
    have."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
        raise TypeError("X is an array of times: put them into a DataFrame, where they are read as days")
    return X.astype(np.float64).filled(np.nan) if isinstance(X, np.ma.MaskedArray) else X


def groups_of(groups, rows):
    """A number for every row by its group; rows without a group are by themselves."""
    values = _labels.without_mask(groups)
    values = column_or_1d(np.asarray(values, dtype=object) if isinstance(values, (list, tuple)) else values)
    if len(values) != rows:
        raise ValueError(f"{len(values)} groups for {rows} rows")
    places = {}
    return np.array(
        [
            places.setdefault(i if _labels.is_missing(value) else (value,), len(places))
            for i, value in enumerate(values.tolist())
        ],
        dtype=np.intc,
    )


def check(estimator, X, reset):
    """X after scikit-learn's checks: a frame if it has columns that are not numbers, otherwise an array of doubles."""
    if estimator.missing not in ("median", "error"):
        raise ValueError(f"missing={estimator.missing!r} is neither 'median' nor 'error'")
    least = 2 if reset else 1
    finite = "allow-nan" if estimator.missing == "median" else True
    frame = frame_of(X)
    if frame is not None:
        from_file = not reset and getattr(estimator, "_from_file", False)
        known = frame.only(estimator.feature_names_in_) if from_file else None
        if known is None:
            validate_data(estimator, X if hasattr(X, "shape") else frame, reset=reset, skip_check_array=True)
        frame = frame if known is None else known
        # a text column without any text, as in a batch where it is missing throughout, looks like one of numbers
        if frame.is_plain and (reset or not any(is_text for _, is_text in estimator.model_.inputs)):
            return check_array(
                frame.to_array(),
                ensure_all_finite=finite,
                ensure_min_samples=least,
                estimator=estimator,
                input_name="X",
            )
        if len(frame) < least:
            raise ValueError(f"Found array with {len(frame)} sample(s) while a minimum of {least} is required.")
        return frame
    if issparse(X):
        X = _dense(estimator, X, reset)
    X = _numbers(X)
    try:
        return validate_data(
            estimator, X, dtype=np.float64, ensure_all_finite=finite, ensure_min_samples=least, reset=reset
        )
    except ValueError as why:
        if "could not convert string to float" in str(why):
            raise ValueError(f"{why}. Text columns are supported in a DataFrame, not in an array") from None
        raise


def rows_of(X, rows):
    """Some rows of what check returned."""
    return X.take(rows) if isinstance(X, Frame) else X[rows]


def _needs_table(X):
    return isinstance(X, Frame) or bool(np.isnan(X).any())


def _add_text(ctx, table, name, column):
    values = texts([class_name(value) for value in column.values])
    codes = np.ascontiguousarray(column.codes, dtype=np.int32)
    ctx.call(
        lib.rung_table_add_text, table, name, pointer(codes, "int32_t"), values, len(column.values), int(column.ordered)
    )


def _add_cells(ctx, table, name, column):
    """Text that is only text is read as in a file, where numbers may be among it."""
    values = texts([class_name(value) for value in column.values], end=True)
    address = np.array([int(ffi.cast("uintptr_t", values[k])) for k in range(len(column.values) + 1)], dtype=np.uintp)
    cells = address[column.codes]  # code -1: the end of the list, NULL
    ctx.call(lib.rung_table_add_cells, table, name, ffi.cast("const char *const *", cells.ctypes.data))


def _fill_table(ctx, X, names):
    table, kept = ctx.make("table", lib.rung_table_new, len(X)), []
    for j in range(X.shape[1]):
        name = ffi.NULL if names is None else str(names[j]).encode()
        column = X.columns[j] if isinstance(X, Frame) else Numbers(X[:, j])
        if isinstance(column, Text):
            add = _add_cells if column.is_plain else _add_text
            add(ctx, table, name, column)
            continue
        values = whole_steps(column.values)
        kept.append(values)
        ctx.call(lib.rung_table_add_numbers, table, name, pointer(values), values.strides[0] // values.itemsize)
    return table


def _label_name(y, names):
    """The name of the label column in a model file: that of y, or `label`; never that of a feature."""
    name = getattr(y, "name", None)
    name = str(name) if name is not None and str(name) else "label"
    while names is not None and name in names:
        name += "_"
    return name


def _typed(X, kind):
    """The places of the columns of text of a kind."""
    if not isinstance(X, Frame):
        return []
    return [j for j, column in enumerate(X.columns) if isinstance(column, Text) and getattr(column, kind)]


def _may_be_others(X):
    """Whether a column of an array may be something else than numbers to the library, which finds columns that only
    count the rows, and dates such as 20240131, in a table. A column of either kind passes this; the library decides."""
    if X.size == 0:
        return False
    low, high = X.min(axis=0), X.max(axis=0)
    return bool(np.any(high - low == len(X) - 1) or np.any(low >= 18000101))


def _needs_coding(estimator, X):
    return (
        _needs_table(X)
        or any(getattr(estimator, option, None) is not None for option in (*_columns.LISTS, *_columns.OTHERS))
        or (not estimator.__sklearn_tags__().input_tags.pairwise and _may_be_others(X))
    )


def _numbered(X):
    """Names for columns that have none, so that they are found again where some are left out."""
    return [f"x{j + 1}" for j in range(X.shape[1])]


def training_data(ctx, estimator, X, y, classes=None, ranks=None, targets=None, weights=None):
    """The library's data of the rows X (what check returned) and their ranks or targets."""
    names = getattr(estimator, "feature_names_in_", None)
    label = _label_name(y, names)
    if names is None and not _needs_coding(estimator, X):
        rows = view(X)
        if targets is not None:
            data = ctx.make("data", lib.rung_data_new_real, rows, pointer(targets), pointer(weights))
        else:
            data = ctx.make("data", lib.rung_data_new, rows, pointer(ranks, "int"), pointer(weights), len(classes))
        called = texts([class_name(label) for label in classes]) if targets is None else ffi.NULL
        ctx.call(lib.rung_data_set_names, data, ffi.NULL, ffi.NULL, called)
        return data
    typed = {"nominal": _typed(X, "nominal"), "dates": _typed(X, "dates")}
    options = struct("encode_options")
    _columns.fill(options, _columns.said_by(estimator, _columns.Places(names, X.shape[1]), typed))
    table = _fill_table(ctx, X, _numbered(X) if names is None else names)
    options.missing_error = int(estimator.missing != "median")
    kept = [c_text(label), c_text(label + " weights")]
    if targets is not None:
        options.real = 1
        ctx.call(lib.rung_table_add_numbers, table, kept[0], pointer(targets), 1)
    elif len(classes):
        _add_text(ctx, table, kept[0], Text(ranks - 1, classes, ordered=True))
    options.unlabelled = int(targets is None and not len(classes))
    if not options.unlabelled:
        options.label = kept[0]
    if weights is not None:
        ctx.call(lib.rung_table_add_numbers, table, kept[1], pointer(weights), 1)
        options.weights = kept[1]
    return ctx.make("data", lib.rung_data_encode, table, options)


def _names_for(estimator, X):
    """The names by which the model finds its columns among those of X; None: by position."""
    given = getattr(estimator, "feature_names_in_", None)
    if given is not None:  # the model may have left an identifier out
        return given
    return _numbered(X) if all(name for name, _ in estimator.model_.inputs) else None


def _names_in(estimator):
    """What the columns of X are called, where the model calls its own by name; else None."""
    given = getattr(estimator, "feature_names_in_", None)
    if given is not None:
        return list(given)
    named = all(name for name, _ in estimator.model_.inputs)
    return [f"x{j + 1}" for j in range(estimator.n_features_in_)] if named else None


def places_of(estimator):
    """The places in X of the columns of the model, which may have left some out."""
    names, columns = _names_in(estimator), [name for name, _ in estimator.model_.inputs]
    return list(range(len(columns))) if names is None else [names.index(name) for name in columns]


def columns_of_model(estimator, option, columns):
    """Columns of X, by name or place, as the library takes those of the model; None: not said."""
    if columns is None:
        return ffi.NULL
    names, there = _names_in(estimator), places_of(estimator)
    x = _columns.Places(names or [f"x{j + 1}" for j in range(estimator.n_features_in_)], estimator.n_features_in_)
    words = []
    for column, _ in _columns.entries(columns):
        if isinstance(column, str) and column not in x.names:
            words.append(column)  # the library names similar ones
            continue
        place = x.find(option, column)
        if place not in there:
            raise ValueError(f"{option}: the model has left out column {column!r}")
        words.append(str(there.index(place) + 1) if names is None else x.word(place, there.index(place)))
    return texts(words, end=True)


def rows_to_predict(ctx, estimator, X):
    """A view of the rows X (what check returned), coded as the model was trained."""
    model = estimator.model_
    text_columns = [name for name, is_text in model.inputs if is_text]
    if text_columns and not isinstance(X, Frame) and hasattr(estimator, "feature_names_in_"):
        raise TypeError(f"the model has text columns ({', '.join(text_columns[:5])}); X must be a DataFrame")
    if not text_columns and len(model.inputs) == X.shape[1] and not model.derives and not _needs_table(X):
        return view(X)
    return _view_of(_recoded(ctx, estimator, X))


def _recoded(ctx, estimator, X, label=None, labels=lib.RUNG_LABELS_IGNORED):
    """The rows X coded as the model was trained. label: adds the label column to their table."""
    names = _names_for(estimator, X)
    table = _fill_table(ctx, X, names)
    if label is not None:
        model = estimator.model_.pointer
        label(table, ffi.NULL if names is None else text(lib.rung_model_label(model)).encode())
    return ctx.make("data", lib.rung_model_encode, estimator.model_.pointer, table, labels)


def _view_of(data):
    return keep(ffi.new("rung_view *", lib.rung_data_view(data)), data)


def _labelled_targets(ctx, estimator, X, y):
    targets = np.array(_labels.without_mask(y), dtype=np.float64)
    add = lambda table, name: ctx.call(lib.rung_table_add_numbers, table, name, pointer(targets), 1)  # noqa: E731
    return _recoded(ctx, estimator, X, add, lib.RUNG_LABELS_REQUIRED)


def labelled_data(ctx, estimator, X, y):
    """The library's data of the rows X (what check returned) and their labels, coded as the model was trained."""
    if estimator.model_.is_real:
        return _labelled_targets(ctx, estimator, X, y)
    known, low, high = ends(y, estimator.classes_, estimator.unlabelled)
    ranks, upper = np.zeros(len(known), dtype=np.int32), None
    ranks[known], highest = ranks_between(low, high, estimator.classes_)
    if highest is not None:
        upper = np.zeros(len(known), dtype=np.intc)
        upper[known] = highest
    label = Text(ranks - 1, estimator.classes_, ordered=True)
    data = _recoded(ctx, estimator, X, lambda table, name: _add_text(ctx, table, name, label), lib.RUNG_LABELS_REQUIRED)
    if upper is not None:
        ctx.call(lib.rung_data_set_upper, data, pointer(upper, "int"))
    return data


def unlabelled_data(ctx, estimator, X):
    """The same without labels."""
    return _recoded(ctx, estimator, X)
