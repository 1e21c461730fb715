#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Few labels by support vector machines with and without unlabelled rows, beside label propagation alone.

usage: ordinal_svm_tables.py RUNG [SET]...      SET: gauss4-linear gauss4 coil20 umist, the last two of RUNG_DATA

The settings of Qian et al. (CIKM 2010) as far as the data allow: 10 random labellings of gauss4 (1 label per class, 4 x
50 rows, 200 test rows), of the first object of COIL-20 (6 scales of 12 views, 80 % of them training rows, 2 labels per
scale, pixels in [0, 1], rbf kernel of width 10) and of person 19 of UMIST (6 scales of 8 poses, 6 training rows, 1
label per scale, linear kernel). Mean error in per cent, unlabelled / test rows, with the standard deviation over the
labellings. plp has the graph of sosvm."""
import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile

from command import data_sets

RBF10 = ["kernel=rbf", "width=10"]
GRAPH = ["graph-width=1"]
SETS = {
    "gauss4-linear": {
        "sosvm": ["kernel=linear", *GRAPH], "lapsvm": ["kernel=linear", *GRAPH], "svorim": ["kernel=linear"]},
    "gauss4": {"sosvm": ["gamma=0.5", *GRAPH], "lapsvm": ["gamma=0.5", *GRAPH], "svorim": ["gamma=0.5"]},
    "coil20": {
        "sosvm": [*RBF10, *GRAPH, "novel=0.03", "lambda1=10000", "lambda2=1000", "omega=0.6"],
        "lapsvm": [*RBF10, *GRAPH, "C=100", "mu=1"],
        "svorim": [*RBF10, "C=1"]},
    "umist": {
        "sosvm": ["kernel=linear", *GRAPH, "novel=0.5", "lambda1=10", "lambda2=100", "lambda3=1", "omega=0.9"],
        "lapsvm": ["kernel=linear", *GRAPH, "C=10", "mu=1"],
        "svorim": ["kernel=linear", "C=0.1"]},
}


def images(name, column, which, scale_of):
    head, rows = data_sets.table(name)
    rows = [r for r in (dict(zip(head, row)) for row in rows) if r[column] == which]
    pixels = [k for k in rows[0] if k not in (column, "label")]
    return [([float(r[k]) / 255 for k in pixels], scale_of(int(r["label"]))) for r in rows]


def splits(rung, name, run):
    """Training rows, which of them are labelled, test rows."""
    pick = random.Random(run)
    if name.startswith("gauss4"):
        text = subprocess.run([rung, "generate", "gauss4", "--rows", "600", "--seed", str(run + 1)], check=True,
                              capture_output=True, text=True).stdout
        rows = [([float(v) for v in r[:-1]], int(r[-1])) for r in list(csv.reader(text.splitlines()))[1:]]
        train, test, labels = 50, 50, 1
    elif name == "coil20":
        rows, train, test, labels = images(name, "object", "1", lambda v: 1 + (v - 1) // 12), 10, 2, 2
    else:
        rows, train, test, labels = images(name, "subject", "19", lambda v: 1 + (v - 1) // 8), 6, 2, 1
    learn, known, held = [], [], []
    for k in sorted({y for _, y in rows}):
        mine = [r for r in rows if r[1] == k]
        pick.shuffle(mine)
        known += [i < labels for i in range(train)]
        learn += mine[:train]
        held += mine[train:train + test]
    return learn, known, held


def write(path, rows, known):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["x%d" % j for j in range(len(rows[0][0]))] + ["label"])
        for (x, y), k in zip(rows, known):
            out.writerow([repr(v) for v in x] + [y if k else ""])


def ranks(rung, *arguments):
    out = subprocess.run([rung, "predict", *arguments], check=True, capture_output=True, text=True).stdout
    return [int(r["rank"]) for r in csv.DictReader(out.splitlines())]


def errors(found, rows, counted):
    wrong = [f != y for f, (_, y), c in zip(found, rows, counted) if c]
    return 100 * sum(wrong) / len(wrong)


def measure(rung, folder, method, parameters, learn, known, held):
    a, b, model = (os.path.join(folder, x) for x in ("train.csv", "test.csv", "model.rung"))
    write(a, learn, known)
    write(b, held, [False] * len(held))
    options = [o for p in parameters for o in ("-p", p)]
    subprocess.run([rung, "fit", a, "-q", "-m", method, "--scale", "none", "-o", model, *options], check=True)
    own = ranks(rung, model) if method == "plp" else ranks(rung, model, a)
    return errors(own, learn, [not k for k in known]), errors(ranks(rung, model, b), held, [True] * len(held))


def main():
    rung = sys.argv[1]
    print("%-14s %-8s %18s %18s" % ("set", "method", "unlabelled", "test"))
    for name in sys.argv[2:] or SETS:
        methods = dict(SETS[name])
        graph = [p for p in methods["sosvm"] if p.split("=")[0] in ("graph-width", "novel")]
        methods["plp"] = graph
        results = {m: [] for m in methods}
        with tempfile.TemporaryDirectory() as folder:
            for run in range(10):
                learn, known, held = splits(rung, name, run)
                for m, parameters in methods.items():
                    results[m].append(measure(rung, folder, m, parameters, learn, known, held))
        for m, found in results.items():
            print("%-14s %-8s" % (name, m), *("%11.1f (%4.1f)" % (statistics.mean(v), statistics.stdev(v))
                                               for v in zip(*found)))
    return 0


sys.exit(main())
