#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the ranges hold what they state, and are the probabilities worth something? On every data set, over seeded splits:
fit on some labelled rows (at most half of the set), predict --proba --interval 0.9 for at most 200 others.

usage: coverage.py RUNG [SET...|quick] [--splits N] [--labels N] [--method M]... [--check] [-- FIT-OPTIONS...]
       coverage.py RUNG [SET...|quick] --table FILE [--splits N] [--labels N]... [--method M|all]... [--write PAGE]
Prints per set and method: coverage and mean width of the ranges (in ranks), the share of full ranges, accuracy; MAE
beside that of the constant median; RPS and log loss beside those of the class frequencies; the expected calibration
error.
--check: coverage at least 0.87, and at most 0.95 where the accuracy is below 0.75; RPS below that of the frequencies
where the MAE is below that of the median; exits 1 when one of these is missed.
--table: the mean over the sets, by method and number of labels (20, 60 and 300). What was measured is added to FILE
(JSON), and not measured again; --write puts the table into PAGE, between its comments "coverage.py --table" and "end".
Only rows of classes that had labels are measured. Sets that are neither in data/ nor in RUNG_DATA are left out. Only
the Python standard library is used."""
import csv
import json
import math
import os
import random
import sys
import tempfile

from command import call, data_sets, write

LEVEL, LOW, HIGH, ACCURATE = .9, .87, .95, .75
PLAIN = ['ERA', 'LEV', 'automobile', 'balance-scale', 'bondrate', 'car', 'contact-lenses', 'ida-breast-cancer',
         'ida-diabetis',
         'ida-heart', 'ida-thyroid', 'ida-titanic', 'marketing', 'melanoma', 'melanoma-fs', 'new_toy1000', 'newthyroid',
         'pasture',
         'pyrim10', 'squash-stored', 'squash-unstored', 'tae', 'toy', 'usps', 'winequality-red', 'colon', 'leukemia']
BINNED = ['autompg', 'bank32', 'bank8', 'calhousing', 'census16', 'census8', 'diabetes', 'housing', 'machine',
          'pyrimidines',
          'triazines', 'wisconsin']  # real targets: five classes of equal frequency
QUICK = ['automobile', 'ERA', 'LEV', 'car', 'tae', 'toy', 'housing']
MOST_ROWS, BINS, LEAST = 2000, 10, 1e-15
TABLE_LABELS = [20, 60, 300]
IMAGES = {'usps', 'melanoma', 'melanoma-fs', 'colon',
          'leukemia'}  # many columns: not in the table, for the time they take
TENSORS = {'mlda', 'tlpp', 'tnpe', 'mie', 'orml-m'}  # of images; on plain columns they are lda, lpp, npe, ... again


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


def calibration_error(told):
    """Of (probability of the most probable class, whether it is the true one): as rung evaluate reports it."""
    bins = {}
    for p, hit in told:
        one = bins.setdefault(min(int(p * BINS), BINS - 1), [0, 0])
        one[0] += p
        one[1] += hit
    return sum(abs(p - hits) for p, hits in bins.values()) / len(told)


def measure(rung, name, method, labels, splits, options, tmp):
    """The means over the test rows of all splits, or None where the set is too small."""
    header, rows = load(name)
    K, n = max(r[-1] for r in rows), len(rows)
    train, test, model = (os.path.join(tmp, x) for x in ('train.csv', 'test.csv', 'model.rung'))
    sums = dict.fromkeys(('rows', 'in', 'width', 'full', 'acc', 'mae', 'median', 'rps', 'frequencies', 'loss', 'own'),
                         0)
    told = []
    for split in range(splits):
        rng = random.Random(split)
        order = rng.sample(range(n), min(n, labels + 200))
        known, new = [rows[i] for i in order[:labels]], [rows[i] for i in order[labels:]]
        seen = {r[-1] for r in known}
        new = [r for r in new if r[-1] in seen]
        if len(seen) < 2 or not new:
            continue
        write(train, header, known)
        write(test, header, new)
        own = ['-m', method] if method else []
        call([rung, 'fit', train, '-q', '--order', '<'.join(map(str, range(1, K + 1))), '-o', model] + own + options)
        said = list(csv.DictReader(call([rung, 'predict', model, test, '--proba', '--interval',
                                         str(LEVEL)]).splitlines()))
        ranks = sorted(r[-1] for r in known)
        median = ranks[(labels - 1) // 2]
        share = [ranks.count(q) / labels for q in range(1, K + 1)]
        for row, s in zip(new, said):
            y, r, low, high = row[-1], int(s['rank']), int(s['interval_low']), int(s['interval_high'])
            p = [float(s['p(%d)' % q]) for q in range(1, K + 1)]
            assert low <= high
            sums['rows'] += 1
            sums['in'] += low <= y <= high
            sums['width'] += high - low + 1
            sums['full'] += low == 1 and high == K
            sums['acc'] += r == y
            sums['mae'] += abs(r - y)
            sums['median'] += abs(median - y)
            sums['rps'] += score(K, p, y)
            sums['frequencies'] += score(K, share, y)
            sums['loss'] -= math.log(max(p[y - 1], LEAST))
            sums['own'] -= math.log(share[y - 1])
            told.append((max(p), p.index(max(p)) + 1 == y))
    if not told:
        return None
    return {'K': K, 'ece': calibration_error(told), **{k: v / sums['rows'] for k, v in sums.items() if k != 'rows'}}


def by_set(rung, sets, methods, splits, most, options, check):
    passed = failed = 0
    print('%-18s %-8s %2s %6s %8s %6s %5s %6s %6s %6s %6s %6s %6s %6s %6s' % (
        'set', 'method', 'K', 'labels', 'coverage', 'width', 'full', 'acc', 'mae', 'median', 'rps', 'freq.', 'loss',
        'freq.',
        'ece'))
    with tempfile.TemporaryDirectory() as tmp:
        for name in sets:
            for method in methods or [None]:
                labels = min(most, len(load(name)[1]) // 2)
                m = measure(rung, name, method, labels, splits, options, tmp)
                faults = []
                if m['in'] < LOW:
                    faults.append('coverage too low')
                if m['in'] > HIGH and m['acc'] < ACCURATE:
                    faults.append('coverage too high')
                if m['mae'] < m['median'] and m['rps'] >= m['frequencies']:
                    faults.append('probabilities worse than frequencies')
                passed, failed = passed + (not faults), failed + bool(faults)
                print('%-18s %-8s %2d %6d %8.3f %6.2f %5.2f %6.3f %6.3f %6.3f %6.3f %6.3f %6.3f %6.3f %6.3f  %s' % (
                    name, method or 'default', m['K'], labels, m['in'], m['width'], m['full'], m['acc'], m['mae'],
                    m['median'],
                    m['rps'], m['frequencies'], m['loss'], m['own'], m['ece'], ', '.join(faults)), flush=True)
    if check:
        print('%d passed, %d failed' % (passed, failed))
        sys.exit(1 if failed else 0)


# ---- the table of all methods ----


def table(found):
    """Lines of Markdown: the means over the sets that every method of a number of labels was measured on."""
    lines = ['| method | labels | sets | log loss | frequencies | worse on | ECE | coverage | width |',
             '|---' * 9 + '|']
    for labels in sorted({int(key.split()[1]) for key in found}):
        of = {key.split()[0]: values for key, values in found.items() if int(key.split()[1]) == labels}
        common = set.intersection(*map(set, of.values()))
        for method, values in sorted(of.items()):
            values = {name: values[name] for name in common}
            mean = {k: sum(v[k] for v in values.values()) / len(values) for k in next(iter(values.values()))}
            worse = sum(v['loss'] > v['own'] for v in values.values())
            lines.append('| %s | %d | %d | %.3f | %.3f | %d | %.3f | %.3f | %.2f |' % (
                method, labels, len(values), mean['loss'], mean['own'], worse, mean['ece'], mean['in'], mean['width']))
    return lines


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return json.load(f)


def write_page(path, lines):
    with open(path) as f:
        before, rest = f.read().split('<!-- coverage.py --table -->\n')
    after = rest[rest.index('<!-- end -->'):]
    with open(path, 'w') as f:
        f.write(before + '<!-- coverage.py --table -->\n' + '\n'.join(lines) + '\n' + after)


def all_methods(rung):
    methods = json.loads(call([rung, 'methods', '--json']))
    return [m['name'] for m in methods if m['name'] not in TENSORS]


def by_method(rung, sets, methods, splits, sizes, options, path, page):
    found = read(path)
    with tempfile.TemporaryDirectory() as tmp:
        for name in sets:
            n = len(load(name)[1])
            for labels in sizes:
                if name in IMAGES or n < 1.5 * labels:
                    continue
                for method in all_methods(rung) if methods == ['all'] else methods:
                    values = found.setdefault('%s %d' % (method, labels), {})
                    if name in values:
                        continue
                    m = measure(rung, name, method, labels, splits, options, tmp)
                    if m:
                        values[name] = m
            with open(path, 'w') as f:
                json.dump(found, f)
    lines = table({key: values for key, values in found.items() if values})
    print('\n'.join(lines))
    if page:
        write_page(page, lines)


def options_of(args, name, several=False):
    """Takes --name VALUE out of the arguments."""
    values = []
    while name in args:
        at = args.index(name)
        values.append(args[at + 1])
        del args[at:at + 2]
    return values if several else values[-1] if values else None


def main():
    args, options = sys.argv[1:], []
    if '--' in args:
        options, args = args[args.index('--') + 1:], args[:args.index('--')]
    methods, sizes = options_of(args, '--method', True), [int(x) for x in options_of(args, '--labels', True)]
    splits, path, page = options_of(args, '--splits'), options_of(args, '--table'), options_of(args, '--write')
    check = '--check' in args
    args = [a for a in args if a != '--check']
    if not args:
        sys.exit(__doc__)
    rung, sets = os.path.abspath(args[0]), args[1:] or sorted(PLAIN + BINNED, key=str.lower)
    sets = data_sets.present(QUICK if sets == ['quick'] else sets)
    if path:
        by_method(rung, sets, methods or ['all'], int(splits or 2), sizes or TABLE_LABELS, options, path, page)
    else:
        by_set(rung, sets, methods, int(splits or 200), sizes[0] if sizes else 100, options, check)


main()
