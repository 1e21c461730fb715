#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ORCA's reference for SVORIM on its 30 hold-outs, from a plan in ORCA's dialect and partitions in ORCA's files.

usage: orca.py RUNG DATA
Exports the official partitions of toy, tae and pasture, runs experiments/orca-svorim.ini on them and compares the mean MAE with ORCA's.
77: the data are not there. Only the Python standard library is used."""
import os, sqlite3, subprocess, sys, tempfile

REFERENCE = {'toy': (.0178, .01), 'tae': (.475, .03), 'pasture': (.322, .04)}
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'experiments')


def main():
    if len(sys.argv) != 3: sys.exit(__doc__)
    rung, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if not os.path.isdir(os.path.join(data, 'toy')):
        print('skipped: there are no data sets in ' + data)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, 'prepare.py'), data, os.path.join(folder, 'build', 'experiments'), 'orca'], check=True)
        os.mkdir(os.path.join(folder, 'plans'))
        with open(os.path.join(HERE, 'orca-svorim.ini')) as f: plan = f.read()
        with open(os.path.join(folder, 'plans', 'orca-svorim.ini'), 'w') as f: f.write(plan)
        db = os.path.join(folder, 'orca.db')
        subprocess.run([rung, 'experiment', 'run', f.name, '--db', db, '-q'], check=True)
        means = dict(sqlite3.connect(db).execute("SELECT dataset, avg(value) FROM result WHERE part = 'test' AND key = 'mae' GROUP BY 1"))
    good = True
    for name, (want, within) in REFERENCE.items():
        hit = abs(means[name] - want) <= within
        good = good and hit
        print('%-8s mae %.4f, ORCA %.4f%s' % (name, means[name], want, '' if hit else ': more than %g off' % within))
    sys.exit(0 if good else 1)


main()
