#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processor time and bytes exchanged per rank of commands under mpirun, on one machine, and a model of more ranks.

usage: ranks.py RUNG [DOC] [--rows N]
DOC: a file (docs/cluster.md) whose part between the lines <!-- ranks --> is replaced; otherwise the part is printed.
--rows: of each of 16 files (default 10000). Only the Python standard library is used."""
import math, os, random, re, resource, subprocess, sys, tempfile

RANKS = 1, 2, 4
FILES, COLUMNS = 16, 20
BANDWIDTH, LATENCY = 1e9, 50e-6  # of the model: bytes per second and rank, seconds per exchange and doubling
PLAN = '''
[experiment]
folder = .
datasets = search
partitions = random
runs = 6
test = 0.3

[method DL]
method = kdlor
[method KRR]
method = krr
'''
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_rmaps_base_oversubscribe='1',
                  OMPI_MCA_hwloc_base_binding_policy='none')


def write_rows(path, rows, seed):
    random.seed(seed)
    with open(path, 'w') as f:
        f.write(','.join(f'x{j}' for j in range(COLUMNS)) + ',label\n')
        for _ in range(rows):
            x = [random.gauss(0, 1) for _ in range(COLUMNS)]
            t = x[0] + math.sin(2 * x[1]) + 0.5 * x[2] * x[3] + random.gauss(0, 0.3)
            f.write(','.join('%.4f' % v for v in x) + ',%d\n' % (1 + (t > -1.2) + (t > -0.3) + (t > 0.4) + (t > 1.2)))


def measure(command, ranks):
    """Of every rank: processor seconds without waiting, exchanges, bytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    launcher = ['mpirun', '-n', str(ranks)] if ranks > 1 else []
    done = subprocess.run(launcher + command + ['--threads', '1', '-v'], text=True, capture_output=True, check=True)
    if ranks == 1:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return [(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0, 0)]
    rows = re.findall(r'^ *\d+ +([\d.]+) +[\d.]+ +(\d+) +(\d+)$', done.stderr, re.M)
    assert len(rows) == ranks, done.stderr
    return [(float(s), int(n), int(b)) for s, n, b in rows]


def amount(n):
    return '%.1f MB' % (n / 1e6) if n >= 1e5 else '%.1f kB' % (n / 1e3)


def main():
    rung = os.path.abspath(sys.argv[1])
    doc = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 and not sys.argv[2].startswith('-') else None
    rows = int(sys.argv[sys.argv.index('--rows') + 1]) if '--rows' in sys.argv else 10000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir('parts')
        os.mkdir('search')
        for i in range(FILES):
            write_rows(f'parts/{i:02}.csv', rows, i)
        write_rows('search/search.csv', 250, 99)
        open('plan.ini', 'w').write(PLAN)
        cases = [('rung fit parts -m kdlor -p landmarks=300 --memory 60M', '--passes'),
                 ('rung fit parts -m pom --memory 60M', '--passes'),
                 ('rung predict model.rung parts --output-dir out', '-q'),
                 ('rung tune search/search.csv -m kdlor,krr -o best.rung', '-q'),
                 ('rung experiment run plan.ini', '-q')]
        out = ['| command | ranks | processor seconds of a rank | exchanges | bytes exchanged by a rank |',
               '|---|---|---|---|---|']
        model = ['| command | ' + ' | '.join(f'{r} ranks' for r in (16, 64)) + ' |', '|---|---|---|']
        for name, more in cases:
            seconds, bytes_of = {}, {}
            command = name.split()[1:] + [more]
            for ranks in RANKS:
                if os.path.exists('plan.db'): os.remove('plan.db')
                got = measure([rung] + command, ranks)
                low, high = min(g[0] for g in got), max(g[0] for g in got)
                seconds[ranks] = sum(g[0] for g in got) / ranks
                exchanges, moved = max(g[1] for g in got), max(g[2] for g in got)
                bytes_of[ranks] = moved
                out.append('| %s | %d | %s | %d | %s |' % (f'`{name}`' if ranks == 1 else '', ranks,
                                                           '%.1f' % high if high - low < 0.05 else
                                                       '%.1f to %.1f' % (low, high), exchanges,
                                                       amount(moved) if moved else '0'))
            last = RANKS[-1]
            divided = max(0, (seconds[1] - seconds[last]) / (1 - 1 / last))  # seconds = repeated + divided / ranks
            repeated = max(0, seconds[1] - divided)
            predicted = []
            for r in (16, 64):
                growth = max(0, (bytes_of[last] - bytes_of[2]) / (last - 2))
                predicted.append(repeated + divided / r + (moved + growth * (r - last)) / BANDWIDTH
                                 + exchanges * LATENCY * math.log2(r))
            model.append('| `%s`, %.1f s by one | ' % (name, seconds[1]) + ' | '.join('%.1f s' % p for p in predicted)
                         + ' |')
        os.chdir('/')
    text = '\n'.join(out
                     + ['', '**A model, not a measurement**, of larger clusters follows from these numbers: what 1 and '
                            '4 ranks need tells what is',
                            'divided and what every rank repeats; the bytes grow as from 2 to 4 ranks; each rank moves '
                            '1 GB/s, and an exchange',
                            'takes 50 µs for every doubling of the ranks. There are as many files and cells as ranks.',
                            ''] + model)
    if not doc:
        print(text)
        return
    page = open(doc).read()
    parts = page.split('<!-- ranks -->')
    assert len(parts) == 3, 'no place for the table in ' + doc
    open(doc, 'w').write(parts[0] + '<!-- ranks -->\n' + text + '\n<!-- ranks -->' + parts[2])


if __name__ == '__main__':
    main()
