#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/performance.md: every method against the number of rows, and against what users would take instead.

usage: performance.py BUILD OUT.md [--quick] [--peers PYTHON]

BUILD is the build folder (rung, bench/bench_scale). --quick stops at 4000 rows. --peers names a Python with NumPy,
scikit-learn and mord; without it the second table is left out."""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

SIZES = [1000, 4000, 16000, 100000, 1000000]
ENOUGH = 3  # seconds: a method that took longer is not asked about more rows
COLUMNS = 20
TOO_LONG = 360
LARGE = [line.split() for line in (
    "es-dl 1000000 0.01 landmarks=1000 neighbours=10", "kdlor 100000 1 landmarks=1000", "svorim 100000 1 C=10 gamma=1/d",
    "isbor 1000000 1")]


def methods(rung):
    table = json.loads(subprocess.run([rung, "methods", "--json"], capture_output=True, check=True).stdout)
    skipped = {"mlda", "tlpp", "tnpe", "mie", "orml-m"}  # the tensor forms want images
    return [m for m in table if m["name"] not in skipped]


def one(build, name, rows, share, settings=()):
    command = [os.path.join(build, "bench/bench_scale"), name, str(rows), str(COLUMNS), str(share), *settings, "calibrate=0"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TOO_LONG)
        if run.returncode and "no parameter 'calibrate'" in run.stderr:
            run = subprocess.run(command[:-1], capture_output=True, text=True, timeout=TOO_LONG)
        elif run.returncode and "recalibrated needs" in run.stderr:
            run = subprocess.run(command + ["thresholds=midpoint"], capture_output=True, text=True, timeout=TOO_LONG)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode:
        print(f"  {name} {rows}: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(run.stdout)


def cell(result):
    if result is None:
        return "-"
    ratio = result["seconds"] / max(result["operations"], 1e-9)
    seconds = result["seconds"]
    text = f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{text}, {ratio:.2f}x, {result['peak_mb']:.0f} MB"


def scale_table(build, rung, sizes):
    lines = ["| method | labelled | " + " | ".join(f"{n:,} rows" for n in sizes) + " |",
             "|---|---|" + "---|" * len(sizes)]
    for m in methods(rung):
        semi = "uses_unlabelled" in m["flags"]
        cells, going = [], True
        for n in sizes:
            share = 1 if not semi else 0.1 if n < 100000 else 0.01
            result = one(build, m["name"], n, share) if going else None
            going = result is not None and result["seconds"] < ENOUGH
            cells.append(cell(result))
            print(f"{m['name']:9} {n:8} {cells[-1]}", file=sys.stderr, flush=True)
        lines.append(f"| {m['name']} | {'10 %, above 16,000 rows 1 %' if semi else 'all'} | " + " | ".join(cells) + " |")
    return lines


PEERS = r"""
import json, sys, time
import numpy as np
from sklearn.svm import SVR
from sklearn.kernel_ridge import KernelRidge
from sklearn.semi_supervised import LabelSpreading
from sklearn.gaussian_process import GaussianProcessClassifier
import mord
path, n = sys.argv[1], int(sys.argv[2])
A = np.genfromtxt(path + "/train.csv", delimiter=",", skip_header=1)
B = np.genfromtxt(path + "/test.csv", delimiter=",", skip_header=1)
X, y, Z, t = A[:, :-1], A[:, -1], B[:, :-1], B[:, -1]
mean, sd = X.mean(0), X.std(0)
X, Z = (X - mean) / sd, (Z - mean) / sd
K, d, known = 5, X.shape[1], np.isfinite(y)
Xl, yl = X[known], y[known].astype(int)
rounded = lambda f: np.clip(np.rint(f), 1, K)
def spread():
    m = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.99)
    m.fit(X, np.where(known, np.nan_to_num(y), -1).astype(int))
    return m.predict(Z)
def gp():
    return GaussianProcessClassifier().fit(Xl, yl).predict(Z)
runs = {
    "scikit-learn SVR + rounding": lambda: rounded(SVR(C=10, gamma=1 / d).fit(Xl, yl).predict(Z)),
    "scikit-learn KernelRidge + rounding": lambda: rounded(KernelRidge(kernel="rbf", gamma=1 / d, alpha=0.1).fit(Xl, yl).predict(Z)),
    "scikit-learn LabelSpreading": spread,
    "mord LogisticAT": lambda: mord.LogisticAT().fit(Xl, yl).predict(Z),
}
if len(yl) <= 1000: runs["scikit-learn GaussianProcessClassifier"] = gp
for name, run in runs.items():
    start = time.perf_counter()
    try:
        p = run()
    except Exception as error:
        print(json.dumps({"name": name, "error": str(error)[:80]})); continue
    print(json.dumps({"name": name, "seconds": time.perf_counter() - start, "mae": float(np.mean(np.abs(p - t)))}), flush=True)
"""


def write_data(folder, n, share, seed):
    """The rows of bench.h's `draw`, by another generator."""
    import random
    r = random.Random(seed)
    labelled = 0
    with open(os.path.join(folder, "train.csv"), "w") as train, open(os.path.join(folder, "test.csv"), "w") as test:
        for f in (train, test):
            f.write(",".join(f"x{j}" for j in range(COLUMNS)) + ",label\n")
        for i in range(n + 2000):
            x = [r.gauss(0, 1) for _ in range(COLUMNS)]
            t = x[0] + x[1] * x[2] / 2 + 0.3 * r.gauss(0, 1)
            q = min(max(1 + int((t + 2) / 4 * 5), 1), 5)
            keep = i >= n or int((i + 1) * share) != int(i * share)
            labelled += keep and i < n
            (train if i < n else test).write(",".join(f"{v:.6f}" for v in x) + f",{q if keep else ''}\n")
    return labelled


def ours(rung, folder, name, arguments):
    model = os.path.join(folder, "m.rung")
    start = time.perf_counter()
    run = subprocess.run([rung, "fit", os.path.join(folder, "train.csv"), "-q", "-m", name, "-o", model, *arguments],
                         capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if run.returncode:
        return {"name": f"rung {name}", "error": run.stderr.strip()[:80]}
    found = json.loads(subprocess.run([rung, "evaluate", model, os.path.join(folder, "test.csv"), "--json"],
                                      capture_output=True, check=True).stdout)
    mae = found.get("metrics", found)["mae"]
    return {"name": f"rung {name}", "seconds": seconds, "mae": mae}


def peer_table(rung, python, n, share):
    with tempfile.TemporaryDirectory() as folder:
        labelled = write_data(folder, n, share, 1)
        rows = [ours(rung, folder, name, arguments)
                for name, arguments in [("auto", []), ("kdlor", []), ("svorim", ["-p", "C=10", "-p", "gamma=1/d"]),
                                        ("krr", []), ("llgc", []), ("gpor", []), ("pom", [])]
                if name != "gpor" or labelled <= 1000]
        run = subprocess.run([python, "-c", PEERS, folder, str(n)], capture_output=True, text=True)
        rows += [json.loads(line) for line in run.stdout.splitlines()]
        if run.returncode:
            print(run.stderr, file=sys.stderr)
    lines = [f"### {n:,} rows, {labelled:,} labelled", "", "| | seconds | test MAE |", "|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['name']} | " + (f"{r['error']} | - |" if "error" in r else f"{r['seconds']:.2f} | {r['mae']:.3f} |"))
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", metavar="PYTHON")
    a = parser.parse_args()
    rung = os.path.join(a.build, "rung")
    sizes = [n for n in SIZES if n <= 4000] if a.quick else SIZES
    page = ["# Speed and memory", "",
            "Written by `make bench` (bench/performance.py); numbers of one run on a machine with "
            f"{os.cpu_count()} cores ({platform.machine()}). Machines differ, ratios within a table less so.", "",
            "## Methods against the number of rows", "",
            f"One fit of {COLUMNS} normal columns and 5 classes, defaults but `calibrate=0`: seconds, their ratio to the time spent in the",
            "fit's own large linear algebra operations (1 is the floor), and the peak memory of the process. A dash: not tried, because fewer",
            f"rows already took more than {ENOUGH} s, or refused. Where the kernel matrix would not fit into 8 GiB, `landmarks=auto` takes over.", ""]
    page += scale_table(a.build, rung, sizes)
    page += ["", "## Large", "", "The same line for sizes that take their time.", "", "| fit | seconds, ratio, memory |", "|---|---|"]
    for words in [] if a.quick else LARGE:
        result = one(a.build, words[0], int(words[1]), float(words[2]), words[3:])
        page.append(f"| `{words[0]}` {int(words[1]):,} rows, {float(words[2]):.0%} labelled, {' '.join(words[3:])} | {cell(result)} |")
        print(page[-1], file=sys.stderr, flush=True)
    if a.peers:
        page += ["", "## Beside other programs", "",
                 "Fit and prediction of 2000 test rows in one process (the others) against `rung fit` as a command, reading the CSV included.",
                 "Defaults, or the same kernel width and C where both have them; the others round a regression or ignore the order.", ""]
        for n, share in [(1000, 0.2), (4000, 0.25), (4000, 1)] if a.quick else [(1000, 0.2), (4000, 0.25), (10000, 1)]:
            page += peer_table(rung, a.peers, n, share)
    with open(a.out, "w") as f:
        f.write("\n".join(page).rstrip() + "\n")


main()
