#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default method by number of labels: time, memory, size of the model, prediction. Prints a table in Markdown.

usage: auto_sizes.py RUNG [--most ROWS]      (needs numpy)
Every row of the generated table is labelled: 20 normal columns, 5 classes of equal size by a smooth function with an
interaction, noise, and 15 columns that say nothing. Times are those of `rung fit` and `rung predict` as a whole,
reading included; error: on 10,000 rows that no fit has seen."""
import csv, os, subprocess, sys, tempfile, time

import numpy as np

SIZES = [50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000]
TEST = 10000


def table(n, seed):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 20))
    f = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + 0.5 * np.abs(X[:, 4]) + 0.7 * r.normal(size=n)
    return X, 1 + np.searchsorted([-1.05, -0.05, 0.85, 1.85], f)


def write(path, X, y):
    np.savetxt(path, np.c_[X, y], fmt=['%.4f'] * X.shape[1] + ['%d'], delimiter=',', comments='',
               header=','.join(['x%d' % (j + 1) for j in range(X.shape[1])] + ['y']))


def run(command):
    """Seconds, processor seconds and peak megabytes of a command."""
    start = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit('%s failed' % ' '.join(command))
    return time.time() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != '--most'):
        sys.exit(__doc__)
    rung, most = sys.argv[1], int(sys.argv[3]) if len(sys.argv) == 4 else SIZES[-1]
    print('| labels | fit, s | processor s | peak MB | model, MB | predicting 10,000 rows, s | MAE of these |')
    print('|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        data, test, model, answers = (os.path.join(folder, name) for name in ('d.csv', 't.csv', 'm.rung', 'p.csv'))
        X, truth = table(TEST, 1)
        write(test, X, truth)
        for n in SIZES:
            if n > most:
                break
            write(data, *table(n, 2))
            seconds, processor, memory = run([rung, 'fit', data, '-q', '-o', model])
            predicting = run([rung, 'predict', model, test, '-q', '-o', answers])[0]
            with open(answers, newline='') as file:
                rank = np.array([int(row['rank']) for row in csv.DictReader(file)])
            print('| %s | %.2f | %.2f | %.0f | %.2f | %.2f | %.3f |' %
                  (format(n, ','), seconds, processor, memory, os.path.getsize(model) / 1e6, predicting,
                   np.abs(rank - truth).mean()), flush=True)


main()
