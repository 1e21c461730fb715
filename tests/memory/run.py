#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--memory keeps its word: what the system measures is not above what rung says a fit needs.

usage: run.py RUNG [--all] [METHOD...]
For each method and several numbers of rows: the need that `rung fit --memory` states when it is given too little, against the peak
of the resident set of a fit within just that, beyond the peak of a fit of the constant median to the same file. --all: every method, more rows. Only the Python
standard library is used."""
import os, random, re, subprocess, sys, tempfile

UNIT = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
SLACK = 16 << 20  # the buffers OpenBLAS packs its operands in, and the stacks of two threads, whatever the size of the data
SHORT = {'kdlor': [2000], 'svorim': [2000], 'ogp': [600], 's-dl': [1500]}
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


def main():
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
        os.chdir('/')
    sys.exit('failed: a fit needs more than it says' if worst > 1 else 0)


if __name__ == '__main__':
    main()
