#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that the plans need and ../shared/data holds in another form, written to a folder.

usage: prepare.py DATA FOLDER [movielens|images|orca]...
movielens: the ratings of ten users with more than 100, described by the 19 genres of the films.   user-<id>/user-<id>.csv
images: object 1 of COIL-20 and person 19 of UMIST, grey values from 0 to 1, label = view.         coil-1/coil-1.csv, umist-19/umist-19.csv
orca: the official partitions of toy, tae and pasture as ORCA has them.                            <set>/matlab/train_<set>.<i>
Only the Python standard library is used."""
import csv, gzip, os, random, sys


def table(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', newline='') as f:
        header, *rows = list(csv.reader(f))
    return header, rows


def write(folder, name, header, rows):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, name, name + '.csv'), 'w', newline='') as f:
        csv.writer(f).writerows([header] + rows)


def movielens(data, folder):
    head, items = table(os.path.join(data, 'movielens-100k', 'items.csv'))
    genres = {r[0]: r[-19:] for r in items}
    of = {}
    for user, item, _, rating in table(os.path.join(data, 'movielens-100k', 'movielens-100k.csv.gz'))[1]:
        of.setdefault(user, []).append(genres[item] + [rating])
    users = random.Random(7000).sample(sorted(u for u in of if len(of[u]) > 100), 10)
    for i, user in enumerate(users): write(folder, 'user-%d' % (i + 1), head[-19:] + ['label'], of[user])


def images(data, folder):
    for source, which, name in (('coil20', '1', 'coil-1'), ('umist', '19', 'umist-19')):
        head, rows = table(os.path.join(data, source, source + '.csv.gz'))
        grey = lambda cells: ['%.6g' % (float(c) / 255) for c in cells]
        write(folder, name, head[1:], [grey(r[1:-1]) + r[-1:] for r in rows if r[0] == which])


def orca(data, folder):
    for name in ('toy', 'tae', 'pasture'):
        rows = table(os.path.join(data, name, name + '.csv'))[1]
        to = os.path.join(folder, name, 'matlab')
        os.makedirs(to, exist_ok=True)
        with open(os.path.join(data, name, 'splits.csv')) as f:
            splits = [set(map(int, line.split(','))) for line in f if line.strip()]
        for i, test in enumerate(splits):
            for which in ('train', 'test'):
                with open(os.path.join(to, '%s_%s.%d' % (which, name, i)), 'w') as f:
                    f.writelines(' '.join(r) + '\n' for j, r in enumerate(rows) if (j in test) == (which == 'test'))


def main():
    what = sys.argv[3:] or ['movielens', 'images', 'orca']
    if len(sys.argv) < 3 or not set(what) <= {'movielens', 'images', 'orca'}: sys.exit(__doc__)
    for name in what: globals()[name](sys.argv[1], sys.argv[2])


main()
