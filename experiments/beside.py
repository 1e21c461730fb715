#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment found beside what its paper printed, as a table in Markdown.

usage: beside.py DB TABLE [--metric mae] [--part test] [--mean]
       beside.py --update ../docs/results.md        the tables there whose databases are in the current folder
TABLE names the rows of published.csv; a published number stands in brackets. --metric n_expansion counts the vectors of the models, seconds
takes the wall clock of their last fit. --mean: one row, the mean over the data sets. `6/30` behind a data set, or a number: so many of
its partitions were finished. Only the Python standard library is used."""
import argparse, csv, os, shlex, sqlite3, sys


def published(table, metric):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'published.csv'), newline='') as f:
        return {(r['dataset'], r['method']): r['value'] for r in csv.DictReader(f) if r['table'] == table and r['metric'] == metric}


def found(db, metric, part):
    """{data set: {method: {partition: value}}} of the finished cells, and the partitions planned for each data set."""
    value = 'c.fit_seconds' if metric == 'seconds' else 'v.value'
    rows = db.execute("SELECT d.name, m.name, c.partition, %s, c.status FROM cell c JOIN dataset d ON d.id = c.dataset JOIN method m ON m.id = c.method"
                      " LEFT JOIN metric v ON v.cell = c.id AND v.part = ? AND v.key = ? ORDER BY d.position, m.position, c.partition" % value,
                      ('model' if metric == 'n_expansion' else part, metric)).fetchall()
    values, planned, methods = {}, {}, []
    for dataset, method, partition, x, status in rows:
        planned.setdefault(dataset, set()).add(partition)
        mine = values.setdefault(dataset, {}).setdefault(method, {})
        if method not in methods: methods.append(method)
        if status == 'done' and x is not None: mine[partition] = x
    return values, planned, methods


def mean(numbers): return sum(numbers) / len(numbers)


def table(arguments):
    """The lines of one table; None where there is no such database."""
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument('db'), p.add_argument('table'), p.add_argument('--metric', default='mae'), p.add_argument('--part', default='test')
    p.add_argument('--mean', action='store_true')
    a = p.parse_args(arguments)
    if not os.path.exists(a.db): return None
    values, planned, methods = found(sqlite3.connect('file:%s?mode=ro' % a.db, uri=True), a.metric, a.part)
    paper = published(a.table, a.metric)
    digits = {'mae': 3, 'mze': 3, 'rmse': 2}.get(a.metric, 1)
    show = lambda x, d, m: ('%.*f' % (digits, x)) + (' (%s)' % paper[d, m] if (d, m) in paper else '')
    apart, sums, lines = {m: [] for m in methods}, {m: [] for m in methods}, []
    for dataset, of in values.items():
        done = [m for m in of if of[m]]
        if not done: continue
        most = max(len(of[m]) for m in done)
        cells = []
        for m in methods:
            if m not in done: cells.append('(%s)' % paper[dataset, m] if (dataset, m) in paper else '')
            else:
                x = mean(list(of[m].values()))
                sums[m].append(x)
                if (dataset, m) in paper: apart[m].append(abs(x - float(paper[dataset, m])))
                cells.append(show(x, dataset, m) + ('' if len(of[m]) == most else ' %d/%d' % (len(of[m]), len(planned[dataset]))))
        count = '' if most == len(planned[dataset]) else ' %d/%d' % (most, len(planned[dataset]))
        lines.append('| %s%s | %s |' % (dataset, count, ' | '.join(cells)))
    head = ['| | %s |' % ' | '.join(methods), '|' + '---|' * (len(methods) + 1)]
    if a.mean: return head + ['| mean of %d | %s |' % (len(lines), ' | '.join(show(mean(sums[m]), 'mean', m) if sums[m] else '' for m in methods))]
    last = ['| mean distance | %s |' % ' | '.join('%.*f' % (digits, mean(apart[m])) if apart[m] else '' for m in methods)]
    return head + lines + (last if any(apart.values()) else [])


def update(path):
    """Every table that follows a line <!-- beside.py ... --> is written anew where its database is here."""
    with open(path) as f: lines = f.read().split('\n')
    out, i = [], 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if not out[-1].startswith('<!-- beside.py '): continue
        new = table(shlex.split(out[-1][len('<!-- beside.py '):-len(' -->')]))
        if new is None: continue
        print('%s: %s' % (path, out[-1]))
        out += [''] + new
        while i < len(lines) and (not lines[i] or lines[i].startswith('|')): i += 1
        out.append('')
    with open(path, 'w') as f: f.write('\n'.join(out))


def main():
    if sys.argv[1:2] == ['--update'] and len(sys.argv) == 3: return update(sys.argv[2])
    new = table(sys.argv[1:])
    if new is None: sys.exit('beside.py: there is no file ' + sys.argv[1])
    print('\n'.join(new))


main()
