#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--memory keeps its word: what the system measures is not above what rung says a fit needs.

usage: run.py RUNG [--all] [METHOD...]
For each method and several numbers of rows: the need that `rung fit --memory` states when it is given too little, against the peak
of the resident set of a fit within just that, beyond the peak of a fit of the constant median to the same file. Boosted trees have a
bound of their own as well, measured in the library beside RUNG, without reading; and a file ten times as large as --memory is read
in passes within it. --all: every method, more rows. Only the Python standard library is used."""
import array, ctypes, os, random, re, resource, subprocess, sys, tempfile

UNIT = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
SLACK = 16 << 20  # the buffers OpenBLAS packs its operands in, and the stacks of two threads, whatever the size of the data
SHORT = {'boost': [2000], 'kdlor': [2000], 'svorim': [2000], 'ogp': [600], 's-dl': [1500]}
LONG = [300, 1000, 2500]
# Half an hour and more at the largest size; the estimate is a polynomial and two sizes tell it.
SMALLER = {'auto': [300, 800], 'gpor': [300, 800], 'ogp': [300, 1000], 'tld': [300, 800], 'orml': [300, 800], 'orml-m': [300, 800],
           'kes-dl': [300, 1000], 'isbor': [300, 1000], 'sbor': [300, 1000], 'svorex': [300, 1000], 'lapsvm': [300, 1000]}


def write(path, rows, columns=5):
    """Three classes; a third of the rows is unlabelled."""
    draw = random.Random(rows)
    with open(path, 'w') as file:
        file.write(','.join('x%d' % j for j in range(columns)) + ',label\n')
        for i in range(rows):
            y = i % 3
            file.write(','.join('%.6f' % (draw.gauss(y if j == 0 else 0, 1)) for j in range(columns)) + ',%s\n' % (y + 1 if i % 9 < 6 else ''))


def fit(rung, *arguments):
    """The exit code, the messages and the peak of the resident set in bytes."""
    with tempfile.TemporaryFile('w+') as messages:
        process = subprocess.Popen([rung, 'fit', *arguments, '-q', '-o', 'model.rung', '--threads', '2'], stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        messages.seek(0)
        return status, messages.read(), usage.ru_maxrss * 1024


def need(message):
    found = re.search(r'needs about ([0-9.]+) (bytes|KiB|MiB|GiB)', message)
    return float(found[1]) * UNIT[found[2]] if found else None


def measure(rung, method, rows):
    """The need stated and the peak measured, in bytes; None: it states none."""
    name = 'rows-%d.csv' % rows
    if not os.path.exists(name):
        write(name, rows)
    base = fit(rung, name, '-m', 'median')[2]
    about = subprocess.run([rung, 'methods', method], capture_output=True, text=True).stdout
    exact = ['-p', 'landmarks=exact'] if re.search('^landmarks ', about, re.M) else []
    stated = need(fit(rung, name, '-m', method, *exact, '--memory', '300K')[1])
    enough = ['--memory', str(int(1.02 * stated) + 65536)] if stated else []  # it is stated with three digits
    status, message, peak = fit(rung, name, '-m', method, *exact, *enough)
    if status != 0:
        sys.exit('%s on %d rows: %s' % (method, rows, message))
    return stated, peak - base


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


def check_passes(rung, limit=12 << 20, columns=20):
    """A file ten times as large as the limit raises the peak above that of a small file by no more than the limit."""
    draw, good = random.Random(1), True
    rows = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(2000)]
    block = ''.join(','.join('%.15f' % x for x in row) + ',%d\n' % (2 + (row[0] + draw.gauss(0, 1) > 0) - (row[1] > 1)) for row in rows)
    with open('small.csv', 'w') as small, open('large.csv', 'w') as large:
        for file, size in (small, 0), (large, 10 * limit):
            file.write(','.join('x%d' % j for j in range(columns)) + ',label\n' + block)
            while file.tell() < size:
                file.write(block)
    base = fit(rung, 'small.csv', '-m', 'median')[2]
    for method in ['pom'], ['kdlor', '-p', 'landmarks=50']:
        status, message, peak = fit(rung, 'large.csv', '-m', *method, '--memory', str(limit))
        if status != 0:
            sys.exit('%s in passes: %s' % (method[0], message))
        print('%-8s in passes: limit %.1f MiB, peak %.1f MiB' % (method[0], limit / 2**20, (peak - base) / 2**20), flush=True)
        good = good and peak - base <= limit + SLACK
    return good


def main():
    if '--grow' in sys.argv:
        return grow_trees(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    words = [w for w in sys.argv[1:] if not w.startswith('--')]
    rung, chosen, everything = os.path.abspath(words[0]), words[1:], '--all' in sys.argv
    listed = subprocess.run([rung, 'methods'], capture_output=True, text=True).stdout.splitlines()
    methods = [line.split()[0] for line in listed[1:] if line and not line.startswith("'")]
    sizes = {m: SMALLER.get(m, LONG) for m in methods} if everything else SHORT
    worst = 0
    with tempfile.TemporaryDirectory(prefix='rung-memory-') as folder:
        os.chdir(folder)
        for method in chosen or sizes:
            for rows in sizes.get(method, LONG):
                stated, peak = measure(rung, method, rows)
                if stated is None:
                    stated = 300 << 10  # less than the limit it was given
                ratio = (peak - SLACK) / stated
                worst = max(worst, ratio)
                print('%-8s %5d rows: stated %8.1f MiB, peak %8.1f MiB%s' % (method, rows, stated / 2**20, peak / 2**20, '  TOO LITTLE' if ratio > 1 else ''), flush=True)
        if not chosen and not check_passes(rung):
            sys.exit('failed: reading in passes exceeds the limit')
        os.chdir('/')
    if 'boost' in (chosen or sizes) and not check_trees(rung):
        sys.exit('failed: boosted trees need more than half as much again as the bins and 100 bytes a row')
    sys.exit('failed: a fit needs more than it says' if worst > 1 else 0)


if __name__ == '__main__':
    main()
