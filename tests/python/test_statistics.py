#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of `rung experiment report` against SciPy, and against plain enumeration where SciPy approximates.

usage: test_statistics.py PROBE      PROBE: the program built from statistics_probe.c
"""
import itertools
import math
import subprocess
import sys

import numpy as np
from scipy import special, stats


class Calls:
    """Collects calls of the probe, runs them at once, compares."""

    def __init__(self):
        self.lines, self.checks = [], []

    def add(self, name, n, k, numbers, expected, tolerance, what):
        numbers = np.ravel(numbers)
        self.lines.append(" ".join([name, str(n), str(k), str(len(numbers))] + [repr(float(x)) for x in numbers]))
        self.checks.append((f"{name} {what}", np.ravel(expected).astype(float), tolerance))

    def run(self, probe):
        done = subprocess.run([probe], input="\n".join(self.lines) + "\n", capture_output=True, text=True, check=True)
        answers, failed = done.stdout.splitlines(), 0
        assert len(answers) == len(self.checks), (len(answers), len(self.checks))
        for answer, (what, expected, tolerance) in zip(answers, self.checks):
            found = np.array([float(x) for x in answer.split()])[: len(expected)]
            good = [f == e or (math.isnan(f) and math.isnan(e)) or abs(f - e) <= tolerance * abs(e)
                    for f, e in zip(found, expected)]
            if len(found) < len(expected) or not all(good):
                print("FAILED", what, "found", found, "expected", expected)
                failed += 1
        print(f"{len(answers) - failed} passed, {failed} failed")
        return failed > 0


def special_functions(calls):
    for a in (0.5, 1, 1.5, 2.5, 7, 30, 200.5, 5000):
        for x in (1e-3, 0.1, 1, 3, 10, 40, 150, 200.5, 260, 4900, 5000, 5300):
            if (want := special.gammaincc(a, x)) > 1e-290:
                calls.add("gamma", 0, 0, [a, x], want, 2e-13 + 2e-16 * x, f"a={a} x={x}")
    for a, b in itertools.product((0.5, 1, 2.5, 12, 72.5, 1500), repeat=2):
        for x in (1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, a / (a + b)):
            if (want := special.betainc(a, b, x)) > 1e-290:
                calls.add("beta", 0, 0, [a, b, x], want, 1e-12, f"a={a} b={b} x={x}")
    for df1, df2, x in [(5, 145, 29.1), (1, 9, 1e6), (3, 6, 0.1), (9, 900, 1.0001), (2, 2, 50), (40, 4000, 12)]:
        calls.add("f", 0, 0, [df1, df2, x], stats.f.sf(x, df1, df2), 1e-11, f"{df1} {df2} {x}")


def studentised_range(calls):
    for k in (2, 3, 6, 10, 25):
        for q in (0.1, 1, 2.5, 3.633, 5, 6.5):
            calls.add("range", 0, k, [q], stats.studentized_range.sf(q, k, math.inf), 1e-8, f"k={k} q={q}")
        if k > 2:
            continue
        for q in (8, 20, 40):  # two numbers: their difference is normal, far into the tail
            calls.add("range", 0, k, [q], special.erfc(q / 2), 1e-11, f"k=2 q={q}")
    # J. Demsar, Statistical comparisons of classifiers over multiple data sets, 2006, table 5 (a), printed to 0.001
    for alpha, printed in ((0.05, (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)),
                           (0.10, (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920))):
        for k, q in enumerate(printed, 2):
            n = 30
            calls.add("cd", n, k, [alpha], q * math.sqrt(k * (k + 1) / (6 * n)), 0.001 / q, f"k={k} {alpha}")
            exact = stats.studentized_range.ppf(1 - alpha, k, math.inf) / math.sqrt(2)
            calls.add("cd", n, k, [alpha], exact * math.sqrt(k * (k + 1) / (6 * n)), 1e-8, f"k={k} {alpha}")


def friedman(calls, generator):
    for n, k, ties in itertools.product((2, 5, 30, 200), (2, 3, 6, 15), (False, True)):
        value = generator.integers(0, 4, (n, k)) if ties else generator.random((n, k))
        rank = stats.rankdata(value, axis=1)
        if k > 2:
            chi, p = stats.friedmanchisquare(*value.T)
        else:  # SciPy wants three samples
            chi = np.sum((rank.sum(0) - n * 1.5) ** 2) / np.sum((rank - 1.5) ** 2)
            p = stats.chi2.sf(chi, 1)
        if n * (k - 1) - chi < 1e-9:
            continue  # all blocks agree: t_statistics.c
        f = (n - 1) * chi / (n * (k - 1) - chi)
        expected = [chi, p, f, stats.f.sf(f, k - 1, (k - 1) * (n - 1)), *rank.mean(0)]
        calls.add("friedman", n, k, value, expected, 1e-9, f"n={n} k={k} ties={ties}")


def enumerated(a, b):
    """Wilcoxon's p by all patterns of signs."""
    d = (a - b)[a != b]
    rank = stats.rankdata(abs(d))
    least = min(rank[d > 0].sum(), rank[d < 0].sum())
    sums = [np.dot(signs, rank) for signs in itertools.product((0, 1), repeat=len(d))]
    return least, min(1, 2 * np.mean(np.array(sums) <= least + 1e-9))


def pairs(calls, generator):
    for n in (1, 2, 5, 10, 25, 50, 51, 300):
        a, b = generator.random(n), generator.random(n) + 0.1
        want = stats.wilcoxon(a, b, method="exact" if n <= 50 else "asymptotic")
        calls.add("wilcoxon", n, 0, [a, b], [want.statistic], 1e-12, f"n={n}")
        z = abs(stats.wilcoxon(a, b, method="asymptotic").zstatistic)
        calls.add("wilcoxon", n, 0, [a, b], [want.statistic, z, want.pvalue, n <= 50], 1e-11, f"n={n}")
    for n in (3, 7, 12):
        for _ in range(5):  # integers: ties and zeros; their differences are exact
            a, b = generator.integers(0, 4, (2, n)).astype(float)
            if (a != b).any():
                least, p = enumerated(a, b)
                z = abs(stats.wilcoxon(a, b, method="asymptotic").zstatistic)
                calls.add("wilcoxon", n, 0, [a, b], [least, z, p, 1], 1e-12, f"ties n={n} {a} {b}")
    a, b = generator.integers(0, 6, (2, 200)).astype(float)
    want = stats.wilcoxon(a, b, method="asymptotic", correction=False)
    calls.add("wilcoxon", 200, 0, [a, b], [want.statistic, abs(want.zstatistic), want.pvalue, 0], 1e-11, "many ties")
    for n in (2, 5, 30, 400):
        a, b = generator.random(n), generator.random(n) + 0.05
        want = stats.ttest_rel(a, b)
        calls.add("t", n, 0, [a, b], [want.statistic, want.pvalue], 1e-10, f"n={n}")


def holm(calls, generator):
    for m in (1, 2, 5, 20):
        p = generator.random(m) ** 3
        order = np.argsort(p)
        stepped = np.minimum(1, np.maximum.accumulate((m - np.arange(m)) * p[order]))
        adjusted = np.empty(m)
        adjusted[order] = stepped
        calls.add("holm", m, 0, p, adjusted, 1e-15, f"m={m}")
        # By the definition: hypothesis i falls at level alpha while every smaller p is below alpha / (those left).
        for i, alpha in itertools.product(range(m), (0.01, 0.05, 0.3)):
            falls = all(p[order[j]] <= alpha / (m - j) for j in range(list(order).index(i) + 1))
            assert falls == (adjusted[i] <= alpha), (p, i, alpha)


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    calls, generator = Calls(), np.random.default_rng(1)
    special_functions(calls)
    studentised_range(calls)
    friedman(calls, generator)
    pairs(calls, generator)
    holm(calls, generator)
    return calls.run(sys.argv[1])


sys.exit(main())
