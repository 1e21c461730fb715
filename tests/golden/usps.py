#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Label spreading on USPS digits as ranks 1..10: 1500 training rows with 1, 2, 5, 10 labels per class, 1500 test rows, mean of 4 draws.

usage: usps.py RUNG DATA [--check]     prints the mean test MAE; --check: at most 0.75, 0.70, 0.52, 0.44. Exit 77: no data."""
import csv, gzip, json, os, random, subprocess, sys, tempfile

LIMITS = {1: .75, 2: .70, 5: .52, 10: .44}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rung, path = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], 'usps', 'usps.csv.gz')
    if not os.path.exists(path):
        print('skipped: there is no ' + path)
        sys.exit(77)
    with gzip.open(path, 'rt', newline='') as f:
        header, *rows = list(csv.reader(f))
    failed = 0
    for per_class, limit in LIMITS.items():
        errors = []
        for draw in range(4):
            rng = random.Random(draw)
            order = rng.sample(range(len(rows)), 3000)
            count, train = {}, []
            for i in order[:1500]:
                y = rows[i][-1]
                count[y] = count.get(y, 0) + 1
                train.append(rows[i] if count[y] <= per_class else rows[i][:-1] + [''])
            with tempfile.TemporaryDirectory() as tmp:
                a, b, m = (os.path.join(tmp, x) for x in ('train.csv', 'test.csv', 'm.rung'))
                for p, part in ((a, train), (b, [rows[i] for i in order[1500:]])):
                    with open(p, 'w', newline='') as f:
                        csv.writer(f).writerows([header] + part)
                subprocess.run([rung, 'fit', a, '-q', '-m', 'llgc', '--scale', 'none', '-o', m], check=True)
                out = subprocess.run([rung, 'evaluate', m, b, '--json'], check=True, capture_output=True, text=True).stdout
                errors.append(json.loads(out)['mae'])
        mean = sum(errors) / len(errors)
        failed += mean > limit
        print('%2d labels per class: mae %.3f (%s)' % (per_class, mean, ' '.join('%.3f' % e for e in errors)), flush=True)
    if '--check' in sys.argv:
        print('%d passed, %d failed' % (len(LIMITS) - failed, failed))
        sys.exit(1 if failed else 0)


main()
