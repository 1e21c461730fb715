#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/performance.md: time and memory of every method by number of rows, and a comparison with other programs.

usage: performance.py BUILD OUT.md [--rows N] [--peers PYTHON]

BUILD is the build folder (rung, bench/bench_scale). --rows stops earlier than a million rows. --peers names a Python
with NumPy, scikit-learn and mord; without it the second table is left out."""
import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

SIZES = [1000, 4000, 10000, 100000, 1000000]
MANY = 100000  # from here on kernel methods take landmarks
ENOUGH = 6  # processor seconds: a method that took more is not asked about more rows
COLUMNS = 20
TOO_LONG, MUCH_TOO_LONG = 120, 900  # seconds
MOST_LABELS = {"auto": 2000, "gpor": 1000}  # time grows with their cube: above, not beside the others
# Fits of bench_scale that take their time: wanted seconds on two cores, wanted memory, words.
LARGE = [
    (300, 6000, "es-dl 1000000 0.01 landmarks=1000 neighbours=10"),
    (15, None, "kdlor 100000 1 landmarks=1000"),
    (None, None, "isbor 1000000 1"),
]


def methods(rung):
    table = json.loads(subprocess.run([rung, "methods", "--json"], capture_output=True, check=True).stdout)
    skipped = {"mlda", "tlpp", "tnpe", "mie", "orml-m"}  # the tensor forms want images
    return [m for m in table if m["name"] not in skipped]


def one(build, method, rows, share, settings=(), limit=TOO_LONG):
    """One fit by bench_scale, without calibration; None if it is refused or takes too long."""
    names = {p["name"] for p in method["params"]}
    fixed = [text for text in ("calibrate=0", "thresholds=midpoint") if text.split("=")[0] in names]
    words = [os.path.join(build, "bench/bench_scale"), method["name"], str(rows), str(COLUMNS), str(share), *settings,
             *fixed]
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode:
        print(f"  {method['name']} {rows}: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(run.stdout)


def command(arguments):
    """Runs a command: seconds, processor seconds, peak memory; None if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        return None
    return {"seconds": time.perf_counter() - start, "processor": use.ru_utime + use.ru_stime,
            "peak_mb": use.ru_maxrss / 1024}


def short(seconds):
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def cell(result):
    if result is None:
        return "-"
    ratio = f"{result['seconds'] / result['operations']:.2f}x" if result["operations"] >= 1e-4 else "-"
    return f"{short(result['seconds'])} ({short(result['processor'])}), {ratio}, {result['peak_mb']:.0f} MB"


def scale_table(build, rung, sizes):
    lines = ["| method | labelled | " + " | ".join(f"{n:,} rows" for n in sizes) + " |",
             "|---|---|" + "---|" * len(sizes)]
    for m in methods(rung):
        semi = "uses_unlabelled" in m["flags"]
        landmarks = any(p["name"] == "landmarks" for p in m["params"])
        cells, going = [], True
        for n in sizes:
            share = 1 if not semi else 0.1 if n < MANY else 0.01
            result = one(build, m, n, share) if going or (landmarks and n == MANY) else None
            going = result is not None and result["processor"] < ENOUGH
            cells.append(cell(result))
            print(f"{m['name']:9} {n:8} {cells[-1]}", file=sys.stderr, flush=True)
        lines.append(f"| {m['name']} | {'10 %, from 100,000 rows on 1 %' if semi else 'all'} | " + " | ".join(cells)
                     + " |")
    return lines


def many_rows(path, n):
    """A CSV of n rows: ten thousand different ones, again and again."""
    r = random.Random(3)
    some = "".join(",".join(f"{r.gauss(0, 1):.6f}" for _ in range(COLUMNS)) + f",{1 + i % 5}\n" for i in range(10000))
    with open(path, "w") as f:
        f.write(",".join(f"x{j}" for j in range(COLUMNS)) + ",label\n")
        for _ in range(n // 10000):
            f.write(some)


def large_table(build, rung, most):
    rows = []
    for wanted, memory, text in LARGE:
        name, n, share, *settings = text.split()
        if int(n) > most:
            continue
        method = next(m for m in methods(rung) if m["name"] == name)
        rows.append((f"`{name}`, {int(n):,} rows of {COLUMNS} columns, {float(share):.0%} "
                     f"labelled{''.join(', ' + s for s in settings)}",
                     wanted, memory, one(build, method, int(n), float(share), settings, MUCH_TOO_LONG)))
        print(rows[-1], file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        saddle, table, model, out = (os.path.join(folder, f) for f in ("isbor.csv", "rows.csv", "m.rung", "out.csv"))
        command([rung, "generate", "isbor", "--rows", "100000", "-o", saddle])
        rows.append(("`rung fit` of `svorim`, 100,000 rows of `rung generate isbor`, C=10 gamma=1", 120, None,
                     command([rung, "fit", saddle, "-q", "-m", "svorim", "-p", "C=10", "-p", "gamma=1", "-o", model])))
        many_rows(table, 20000)
        command([rung, "fit", table, "-q", "-m", "kdlor", "-p", "landmarks=1000", "-p", "calibrate=0", "-p",
                 "thresholds=midpoint", "-o", model])
        many_rows(table, 1000000)
        rows.append(("`rung predict`, 1,000,000 rows of a CSV file, 1000 expansion points", 8, None,
                     command([rung, "predict", model, table, "-o", out])))
        limit = 3 * os.path.getsize(table) - 1  # less than three times the file
        rows.append((f"`rung fit` of `median`, the same file ({os.path.getsize(table) / 2**20:.0f} MB) under `--memory "
                     f"{limit}`",
                     None, limit / 2**20,
                     command([rung, "fit", table, "-q", "-m", "median", "--memory", str(limit), "-o", model])))
    lines = ["| | seconds | target on two cores | processor seconds | linear algebra | peak memory |",
             "|---|---|---|---|---|---|"]
    for what, wanted, memory, r in rows:
        limit = f"under {wanted} s" if wanted else ""
        limit += (", " if wanted and memory else "") + (f"under {memory:.0f} MB" if memory else "")
        if r is None:
            lines.append(f"| {what} | not finished in {MUCH_TOO_LONG} s | {limit} | | | |")
            continue
        own = f"{r['operations']:.1f} s" if "operations" in r else ""
        lines.append(f"| {what} | {r['seconds']:.1f} | {limit} | {r['processor']:.1f} | {own} | {r['peak_mb']:.0f} MB "
                     f"|")
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
    "scikit-learn KernelRidge + rounding": 
        lambda: rounded(KernelRidge(kernel="rbf", gamma=1 / d, alpha=0.1).fit(Xl, yl).predict(Z)),
    "scikit-learn LabelSpreading": spread,
    "mord LogisticAT": lambda: mord.LogisticAT().fit(Xl, yl).predict(Z),
}
if len(yl) <= 1000: runs["scikit-learn GaussianProcessClassifier"] = gp
for name, run in runs.items():
    start, worked = time.perf_counter(), time.process_time()
    try:
        p = run()
    except Exception as error:
        print(json.dumps({"name": name, "error": str(error)[:80]})); continue
    print(json.dumps({"name": name, "seconds": time.perf_counter() - start, "processor": time.process_time() - worked,
                      "mae": float(np.mean(np.abs(p - t)))}), flush=True)
"""


def write_data(folder, n, share, seed):
    """Normal columns and classes along a bent direction."""
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
    model, test = os.path.join(folder, "m.rung"), os.path.join(folder, "test.csv")
    fit = command([rung, "fit", os.path.join(folder, "train.csv"), "-q", "-m", name, "-o", model, *arguments])
    predict = fit and command([rung, "predict", model, test, "-o", os.path.join(folder, "out.csv")])
    if not predict:
        return {"name": f"rung {name}", "error": "failed"}
    found = json.loads(subprocess.run([rung, "evaluate", model, test, "--json"], capture_output=True,
                                      check=True).stdout)
    return {"name": f"rung {name}", "seconds": fit["seconds"] + predict["seconds"],
            "processor": fit["processor"] + predict["processor"], "mae": found.get("metrics", found)["mae"]}


def libsvm(folder):
    """LIBSVM's own programs on the labelled rows, standardised: support vector regression, rounded, and
    classification."""
    tables = []
    for name in ("train.csv", "test.csv"):
        with open(os.path.join(folder, name)) as f:
            tables.append([line.rstrip("\n").split(",") for line in f][1:])
    columns = list(zip(*[[float(v) for v in row[:-1]] for row in tables[0]]))
    mean = [sum(c) / len(c) for c in columns]
    sd = [(sum((v - m) ** 2 for v in c) / len(c)) ** 0.5 for c, m in zip(columns, mean)]
    truth = [int(row[-1]) for row in tables[1]]
    paths = [os.path.join(folder, name) for name in ("train.svm", "test.svm", "svm.model", "svm.out")]
    for table, path in zip(tables, paths):
        with open(path, "w") as f:
            for row in table:
                if row[-1]:
                    f.write(row[-1] + "".join(f" {j + 1}:{(float(v) - mean[j]) / sd[j]:.6f}" for j,
                                              v in enumerate(row[:-1])) + "\n")
    rows = []
    for name, kind in [("LIBSVM regression + rounding", "3"), ("LIBSVM classification", "0")]:
        fit = command(["svm-train", "-q", "-s", kind, "-c", "10", "-g", str(1 / COLUMNS), paths[0], paths[2]])
        predict = fit and command(["svm-predict", "-q", paths[1], paths[2], paths[3]])
        if not predict:
            rows.append({"name": name, "error": "failed"})
            continue
        with open(paths[3]) as f:
            ranks = [min(max(round(float(line)), 1), 5) for line in f]
        rows.append({"name": name, "seconds": fit["seconds"] + predict["seconds"],
                     "processor": fit["processor"] + predict["processor"],
                     "mae": sum(abs(a - b) for a, b in zip(ranks, truth)) / len(truth)})
    return rows


def peer_table(rung, python, n, share):
    with tempfile.TemporaryDirectory() as folder:
        labelled = write_data(folder, n, share, 1)
        rows = [ours(rung, folder, name, arguments)
                for name, arguments in [("auto", []), ("kdlor", []), ("svorim", ["-p", "C=10", "-p", "gamma=1/d"]),
                                        ("krr", []), ("llgc", []), ("gpor", []), ("pom", [])]
                if labelled <= MOST_LABELS.get(name, labelled)]
        if shutil.which("svm-train"):
            rows += libsvm(folder)
        run = subprocess.run([python, "-c", PEERS, folder, str(n)], capture_output=True, text=True)
        rows += [json.loads(line) for line in run.stdout.splitlines()]
        if run.returncode:
            print(run.stderr, file=sys.stderr)
    lines = [f"### {n:,} rows, {labelled:,} labelled", "", "| | seconds | processor seconds | test MAE |",
             "|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['name']} | " + (f"{r['error']} | - | - |" if "error" in r
                                            else f"{r['seconds']:.2f} | {r['processor']:.2f} | {r['mae']:.3f} |"))
    return lines + [""]


here = os.path.dirname(os.path.abspath(__file__))


def tree_table(build, python):
    """What boost_speed.py prints; nothing where its packages are not installed."""
    environment = dict(os.environ, PYTHONPATH=os.path.join(here, "..", "python"),
                       RUNG_LIBRARY=os.path.join(os.path.abspath(build), "librung.so"))
    run = subprocess.run([python, os.path.join(here, "boost_speed.py")], capture_output=True, text=True,
                         env=environment)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return []
    return ["", "## Boosted trees beside other programs", "",
            "`bench/boost_speed.py` fits the same number of rounds, leaves and bins with `boost` and with LightGBM, "
            "XGBoost and",
            "CatBoost, which fit their squared loss to the class numbers: one tree per round for all. Seconds are "
            "processor time of",
            "one thread. Memory is what a fit adds to the peak of the process, through the Python package: of rung's, "
            "160 bytes a",
            "row are its copy of the 20 columns in double precision.", "", *run.stdout.splitlines()]


def read_table(build, python):
    run = subprocess.run([python, os.path.join(here, "read_speed.py"), build], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return []
    return ["", "## Reading CSV files", "",
            "`bench/read_speed.py build` reads 150,000 rows by `rung_table_read` on one thread and by pandas, in turns. "
            "By default",
            "all threads read a file; the table is the same.", "", *run.stdout.splitlines()]


def auto_table(rung, python, most):
    run = subprocess.run([python, os.path.join(here, "auto_sizes.py"), rung, "--most", str(most)], capture_output=True,
                         text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return []
    return ["", "## The default by number of labels", "",
            f"`bench/auto_sizes.py build/rung --most {most}`: `rung fit` and `rung predict` as a whole, reading "
            f"included; all rows",
            "are labelled, 20 columns, of which five matter. A fit is planned by the number of labels",
            "([auto](methods/auto.md)): from 600 labels on the kernels use landmarks, from 20,000 on they see 20,000 "
            "rows.", "",
            *run.stdout.splitlines()]


def explain_table(rung):
    run = subprocess.run(["bash", os.path.join(here, "explain.sh"), rung], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return []
    rows = re.findall(r"^(rung .*): ([0-9.]+) s \(processor ([0-9.]+) s\)$", run.stdout, re.MULTILINE)
    return ["", "## Explanations", "",
            "`bench/explain.sh build/rung` measures whole commands, reading included, with an `auto` model of 500 "
            "labels and 20",
            "columns. `rung explain` permutes each of the 20 columns five times on 1000 rows and adds the effects of "
            "the four most",
            "important ones.", "", "| | seconds | processor seconds |", "|---|---|---|",
            *(f"| `{command}` | {float(seconds):.2f} | {float(processor):.2f} |" for command, seconds,
              processor in rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=SIZES[-1])
    parser.add_argument("--peers", metavar="PYTHON")
    a = parser.parse_args()
    rung = os.path.join(a.build, "rung")
    load = os.getloadavg()[0]
    page = ["# Speed and memory", "",
            "Written by `make bench` (bench/performance.py) from one run on a machine with "
            f"{os.cpu_count()} cores ({platform.machine()}).",
            f"The load average at the start was {load:.1f}"
            + (": other programs were running, so processor seconds are more reliable than seconds." if load > 1
               else "."), "",
            "## Methods by number of rows", "",
            f"Each cell is one fit of {COLUMNS} normal columns and 5 classes, with the defaults except `calibrate=0` "
            f"and",
            "`thresholds=midpoint`. It gives the seconds, the total processor time in parentheses, the ratio of the "
            "seconds to",
            "those spent in the fit's own large linear algebra operations (1 is the minimum, less if several fits ran "
            "in parallel),",
            f"and the peak memory of the process. A dash means that the fit was rejected, did not finish in {TOO_LONG} "
            f"s, or was not tried",
            f"because fewer rows already took more than {ENOUGH} s of processor time. If the kernel matrix would not "
            f"fit into 8 GiB,",
            "`landmarks=auto` uses landmarks. Columns without structure are the worst case for the neighbour search.",
            ""]
    page += scale_table(a.build, rung, [n for n in SIZES if n <= a.rows])
    if a.rows >= MANY:
        page += ["", "## Large data sets", "",
                 "Commands are measured as a whole, including reading and writing; the other rows are fits only.", ""]
        page += large_table(a.build, rung, a.rows)
    if a.peers:
        page += auto_table(rung, a.peers, a.rows)
    page += explain_table(rung)
    if a.peers:
        page += read_table(a.build, a.peers)
    if a.peers and a.rows >= MANY:
        page += tree_table(a.build, a.peers)
    if a.peers:
        page += ["", "## Comparison with other programs", "",
                 "Time to fit and to predict 2000 test rows. `rung` and LIBSVM run as commands, including reading and "
                 "writing files; the",
                 "others are timed without reading. All use their defaults, or the same kernel width and C if both "
                 "have them. Except for",
                 "mord, the other programs round a regression or ignore the order of the classes. LIBSVM's programs "
                 "are Debian's;",
                 "scikit-learn and mord are from PyPI.", ""]
        for n, share in [(1000, 0.2), (4000, 0.25), (10000, 1)]:
            if n <= a.rows:
                page += peer_table(rung, a.peers, n, share)
    with open(a.out, "w") as f:
        f.write("\n".join(page).rstrip() + "\n")


main()
