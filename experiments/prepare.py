#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that the plans need in another form than data/ and RUNG_DATA have them, written to a folder.

usage: prepare.py FOLDER [movielens|images|movies|marketing|orca]...
movielens: the ratings of ten users with more than 100, described by the 19 genres of the films.  
user-<id>/user-<id>.csv images: object 1 of COIL-20 and person 19 of UMIST, grey values from 0 to 1, label = view.      
  coil-1/coil-1.csv, umist-19/umist-19.csv movies: the film reviews of each of four authors, words of at least five of
  them by TF-IDF, length 1.     schwartz/schwartz.libsvm, ...
marketing: its thirteen columns as categories, missing ones of their own.                        marketing/marketing.csv
orca: the official partitions of toy, tae and, where RUNG_DATA has it, pasture as ORCA has them.                        
   <set>/matlab/train_<set>.<i> Only the Python standard library is used."""
import collections, csv, math, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from data_sets import present, splits, table  # noqa: E402


def write(folder, name, header, rows):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, name, name + '.csv'), 'w', newline='') as f:
        csv.writer(f).writerows([header] + rows)


def movielens(folder):
    head, items = table('movielens-100k', 'items.csv')
    genres = {r[0]: r[-19:] for r in items}
    of = {}
    for user, item, _, rating in table('movielens-100k')[1]:
        of.setdefault(user, []).append(genres[item] + [rating])
    users = random.Random(7000).sample(sorted(u for u in of if len(of[u]) > 100), 10)
    for i, user in enumerate(users): write(folder, 'user-%d' % (i + 1), head[-19:] + ['label'], of[user])


def images(folder):
    for source, which, name in (('coil20', '1', 'coil-1'), ('umist', '19', 'umist-19')):
        head, rows = table(source)
        grey = lambda cells: ['%.6g' % (float(c) / 255) for c in cells]
        write(folder, name, head[1:], [grey(r[1:-1]) + r[-1:] for r in rows if r[0] == which])


def movies(folder):
    csv.field_size_limit(1 << 24)
    of = {}
    for author, _, _, _, text, label in table('scaledata')[1]:
        words = collections.Counter(w for w in text.split() if w not in (',', '.', ';'))
        of.setdefault(author.split()[-1].lower(), []).append((label, words))
    for name, reviews in of.items():
        reviews_with = collections.Counter(w for _, words in reviews for w in words)
        column = {w: i + 1 for i, w in enumerate(sorted(w for w in reviews_with if reviews_with[w] >= 5))}
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        with open(os.path.join(folder, name, name + '.libsvm'), 'w') as f:
            for label, words in reviews:
                value = {column[w]: n * math.log(len(reviews) / reviews_with[w]) for w,
                         n in words.items() if w in column}
                length = math.sqrt(sum(v * v for v in value.values()))
                f.write(' '.join([label] + ['%d:%.6g' % (j, value[j] / length) for j in sorted(value) if value[j]])
                        + '\n')


def marketing(folder):
    head, rows = table('marketing')
    write(folder, 'marketing', head, [['c' + cell for cell in r[:-1]] + r[-1:] for r in rows])


def orca(folder):
    for name in present(('toy', 'tae', 'pasture')):
        rows = table(name)[1]
        to = os.path.join(folder, name, 'matlab')
        os.makedirs(to, exist_ok=True)
        for i, test in enumerate(splits(name)):
            for which in ('train', 'test'):
                with open(os.path.join(to, '%s_%s.%d' % (which, name, i)), 'w') as f:
                    f.writelines(' '.join(r) + '\n' for j, r in enumerate(rows) if (j in test) == (which == 'test'))


def main():
    every = ['movielens', 'images', 'movies', 'marketing', 'orca']
    what = sys.argv[2:] or every
    if len(sys.argv) < 2 or not set(what) <= set(every): sys.exit(__doc__)
    for name in what: globals()[name](sys.argv[1])


main()
