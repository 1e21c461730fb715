#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Suggested rows beside random ones: the test error from 2 labels per class to 120, in batches of 12; Markdown.

usage: suggest.py DATA RESULTS [SET...] [--draws 10] [--step 12] [--end 120] [--random SHARE] [--light]
                  [--csv FOLDER] [--strategies random suggest] [--metric mae|rps] [--part 1/2]

DATA: the folder with a folder per data set (docs/data-sets.md). RESULTS: a file to which every finished curve is added
as a line of JSON, so that an interrupted run goes on; the table is of all lines in it. --random: the share of suggested
rows drawn at random (default: that of rung suggest). --light: auto without trees, column weights and the larger grids,
several times faster. --csv: a folder of further tables, NAME.csv with a column `label`. --metric: of the table, from
the same runs. --part 1/2: the first half of the runs, for two processes.

A draw takes an official partition of the set (a random quarter where there are none) and two labels of each class at
random, the same for all strategies; at most 1500 rows are in the pool. Real targets are cut into 5 classes of equal
frequency unless there are official labels. The table: mean error over the curve, its ratio to random, and the share of
the labels with which the last error of random is reached, with its middle 80 % over 200 bootstrap samples of the draws.
Needs numpy, pandas and the Python package."""
import argparse
import json
import pathlib
import warnings
import zlib

import numpy as np
import pandas as pd
import rung

SETS = [
    "toy", "tae", "ERA", "LEV", "balance-scale", "car", "winequality-red", "newthyroid", "automobile", "housing",
    "machine", "autompg", "student-mat", "grub-damage", "triazines", "wisconsin", "bank8", "calhousing", "census8",
    "nhanes-selfrated-health", "corporate-rating", "beps-europe",
]  # fmt: skip
POOL, TEST, BINS, BOOTSTRAP = 1500, 1000, 5, 200


def read(folder, name, more):
    """Columns, classes 1..K, official test rows or None."""
    if more and (more / f"{name}.csv").exists():
        table = pd.read_csv(more / f"{name}.csv")
        y, splits = table.pop("label"), None
    else:
        base = folder / name
        table = pd.read_csv(next(p for p in (base / f"{name}.csv", base / f"{name}.csv.gz") if p.exists()))
        y, splits = table.pop(table.columns[-1]), base / "splits.csv"
        if (base / "labels_bins.csv").exists():
            y, splits = pd.read_csv(base / "labels_bins.csv").iloc[:, 0], base / "splits_5bins.csv"
        elif y.name == "target":
            y = np.searchsorted(np.quantile(y, np.arange(1, BINS) / BINS), y, side="right")
        lines = splits.read_text().split() if splits.exists() else []
        splits = [np.array(line.split(","), dtype=int) for line in lines]
    table = table[[c for c in table if pd.api.types.is_numeric_dtype(table[c]) or table[c].nunique() < 60]]
    return table, np.unique(y, return_inverse=True)[1] + 1, splits


def rows_of(name, y, splits, draw):
    """The pool, the test rows, and the positions in the pool of the first labels."""
    random = np.random.default_rng([draw, zlib.crc32(name.encode())])
    if splits and len(splits) > 1:
        test = splits[draw % len(splits)]
    else:
        test = random.permutation(len(y))[: max(len(y) // 4, min(len(y) // 2, 400))]
    pool = random.permutation(np.setdiff1d(np.arange(len(y)), test))[:POOL]
    first = np.concatenate([np.flatnonzero(y[pool] == c)[:2] for c in np.unique(y[pool])])
    return pool, random.permutation(test)[:TEST], first


def errors(model, X, y):
    """MAE and ranked probability score."""
    below = model.predict_proba(X).cumsum(axis=1)[:, :-1]
    truth = y[:, None] <= np.arange(1, below.shape[1] + 1)
    return [float(np.abs(model.predict(X) - y).mean()), float(((below - truth) ** 2).sum(axis=1).mean())]


def curve(o, strategy, X, y, test, first, K, seed):
    """[labels, test MAE, test RPS] after each batch."""
    random = np.random.default_rng(seed)
    labels, chosen, found = np.full(len(y), -1), np.zeros(len(y), dtype=bool), []
    labels[first] = y[first]
    light = {"effort": "quick", "trees": "without", "relevance": "without"} if o.light else {}
    method = rung.AutoOrdinal(**light, order=list(range(1, K + 1)), unlabelled=-1, n_jobs=1)
    while True:
        model = method.fit(X, labels)
        n = int((labels > 0).sum())
        found.append([n, *errors(model, *test)])
        open_rows = np.flatnonzero(labels < 0)
        step = min(o.step, o.end - n, len(open_rows))
        if step < 1:
            return found
        if strategy == "random":
            rows = random.permutation(open_rows)[:step]
        else:
            s = rung.suggest(X, labels, step, estimator=method, random=o.random, chosen=chosen, more=0,
                             random_state=seed)
            rows = s.rows
            chosen[s.rows[~s.random]] = True
        labels[rows] = y[rows]


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measure(o, results):
    """Adds the curves that are not there yet."""
    part, parts = map(int, o.part.split("/"))
    done = {(r["set"], r["draw"], r["strategy"]) for r in results}
    jobs = [(name, draw) for draw in range(o.draws) for name in o.sets]
    for name, draw in jobs[part - 1 :: parts]:
        X, y, splits = read(o.data, name, o.csv)
        pool, test, first = rows_of(name, y, splits, draw)
        for strategy in o.strategies:
            if (name, draw, strategy) in done:
                continue
            held = X.iloc[test], y[test]
            points = curve(o, strategy, X.iloc[pool], y[pool], held, first, int(y.max()), draw + 1)
            line = {"set": name, "draw": draw, "strategy": strategy, "curve": points}
            with open(o.results, "a") as file:
                file.write(json.dumps(line) + "\n")


def area(points):
    n, e = np.array(points).T
    return np.trapezoid(e, n) / (n[-1] - n[0]) if len(n) > 1 else e[0]


def mean_curve(curves):
    """The mean of curves whose numbers of labels may differ: not every partition has rows of every class."""
    first, last = max(c[0][0] for c in curves), min(c[-1][0] for c in curves)
    at = np.linspace(first, last, min(map(len, curves)))
    return np.column_stack([at, np.mean([np.interp(at, *np.array(c).T) for c in curves], axis=0)])


def reached(points, level):
    """The number of labels where a curve first comes down to a level, as a share of the last."""
    n, e = np.array(points).T
    for i in range(len(n)):
        if e[i] <= level:
            at = n[i] if i == 0 else n[i - 1] + (n[i] - n[i - 1]) * (e[i - 1] - level) / (e[i - 1] - e[i])
            return at / n[-1]
    return np.inf


def compare(found, strategies, draws):
    """The mean error of random; of every other strategy the mean error, its ratio and the share of labels."""
    mean = {s: mean_curve([found[s][d] for d in draws]) for s in strategies}
    least = area(mean["random"])
    return least, {
        s: (area(mean[s]), area(mean[s]) / least, reached(mean[s], mean["random"][-1, 1]))
        for s in strategies if s != "random"
    }  # fmt: skip


def share_text(share):
    return f"{share:.2f}" if np.isfinite(share) else "not reached"


def table(o, results):
    place = {"mae": 1, "rps": 2}[o.metric]
    by = {}
    for r in results:
        if len(r["curve"][0]) > place:
            points = [[p[0], p[place]] for p in r["curve"]]
            by.setdefault(r["set"], {}).setdefault(r["strategy"], {})[r["draw"]] = points
    draws = {n: sorted(set.intersection(*(set(found.get(s, {})) for s in o.strategies))) for n, found in by.items()}
    names = [n for n in by if draws[n]]
    if not names:
        return
    others = [s for s in o.strategies if s != "random"]
    print(f"| set | draws | {o.metric.upper()} random | " + " | ".join(f"{s} | ratio | labels" for s in others) + " |")
    print("|---|---|---|" + "---|---|---|" * len(others))
    whole = {n: compare(by[n], o.strategies, draws[n]) for n in names}
    random = np.random.default_rng(1)
    again = [
        {n: compare(by[n], o.strategies, random.choice(draws[n], len(draws[n])))[1] for n in names}
        for _ in range(BOOTSTRAP)
    ]

    def middle(values):
        low, high = np.quantile(values, [0.1, 0.9], method="nearest")
        return f"({share_text(low)} to {share_text(high)})"

    for n in names:
        cells = []
        for s in others:
            error, ratio, share = whole[n][1][s]
            cells.append(f"{error:.3f} | {ratio:.3f} | {share_text(share)} {middle([a[n][s][2] for a in again])}")
        print(f"| {n} | {len(draws[n])} | {whole[n][0]:.3f} | " + " | ".join(cells) + " |")
    last, worst = [], []
    for s in others:
        ratios, shares = np.array([whole[n][1][s][1:] for n in names]).T
        medians = [np.median([a[n][s][2] for n in names]) for a in again]
        last.append(f"| {np.exp(np.mean(np.log(ratios))):.3f} | {share_text(np.median(shares))} {middle(medians)}")
        worst.append(f"| {max(ratios):.3f} | ")
    print("| geometric mean, median | | | " + " | ".join(last) + " |")
    print("| largest | | | " + " | ".join(worst) + " |")


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("data", type=pathlib.Path)
    a.add_argument("results", type=pathlib.Path)
    a.add_argument("sets", nargs="*", default=SETS)
    a.add_argument("--draws", type=int, default=10)
    a.add_argument("--step", type=int, default=12)
    a.add_argument("--end", type=int, default=120)
    a.add_argument("--random", type=float)
    a.add_argument("--light", action="store_true")
    a.add_argument("--csv", type=pathlib.Path)
    a.add_argument("--strategies", nargs="+", default=["random", "suggest"])
    a.add_argument("--metric", choices=["mae", "rps"], default="mae")
    a.add_argument("--part", default="1/1")
    o = a.parse_args()
    warnings.filterwarnings("ignore")
    measure(o, lines_of(o.results))
    table(o, lines_of(o.results))


if __name__ == "__main__":
    main()
