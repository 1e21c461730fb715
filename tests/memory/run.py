#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--memory keeps its word: a command with --memory X either refuses and states both numbers, or stays below X as the
system measures it.

usage: run.py RUNG PEAK [--all] [METHOD|COMMAND...]
PEAK is the program of peak.c. For each fit, a suggestion and, with --all, other commands, the limit starts too low and
is raised to what the refusal states until the command runs: its peak may not be above its limit, nor above half as much
again. A file larger than the limit is read in passes within it. Boosted trees have a bound of their own as well,
measured in the library beside RUNG, without reading. --all: every method, more rows and columns, landmarks as they are
chosen, other numbers of threads, other commands. Only the Python standard library is used."""
import array, ctypes, itertools, os, random, re, resource, subprocess, sys, tempfile

UNIT = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
SLACK = 16 << 20  # of trees grown in the library: the buffers of OpenBLAS and the stacks of two threads
SHORT = {'boost': [2000], 'kdlor': [2000], 'svorim': [600], 'ogp': [300], 's-dl': [1200], 'median': [20000]}
LONG = [60, 400, 1200, 3000]
# Half an hour and more at the largest size; the estimate is a polynomial and smaller sizes tell it.
SMALLER = {'auto': [60, 300, 600, 1600], 'gpor': [60, 300, 800], 'ogp': [60, 300, 1000], 'tld': [60, 300, 800],
           'orml-m': [60, 300, 800],
           'kes-dl': [60, 300, 1000], 'isbor': [60, 300, 1000], 'sbor': [60, 300, 800], 'svorex': [60, 300, 1000]}
PASSES = ['pom', 'kdlor', 'krr', 'ckr', 'boost', 'isbor', 'auto']


def write(path, rows, columns=5):
    """Three classes; a third of the rows is unlabelled."""
    draw = random.Random(rows)
    with open(path, 'w') as file:
        file.write(','.join('x%d' % j for j in range(columns)) + ',label\n')
        for i in range(rows):
            y = i % 3
            file.write(','.join('%.6f' % (draw.gauss(y if j == 0 else 0, 1)) for j in range(columns))
                       + ',%s\n' % (y + 1 if i % 9 < 6 else ''))


def run(rung, peak, limit, threads, *arguments):
    """The exit code, the messages and the peak of the resident set in bytes."""
    measured = 'peak-%d.txt' % os.getpid()
    done = subprocess.run([peak, measured, rung, *arguments, '-q', '--threads', str(threads), '--memory', str(limit)],
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(measured) as file:
        return done.returncode, done.stderr.strip(), int(file.read())


def need(message):
    """The need that a refusal states; it is rounded to a decimal."""
    found = re.search(r'needs? about ([0-9.]+) (bytes|KiB|MiB|GiB).*above the memory limit of', message)
    return (float(found[1]) + 0.06) * UNIT[found[2]] if found else None


def sweep(rung, peak, threads, *arguments):
    """Pairs of limits and peaks of the runs that were accepted: the least limit, and one above it."""
    limit, accepted = 1 << 20, []
    while len(accepted) < 2:
        code, message, measured = run(rung, peak, limit, threads, *arguments)
        if code == 0:
            accepted.append((limit, measured))
            limit = limit * 3 // 2
            continue
        stated = need(message)
        if stated is None or stated <= limit:
            sys.exit('failed: %s --memory %d: %s' % (' '.join(arguments), limit, message))
        limit = int(stated)
    return accepted


class View(ctypes.Structure):
    _fields_ = [('v', ctypes.c_void_p)] + [(name, ctypes.c_int64) for name in ('n', 'd', 'row', 'col')]


def grow_trees(library, rows, columns):
    """Prints by how many bytes a fit of boosted trees to data in memory raises the peak of the resident set."""
    lib = ctypes.CDLL(library)
    draw = random.Random(1)
    X = array.array('d', (draw.random() for _ in range(rows * columns)))
    y = array.array('i', (1 + int(3 * X[i * columns]) for i in range(rows)))
    ctx, data, spec, model = (ctypes.c_void_p() for _ in range(4))
    view = View(X.buffer_info()[0], rows, columns, columns, 1)
    ok = lib.rung_ctx_new(ctypes.byref(ctx)) == 0
    ok = ok and lib.rung_data_new(ctx, ctypes.byref(view), ctypes.c_void_p(y.buffer_info()[0]), None, 3,
                                  ctypes.byref(data)) == 0
    ok = ok and lib.rung_spec_new(ctx, b'boost', 0, ctypes.byref(spec)) == 0
    for name, value in ((b'rounds', b'10'), (b'calibrate', b'0')):
        ok = ok and lib.rung_spec_set(ctx, spec, name, value) == 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ok = ok and lib.rung_model_fit(ctx, spec, data, ctypes.byref(model)) == 0
    print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) if ok else 'failed')


def check_trees(rung, rows=300000, columns=20):
    """At most half as much again as the bins and 100 bytes a row."""
    library = os.path.join(os.path.dirname(rung), 'librung.so')
    if not os.path.exists(library):
        return True
    told = subprocess.run([sys.executable, os.path.abspath(__file__), '--grow', library, str(rows), str(columns)],
                          capture_output=True, text=True, check=True)
    peak, bound = int(told.stdout), 1.5 * (columns + 100) * rows
    print('boost   %6d rows in memory: at most %.1f MiB, peak %.1f MiB' % (rows, bound / 2**20, peak / 2**20),
          flush=True)
    return peak <= bound + SLACK


def write_large(path, columns=20):
    """60 MiB: two thousand rows, again and again."""
    draw = random.Random(1)
    rows = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(2000)]
    block = ''.join(','.join('%.15f' % x for x in row) + ',%d\n' % (2 + (row[0] + draw.gauss(0, 1) > 0) - (row[1] > 1))
                    for row in rows)
    with open(path, 'w') as file:
        file.write(','.join('x%d' % j for j in range(columns)) + ',label\n')
        while file.tell() < 60 << 20:
            file.write(block)


def fits(rung, everything, chosen):
    """Name, threads and command of a fit, with landmarks exact, as chosen, or without the parameter where there is
    none."""
    listed = subprocess.run([rung, 'methods'], capture_output=True, text=True).stdout.splitlines()
    methods = [line.split()[0] for line in listed[1:] if line and not line.startswith("'")]
    for method in [m for m in methods if m in chosen] if chosen else methods if everything else SHORT:
        about = subprocess.run([rung, 'methods', method], capture_output=True, text=True).stdout
        ways = ['exact', 'auto'] if re.search('^landmarks ', about, re.M) else [None]
        sizes = [(rows, 5, 2, way) for rows in (SMALLER.get(method, LONG) if everything else SHORT.get(method, [400]))
                 for way in (ways if everything else ways[:1])]
        if everything:
            sizes += [(300, 100, 4, ways[-1]), (400, 5, 1, ways[0])]
        for rows, columns, threads, way in sizes:
            name = '%dx%d.csv' % (rows, columns)
            if not os.path.exists(name):
                write(name, rows, columns)
            more = ['-p', 'landmarks=' + way] if way else []
            yield '%s %d x %d, landmarks %s' % (method, rows, columns, way), threads, ['fit', name, '-m', method, *more,
                                                                                       '-o', 'model.rung']


def suggestion():
    write('rows2000.csv', 2000)
    yield 'suggest rows2000.csv -m kdlor', 2, ['suggest', 'rows2000.csv', '-m', 'kdlor']


def commands(rung, chosen):
    """Name, threads and command of everything else."""
    models = [('kdlor', 2000), ('boost', 2000), ('auto', 400), ('isbor', 400), ('ogp', 700)]
    for rows in sorted({rows for _, rows in models} | {30000, 4000}):
        write('rows%d.csv' % rows, rows)
    for method, rows in models:
        subprocess.run([rung, 'fit', 'rows%d.csv' % rows, '-q', '-m', method, '-o', method + '.rung',
                        *(['--keep-data'] if method == 'isbor' else [])],
                       check=True)
    listed = [[command, method + '.rung', 'rows%d.csv' % rows, *more] for method, _ in models
              for command, rows,
              more in (('predict', 30000, ['--proba', '-o', 'out.csv']), ('evaluate', 4000, []), ('explain', 400, []))]
    listed += [['compare', 'kdlor.rung', 'boost.rung', '--on', 'rows30000.csv'], ['inspect', 'auto.rung', '--json'],
               ['update', 'isbor.rung', 'rows400.csv', '-o', 'updated.rung'],
               ['fit', 'rows400.csv', '-m', 'kdlor', '--verify', '-o', 'm.rung'],
               ['fit', 'rows400.csv', '-m', 'kdlor', '--explain', '-o', 'm.rung'],
               ['generate', 'isbor', '--rows', '300000', '-o', 'made.csv']]
    listed += [['tune', 'rows%d.csv' % rows, '-m', methods, '-o', 'm.rung'] for rows, methods in
               ((400, 'kdlor,svorim'), (2000, 'kdlor'), (400, 'isbor,gpor'), (2000, 'boost'), (400, 'lapsvm'),
                (400, 's-dl,krr'))]
    listed += [['suggest', 'rows%d.csv' % rows, '-m', method] for rows,
               method in ((400, 'auto'), (4000, 'kdlor'), (4000, 'boost'), (400, 'gpor'))]
    listed += [['curve', 'rows%d.csv' % rows, '-m', method, '--repeats', '2'] for rows,
               method in ((400, 'kdlor'), (2000, 'boost'), (400, 'auto'))]
    listed += [['fit', 'rows30000.csv', '--passes', '-m', method, '-o', 'm.rung'] for method in PASSES]
    for command in listed:
        if not chosen or command[0] in chosen:
            yield ' '.join(command), 2, command


def passes(chosen, methods):
    """The same of fits in passes to a file several times as large as the limit."""
    if chosen and 'passes' not in chosen:
        return
    write_large('large.csv')
    for method in methods:
        few = ['-p', 'landmarks=50'] if method in ('kdlor', 'krr', 'ckr') else ['-p',
                                                                                'rounds=5'] if method == 'boost' else []
        yield '%s in passes' % method, 2, ['fit', 'large.csv', '--passes', '-m', method, *few, '-o', 'model.rung']


def main():
    if '--grow' in sys.argv:
        return grow_trees(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    words, everything = [w for w in sys.argv[1:] if not w.startswith('--')], '--all' in sys.argv
    (rung, peak), chosen, failed = map(os.path.abspath, words[:2]), words[2:], 0
    with tempfile.TemporaryDirectory(prefix='rung-memory-') as folder:
        os.chdir(folder)
        listed = [fits(rung, everything, chosen), commands(rung, chosen) if everything else () if chosen
                  else suggestion(), passes(chosen, PASSES if everything else PASSES[:2])]
        for name, threads, command in itertools.chain(*listed):
            for limit, measured in sweep(rung, peak, threads, *command):
                failed += measured > limit
                print('%-60s %d threads: limit %7.1f MiB, peak %7.1f MiB%s' % (name, threads, limit / 2**20,
                                                                               measured / 2**20,
                      '  ABOVE' if measured > limit else ''), flush=True)
        os.chdir('/')
    if (not chosen or 'boost' in chosen) and not check_trees(rung):
        sys.exit('failed: boosted trees need more than half as much again as the bins and 100 bytes a row')
    sys.exit('failed: %d commands took more than their limit' % failed if failed else 0)


if __name__ == '__main__':
    main()
