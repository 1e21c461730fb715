#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rung beside other Python packages on official partitions: test MAE and time, as a table in Markdown.

usage: python_peers.py DATA [SET...] [--partitions 10] [--share 1 0.2]

DATA: the folder with a folder per data set. Needs the packages rung, mord and scikit-learn (pip install . mord).
Every method is searched by the same GridSearchCV (3 stratified folds of the labelled rows, by MAE; unlabelled rows
are always in training) over a grid of its own, on each training part with all its labels or a stratified share of
them, and grades the test part. Columns are standardised for all. Methods that cannot use unlabelled rows get the
labelled ones. One thread; time is that of search and fit, in the mean of the partitions, and only means something
against the other rows of the same run.
"""

import argparse
import csv
import pathlib
import time
import warnings

import mord
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVR

import rung

SETS = ["toy", "tae", "pasture", "contact-lenses", "newthyroid"]
GAMMAS = [0.03, 0.1, 0.3, 1, 3, 10]  # over the number of columns


class Labelled(ClassifierMixin, BaseEstimator):
    """A method for ranks 0, 1, ... fitted to the labelled rows alone; a real answer is rounded to the nearest class."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        known = y > 0
        self.classes_, ranks = np.unique(y[known], return_inverse=True)
        self.inner.fit(X[known], ranks)
        return self

    def predict(self, X):
        ranks = np.rint(self.inner.predict(X)).astype(int)
        return self.classes_[np.clip(ranks, 0, len(self.classes_) - 1)]


def methods(d):
    gammas = [g / d for g in GAMMAS]
    per_column = [f"{g}/d" for g in GAMMAS]
    rows = {
        "rung KDLOR": (rung.KDLOR(n_jobs=1), {"gamma": per_column, "ridge": [1e-4, 1e-3, 1e-2, 1e-1]}),
        "rung SVORIM": (rung.SVORIM(n_jobs=1), {"gamma": per_column, "C": [0.1, 1, 10, 100]}),
        "rung CKR": (rung.CKR(n_jobs=1), {}),  # chooses by leave-one-out itself
        "mord LogisticAT": (Labelled(mord.LogisticAT()), {"inner__alpha": [0, 0.01, 0.1, 1, 10, 100]}),
        "SVR, rounded": (Labelled(SVR()), {"inner__gamma": gammas, "inner__C": [0.1, 1, 10, 100]}),
        "LabelSpreading": (LabelSpreading(max_iter=200), {"gamma": gammas + [30 / d, 100 / d], "alpha": [0.2, 0.8]}),
    }
    if "auto" in rung.methods.CLASSES:
        rows["rung AutoOrdinal"] = (rung.AutoOrdinal(n_jobs=1), {})
    return rows


def hide(y, share, rng):
    """Keeps a stratified share of the labels, at least one of each class; -1 elsewhere."""
    out = np.full_like(y, -1)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        out[rows[: max(1, round(share * len(rows)))]] = label
    return out


def read(folder, name):
    rows = list(csv.reader((folder / name / f"{name}.csv").open()))[1:]
    X = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    splits = [list(map(int, line.split(","))) for line in (folder / name / "splits.csv").read_text().split()]
    return X, np.array([int(row[-1]) for row in rows]), splits


def run(X, y, splits, share):
    """method -> (test errors, seconds), one per partition."""
    out = {name: ([], []) for name in methods(1)}
    for i, test in enumerate(splits):
        train = np.setdiff1d(np.arange(len(y)), test)
        labels = y[train] if share == 1 else hide(y[train], share, np.random.default_rng(1000 + i))
        scaler = StandardScaler().fit(X[train])
        for name, (method, grid) in methods(X.shape[1]).items():
            started = time.perf_counter()
            folds = rung.SemiSupervisedKFold(3, unlabelled=-1)
            search = GridSearchCV(method, grid, cv=folds, scoring=rung.metrics.scorers["mae"], error_score=-9.0)
            model = (search if grid else method).fit(scaler.transform(X[train]), labels)
            out[name][1].append(time.perf_counter() - started)
            out[name][0].append(np.abs(model.predict(scaler.transform(X[test])) - y[test]).mean())
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--share", type=float, nargs="+", default=[1, 0.2])
    words = parser.parse_args()
    warnings.filterwarnings("ignore")
    for share in words.share:
        labels = "All labels" if share == 1 else f"{share:.0%} of the labels"
        print(f"\n{labels}: mean test MAE ± its standard error, and seconds\n")
        names = list(methods(1))
        print("| data set | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        for name in words.sets:
            X, y, splits = read(words.data, name)
            result = run(X, y, splits[: words.partitions], share)
            best = min(np.mean(errors) for errors, _ in result.values())
            cells = []
            for errors, seconds in result.values():
                mean, error = np.mean(errors), np.std(errors, ddof=1) / len(errors) ** 0.5
                text = f"{mean:.3f} ± {error:.3f}"
                cells.append(f"{f'**{text}**' if mean == best else text}, {np.mean(seconds):.2f} s")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
