# SPDX-License-Identifier: BSD-3-Clause
"""Where the data sets are: those of data/, and those of the larger collection that RUNG_DATA may name
(docs/data-sets.md)."""
import csv
import gzip
import os
import sys

OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')


def folders():
    """data/, then the collection."""
    return [path for path in (OWN, os.environ.get('RUNG_DATA')) if path]


def find(name):
    """The folder of a data set; None where there is none."""
    return next((os.path.join(path, name) for path in folders() if os.path.isdir(os.path.join(path, name))), None)


def missing(names):
    where = 'the folder that RUNG_DATA names (%s)' % os.environ['RUNG_DATA'] if os.environ.get('RUNG_DATA') else \
        'data/, and RUNG_DATA names no collection'
    return '%s: not in %s; docs/data-sets.md says where to get it' % (', '.join(names), where)


def need(*names):
    """Ends a test that is nothing without these."""
    absent = [name for name in names if not find(name)]
    if absent:
        print('skipped: ' + missing(absent))
        sys.exit(77)


def present(names):
    """Those of the names that there are; the others are reported."""
    absent = [name for name in names if not find(name)]
    if absent:
        print('left out: ' + missing(absent), flush=True)
    return [name for name in names if name not in absent]


def path(name, file):
    """A file of a data set, or the same with .gz."""
    folder = find(name)
    if not folder:
        sys.exit(missing([name]))
    plain = os.path.join(folder, file)
    return plain if os.path.exists(plain) else plain + '.gz'


def table(name, file=None):
    """The header and the rows, as text."""
    at = path(name, file or name + '.csv')
    with (gzip.open if at.endswith('.gz') else open)(at, 'rt', newline='', encoding='utf-8') as f:
        header, *rows = list(csv.reader(f))
    return header, rows


def splits(name, file='splits.csv'):
    """The test rows of each partition."""
    with open(path(name, file)) as f:
        return [set(map(int, line.split(','))) for line in f if line.strip()]


def partitions(name, count=None):
    """Header, training rows and test rows of each partition."""
    header, rows = table(name)
    for test in splits(name)[:count]:
        yield header, [r for i, r in enumerate(rows) if i not in test], [rows[i] for i in sorted(test)]
