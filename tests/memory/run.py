#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--memory keeps its word: `rung fit --memory X` either refuses and states both numbers, or stays below X as the system measures it.

usage: run.py RUNG PEAK [--all] [METHOD...]
PEAK is the program of peak.c. For each method and several numbers of rows the limit starts too low and is raised to what the refusal
states until the fit runs: no fit may have a peak above its limit, nor above half as much again. A file several times as large as the
limit is read in passes within it. Boosted trees have a bound of their own as well, measured in the library beside RUNG, without
reading. --all: every method, more rows and columns, landmarks as they are chosen, other numbers of threads. Only the Python standard
library is used."""
import array, ctypes, os, random, re, resource, subprocess, sys, tempfile

UNIT = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
SLACK = 16 << 20  # of trees grown in the library: the buffers of OpenBLAS and the stacks of two threads
SHORT = {'boost': [2000], 'kdlor': [2000], 'svorim': [600], 'ogp': [300], 's-dl': [1200], 'median': [20000]}
LONG = [60, 400, 1200, 3000]
# Half an hour and more at the largest size; the estimate is a polynomial and smaller sizes tell it.
SMALLER = {'auto': [60, 300, 600, 1600], 'gpor': [60, 300, 800], 'ogp': [60, 300, 1000], 'tld': [60, 300, 800], 'orml-m': [60, 300, 800],
           'kes-dl': [60, 300, 1000], 'isbor': [60, 300, 1000], 'sbor': [60, 300, 800], 'svorex': [60, 300, 1000]}


def write(path, rows, columns=5):
    """Three classes; a third of the rows is unlabelled."""
    draw = random.Random(rows)
    with open(path, 'w') as file:
        file.write(','.join('x%d' % j for j in range(columns)) + ',label\n')
        for i in range(rows):
            y = i % 3
            file.write(','.join('%.6f' % (draw.gauss(y if j == 0 else 0, 1)) for j in range(columns)) + ',%s\n' % (y + 1 if i % 9 < 6 else ''))


def fit(rung, peak, limit, threads, *arguments):
    """The exit code, the messages and the peak of the resident set in bytes."""
    done = subprocess.run([peak, rung, 'fit', *arguments, '-q', '-o', 'model.rung', '--threads', str(threads), '--memory', str(limit)],
                          capture_output=True, text=True)
    return done.returncode, done.stderr.strip(), int(done.stdout)


def need(message):
    """The need that a refusal states; it is rounded to a decimal."""
    found = re.search(r'needs? about ([0-9.]+) (bytes|KiB|MiB|GiB).*above the memory limit of', message)
    return (float(found[1]) + 0.06) * UNIT[found[2]] if found else None


def sweep(rung, peak, threads, *arguments):
    """Pairs of limits and peaks of the fits that were accepted: the least limit, and one above it."""
    limit, accepted = 1 << 20, []
    while len(accepted) < 2:
        code, message, measured = fit(rung, peak, limit, threads, *arguments)
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
    ok = ok and lib.rung_data_new(ctx, ctypes.byref(view), ctypes.c_void_p(y.buffer_info()[0]), None, 3, ctypes.byref(data)) == 0
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
    told = subprocess.run([sys.executable, os.path.abspath(__file__), '--grow', library, str(rows), str(columns)], capture_output=True, text=True, check=True)
    peak, bound = int(told.stdout), 1.5 * (columns + 100) * rows
    print('boost   %6d rows in memory: at most %.1f MiB, peak %.1f MiB' % (rows, bound / 2**20, peak / 2**20), flush=True)
    return peak <= bound + SLACK


def check_passes(rung, peak, limit=34 << 20, columns=20):
    """How many fits to a file of 120 MiB take more than the limit."""
    draw, above = random.Random(1), 0
    rows = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(2000)]
    block = ''.join(','.join('%.15f' % x for x in row) + ',%d\n' % (2 + (row[0] + draw.gauss(0, 1) > 0) - (row[1] > 1)) for row in rows)
    with open('large.csv', 'w') as large:
        large.write(','.join('x%d' % j for j in range(columns)) + ',label\n')
        while large.tell() < 120 << 20:
            large.write(block)
    for method in ['pom'], ['kdlor', '-p', 'landmarks=50']:
        code, message, measured = fit(rung, peak, limit, 2, 'large.csv', '-m', *method)
        if code != 0:
            sys.exit('failed: %s in passes: %s' % (method[0], message))
        above += measured > limit
        print('%-8s in passes: limit %.1f MiB, peak %.1f MiB' % (method[0], limit / 2**20, measured / 2**20), flush=True)
    return above


def cases(rung, everything, chosen):
    """Method, rows, columns, threads, landmarks: exact, as chosen, or None where there are none."""
    listed = subprocess.run([rung, 'methods'], capture_output=True, text=True).stdout.splitlines()
    methods = [line.split()[0] for line in listed[1:] if line and not line.startswith("'")]
    for method in chosen or (methods if everything else SHORT):
        about = subprocess.run([rung, 'methods', method], capture_output=True, text=True).stdout
        ways = ['exact', 'auto'] if re.search('^landmarks ', about, re.M) else [None]
        for rows in SMALLER.get(method, LONG) if everything else SHORT.get(method, [400]):
            for landmarks in ways if everything else ways[:1]:
                yield method, rows, 5, 2, landmarks
        if everything:
            yield method, 300, 100, 4, ways[-1]
            yield method, 400, 5, 1, ways[0]


def main():
    if '--grow' in sys.argv:
        return grow_trees(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    words = [w for w in sys.argv[1:] if not w.startswith('--')]
    (rung, peak), chosen, failed = map(os.path.abspath, words[:2]), words[2:], 0
    with tempfile.TemporaryDirectory(prefix='rung-memory-') as folder:
        os.chdir(folder)
        for method, rows, columns, threads, landmarks in cases(rung, '--all' in sys.argv, chosen):
            name = '%dx%d.csv' % (rows, columns)
            if not os.path.exists(name):
                write(name, rows, columns)
            more = ['-p', 'landmarks=' + landmarks] if landmarks else []
            for limit, measured in sweep(rung, peak, threads, name, '-m', method, *more):
                failed += measured > limit
                print('%-8s %5d x %-3d %d threads %-5s: limit %7.1f MiB, peak %7.1f MiB%s' % (method, rows, columns, threads, landmarks or '', limit / 2**20,
                      measured / 2**20, '  ABOVE' if measured > limit else ''), flush=True)
        if not chosen:
            failed += check_passes(rung, peak)
        os.chdir('/')
    if 'boost' in (chosen or SHORT) and not check_trees(rung):
        sys.exit('failed: boosted trees need more than half as much again as the bins and 100 bytes a row')
    sys.exit('failed: %d fits took more than their limit' % failed if failed else 0)


if __name__ == '__main__':
    main()
