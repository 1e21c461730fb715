#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default method beside LightGBM, a random forest and CatBoost with their defaults: test MAE and RPS in Markdown.

usage: auto_accuracy.py RUNG DATA [SET...] [--labels 50 200 all] [--splits 1] [--methods auto lgbm forest cat]

DATA: the folder with a folder per data set (docs/data-sets.md). Needs numpy, pandas, scikit-learn, lightgbm and
catboost. Of each set a third of the rows (at most 2000) are the test part of a random split; of at most 6000 others the
given number has labels, one of every class first, and rung sees the rest without labels. Real targets are cut into 5
classes of equal frequency. The answer is the median of the probabilities; RPS is divided by the classes less one. The
last row of a table is the geometric mean over the sets on which no method is without error."""
import argparse
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import pandas as pd

SETS = [
    "ERA", "LEV", "automobile", "autompg", "balance-scale", "bank32", "bank8", "beps-europe", "calhousing", "car",
    "census16", "census8", "corporate-rating", "housing", "machine", "marketing", "new_toy1000", "newthyroid",
    "nhanes-selfrated-health", "soup-sureness", "student-mat", "tae", "winequality-red",
]  # fmt: skip
MOST_TEST, MOST_ROWS, BINS = 2000, 6000, 5


def read(folder, name):
    path = next(p for p in (folder / name / (name + end) for end in (".csv", ".csv.gz")) if p.exists())
    table = pd.read_csv(path)
    y = table.pop(table.columns[-1])
    if y.name == "target":
        y = 1 + np.searchsorted(np.quantile(y, np.arange(1, BINS) / BINS), y, side="right")
    return table, np.asarray(y).astype(int)


def split(y, labels, seed):
    """Rows: test, labelled, unlabelled."""
    order = np.random.default_rng(seed).permutation(len(y))
    test = order[: min(MOST_TEST, len(y) // 3)]
    rest = order[len(test) :][:MOST_ROWS]
    first = [rest[y[rest] == c][0] for c in np.unique(y[rest])]
    labelled = np.array((first + [i for i in rest if i not in set(first)])[: max(labels, len(first))])
    return test, labelled, np.setdiff1d(rest, labelled)


def rung_proba(rung, X, y, test, labelled, unlabelled):
    K = int(y.max())
    with tempfile.TemporaryDirectory() as tmp:
        names = [pathlib.Path(tmp) / name for name in ("train.csv", "test.csv", "m.rung", "p.csv")]
        train = X.iloc[np.concatenate([labelled, unlabelled])].copy()
        train["label"] = [str(v) for v in y[labelled]] + [""] * len(unlabelled)
        train.to_csv(names[0], index=False)
        X.iloc[test].to_csv(names[1], index=False)
        order = "<".join(map(str, range(1, K + 1)))
        fit = [rung, "fit", names[0], "-l", "label", "--order", order, "-o", names[2], "-q"]
        subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([rung, "predict", names[2], names[1], "--proba", "-o", names[3], "-q"], check=True)
        found = pd.read_csv(names[3])
    proba = np.zeros((len(found), K))
    for k in range(1, K + 1):
        if f"p({k})" in found:
            proba[:, k - 1] = found[f"p({k})"]
    return proba, found["rank"].to_numpy()


def peer_proba(method, X, y, test, labelled):
    text = [c for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
    if method == "cat":
        from catboost import CatBoostClassifier

        Z = X.copy()
        for c in text:
            Z[c] = Z[c].fillna("none").astype(str)
        model = CatBoostClassifier(verbose=0, loss_function="MultiClass", allow_writing_files=False, cat_features=text)
    else:
        Z = pd.get_dummies(X, columns=text).astype(float)
        if method == "forest":
            from sklearn.ensemble import RandomForestClassifier

            Z, model = Z.fillna(-1e3), RandomForestClassifier(500)
        else:
            from lightgbm import LGBMClassifier

            model = LGBMClassifier(verbose=-1, min_child_samples=min(20, max(2, len(labelled) // 20)))
    model.fit(Z.iloc[labelled], y[labelled])
    proba = np.zeros((len(test), int(y.max())))
    proba[:, np.asarray(model.classes_).ravel().astype(int) - 1] = model.predict_proba(Z.iloc[test])
    return proba, np.minimum(1 + (np.cumsum(proba, 1) < 0.5 - 1e-12).sum(1), proba.shape[1])


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("rung")
    a.add_argument("data", type=pathlib.Path)
    a.add_argument("sets", nargs="*", default=SETS)
    a.add_argument("--labels", nargs="+", default=["50", "200"])
    a.add_argument("--splits", type=int, default=1)
    a.add_argument("--methods", nargs="+", default=["auto", "lgbm", "forest", "cat"])
    o = a.parse_args()
    warnings.filterwarnings("ignore")
    for labels in o.labels:
        print(f"\n| {labels} labels | " + " | ".join(o.methods) + " |\n|---|" + "---|" * len(o.methods))
        rows = []
        for name in o.sets or SETS:
            X, y = read(o.data, name)
            wanted = len(y) if labels == "all" else int(labels)
            if labels != "all" and wanted > 0.67 * len(y) * 0.95:
                continue
            found = np.zeros((len(o.methods), 2))
            for s in range(o.splits):
                test, labelled, unlabelled = split(y, wanted, 1000 + s)
                above = y[test][:, None] <= np.arange(1, y.max())[None, :]
                for m, method in enumerate(o.methods):
                    if method == "auto":
                        proba, rank = rung_proba(o.rung, X, y, test, labelled, unlabelled)
                    else:
                        proba, rank = peer_proba(method, X, y, test, labelled)
                    score = ((np.cumsum(proba, 1)[:, :-1] - above) ** 2).sum(1).mean() / (y.max() - 1)
                    found[m] += np.array([np.abs(rank - y[test]).mean(), score]) / o.splits
            rows.append(found)
            print(f"| {name} | " + " | ".join("%.3f (%.4f)" % tuple(f) for f in found) + " |", flush=True)
        erring = [found for found in rows if (found > 0).all()]
        mean = np.exp(np.log(erring).mean(0))
        print(f"| geometric mean of {len(erring)} | " + " | ".join("%.3f (%.4f)" % tuple(f) for f in mean) + " |")


main()
