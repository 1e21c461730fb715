#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sparse Bayesian and Gaussian process methods on the paper's data: error, size, probabilities, time and memory.

usage: bayes.py RUNG [--quick] [--check] [SET...]      sets that are neither in data/ nor in RUNG_DATA are left out

Each line is a mean over test sets: official partitions where there are some; otherwise seeded random splits, the real
target cut into 5 classes of equal frequency on the training rows. `vectors` are the basis functions kept, `covered` is
the share of test rows within `--interval 0.9`; cpu: mean processor seconds of a fit, over all threads; MB: the largest
peak. --quick: some partitions of the small sets. --check: exit 1 when an error, a number of vectors or a peak is above
its limit. Only the Python standard library is used."""
import csv
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

from command import call, data_sets, write

# set: method, options, partitions, of these quick, largest mean mae, largest mean number of vectors (None: no limit)
OFFICIAL = [
    ("balance-scale", "isbor", ["gamma=0.1"], 20, 5, 0.02, 10),
    ("toy", "isbor", ["gamma=0.1"], 30, 30, 0.03, None),
    ("ERA", "isbor", ["gamma=0.1"], 30, 2, 1.30, None),
    ("winequality-red", "isbor", ["gamma=0.1"], 30, 2, 0.45, None),
    ("toy", "isbor", ["gamma=auto"], 30, 3, 0.03, None),
    ("winequality-red", "isbor", ["gamma=auto"], 30, 0, 0.45, None),
    ("balance-scale", "sbor", ["gamma=0.1"], 3, 1, 0.02, 10),
    ("toy", "gpor", [], 10, 1, 0.02, None),
    ("toy", "gpor", ["inference=ep"], 3, 0, 0.02, None),
    ("balance-scale", "gpor", [], 3, 0, 0.02, None),
    ("ERA", "gpor", [], 1, 0, 1.30, None),
]
# set: test rows, largest mean mae, largest mean number of vectors, largest peak in MB
SPLIT = [("calhousing", 150, 0.52, 90, 500), ("census16", 200, 0.66, 90, None)]
SPLITS = 20


def random_splits(name, count, held):
    head, rows = data_sets.table(name)
    for k in range(count):
        test = set(random.Random(k).sample(range(len(rows)), held))
        yield head, [r for i, r in enumerate(rows) if i not in test], [rows[i] for i in sorted(test)]


def measured(args):
    """Processor seconds and peak megabytes of a process."""
    process = subprocess.Popen(args)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("%s failed" % " ".join(args))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def run(rung, folder, splits, options):
    """One dictionary of numbers per split."""
    train, test, model = (os.path.join(folder, x) for x in ("train.csv", "test.csv", "model.rung"))
    for head, rows, held in splits:
        write(train, head, rows)
        write(test, head, held)
        seconds, peak = measured([rung, "fit", train, "-q", "-o", model] + options)
        scores = json.loads(call([rung, "evaluate", model, test, "--json"]))
        answers = csv.DictReader(io.StringIO(call([rung, "predict", model, test, "--interval", "0.9"])))
        inside = None
        if "--bins" not in options:
            inside = statistics.mean(float(a["interval_low"]) <= float(r[-1]) <= float(a["interval_high"]) for a,
                                     r in zip(answers, held))
        yield {"mae": scores["mae"], "ece": scores["calibration"]["ece"], "covered": inside, "seconds": seconds,
               "peak": peak,
               "vectors": json.loads(call([rung, "inspect", model, "--json"]))["n_expansion"]}


def report(name, method, options, found, mae, vectors, peak):
    """Prints one line; whether everything is within its limits."""
    mean = {k: statistics.mean(f[k] for f in found) for k in ("mae", "ece", "vectors", "seconds")}
    most = max(f["peak"] for f in found)
    error = statistics.stdev(f["mae"] for f in found) / len(found) ** 0.5 if len(found) > 1 else float("nan")
    covered = "    -" if found[0]["covered"] is None else "%5.3f" % statistics.mean(f["covered"] for f in found)
    good = mean["mae"] <= mae and (not vectors or mean["vectors"] <= vectors) and (not peak or most <= peak)
    print("%-16s %-6s %-13s %4d %.3f (%.3f) %6.1f  %.3f  %s %7.2f %6.0f%s"
          % (name, method, " ".join(options) or "-", len(found), mean["mae"], error, mean["vectors"], mean["ece"],
             covered,
             mean["seconds"], most, "" if good else "  ABOVE ITS LIMIT"), flush=True)
    return good


def main():
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    quick, check = "--quick" in sys.argv, "--check" in sys.argv
    rung, wanted, good = words[0], words[1:], True
    plan = [] if quick else [name for name, *_ in SPLIT]
    sets = data_sets.present([s for s in dict.fromkeys([o[0] for o in OFFICIAL] + plan) if not wanted or s in wanted])
    print("%-16s %-6s %-13s %4s %-13s %6s  %5s  %5s %7s %6s"
          % ("set", "method", "options", "runs", "mae", "vectors", "ece", "cover", "cpu", "MB"))
    with tempfile.TemporaryDirectory() as folder:
        for name, method, params, all_runs, quick_runs, mae, vectors in OFFICIAL:
            count = quick_runs if quick else all_runs
            if count == 0 or name not in sets:
                continue
            options = ["-m", method] + [x for p in params for x in ("-p", p)]
            found = list(run(rung, folder, data_sets.partitions(name, count), options))
            good &= report(name, method, params, found, mae, vectors, None)
        for name, held, mae, vectors, peak in SPLIT:
            if name not in sets:
                continue
            options = ["-m", "isbor", "-p", "gamma=0.1", "--bins", "5"]
            found = list(run(rung, folder, random_splits(name, SPLITS, held), options))
            good &= report(name, "isbor", ["gamma=0.1"], found, mae, vectors, peak)
    return check and not good


sys.exit(main())
