#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plans of experiments/: the first one runs in a plain clone, the others on what data/ has, and say what they lack.

usage: plans.py RUNG
Without RUNG_DATA a plan stops before anything runs, with a sentence that names the variable or the folder that
prepare.py fills. Every data set of a plan is described in docs/data-sets.md. Only the Python standard library is
used."""
import configparser
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANS = pathlib.Path('experiments')  # a copy, beside which nothing is prepared
FIRST, ORCA = PLANS / 'small.ini', PLANS / 'orca-svorim.ini'
PREPARED = {'user-': 'movielens-100k', 'coil-': 'coil20', 'umist-': 'umist', 'schwartz': 'scaledata',
            'berardinelli': 'scaledata',
            'renshaw': 'scaledata', 'rhodes': 'scaledata'}  # what prepare.py makes of which set


def run(rung, *words, **environment):
    clean = {k: v for k, v in os.environ.items() if k != 'RUNG_DATA'}
    return subprocess.run([rung, 'experiment', 'run', *map(str, words)], capture_output=True, text=True,
                          env={**clean, **environment})


def check(good, what):
    if not good:
        sys.exit('plans.py: ' + what)


def cells(db):
    return sqlite3.connect(db).execute("SELECT count(*) FROM cell WHERE status = 'done'").fetchone()[0]


def sources(plan):
    """The folders of its data sets."""
    if plan == ORCA:
        return ['toy', 'tae', 'pasture']
    ini = configparser.ConfigParser(interpolation=None, delimiters=('=',), strict=False)
    ini.read(plan)
    names = [name.strip() for name in ini['experiment']['datasets'].split(',')]
    folders = [ini.get('dataset ' + name, 'source', fallback=name) for name in names]
    return [next((to for of, to in PREPARED.items() if folder.startswith(of)), folder) for folder in folders]


def main():
    rung = os.path.abspath(sys.argv[1])
    described = (ROOT / 'docs' / 'data-sets.md').read_text()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        shutil.copytree(ROOT / 'experiments', PLANS)
        os.symlink(ROOT / 'data', 'data')
        plans = sorted(PLANS.glob('*.ini'))
        said = run(rung, FIRST, '--runs', 1, '-q')
        check(said.returncode == 0 and cells('small.db') == 12, f'{FIRST.name}: {said.stderr}')
        for plan in plans:
            for folder in sources(plan):
                check(f' {folder},' in described or f' {folder} |' in described,
                      f'docs/data-sets.md lacks {folder} of {plan.name}')
            if plan == FIRST:
                continue
            said = run(rung, plan)
            named = 'RUNG_DATA is not set' in said.stderr or 'build/experiments' in said.stderr
            check(said.returncode == 1 and named, f'{plan.name} without data: {said.stderr}')
            said = run(rung, plan, RUNG_DATA=name)
            check(said.returncode == 1 and 'docs/data-sets.md' in said.stderr,
                  f'{plan.name} with an empty collection: {said.stderr}')
            check(not os.path.exists(plan.stem + '.db'), f'{plan.name} left a database')
        for plan, sets, count in (('table2-supervised', 'toy,tae', 8), ('table2-tenth', 'toy', 2)):
            said = run(rung, PLANS / (plan + '.ini'), '--folder', 'data', '--datasets', sets, '--runs', 1, '-q')
            check(said.returncode == 0 and cells(plan + '.db') == count, f'{plan} on {sets}: {said.stderr}')
    print(f'{len(plans)} plans')


main()
