#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees of rung beside LightGBM, XGBoost and CatBoost, all with their defaults: test MAE and RPS in Markdown.

usage: boost_accuracy.py DATA [SET...] [--labels 200 1000 all] [--splits 2] [--keep FILE] [--threads 2]

DATA: the folder with a folder per data set (docs/data-sets.md). Needs the packages rung, pandas, lightgbm, xgboost and
catboost (tools/python-peers.txt). Of each set, 30 % of the rows (at most 5000) are the test part of a random
split, and the given number of the others has labels; real targets are cut into 5 classes of equal frequency. Columns of
text are categories for all four. MAE is that of each package's own predict, RPS that of its probabilities. The last row
of a table is the geometric mean. --keep: results are read from and added to this file, so a run can go on.
"""

import argparse
import json
import pathlib
import time
import warnings

import numpy as np
import pandas as pd

SETS = [
    "ERA", "LEV", "automobile", "autompg", "balance-scale", "bank32", "bank8", "beps-europe", "calhousing", "car",
    "census16", "census8", "corporate-rating", "housing", "ida-breast-cancer", "ida-diabetis", "ida-heart",
    "ida-thyroid", "ida-titanic", "machine", "marketing", "melanoma-fs", "newthyroid", "nhanes-selfrated-health",
    "soup-sureness", "student-mat", "toy", "winequality-red",
]  # fmt: skip
MOST_TEST, BINS = 5000, 5


def read(folder, name):
    """Columns (text as categories) and ranks 0, 1, ..."""
    stem = folder / name / name
    path = next(p for p in (f"{stem}_raw.csv", f"{stem}.csv", f"{stem}.csv.gz") if pathlib.Path(p).exists())
    table = pd.read_csv(path, keep_default_na=False, na_values=["", "?", "NA"])
    y = table.pop(table.columns[-1])
    if y.name == "target":
        y = pd.qcut(y, BINS, labels=False, duplicates="drop")
    for column in table.select_dtypes(exclude="number").columns:
        table[column] = table[column].fillna("missing").astype(str).astype("category")
    return table, np.unique(y, return_inverse=True)[1]


def split(y, labels, seed):
    """Rows to train on and to test by, each class at least twice among the first."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    tests = min(MOST_TEST, round(0.3 * len(y)))
    test, rest = order[:tests], order[tests:]
    if labels != "all" and len(rest) < 1.05 * labels:
        return None, None
    train = rest if labels == "all" else rest[:labels]
    return train, test[np.isin(y[test], np.unique(y[train]))]


def rps(truth, proba):
    """Ranked probability score over K - 1."""
    above = (truth[:, None] <= np.arange(proba.shape[1] - 1)[None, :]).astype(float)
    return float(((np.cumsum(proba, 1)[:, :-1] - above) ** 2).mean())


def fit_rung(X, y, X_test, threads, **more):
    import rung

    model = rung.BOOST(n_jobs=threads, **more).fit(X, y)
    return model.predict(X_test), model.predict_proba(X_test)


def fit_lightgbm(X, y, X_test, threads):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=threads, verbose=-1).fit(X, y)
    return model.predict(X_test), model.predict_proba(X_test)


def fit_xgboost(X, y, X_test, threads):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_jobs=threads, enable_categorical=True).fit(X, y)
    return model.predict(X_test), model.predict_proba(X_test)


def fit_catboost(X, y, X_test, threads):
    from catboost import CatBoostClassifier

    text = list(X.select_dtypes("category").columns)
    model = CatBoostClassifier(verbose=0, thread_count=threads, cat_features=text, allow_writing_files=False).fit(X, y)
    return model.predict(X_test).ravel().astype(int), model.predict_proba(X_test)


PACKAGES = {"rung": fit_rung, "LightGBM": fit_lightgbm, "XGBoost": fit_xgboost, "CatBoost": fit_catboost}


def measure(fit, X, y, train, test, threads):
    """MAE, RPS and seconds; classes are those of the training part."""
    classes, ranks = np.unique(y[train], return_inverse=True)
    start = time.perf_counter()
    rank, proba = fit(X.iloc[train].reset_index(drop=True), ranks, X.iloc[test].reset_index(drop=True), threads)
    seconds = time.perf_counter() - start
    truth = np.searchsorted(classes, y[test])
    return [float(np.abs(classes[rank] - y[test]).mean()), rps(truth, np.asarray(proba)), seconds]


def collect(options, kept):
    for labels in options.labels:
        for name in options.sets or SETS:
            X, y = read(options.data, name)
            for seed in range(options.splits):
                train, test = split(y, labels, seed)
                if train is None:
                    continue
                for package in options.packages:
                    key = f"{labels} {name} {seed} {package}"
                    if key not in kept:
                        kept[key] = measure(PACKAGES[package], X, y, train, test, options.threads)
                        if options.keep:
                            options.keep.write_text(json.dumps(kept))


def tables(options, kept):
    for labels in options.labels:
        title = "all labels of the training part" if labels == "all" else f"{labels} labels"
        print(f"\n{title[0].upper()}{title[1:]}, mean of {options.splits} splits, MAE (RPS):\n")
        print("| |", " | ".join(options.packages), "|\n|---|" + "---|" * len(options.packages))
        every = []
        for name in options.sets or SETS:
            cells = []
            for package in options.packages:
                runs = [kept.get(f"{labels} {name} {seed} {package}") for seed in range(options.splits)]
                if not all(runs):
                    break
                cells.append(np.mean(runs, axis=0))
            else:
                every.append(cells)
                best = [min(c[m] for c in cells) for m in range(2)]
                print(f"| {name} |", " | ".join(
                    f"{bold(c[0], best[0], 3)} ({bold(c[1], best[1], 4)})" for c in cells), "|")  # fmt: skip
        if every:
            mean = np.exp(np.log(np.maximum(every, 1e-3)).mean(axis=0))
            best = mean.min(axis=0)
            print("| geometric mean |", " | ".join(
                f"{bold(c[0], best[0], 4)} ({bold(c[1], best[1], 4)})" for c in mean), "|")  # fmt: skip
            print("| seconds, total |", " | ".join(f"{s:.0f}" for s in np.sum(every, axis=0)[:, 2] * options.splits),
                  "|")


def bold(x, best, digits):
    text = f"{x:.{digits}f}"
    return f"**{text}**" if text == f"{best:.{digits}f}" else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--labels", nargs="+", default=[200, 1000, "all"], type=lambda x: x if x == "all" else int(x))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    kept = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}
    collect(options, kept)
    tables(options, kept)


if __name__ == "__main__":
    main()
