#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""svorim and svorex on official partitions, against numbers measured by other programs.

usage: svor.py RUNG

ORCA's own tests expect, on partition 0 of toy with raw features and the 0.001 that Chu's program adds to the diagonal,
a test accuracy of 0.893333 (svorim, C = 10, gamma = 1) and 0.946667 (svorex, C = 10, gamma = 10)."""
import json
import os
import sys
import tempfile

from command import call, data_sets, write

MAE = {"toy": (10, 0.063), "tae": (10, 0.484), "balance-scale": (10, 0.093), "winequality-red": (5, 0.394)}


def measure(rung, folder, part, method, *options):
    head, train, test = part
    a, b, model = (os.path.join(folder, x) for x in ("train.csv", "test.csv", "model.rung"))
    write(a, head, train)
    write(b, head, test)
    call([rung, "fit", a, "-q", "-m", method, "-o", model, *options])
    return json.loads(call([rung, "evaluate", model, b, "--json"]))


def main():
    rung, failed = sys.argv[1], 0

    def check(what, found, expected, tolerance):
        nonlocal failed
        good = abs(found - expected) <= tolerance
        failed += not good
        print("%-46s %.6f  expected %.6f%s" % (what, found, expected, "" if good else "  FAILED"))

    with tempfile.TemporaryDirectory() as folder:
        first = next(data_sets.partitions("toy", 1))
        for method, gamma, expected in (("svorim", 1, 0.893333), ("svorex", 10, 0.946667)):
            got = measure(rung, folder, first, method, "--scale", "none", "-p", "diagonal=0.001", "-p", "C=10", "-p",
                          "gamma=%d" % gamma)
            check("toy 0, raw, %s, accuracy" % method, got["acc"], expected, 1e-6)
        for name, (count, expected) in MAE.items():
            options = "--as-published", "-p", "C=10", "-p", "gamma=1" # other programs know no rule for equal rows
            mae = [measure(rung, folder, part, "svorim", *options)["mae"] for part in data_sets.partitions(name, count)]
            check("%s 0-%d, svorim, mean mae" % (name, count - 1), sum(mae) / count, expected, 0.01)
    return failed > 0


sys.exit(main())
