# SPDX-License-Identifier: BSD-3-Clause
"""Converts arrays and data frames to the library's data.

Arrays of numbers are handed over as they lie in memory. A data frame with columns of text, or anything with missing
cells, goes by a table, which the library codes as it codes a file: text one-of-k, missing cells by the median.
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from ._labels import class_name
from ._library import LimitError, c_text, ffi, keep, lib, pointer, struct, texts, view, warn


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


NUMBERS = ("floating", "integer", "mixed-integer-float", "decimal", "boolean", "empty")  # of a column of objects


def _is_text(column):
    from pandas.api.types import is_numeric_dtype  # where there is a frame, there is pandas

    if column.dtype.kind in "mM":
        name = column.name
        raise TypeError(
            f"column {name!r} contains dates or times: convert it to numbers, such as days since the first date, "
            f"(X[{name!r}] - X[{name!r}].min()) / pandas.Timedelta(days=1), or the month or the weekday"
        )
    return not is_numeric_dtype(column.dtype) and not _are_numbers(column)


def _are_numbers(column):
    """Of a column of objects."""
    from pandas.api.types import infer_dtype, is_object_dtype

    return is_object_dtype(column.dtype) and infer_dtype(column, skipna=True) in NUMBERS


def has_text(X):
    return _is_frame(X) and any([_is_text(X.iloc[:, j]) for j in range(X.shape[1])])


def _as_frame(X):
    """X; a polars frame with columns of text as one of pandas, and columns of objects that are numbers as numbers."""
    if type(X).__module__.startswith("polars") and not all(kind.is_numeric() for kind in X.dtypes):
        from pandas import DataFrame

        X = DataFrame({name: X[name].to_list() for name in X.columns})
    if not _is_frame(X) or not X.columns.is_unique:
        return X
    objects = [name for name in X.columns if _are_numbers(X[name])]
    if objects:
        X = X.copy()
    for name in objects:
        X[name] = X[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return X


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


def check(estimator, X, reset):
    """X after scikit-learn's checks: a frame if it has text columns, otherwise an array of doubles."""
    if estimator.missing not in ("median", "error"):
        raise ValueError(f"missing={estimator.missing!r} is neither 'median' nor 'error'")
    least = 2 if reset else 1
    X = _dense(estimator, X, reset) if issparse(X) else _as_frame(X)
    if has_text(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if len(X) < least:
            raise ValueError(f"Found array with {len(X)} sample(s) while a minimum of {least} is required.")
        return X
    missing = "allow-nan" if estimator.missing == "median" else True
    try:
        return validate_data(
            estimator, X, dtype=np.float64, ensure_all_finite=missing, ensure_min_samples=least, reset=reset
        )
    except ValueError as why:
        if "could not convert string to float" in str(why):
            raise ValueError(f"{why}. Text columns are supported in a DataFrame, not in an array") from None
        raise


def _needs_table(X):
    return _is_frame(X) or bool(np.isnan(X).any())


def _add_text(ctx, table, name, column, ordered=False, categories=None):
    if categories is None:
        column = column.astype("category")
        codes, categories = column.cat.codes, column.cat.categories
    else:
        codes = column
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    values = texts([class_name(value) for value in categories])
    ctx.call(lib.rung_table_add_text, table, name, pointer(codes, "int32_t"), values, len(categories), int(ordered))


def _fill_table(ctx, X, names):
    table = ctx.make("table", lib.rung_table_new, len(X))
    for j in range(X.shape[1]):
        name = ffi.NULL if names is None else str(names[j]).encode()
        column = X.iloc[:, j] if _is_frame(X) else X[:, j]
        if _is_frame(X) and _is_text(column):
            _add_text(ctx, table, name, column)
            continue
        if _is_frame(X):
            column = column.to_numpy(dtype=np.float64, na_value=np.nan)
        ctx.call(lib.rung_table_add_numbers, table, name, pointer(column), column.strides[0] // column.itemsize)
    return table


def _label_name(y, names):
    """The name of the label column in a model file: that of y, or `label`; never that of a feature."""
    name = getattr(y, "name", None)
    name = str(name) if name is not None and str(name) else "label"
    while names is not None and name in names:
        name += "_"
    return name


def training_data(ctx, estimator, X, y, classes=None, ranks=None, targets=None, weights=None):
    """The library's data of the rows X (what check returned) and their ranks or targets."""
    names = getattr(estimator, "feature_names_in_", None)
    label = _label_name(y, names)
    if names is None and not _needs_table(
        X
    ):  # columns with names may be identifiers, which the library finds in a table
        rows = view(X)
        if targets is not None:
            data = ctx.make("data", lib.rung_data_new_real, rows, pointer(targets), pointer(weights))
        else:
            data = ctx.make("data", lib.rung_data_new, rows, pointer(ranks, "int"), pointer(weights), len(classes))
        called = texts([class_name(label) for label in classes]) if targets is None else ffi.NULL
        ctx.call(lib.rung_data_set_names, data, texts(names), label.encode() if names is not None else ffi.NULL, called)
        return data
    named = names if names is not None else [f"x{j + 1}" for j in range(X.shape[1])]
    table = _fill_table(ctx, X, named)
    options = struct("encode_options")
    options.missing_error = int(estimator.missing != "median")
    kept = [c_text(label), c_text(label + " weights")]
    if targets is not None:
        options.real = 1
        ctx.call(lib.rung_table_add_numbers, table, kept[0], pointer(targets), 1)
    elif len(classes):
        _add_text(ctx, table, kept[0], ranks - 1, ordered=True, categories=classes)
    options.unlabelled = int(targets is None and not len(classes))
    if not options.unlabelled:
        options.label = kept[0]
    if weights is not None:
        ctx.call(lib.rung_table_add_numbers, table, kept[1], pointer(weights), 1)
        options.weights = kept[1]
    return ctx.make("data", lib.rung_data_encode, table, options)


def rows_to_predict(ctx, estimator, X):
    """A view of the rows X (what check returned), coded as the model was trained."""
    model, given = estimator.model_, getattr(estimator, "feature_names_in_", None)
    text_columns = [name for name, is_text in model.columns if is_text]
    if text_columns and not _is_frame(X):
        raise TypeError(f"the model has text columns ({', '.join(text_columns[:5])}); X must be a DataFrame")
    names = [name for name, _ in model.columns]
    if not text_columns and len(names) == X.shape[1] and not _needs_table(X):
        return view(X)
    if given is not None:  # the model may have left an identifier out
        names = given
    table = _fill_table(ctx, X, names if all(names) else None)
    data = ctx.make("data", lib.rung_model_encode, model.pointer, table, 0)
    return keep(ffi.new("rung_view *", lib.rung_data_view(data)), data)
