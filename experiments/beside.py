#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment found beside what its paper printed, as a table in Markdown.

usage: beside.py DB... TABLE [--metric mae] [--part test] [--mean | --wins]
       beside.py --update ../docs/results.md        the tables there whose databases are in the current folder
TABLE names the rows of published.csv (-: none); a published number stands in brackets. --metric n_expansion counts the
vectors of the models, seconds takes the wall clock of their last fit. --mean: one row, the mean over the data sets.
--wins: on how many data sets a method is clearly better, as good, clearly worse than each other, by Wilcoxon's signed
ranks over the partitions at 0.1 over the ordered pairs; without a result is worse. `6/30` behind a data set, or a
number: so many of its partitions were finished. Only the Python standard library is used."""
import argparse, csv, os, shlex, sqlite3, sys


def published(table, metric):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'published.csv'), newline='') as f:
        rows = list(csv.DictReader(f))
    tables = list(dict.fromkeys(r['table'] for r in rows))
    if table != '-' and table not in tables: sys.exit('beside.py: published.csv has no table %s; it has %s; - takes '
                                                      'none' % (table, '; '.join(tables)))
    return {(r['dataset'], r['method']): r['value'] for r in rows if r['table'] == table and r['metric'] == metric}


def found(paths, metric, part):
    """{data set: {method: {partition: value}}} of the finished cells, the partitions planned for each data set, and the
    methods."""
    values, planned, methods = {}, {}, []
    for path in paths: add(sqlite3.connect('file:%s?mode=ro' % path, uri=True), metric, part, values, planned, methods)
    return values, planned, methods


def add(db, metric, part, values, planned, methods):
    value = 'c.fit_seconds' if metric == 'seconds' else 'v.value'
    rows = db.execute("SELECT d.name, m.name, c.partition, %s, c.status FROM cell c JOIN dataset d ON d.id = c.dataset "
                      "JOIN method m ON m.id = c.method"
                      " LEFT JOIN metric v ON v.cell = c.id AND v.part = ? AND v.key = ? ORDER BY d.position, "
                      "m.position, c.partition" % value,
                      ('model' if metric == 'n_expansion' else part, metric)).fetchall()
    for dataset, method, partition, x, status in rows:
        planned.setdefault(dataset, set()).add(partition)
        mine = values.setdefault(dataset, {}).setdefault(method, {})
        if method not in methods: methods.append(method)
        if status == 'done' and x is not None: mine[partition] = x


def mean(numbers): return sum(numbers) / len(numbers)


def wilcoxon(a, b):
    """The exact p of two sided signed ranks: differences of 0 are left out, equal ones share their mean rank."""
    d = sorted((x - y for x, y in zip(a, b) if abs(x - y) > 1e-12), key=abs)
    ranks = [sum(abs(e) < abs(f) - 1e-12 for e in d) + sum(abs(e) <= abs(f) + 1e-12 for e in d) + 1
             for f in d]  # doubled
    ways = {0: 1}  # how many signs give which sum of the positive ranks
    for r in ranks:
        for total, count in list(ways.items()): ways[total + r] = ways.get(total + r, 0) + count
    centre = sum(ranks) / 2
    seen = abs(sum(r for r, f in zip(ranks, d) if f > 0) - centre)
    return sum(count for total, count in ways.items() if abs(total - centre) >= seen - 1e-9) / 2 ** len(d)


def header(methods): return ['| | %s |' % ' | '.join(methods), '|' + '---|' * (len(methods) + 1)]


def wins(values, methods, paper, counts):
    """Wins, draws and losses over all pairs of the paper's methods and data sets."""
    methods = [m for m in methods if any((k, m) in counts for k in ('wins', 'draws', 'losses'))]
    values = {d: of for d, of in values.items() if any((d, m) in paper for m in methods)}
    level = 0.1 / (len(methods) * (len(methods) - 1))
    count = {m: [0, 0, 0] for m in methods}
    for of in values.values():
        for m in methods:
            for other in methods:
                a, b = of.get(m) or {}, of.get(other) or {}
                both = sorted(set(a) & set(b))
                if m == other or not (a or b): continue
                clear = not both or wilcoxon([a[i] for i in both], [b[i] for i in both]) < level
                better = bool(a) if not both else mean([a[i] for i in both]) < mean([b[i] for i in both])
                count[m][1 if not clear else 0 if better else 2] += 1
    return header(methods) + ['| %s | %s |' % (name,
                                               ' | '.join('%d (%s)' % (count[m][k], counts[name, m]) for m in methods))
                              for k, name in enumerate(('wins', 'draws', 'losses'))]


def table(arguments):
    """The lines of one table; None where there is no such database."""
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument('db', nargs='+'), p.add_argument('table'), p.add_argument('--metric', default='mae')
    p.add_argument('--part', default='test')
    p.add_argument('--mean', action='store_true'), p.add_argument('--wins', action='store_true')
    a = p.parse_args(arguments)
    if not all(map(os.path.exists, a.db)): return None
    values, planned, methods = found(a.db, a.metric, a.part)
    paper = published(a.table, a.metric)
    if a.wins: return wins(values, methods, paper, published(a.table, 'wins'))
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
                cells.append(show(x, dataset, m)
                             + ('' if len(of[m]) == most else ' %d/%d' % (len(of[m]), len(planned[dataset]))))
        count = '' if most == len(planned[dataset]) else ' %d/%d' % (most, len(planned[dataset]))
        lines.append('| %s%s | %s |' % (dataset, count, ' | '.join(cells)))
    if a.mean:
        return header(methods) + ['| mean of %d | %s |' % (len(lines), ' | '.join(show(mean(sums[m]), 'mean', m)
                                                                                  if sums[m] else '' for m in methods))]
    last = ['| mean distance | %s |' % ' | '.join('%.*f' % (digits, mean(apart[m])) if apart[m] else ''
                                                  for m in methods)]
    return header(methods) + lines + (last if any(apart.values()) and a.metric in ('mae', 'mze', 'rmse') else [])


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
    if new is None: sys.exit('beside.py: a database is not there')
    print('\n'.join(new))


main()
