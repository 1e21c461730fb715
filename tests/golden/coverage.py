#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the ranges hold what they state, and are the probabilities worth something? On every data set, over seeded splits:
fit on at most 100 labelled rows (at most half of the set), predict --proba --interval 0.9 for at most 200 others.

usage: coverage.py RUNG [SET...|quick] [--splits N] [--method M]... [--check] [-- FIT-OPTIONS...]
Prints per set and method: coverage and mean width of the ranges (in ranks), the share of full ranges, accuracy; MAE beside
that of the constant median; RPS beside that of the class frequencies. --check: coverage at least 0.87, and at most 0.95 where
the accuracy is below 0.75; RPS below that of the frequencies where the MAE is below that of the median; exits 1 when one of
these is missed. Sets that are neither in data/ nor in RUNG_DATA are left out. Only the Python standard library is used."""
import csv, os, random, sys, tempfile

from command import call, data_sets, write

LEVEL, LOW, HIGH, ACCURATE = .9, .87, .95, .75
PLAIN = ['ERA', 'LEV', 'automobile', 'balance-scale', 'bondrate', 'car', 'contact-lenses', 'ida-breast-cancer', 'ida-diabetis',
         'ida-heart', 'ida-thyroid', 'ida-titanic', 'marketing', 'melanoma', 'melanoma-fs', 'new_toy1000', 'newthyroid', 'pasture',
         'pyrim10', 'squash-stored', 'squash-unstored', 'tae', 'toy', 'usps', 'winequality-red', 'colon', 'leukemia']
BINNED = ['autompg', 'bank32', 'bank8', 'calhousing', 'census16', 'census8', 'diabetes', 'housing', 'machine', 'pyrimidines',
          'triazines', 'wisconsin']  # real targets: five classes of equal frequency
QUICK = ['automobile', 'ERA', 'LEV', 'car', 'tae', 'toy', 'housing']
MOST_ROWS = 2000


def load(name):
    """Header, rows as text, the last column the rank 1..K."""
    header, rows = data_sets.table(name)
    random.Random(name).shuffle(rows)
    rows = rows[:MOST_ROWS]
    if name in BINNED:
        values = sorted(float(r[-1]) for r in rows)
        edges = sorted({values[len(values) * q // 5] for q in range(1, 5)})
        rank = lambda text: 1 + sum(float(text) >= e for e in edges)
    else:
        classes = sorted({r[-1] for r in rows}, key=float)
        rank = lambda text: 1 + classes.index(text)
    return header[:-1] + ['label'], [r[:-1] + [rank(r[-1])] for r in rows]


def score(K, p, y):
    """The ranked probability score of one row."""
    total = cumulated = 0
    for q in range(1, K):
        cumulated += p[q - 1]
        total += (cumulated - (y <= q)) ** 2
    return total


def run(rung, name, method, splits, options, tmp):
    header, rows = load(name)
    K, n = max(r[-1] for r in rows), len(rows)
    train, test, model = (os.path.join(tmp, x) for x in ('train.csv', 'test.csv', 'model.rung'))
    labels = min(100, n // 2)
    sums = dict.fromkeys(('rows', 'in', 'width', 'full', 'acc', 'mae', 'median', 'rps', 'frequencies'), 0)
    for split in range(splits):
        rng = random.Random(split)
        order = rng.sample(range(n), min(n, labels + 200))
        known, new = [rows[i] for i in order[:labels]], [rows[i] for i in order[labels:]]
        if len({r[-1] for r in known}) < 2:
            continue
        write(train, header, known)
        write(test, header, new)
        own = ['-m', method] if method else []
        call([rung, 'fit', train, '-q', '--order', '<'.join(map(str, range(1, K + 1))), '-o', model] + own + options)
        said = list(csv.DictReader(call([rung, 'predict', model, test, '--proba', '--interval', str(LEVEL)]).splitlines()))
        ranks = sorted(r[-1] for r in known)
        median = ranks[(labels - 1) // 2]
        share = [ranks.count(q) / labels for q in range(1, K + 1)]
        for row, s in zip(new, said):
            y, r, low, high = row[-1], int(s['rank']), int(s['interval_low']), int(s['interval_high'])
            assert low <= high
            sums['rows'] += 1
            sums['in'] += low <= y <= high
            sums['width'] += high - low + 1
            sums['full'] += low == 1 and high == K
            sums['acc'] += r == y
            sums['mae'] += abs(r - y)
            sums['median'] += abs(median - y)
            sums['rps'] += score(K, [float(s['p(%d)' % q]) for q in range(1, K + 1)], y)
            sums['frequencies'] += score(K, share, y)
    return K, labels, {k: v / sums['rows'] for k, v in sums.items() if k != 'rows'}


def main():
    args, options, methods, splits = sys.argv[1:], [], [], 200
    if '--' in args:
        options, args = args[args.index('--') + 1:], args[:args.index('--')]
    while '--method' in args:
        at = args.index('--method')
        methods.append(args[at + 1])
        del args[at:at + 2]
    if '--splits' in args:
        at = args.index('--splits')
        splits = int(args[at + 1])
        del args[at:at + 2]
    check = '--check' in args
    args = [a for a in args if a != '--check']
    if not args:
        sys.exit(__doc__)
    rung, sets = os.path.abspath(args[0]), args[1:] or sorted(PLAIN + BINNED, key=str.lower)
    sets = data_sets.present(QUICK if sets == ['quick'] else sets)
    passed = failed = 0
    print('%-18s %-8s %2s %6s %8s %6s %5s %6s %6s %6s %6s %6s' % ('set', 'method', 'K', 'labels', 'coverage', 'width', 'full',
                                                                 'acc', 'mae', 'median', 'rps', 'freq.'))
    with tempfile.TemporaryDirectory() as tmp:
        for name in sets:
            for method in methods or [None]:
                K, labels, m = run(rung, name, method, splits, options, tmp)
                faults = []
                if m['in'] < LOW:
                    faults.append('coverage too low')
                if m['in'] > HIGH and m['acc'] < ACCURATE:
                    faults.append('coverage too high')
                if m['mae'] < m['median'] and m['rps'] >= m['frequencies']:
                    faults.append('probabilities worse than frequencies')
                passed, failed = passed + (not faults), failed + bool(faults)
                print('%-18s %-8s %2d %6d %8.3f %6.2f %5.2f %6.3f %6.3f %6.3f %6.3f %6.3f  %s' % (
                    name, method or 'default', K, labels, m['in'], m['width'], m['full'], m['acc'], m['mae'], m['median'],
                    m['rps'], m['frequencies'], ', '.join(faults)), flush=True)
    if check:
        print('%d passed, %d failed' % (passed, failed))
        sys.exit(1 if failed else 0)


main()
