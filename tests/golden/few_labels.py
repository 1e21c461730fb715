#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Few labels on the official partitions: tune on each training part with a stratified 20 % of its labels, grade the
test part.

usage: few_labels.py RUNG [SET...] [--partitions N] [--check] [-- TUNE-OPTIONS...]
Prints the mean test MAE and its standard error per data set, as published (gamma 0.1, 1, 10, first minimum) and with
our defaults of kdlor, beside the constant median of the labels. --check compares with the numbers expected of both and
exits 1 when one is missed. Sets that are neither in data/ nor in RUNG_DATA are left out. Only the Python standard
library is used."""
import json, os, random, statistics, sys, tempfile

from command import call, data_sets, write

SETS = ['toy', 'tae', 'pasture', 'contact-lenses']
# set: (published must be within the second number of the first, our default must be below the third)
EXPECTED = {'toy': (.19, .05, .15), 'tae': (.67, .05, .71), 'pasture': (.66, .09, .46),
            'contact-lenses': (.67, .09, .66)}
PUBLISHED = ['-m', 'kdlor', '--as-published', '-g', 'gamma=0.1,1,10']


def hide(labels, share, seed):
    """Keeps a stratified share of the labels, at least one of each class; returns the rows kept."""
    rng, kept = random.Random(seed), set()
    for c in sorted(set(labels)):
        rows = [i for i, y in enumerate(labels) if y == c]
        rng.shuffle(rows)
        kept.update(rows[:max(1, round(share * len(rows)))])
    return kept


def run(rung, name, partitions, variants):
    """Mean absolute test errors: {variant: [one per partition]}, with the constant median as 'median'."""
    header, rows = data_sets.table(name)
    order = '<'.join(sorted({r[-1] for r in rows}, key=float))
    errors = {v: [] for v in list(variants) + ['median']}
    for i, test in enumerate(data_sets.splits(name)[:partitions]):
        train = [r for j, r in enumerate(rows) if j not in test]
        kept = hide([r[-1] for r in train], .2, 1000 + i)
        train = [r if j in kept else r[:-1] + [''] for j, r in enumerate(train)]
        held = [rows[j] for j in sorted(test)]
        known = sorted(int(r[-1]) for r in train if r[-1])
        median = known[(len(known) - 1) // 2]
        errors['median'].append(statistics.mean(abs(int(r[-1]) - median) for r in held))
        with tempfile.TemporaryDirectory() as tmp:
            a, b, m = (os.path.join(tmp, x) for x in ('train.csv', 'test.csv', 'm.rung'))
            write(a, header, train)
            write(b, header, held)
            for v, options in variants.items():
                call([rung, 'tune', a, '-q', '--order', order, '-o', m] + options)
                errors[v].append(json.loads(call([rung, 'evaluate', m, b, '--json']))['mae'])
    return errors


def main():
    args, own = sys.argv[1:], []
    if '--' in args:
        own, args = args[args.index('--') + 1:], args[:args.index('--')]
    check = '--check' in args
    partitions = 30
    if '--partitions' in args:
        at = args.index('--partitions')
        partitions = int(args[at + 1])
        del args[at:at + 2]
    args = [a for a in args if a != '--check']
    if not args:
        sys.exit(__doc__)
    rung, sets = os.path.abspath(args[0]), data_sets.present(args[1:] or SETS)
    variants = {'own': own} if own else {'published': PUBLISHED, 'default': ['-m', 'kdlor']}
    print('%-18s %4s %s' % ('set', 'runs', ' '.join('%-16s' % v for v in list(variants) + ['median'])))
    passed = failed = 0
    for name in sets:
        e = run(rung, name, partitions, variants)
        n = len(e['median'])
        se = lambda x: statistics.stdev(x) / n ** .5 if n > 1 else float('nan')
        print('%-18s %4d %s' % (name, n, ' '.join('%.3f (%.3f)   ' % (statistics.mean(x), se(x)) for x in e.values())),
              flush=True)
        if check and name in EXPECTED:
            want, within, below = EXPECTED[name]
            for good in (abs(statistics.mean(e['published']) - want) <= within, statistics.mean(e['default']) < below):
                passed, failed = passed + good, failed + (not good)
    if check:
        print('%d passed, %d failed' % (passed, failed))
        sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
