# SPDX-License-Identifier: BSD-3-Clause
"""Fits files as the command does: loaded, or in passes if they are larger than memory, by one or several processes."""

from __future__ import annotations

import functools
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import clone

from . import _files, _table, methods
from ._base import Estimator, Regressor, seed_of
from ._columns import Places, entries, expressions, fill, grouped_by, word_in_file
from ._comm import Comm, Team
from ._library import Context, c_text, check_texts, ffi, keep, lib, struct, text, texts
from ._model import Model
from ._names import order_text
from ._types import Columns, Path
from .search import OrdinalSearch


class _FileColumns:
    """The columns of files: by name, by number from 0, or as text by position from 1. A number is looked up in the
    first file, because a column may be named by the position of another one."""

    def __init__(self, files, reading):
        self._files, self._reading = files, reading

    @functools.cached_property
    def _names(self):
        """None: there are none, or the file cannot be read, which the fit will say."""
        ctx, out = Context(), ffi.new("rung_reader **")
        if not ctx.quietly(lib.rung_reader_open, lib.rung_files_at(self._files, 0), self._reading, ffi.NULL, out):
            return None
        reader, rows = ffi.gc(out[0], lib.rung_reader_free), ffi.new("rung_table **")
        if not ctx.quietly(lib.rung_reader_next, reader, 1, rows) or rows[0] == ffi.NULL:
            return None
        table = ffi.gc(rows[0], lib.rung_table_free)
        names = [text(lib.rung_table_name(table, j)) for j in range(lib.rung_table_columns(table))]
        return names if all(names) else None

    def word(self, column):
        """For a list of columns."""
        names = self._names if isinstance(column, numbers.Integral) else None
        if names is None or not 0 <= column < len(names):
            return word_in_file(column)
        return Places(names, len(names)).word(int(column))

    def one(self, column):
        if column is None:
            return ffi.NULL
        return c_text(self.word(column) if isinstance(column, numbers.Integral) else column)


def _encoding(estimator, columns, label, ignore, nominal, numeric, dates, ordinal, derive, weights, groups):
    options = struct("encode_options")
    order = getattr(estimator, "order", None)
    kept = {
        "label": columns.one(label),
        "order": ffi.NULL if order is None else c_text(order_text(order)),
        "ignore": texts([columns.word(column) for column, _ in entries(ignore)], end=True),
        "weights": columns.one(weights),
        "groups": columns.one(groups),
    }
    said = {"nominal": nominal, "numeric": numeric, "dates": dates, "ordinal": ordinal}
    for name, given in said.items():
        given = getattr(estimator, name) if given is None else given
        said[name] = [(columns.word(column), way) for column, way in entries(given)]
    said["derive"] = expressions(estimator.derive if derive is None else derive)
    said |= grouped_by(estimator)
    for name, value in kept.items():
        setattr(options, name, value)
    options.missing_error = int(estimator.missing != "median")
    options.real = int(isinstance(estimator, Regressor))
    return keep(fill(options, said), kept)


def _reading(format, delimiter, decimal, header, encoding):
    options = struct("read_options")
    kept = [ffi.NULL if value is None else c_text(value) for value in (format, encoding)]
    options.format, options.encoding = kept
    for name, value in (("delimiter", delimiter), ("decimal", decimal)):
        if value is not None and len(value.encode()) != 1:
            raise ValueError(f"{name}={value!r} is not a character")
        setattr(options, name, (value or "\0").encode())
    auto, present, absent = lib.RUNG_HEADER_AUTO, lib.RUNG_HEADER_PRESENT, lib.RUNG_HEADER_ABSENT
    options.header = auto if header is None else present if header else absent
    return keep(options, kept)


def _names(files):
    given = [files] if isinstance(files, (str, bytes, os.PathLike)) else files
    return [os.fsdecode(name) for name in given]


def _c_names(names):
    encoded = [os.fsencode(name) for name in names]
    check_texts(encoded)
    kept = [ffi.new("char[]", name) for name in encoded]
    return keep(ffi.new("char *[]", [*kept, ffi.NULL]), kept)


def _unfitted(method):
    if isinstance(method, str):
        return methods.CLASSES[_table.find(method).name]()
    if not isinstance(method, Estimator):
        raise TypeError(f"method={method!r} is neither a name nor an estimator of rung")
    if isinstance(method, OrdinalSearch):
        raise TypeError("a search needs all rows in memory: give the estimator of a method")
    if getattr(method, "unlabelled", "auto") not in ("auto", None):
        raise ValueError(
            f"unlabelled={method.unlabelled!r} is for arrays; in a file an empty cell, ? or NA marks an unlabelled row"
        )
    return clone(method)


def _model(ctx, estimator, files, reading, encoding, passes, run):
    """The model of the files, in passes if wanted or needed. run: how the context makes long calls."""
    spec = estimator._new_spec(ctx)
    how = lib.RUNG_PASSES_ALWAYS if passes else lib.RUNG_PASSES_AUTO
    data = ctx.make("data", lib.rung_data_open, spec, files, reading, encoding, how, call=run)
    estimator._set_cost(ctx, spec, data)
    return ctx.make("model", lib.rung_model_fit, spec, data, call=run)


def fit_files(
    files: Path | Sequence[Path],
    method: str | Estimator = _table.DEFAULT,
    *,
    label: str | int | None = None,
    ignore: Columns | None = None,
    nominal: Columns | None = None,
    numeric: Columns | None = None,
    dates: Columns | None = None,
    ordinal: Mapping[Any, Sequence[Any]] | None = None,
    derive: str | Sequence[str] | None = None,
    weights: str | int | None = None,
    groups: str | int | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    passes: bool = False,
    comm: Comm | None = None,
) -> Any:
    """Fit a model to files, as `rung fit` does, also if they are larger than memory.

    Files whose rows exceed the memory limit of the estimator (8 GiB if it has none) are read in passes, if the method
    supports it, as kdlor, pom, boost, krr, ckr, isbor and auto do. With `comm` several processes divide the files among
    them. All get the same model, and the number of processes does not change its bits.

    Parameters
    ----------
    files : path, folder or pattern such as 'parts/*.csv.gz', or several of them
        They are read as one table, in the order of their names, and need the same columns.
    method : name of a method, or an estimator
        The parameters of an estimator apply, among them `order`, `class_weight`, `memory_limit`, `verbose` and, where
        they are not given here, `nominal`, `numeric`, `dates`, `ordinal` and `derive`.
    label : column of the labels, default None
        By name, by number from 0, or as text by position from 1, like all columns here. None: `label`, else the last
        one. An empty cell, ? or NA marks an unlabelled row.
    ignore : columns to leave out
    nominal, numeric, dates : columns of categories, of numbers and of dates, where the cells do not say it right
        A dict also says how: nominal={"ward": "north"}, the category to compare with; dates={"day": "cyclic"}, or days,
        dmy, mdy, ymd, compact. A column is a name, a number from 0, or text with a position from 1.
    ordinal : feature columns of words in an order: {"size": ["small", "medium", "large"]}
    derive : columns computed from others, which may be ignored ones: ["age:sex", "x^2", "log(x)", "poly(x, 3)"]
    weights : column of row weights
    groups : column that says which rows are held out together; not in passes
    format : 'csv', 'libsvm', 'arff' or 'orca', default None
        None: by the name, then by the content.
    delimiter, decimal : separator of cells, and decimal point; None: detected, and '.'
    header : whether the first row holds names; None: detected
    encoding : 'utf-8', 'utf-16', 'cp1252' or 'latin1'; None: recognised
    passes : read in passes whatever the size
    comm : communicator, default None
        mpi4py's MPI.COMM_WORLD, or any object with its rank, size, Allreduce, Bcast and Barrier. With more than one
        process the files are always read in passes. If a process fails, the call raises an exception in all of them.

    Returns
    -------
    The fitted estimator.

    Examples
    --------
    >>> import pandas
    >>> X, y = rung.generate("toy", rows=200)
    >>> frame = pandas.DataFrame(X, columns=["a", "b"]).assign(label=y)
    >>> frame[:90].to_csv("part1.csv", index=False)
    >>> frame[90:].to_csv("part2.csv", index=False)
    >>> model = rung.fit_files("part*.csv", rung.KDLOR(landmarks=50), passes=True)
    >>> model.feature_names_in_.tolist(), model.classes_.tolist()
    (['a', 'b'], [1, 2, 3, 4, 5])
    """
    columns = dict(
        label=label, ignore=ignore, nominal=nominal, numeric=numeric, dates=dates, ordinal=ordinal, derive=derive,
        weights=weights, groups=groups,
    )  # fmt: skip
    reading = dict(format=format, delimiter=delimiter, decimal=decimal, header=header, encoding=encoding)
    given = ", ".join(f"{name}={value!r}" for name, value in (columns | reading).items() if value is not None)
    with Team(comm) as team:
        estimator, names = _unfitted(method), _names(files)
        estimator.set_params(random_state=team.same(seed_of(estimator.random_state)))
        if team.rank > 0:
            estimator.set_params(verbose=False)
        ctx = estimator._context(
            fitting=True, call=lambda made: f"rung.fit_files({names!r}, {made}{', ' if given else ''}{given})"
        )
        team.join(ctx)
        found, how = ctx.make("files", lib.rung_files_new, _c_names(names)), _reading(**reading)
        handle = _model(
            ctx,
            estimator,
            found,
            how,
            _encoding(estimator, _FileColumns(found, how), **columns),
            passes or team.size > 1,
            ctx.run if team.size == 1 else ctx.run_here,
        )
    return _files.fitted(estimator, Model(handle))
