# SPDX-License-Identifier: BSD-3-Clause
"""Tables with columns of several kinds, wherever they come from: pandas, or anything with an Arrow stream (polars,
pyarrow, DuckDB). A frame has names and columns; the library codes them as it codes the columns of a file."""

import numbers

import numpy as np

from ._names import class_name


class Numbers:
    """Doubles, NaN: missing. owners: what keeps the memory alive."""

    def __init__(self, values, owners=None):
        self.values, self._owners = values, owners

    def __len__(self):
        return len(self.values)

    def take(self, rows):
        return Numbers(self.values[rows])


class Text:
    """Cell i is values[codes[i]], -1: missing. ordered: the values are in order, lowest first; dates: dates; nominal:
    categories by their type, whatever they look like."""

    def __init__(self, codes, values, ordered=False, dates=False, nominal=False):
        self.codes, self.values, self.ordered, self.dates, self.nominal = codes, values, ordered, dates, nominal

    @property
    def is_plain(self):
        """Nothing says what the text is."""
        return not (self.ordered or self.dates or self.nominal)

    @classmethod
    def of(cls, cells):
        places = {}
        codes = [-1 if cell is None else places.setdefault(cell, len(places)) for cell in cells]
        return cls(np.array(codes, dtype=np.int32), list(places))

    def __len__(self):
        return len(self.codes)

    def take(self, rows):
        return Text(np.ascontiguousarray(self.codes[rows]), self.values, self.ordered, self.dates, self.nominal)


def one_order(lists, what):
    """The values of several ordered lists in the order that all of them agree on; an error if they leave it open."""
    lists = [list(one) for one in dict.fromkeys(map(tuple, lists))]
    out = []
    while any(lists):
        first = {one[0] for one in lists if one}
        first -= {value for one in lists for value in one[1:]}
        if len(first) != 1:
            values = sorted(first or {one[0] for one in lists if one})
            raise ValueError(
                f"{what} has parts with different ordered categories, which do not say whether {values[0]!r} is below "
                f"{values[-1]!r}: give all parts the same categories"
            )
        out += first
        lists = [one[1:] if one[:1] == out[-1:] else one for one in lists]
    return out


def dates(times):
    """A column of datetime64 as text, which the library reads as it does in a file: days, with a time of day as a
    fraction. Times of a zone are those of UTC."""
    known = ~np.isnat(times)
    places, codes = np.unique(times[known], return_inverse=True)
    all_codes = np.full(len(times), -1, dtype=np.int32)
    all_codes[known] = codes
    for unit in ("D", "s"):
        if _are_whole(places, unit):
            places = places.astype(f"datetime64[{unit}]")
            break
    return Text(all_codes, [str(value) for value in places], dates=True)


def _are_whole(times, unit):
    return bool(np.all(times == times.astype(f"datetime64[{unit}]")))


EXACT = 10**15  # from here on whole numbers are codes, as in a file: doubles do not tell all of them apart


def whole_numbers(values, codes):
    """Whole numbers as text: row i has values[codes[i]], -1: missing."""
    return Text(np.ascontiguousarray(codes, dtype=np.int32), [str(int(value)) for value in values])


class Frame:
    def __init__(self, names, columns):
        self.names, self.columns = names, columns
        self.shape = (len(columns[0]) if columns else 0, len(columns))

    def __len__(self):
        return self.shape[0]

    @property
    def is_plain(self):
        """All columns are numbers."""
        return all(isinstance(column, Numbers) for column in self.columns)

    def to_array(self):
        return np.column_stack([column.values for column in self.columns]) if self.columns else np.empty((0, 0))

    def only(self, names):
        """The columns of these names, in their order; None: some are not there."""
        if self.names is None or not set(names) <= set(self.names):
            return None
        return Frame(list(names), [self.columns[self.names.index(name)] for name in names])

    def take(self, rows):
        return Frame(self.names, [column.take(rows) for column in self.columns])


def frame_of(X):
    """The frame of a table, None: X is none."""
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns"):
        return Frame(_names(X), [_pandas_column(X.iloc[:, j], X.columns[j]) for j in range(X.shape[1])])
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc"):
        from . import _arrow

        return Frame(*_arrow.read(X))
    if hasattr(X, "collect_schema"):
        raise TypeError(f"X is a {type(X).__name__}, which has not been computed yet: give X.collect()")
    return None


def _names(X):
    """As scikit-learn takes them: names that are not text are no names."""
    texts = [isinstance(name, str) for name in X.columns]
    if any(texts) and not all(texts):
        raise TypeError("Feature names are only supported if all input features have string names")
    return list(X.columns) if all(texts) else None


NUMBERS = ("floating", "integer", "mixed-integer-float", "decimal", "boolean", "empty")  # of a column of objects


def _unusable(name, kind):
    return TypeError(f"column {name!r} holds values of the kind {kind}; expected numbers, text, categories or dates")


def _pandas_column(column, name):
    from pandas import PeriodDtype
    from pandas.api.types import infer_dtype, is_datetime64_any_dtype, is_numeric_dtype, is_object_dtype

    kind = column.dtype
    if hasattr(column, "cat") and hasattr(kind, "ordered"):
        categories = _category_names(column.cat.categories)
        ordered = bool(column.cat.ordered)
        codes = np.ascontiguousarray(column.cat.codes, dtype=np.int32)
        return Text(codes, categories, ordered, nominal=not ordered)
    if is_datetime64_any_dtype(kind):
        return dates(_instants(column))
    if getattr(kind, "kind", "") == "m":
        return Numbers(column.to_numpy() / np.timedelta64(1, "D"))
    if isinstance(kind, PeriodDtype):
        return dates(_instants(column.dt.to_timestamp()))
    if getattr(kind, "kind", "") in ("i", "u") and column.max() >= EXACT:
        return whole_numbers(*column.factorize()[::-1])
    if is_numeric_dtype(kind) and getattr(kind, "kind", "") != "c":
        return Numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))
    inferred = "complex" if getattr(kind, "kind", "") == "c" else "string"
    if is_object_dtype(kind):
        inferred = infer_dtype(column, skipna=True)
    if inferred == "integer" and column.max() >= EXACT:
        return whole_numbers(*column.factorize()[::-1])
    if inferred in NUMBERS:
        return Numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if inferred in ("date", "datetime", "datetime64"):
        from pandas import to_datetime

        return dates(_instants(to_datetime(column, utc=True)))
    if inferred in ("complex", "period", "interval"):
        raise _unusable(name, inferred)
    try:
        column = column.astype("category")
    except TypeError:  # not hashable
        raise _unusable(name, next(type(value).__name__ for value in column if value is not None)) from None
    categories = [_cell(value) for value in column.cat.categories]
    return Text(np.ascontiguousarray(column.cat.codes, dtype=np.int32), categories)


def _cell(value):
    """A number beside texts; three digits behind the point, which could part thousands there, get a fourth."""
    name = class_name(value)
    return name + "0" if isinstance(value, numbers.Real) and len(name.partition(".")[2]) == 3 else name


def _category_names(categories):
    """As they stand in a file: days without a time of day."""
    if getattr(categories.dtype, "kind", "") == "M" and _are_whole(_instants(categories.to_series()), "D"):
        return [str(value.date()) for value in categories]
    return [class_name(value) for value in categories]


def _instants(column):
    """Times of a zone as those of UTC, as in a file; times without one as they are."""
    kind = column.dtype
    if getattr(getattr(kind, "pyarrow_dtype", kind), "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = column.to_numpy()  # in the unit they have: nanoseconds hold only the years 1677 to 2262
    return times if times.dtype.kind == "M" else column.to_numpy(dtype="datetime64[us]")
