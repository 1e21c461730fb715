#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default method with a fifth of the labels: fit on the training part of each partition, grade its test part.

usage: auto.py RUNG [SET...] [--quick] [--check] [-- FIT-OPTIONS...]
Prints the mean test MAE and ranked probability score per data set beside the recipe's own numbers and the constant
median, and USPS digits with 1, 2, 5, 10 labels per class (1500 rows, 1500 test rows, 16 draws). --check: at least four
fifths of the sets within 0.02 of the recipe, USPS at most 1.2, 0.68, 0.50, 0.42. --quick: the sets that take a moment.
Sets that are neither in data/ nor in RUNG_DATA are left out. Only the Python standard library is used."""
import json, math, os, random, statistics, sys, tempfile

from command import call, data_sets, write
from few_labels import hide

# set: (runs, MAE of the recipe, MAE of kdlor tuned, the former default); NAME:Q cuts a real target into Q classes of
# equal frequency
RECIPE = {'contact-lenses': (30, .578, .589), 'pasture': (30, .337, .389), 'toy': (20, .098, .126),
          'tae': (18, .671, .656),
          'balance-scale': (10, .064, .127), 'ERA': (5, 1.248, 1.342), 'winequality-red': (3, .432, .460),
          'car': (3, .071, .117),
          'newthyroid': (15, .044, .059), 'machine:5': (15, .494, .667), 'machine:10': (15, 1.046, 1.538),
          'housing:5': (8, .444, .500),
          'housing:10': (8, .934, 1.147), 'squash-stored': (20, .454, .469), 'squash-unstored': (20, .335, .404),
          'bondrate': (20, .511, .557), 'LEV': (8, .426, .464)}
QUICK = ['contact-lenses', 'balance-scale', 'pasture', 'squash-stored', 'squash-unstored']  # of few labels
DRAWS = 16
USPS = {1: (1.125, 1.2), 2: (.605, .68), 5: (.443, .50), 10: (.367, .42)}


def read(name):
    """Header, rows with the label last, test rows of the official partitions."""
    name, _, bins = name.partition(':')
    header, rows = data_sets.table(name)
    if bins:
        targets = sorted(float(r[-1]) for r in rows)
        cuts = [targets[len(targets) * q // int(bins)] for q in range(1, int(bins))]
        rows = [r[:-1] + [str(1 + sum(float(r[-1]) >= c for c in cuts))] for r in rows]
    return header, rows, data_sets.splits(name, 'splits_%sbins.csv' % bins if bins else 'splits.csv')


def partition(rows, splits, i):
    """The official one, or beyond these a seeded quarter."""
    if i < len(splits):
        return splits[i]
    return set(random.Random(88000 + i).sample(range(len(rows)), len(rows) // 4))


def grade(rung, header, train, test, order, options):
    with tempfile.TemporaryDirectory() as tmp:
        a, b, m = (os.path.join(tmp, x) for x in ('train.csv', 'test.csv', 'm.rung'))
        write(a, header, train)
        write(b, header, test)
        call([rung, 'fit', a, '-q', '--order', order, '-o', m] + options)
        out = json.loads(call([rung, 'evaluate', m, b, '--json']))
    return out['mae'], out['rps']


def table(rung, sets, options):
    """Prints a line per set; returns how many are as good as the recipe."""
    good = 0
    print('%-16s %5s %7s %7s %7s %7s %7s %7s' % ('set', 'runs', 'auto', '(s.e.)', 'rps', 'median', 'recipe', 'former'),
          flush=True)
    for name in sets:
        header, rows, splits = read(name)
        runs, recipe, former = RECIPE[name]
        order = '<'.join(sorted({r[-1] for r in rows}, key=float))
        errors, scores, medians = [], [], []
        for i in range(runs):
            test = partition(rows, splits, i)
            train = [r for j, r in enumerate(rows) if j not in test]
            kept = hide([r[-1] for r in train], .2, 5000 + i)
            train = [r if j in kept else r[:-1] + [''] for j, r in enumerate(train)]
            held = [rows[j] for j in sorted(test)]
            known = sorted(int(r[-1]) for r in train if r[-1])
            medians.append(statistics.mean(abs(int(r[-1]) - known[(len(known) - 1) // 2]) for r in held))
            mae, rps = grade(rung, header, train, held, order, options)
            errors.append(mae)
            scores.append(rps)
        mean, se = statistics.mean(errors), statistics.stdev(errors) / math.sqrt(runs)
        good += mean <= recipe + .02
        print('%-16s %5d %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f' % (name, runs, mean, se, statistics.mean(scores),
                                                                 statistics.mean(medians),
                                                                 recipe, former), flush=True)
    return good


def usps(rung, options):
    header, rows = data_sets.table('usps')
    order, good = '<'.join(sorted({r[-1] for r in rows}, key=float)), 0
    for per_class, (recipe, limit) in USPS.items():
        errors = []
        for draw in range(DRAWS):
            chosen = random.Random(draw).sample(range(len(rows)), 3000)
            count, train = {}, []
            for i in chosen[:1500]:
                y = rows[i][-1]
                count[y] = count.get(y, 0) + 1
                train.append(rows[i] if count[y] <= per_class else rows[i][:-1] + [''])
            errors.append(grade(rung, header, train, [rows[i] for i in chosen[1500:]], order, options)[0])
        mean = statistics.mean(errors)
        se = statistics.stdev(errors) / math.sqrt(DRAWS)
        good += mean <= limit
        print('usps, %2d labels per class: auto %.3f (s.e. %.3f), recipe %.3f on four draws of its own, at most %.2f' %
              (per_class, mean, se, recipe, limit), flush=True)
    return good


def main():
    args, own = sys.argv[1:], []
    if '--' in args:
        own, args = args[args.index('--') + 1:], args[:args.index('--')]
    check, quick = '--check' in args, '--quick' in args
    args = [a for a in args if not a.startswith('--')]
    if not args:
        sys.exit(__doc__)
    rung, sets = os.path.abspath(args[0]), args[1:] or (QUICK if quick else list(RECIPE) + ['usps'])
    there = data_sets.present(dict.fromkeys(s.partition(':')[0] for s in sets))
    sets = [s for s in sets if s.partition(':')[0] in there]
    tables = [s for s in sets if s != 'usps']
    good = table(rung, tables, own) if tables else 0
    failed = good < .8 * len(tables)
    print('%d of %d sets as good as the recipe' % (good, len(tables)))
    if 'usps' in sets:
        failed = usps(rung, own) < len(USPS) or failed
    if check:
        print('1 failed' if failed else '1 passed, 0 failed')
        sys.exit(1 if failed else 0)


main()
