#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What landmarks cost in error: 1000 of them against the exact fit on 8000 rows, graded on the rows left.

usage: lowrank.py RUNG [SET...] [--methods M,...] [--rows N] [--landmarks M] [--check]
The target is cut into five classes of equal size; each method runs with its defaults (ckr with gamma=1/d, as each
further gamma is an eigendecomposition of 8000 rows; orml and es-dl with a tenth of the labels). --check exits 1 when a
mean absolute error is more than 2 % above that of the exact fit; 77: RUNG_DATA has no such data. Only the Python
standard library is used."""
import argparse, json, os, random, sys, tempfile

from command import call, data_sets, write

SETS = ['calhousing', 'census8']
METHODS = {'kdlor': [], 'krr': [], 'svorim': [], 'ckr': ['-p', 'gamma=1/d'], 'orml': [], 'es-dl': []}
LABELLED = {'es-dl': .1, 'orml': .1}
CLASSES, ALLOWED = 5, .02


def read(name):
    """Rows of a set with their class as the last cell."""
    header, rows = data_sets.table(name)
    ordered = sorted(float(r[-1]) for r in rows)
    edges = [ordered[q * len(rows) // CLASSES] for q in range(1, CLASSES)]
    return header[:-1] + ['label'], [r[:-1] + [1 + sum(float(r[-1]) >= e for e in edges)] for r in rows]


def run(rung, train, test, method, landmarks):
    """The test error of one fit, and the share of the trace its landmarks leave out."""
    with tempfile.TemporaryDirectory() as tmp:
        model = os.path.join(tmp, 'm.rung')
        call([rung, 'fit', train, '-q', '-m', method, '-p', 'landmarks=%s' % landmarks, '-o', model] + METHODS[method])
        left = json.loads(call([rung, 'inspect', model, '--json']))['report'].get('landmark_error', 0)
        return json.loads(call([rung, 'evaluate', model, test, '--json']))['mae'], left


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('rung', type=os.path.abspath)
    p.add_argument('sets', nargs='*')
    p.add_argument('--methods', default=','.join(METHODS))
    p.add_argument('--rows', type=int, default=8000)
    p.add_argument('--landmarks', type=int, default=1000)
    p.add_argument('--check', action='store_true')
    a = p.parse_args()
    data_sets.need(*(a.sets or SETS))
    print('%-12s %-8s %8s %8s %8s %8s' % ('set', 'method', 'exact', 'low', 'ratio', 'left out'), flush=True)
    failed = passed = 0
    for name in a.sets or SETS:
        header, rows = read(name)
        random.Random(1).shuffle(rows)
        train, test = rows[:a.rows], rows[a.rows:]
        with tempfile.TemporaryDirectory() as tmp:
            held = os.path.join(tmp, 'test.csv')
            write(held, header, test)
            for method in a.methods.split(','):
                few, labelled = os.path.join(tmp, method + '.csv'), LABELLED.get(method, 1)
                write(few, header, [r if i < labelled * len(train) else r[:-1] + [''] for i, r in enumerate(train)])
                exact, _ = run(a.rung, few, held, method, 'exact')
                low, left = run(a.rung, few, held, method, a.landmarks)
                print('%-12s %-8s %8.4f %8.4f %8.4f %8.2g' % (name, method, exact, low, low / exact, left), flush=True)
                if low <= (1 + ALLOWED) * exact:
                    passed += 1
                else:
                    failed += 1
    print('%d within %g %% of the exact fit, %d not' % (passed, 100 * ALLOWED, failed))
    sys.exit(1 if a.check and failed else 0)


if __name__ == '__main__':
    main()
