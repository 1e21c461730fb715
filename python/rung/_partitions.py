# SPDX-License-Identifier: BSD-3-Clause
"""Predictions for data in partitions: dask, Spark, or any iterator of data frames. Neither of them is imported."""

from __future__ import annotations

import collections
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np

from . import _files
from ._base import Estimator
from ._library import DataError
from ._model import Model
from ._types import Path

RECENT_MODELS = 4

# The models of the last tasks of this process. Together with Model.from_bytes they make it read a model once, however
# many tasks bring it along.
_recent: collections.deque[Model] = collections.deque(maxlen=RECENT_MODELS)


@functools.lru_cache(maxsize=RECENT_MODELS)
def _read(path, stamp):
    """stamp: tells a file from one that replaced it."""
    return _files.load(path)


def _alone(model):
    """The fitted estimator without what predictions do not need, such as the labels of the training rows."""
    if isinstance(model, Model):
        return _files.estimator_of(model)
    if not isinstance(model, Estimator):
        raise TypeError(
            f"expected an estimator of rung, a model or the path of a model file, not a {type(model).__name__}"
        )
    if not model.__sklearn_is_fitted__():
        raise DataError(f"this {type(model).__name__} is not fitted yet; call fit first")
    alone = _files.estimator_of(model.model_)
    alone.set_params(missing=model.missing, n_jobs=model.n_jobs, memory_limit=model.memory_limit)
    if not model.model_.is_real:
        alone.classes_ = model.classes_
    return alone


def _labels_of(model, classes, rank):
    """The class of every row; missing where a model that may abstain gives none."""
    if not model.may_abstain:
        return classes[rank - 1]
    import pandas

    labels = pandas.array(classes[np.maximum(rank, 1) - 1])  # of a type that has missing values
    labels[rank == 0] = pandas.NA
    return labels


def _is_frame(rows):
    return hasattr(rows, "iloc") and hasattr(rows, "columns") and not hasattr(rows, "map_partitions")


class PartitionPredictor:
    """Predicts partitions of data; made by `rung.predict_partitions`.

    Called with a pandas DataFrame it returns a DataFrame with the same index; with an iterator of DataFrames, an
    iterator; with a dask or Spark DataFrame, one of the same kind, which is computed when it is needed.

    Examples
    --------
    >>> import pandas
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> frame = pandas.DataFrame(X, columns=["a", "b"])
    >>> predict = rung.predict_partitions(rung.KDLOR().fit(frame, y))
    >>> [len(part) for part in predict(iter([frame[:120], frame[120:]]))]
    [120, 80]
    """

    def __init__(
        self,
        model: Estimator | Model | Path,
        *,
        proba: bool = False,
        interval: float | None = None,
        keep: Sequence[str] | Literal["all"] = (),
        columns: Sequence[str] | None = None,
    ) -> None:
        if isinstance(model, (str, bytes, os.PathLike)):
            self._path: str | None = os.path.abspath(os.fsdecode(model))
            self._given = None
        else:
            self._path, self._given = None, _alone(model)
        if isinstance(keep, str) and keep != "all":
            raise TypeError(f"keep={keep!r}: expected a list of columns, or 'all'")
        if interval is not None and not 0 < interval < 1:
            raise ValueError(f"interval={interval!r} is not a probability between 0 and 1")
        self.proba, self.interval = proba, interval
        self.keep: Any = keep if isinstance(keep, str) else list(keep)
        self.columns = None if columns is None else list(columns)

    @property
    def estimator(self) -> Any:
        """The fitted estimator, read from its file where it is first needed, once per process."""
        if self._path is not None:
            about = os.stat(self._path)
            return _read(self._path, (about.st_mtime_ns, about.st_size, about.st_ino))
        return self._given

    # ---- calls ----

    def __call__(self, rows: Any) -> Any:
        if hasattr(rows, "map_partitions"):
            return rows.map_partitions(self, meta=self.meta(rows))
        if hasattr(rows, "mapInPandas"):
            return rows.mapInPandas(self, self.schema(rows))
        if _is_frame(rows):
            return self._predict(rows)
        if not isinstance(rows, Iterable):
            raise TypeError(f"expected a DataFrame or an iterator of DataFrames, not a {type(rows).__name__}")
        return self._predict_all(rows)

    def _predict_all(self, frames: Iterable[Any]) -> Iterator[Any]:
        for frame in frames:
            if not _is_frame(frame):
                raise TypeError(f"expected pandas DataFrames, not a {type(frame).__name__}")
            yield self._predict(frame)

    def _predict(self, frame):
        import pandas

        estimator = self.estimator
        if estimator.model_ not in _recent:
            _recent.append(estimator.model_)
        X, kept = self._features(estimator, frame), self._kept(list(frame.columns))
        wanted, arrays = self._wanted(estimator.model_), None
        if len(frame):
            arrays = dict(zip(wanted, estimator._predict(X, *wanted, level=self.interval or 0.0), strict=True))
        out = pandas.DataFrame(self._predicted(estimator, kept, arrays), index=frame.index)
        return pandas.concat([frame[kept], out], axis=1) if kept else out

    # ---- what goes in ----

    def _features(self, estimator, frame):
        """The columns of the model in a partition; others are ignored."""
        needed, has = [name for name, _ in estimator.model_.columns], list(frame.columns)
        names = self.columns if self.columns is not None else needed if all(needed) else has
        if len(names) != len(needed):
            raise DataError(
                f"the model has {len(needed)} columns, and columns= has {len(names)}"
                if self.columns is not None
                else f"the model was fitted to {len(needed)} columns without names, not to {len(names)} "
                f"({_listed(has)}); give the feature columns as columns=[...], in the order of the fit"
            )
        for name in names:
            if has.count(name) != 1:
                raise DataError(
                    f"column {name!r} occurs {has.count(name)} times"
                    if name in has
                    else f"there is no column {name!r}, which the model needs; the columns are {_listed(has)}"
                )
        return frame[names].set_axis(needed if all(needed) else range(len(needed)), axis=1)

    # ---- what comes out ----

    def _wanted(self, model):
        wanted = ["rank"] * model.has_ranks + ["score"]
        if self.proba:
            if not model.has_probabilities:
                raise DataError(f"proba=True: this model of {model.method} has no probabilities")
            wanted += ["proba"] + ["sd"] * model.has_latent
        return wanted + (["low", "high"] if self.interval is not None else [])

    def _columns(self, model, classes, arrays):
        """Name and values of every predicted column, as `rung predict` calls them."""
        score = arrays["score"]
        if "rank" in arrays:
            yield "label", _labels_of(model, classes, arrays["rank"])
            yield "rank", arrays["rank"].astype(np.int64)
        for o in range(model.outputs):
            yield "score" if model.outputs == 1 else f"score{o + 1}", score[:, o]
        if "proba" in arrays:
            yield from ((f"p({name})", arrays["proba"][:, k]) for k, name in enumerate(model.class_names))
        if "sd" in arrays:
            yield from (("mean", score[:, 0]), ("sd", arrays["sd"]))
        if "low" in arrays:
            yield from ((f"interval_{end}", arrays[end].astype(np.int64)) for end in ("low", "high"))

    def _predicted(self, estimator, kept, arrays=None):
        """The predicted columns by name; arrays None: of no rows."""
        model = estimator.model_
        if arrays is None:
            shape = {"score": (0, model.outputs), "proba": (0, model.classes)}
            ranks = ("rank", "low", "high")
            arrays = {
                name: np.empty(shape.get(name, 0), np.intc if name in ranks else np.float64)
                for name in self._wanted(model)
            }
        predicted = {}
        for name, values in self._columns(model, getattr(estimator, "classes_", None), arrays):
            while name in kept:
                name = f"predicted_{name}"
            predicted[name] = values
        return predicted

    def _kept(self, columns):
        kept = columns if self.keep == "all" else self.keep
        for name in kept:
            if name not in columns:
                raise DataError(f"keep: there is no column {name!r}; the columns are {_listed(columns)}")
        return kept

    def meta(self, frame: Any = None) -> Any:
        """An empty pandas DataFrame with the columns and types of the result, for `meta=` of dask.

        frame : the pandas or dask DataFrame to be predicted; needed with `keep`, for the types of these columns
        """
        import pandas

        if frame is None and self.keep:
            raise DataError("keep: give the DataFrame whose columns are kept, as in meta(ddf)")
        # dask knows the types without computing anything
        empty = pandas.DataFrame() if frame is None else getattr(frame, "_meta", frame).iloc[:0]
        kept = self._kept(list(empty.columns))
        out = pandas.DataFrame(self._predicted(self.estimator, kept), index=empty.index)
        return pandas.concat([empty[kept], out], axis=1) if kept else out

    def schema(self, frame: Any = None) -> str:
        """The columns and types of the result, for the schema of Spark's mapInPandas.

        frame : the Spark DataFrame to be predicted; needed with `keep`, for the types of these columns
        """
        if frame is None and self.keep:
            raise DataError("keep: give the DataFrame whose columns are kept, as in schema(sdf)")
        types = {} if frame is None else dict(frame.dtypes)
        kept = self._kept(list(types))
        columns = {name: types[name] for name in kept}
        for name, values in self._predicted(self.estimator, kept).items():
            columns[name] = SPARK_TYPES.get(values.dtype.kind, "string")
        return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in columns.items())


SPARK_TYPES = {"i": "bigint", "u": "bigint", "f": "double", "b": "boolean"}


def _listed(names):
    return ", ".join(map(str, names[:10])) + (", ..." if len(names) > 10 else "")


@overload
def predict_partitions(
    rows: Estimator | Model | Path,
    *,
    proba: bool = False,
    interval: float | None = None,
    keep: Sequence[str] | Literal["all"] = (),
    columns: Sequence[str] | None = None,
) -> PartitionPredictor: ...
@overload
def predict_partitions(
    rows: Any,
    model: Estimator | Model | Path,
    *,
    proba: bool = False,
    interval: float | None = None,
    keep: Sequence[str] | Literal["all"] = (),
    columns: Sequence[str] | None = None,
) -> Any: ...
def predict_partitions(rows: Any, model: Any = None, **options: Any) -> Any:
    """Predict data in partitions: `rung predict` for dask, Spark and iterators of data frames.

    With rows and a model it predicts the rows. With a model alone it returns a function that does so, a
    PartitionPredictor, to be passed to dask's `map_partitions` or Spark's `mapInPandas`; its `meta` and `schema` say
    what columns the result has. Model and function are pickled as the bytes of the model file, or as its path; a
    process reads the model once, not for every partition.

    Parameters
    ----------
    rows : pandas DataFrame, iterator of DataFrames, dask or Spark DataFrame
        Its columns are found by name; others are ignored.
    model : fitted estimator of rung, model, or path of a model file
        A path must be readable wherever partitions are predicted.
    proba : add a column p(CLASS) per class, and for methods with a posterior `mean` and `sd` of the latent value
    interval : a probability, default None
        Add interval_low and interval_high: the ranks of a prediction interval with that probability.
    keep : columns to copy to the start of the result, or 'all'
        A predicted column of the same name gets the prefix predicted_.
    columns : the feature columns, in the order of the fit, default None
        For a model fitted to an array, whose columns have no names. None: all columns of the rows.

    Returns
    -------
    The columns `label`, `rank` (1 = lowest class) and `score`, as `rung predict` writes them, in a DataFrame of the
    kind given, with the index of the rows; or a PartitionPredictor.

    Examples
    --------
    >>> import pandas
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> frame = pandas.DataFrame(X, columns=["a", "b"])
    >>> model = rung.KDLOR().fit(frame, y)
    >>> rung.predict_partitions(frame, model).columns.tolist()
    ['label', 'rank', 'score']
    >>> predict = rung.predict_partitions(model)
    >>> predict.schema()
    '`label` bigint, `rank` bigint, `score` double'
    >>> out = ddf.map_partitions(predict, meta=predict.meta())  # doctest: +SKIP
    >>> out = sdf.mapInPandas(predict, predict.schema())  # doctest: +SKIP
    """
    if model is None:
        return PartitionPredictor(rows, **options)
    return PartitionPredictor(model, **options)(rows)
