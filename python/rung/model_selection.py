# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation with unlabelled rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, GroupKFold, StratifiedKFold
from sklearn.utils.validation import check_consistent_length

from ._data import groups_of
from ._intervals import is_interval, rows_of, two_arrays
from ._labels import ends, labelled_rows
from ._types import ArrayLike, Labels, Rows


class SemiSupervisedKFold(BaseCrossValidator):
    """Stratified folds of the labelled rows; the unlabelled ones are in the training part of every fold.

    So `GridSearchCV` and `cross_val_score` work with few labels among many rows: models see all unlabelled rows, and
    only labelled rows are measured.

    Parameters
    ----------
    n_splits : int, default 5
    shuffle : bool, default True
    random_state : int, RandomState or None, default 1
    unlabelled : the value in y that marks an unlabelled row, besides None and NaN; see the estimators. default 'auto'

    With groups (`split(X, y, groups)`) the labelled rows of a group are held out together.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> scores = cross_val_score(rung.KDLOR(), X, y, cv=rung.SemiSupervisedKFold(4))
    >>> scores.shape
    (4,)
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: int | RandomState | None = 1,
        unlabelled: Any = "auto",
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.unlabelled = unlabelled

    def get_n_splits(self, X: Rows | None = None, y: Labels | None = None, groups: ArrayLike | None = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(
        self, X: Rows, y: Labels, groups: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Pairs of row numbers (training, test)."""
        check_consistent_length(X, rows_of(y), groups)
        known, labels = self._labels(y)
        labelled, unlabelled = np.flatnonzero(known), np.flatnonzero(~known)
        if len(labelled) < self.n_splits:
            raise ValueError(f"{self.n_splits} folds need as many labelled rows, but there are {len(labelled)}")
        with warnings.catch_warnings():  # classes with fewer rows than folds are what few labels mean
            warnings.filterwarnings("ignore", message="The least populated class")
            folds = list(self._folds(labelled, labels, groups))
        for train, test in folds:
            yield np.sort(np.concatenate([labelled[train], unlabelled])), labelled[test]

    def _labels(self, y):
        """Which rows are labelled, and their labels, to be spread evenly: intervals count as one."""
        if two_arrays(y) is None:
            known, labels = labelled_rows(y, self.unlabelled)
            given = labels[known].tolist()
        else:
            known, low, high = ends(y, None, self.unlabelled)
            given = [a if a == b else ".." for a, b in zip(low, high, strict=True)]
        return known, np.array(["an interval" if is_interval(label) else label for label in given])

    def _folds(self, labelled, labels, groups):
        if groups is not None:
            return GroupKFold(self.n_splits).split(labelled, groups=groups_of(groups, len(groups))[labelled])
        number = np.unique(labels, return_inverse=True)[1]
        if np.bincount(number).max() < self.n_splits:  # fewer of every class: spread them as they come
            number = np.zeros_like(number)
        seed = self.random_state if self.shuffle else None
        return StratifiedKFold(self.n_splits, shuffle=self.shuffle, random_state=seed).split(labelled, number)
