#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees of rung beside LightGBM, XGBoost and CatBoost: time and memory of a fit, time of a prediction, in
Markdown.

usage: boost_speed.py [--rows 100000] [--columns 20] [--rounds 200] [--leaves 31] [--threads 1]

Needs the packages rung, lightgbm, xgboost and catboost (tools/python-peers.txt). The data are normal columns and 5
classes of equal frequency. All have equal rounds, leaves, 255 bins, threads and a rate of 0.1; the others fit their
squared loss to the class numbers, one tree per round as rung's ordinal loss does (CatBoost: depthwise trees of the same
number of leaves). Every package runs in a process of its own. Seconds are processor time, so that other work on the
machine matters little; memory is what the fit adds to the peak of the process, beyond the data.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

PACKAGES = ["rung", "LightGBM", "XGBoost", "CatBoost"]


def make(rows, columns):
    import numpy as np

    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, columns))
    f = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * (X[:, 4] > 0) * X[:, 5] + 0.3 * X[:, 6:10].sum(1)
    f += 0.7 * rng.logistic(size=rows)
    return X, np.digitize(f, np.quantile(f, [0.2, 0.4, 0.6, 0.8]))


def model_of(package, o):
    if package == "rung":
        import rung

        return rung.BOOST(rounds=o.rounds, leaves=o.leaves, rate=0.1, rows=1, columns=1, seeds=1, min_rows=20, l2=1,
                          calibrate=0, n_jobs=o.threads)  # fmt: skip
    if package == "LightGBM":
        from lightgbm import LGBMRegressor

        return LGBMRegressor(n_estimators=o.rounds, num_leaves=o.leaves, learning_rate=0.1, max_bin=255,
                             n_jobs=o.threads, verbose=-1)  # fmt: skip
    if package == "XGBoost":
        from xgboost import XGBRegressor

        return XGBRegressor(n_estimators=o.rounds, max_leaves=o.leaves, max_depth=0, grow_policy="lossguide",
                            tree_method="hist", max_bin=255, learning_rate=0.1, n_jobs=o.threads)  # fmt: skip
    from catboost import CatBoostRegressor

    return CatBoostRegressor(iterations=o.rounds, grow_policy="Lossguide", max_leaves=o.leaves, border_count=254,
                             learning_rate=0.1, thread_count=o.threads, verbose=0,
                             allow_writing_files=False)  # fmt: skip


def run(package, o):
    X, y = make(o.rows, o.columns)
    small, ranks = make(2000, o.columns)
    model_of(package, o).fit(small, ranks)  # what is loaded once
    model = model_of(package, o)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    model.fit(X, y)
    fit = time.process_time() - start
    memory = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / o.rows
    start = time.process_time()
    model.predict(X)
    return {"fit": fit, "predict": time.process_time() - start, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("rows", 100000), ("columns", 20), ("rounds", 200), ("leaves", 31), ("threads", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--package", choices=PACKAGES, help="measure this one here, and print JSON")
    o = parser.parse_args()
    if o.package:
        print(json.dumps(run(o.package, o)))
        return
    print(f"{o.rows:,} rows, {o.columns} columns, {o.rounds} rounds, {o.leaves} leaves, {o.threads} thread(s):\n")
    print("| | fit, CPU s | predict, CPU s | memory, bytes a row |\n|---|---|---|---|")
    for package in PACKAGES:
        result = subprocess.run([sys.executable, *sys.argv, "--package", package], capture_output=True, text=True,
                                check=True)
        r = json.loads(result.stdout.splitlines()[-1])
        print(f"| {package} | {r['fit']:.2f} | {r['predict']:.2f} | {r['memory']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
