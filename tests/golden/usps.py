#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Label spreading on USPS digits as ranks 1..10: 1500 training rows with 1, 2, 5, 10 labels per class, 1500 test rows,
mean of 4 draws.

usage: usps.py RUNG [--check]     prints the mean test MAE; --check: at most 0.75, 0.70, 0.52, 0.44. 77: RUNG_DATA has
no usps."""
import json, os, random, sys, tempfile

from command import call, data_sets, write

LIMITS = {1: .75, 2: .70, 5: .52, 10: .44}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rung = os.path.abspath(sys.argv[1])
    data_sets.need('usps')
    header, rows = data_sets.table('usps')
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
                write(a, header, train)
                write(b, header, [rows[i] for i in order[1500:]])
                call([rung, 'fit', a, '-q', '-m', 'llgc', '--scale', 'none', '-o', m])
                errors.append(json.loads(call([rung, 'evaluate', m, b, '--json']))['mae'])
        mean = sum(errors) / len(errors)
        failed += mean > limit
        print('%2d labels per class: mae %.3f (%s)' % (per_class, mean, ' '.join('%.3f' % e for e in errors)),
              flush=True)
    if '--check' in sys.argv:
        print('%d passed, %d failed' % (len(LIMITS) - failed, failed))
        sys.exit(1 if failed else 0)


main()
