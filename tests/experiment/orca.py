#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ORCA's reference for SVORIM on its 30 hold-outs, from a plan in ORCA's dialect and partitions in ORCA's files, and
back into its folders.

usage: orca.py RUNG [RUNS]      RUNS: only the first partitions of 30; the means may then be further from ORCA's
Exports the official partitions of toy, tae and (where RUNG_DATA has it) pasture, runs experiments/orca-svorim.ini on
them and compares the mean MAE with ORCA's. Then `report --orca`: the tables are recomputed from the files beside them
as ORCA's own scripts do, a partition's .ini file is a plan, and a kept model predicts what was stored of it.
Only the Python standard library is used."""
import csv, os, sqlite3, statistics, subprocess, sys, tempfile

REFERENCE = {'toy': (.0178, .01), 'tae': (.475, .03), 'pasture': (.322, .04)}
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'experiments')


def lines(*path):
    with open(os.path.join(*path)) as f: return f.read().split('\n')[:-1]


def check(good, what):
    if not good: sys.exit('orca.py: ' + what)


def read_table(path):
    """Rows by their first cell; every line ends with a comma."""
    rows = list(csv.reader(open(path)))
    check(all(r[-1] == '' for r in rows), path + ': a line without a comma at its end')
    return rows[0][:-1], {r[0]: dict(zip(rows[0][1:-1], map(float, r[1:-1]))) for r in rows[1:]}


def check_set(rung, folder, partitions, name, runs):
    """One data set: predictions of every partition, the tables made of them, and the plan of each."""
    results = os.path.join(folder, 'Results')
    of = os.path.join(results, name + '-svorim-mae-real')
    check(lines(of, 'dataset') == [partitions], 'dataset: %r' % lines(of, 'dataset'))
    header, table = read_table(os.path.join(of, 'results_test.csv'))
    check(header == ('Dataset Acc GM MS MAE AMAE MMAE RSpearman Tkendall Wkappa '
                     'TrainTime TestTime CrossvalTime C k').split(), str(header))
    check(list(table) == ['test_%s.%d' % (name, i) for i in range(runs)], 'partitions: %s' % list(table))
    mae, right, rows, matrix, at = [], 0, 0, {}, 0
    matrices = lines(of, 'matrices_test.txt')
    for i in range(runs):
        truth = [int(float(l.split()[-1])) for l in lines(partitions, 'test_%s.%d' % (name, i))]
        rank = list(map(int, lines(of, 'Predictions', 'test_%s.%d' % (name, i))))
        check(len(lines(of, 'Guess', 'test_%s.%d' % (name, i))) == len(truth) == len(rank), 'rows of partition %d' % i)
        row = table['test_%s.%d' % (name, i)]
        mae.append(sum(abs(a - b) for a, b in zip(truth, rank)) / len(truth))
        check(abs(row['MAE'] - mae[-1]) < 1e-6, 'MAE of partition %d' % i)
        right += sum(a == b for a, b in zip(truth, rank))
        rows += len(truth)
        check(lines(of, 'OptHyperparams', '%s.%d' % (name, i)) == ['C,%f' % row['C'], 'k,%f' % row['k']],
              'OptHyperparams of %d' % i)
        times = list(map(float, lines(of, 'Times', '%s.%d' % (name, i))))
        check(times == [row['TrainTime'], row['TestTime'], row['CrossvalTime']], 'Times of partition %d' % i)
        check(len(lines(of, 'Predictions', 'train_%s.%d' % (name, i))) == len(lines(partitions,
                                                                                    'train_%s.%d' % (name, i))),
                                                                                    'training rows')
        K = len(matrices[at + 2].split())
        check(matrices[at] == 'test_%s.%d' % (name, i)
              and [[sum(t == a + 1 and r == b + 1 for t, r in zip(truth, rank)) for b in range(K)]
              for a in range(K)] == [list(map(int, l.split())) for l in matrices[at + 2:at + 2 + K]],
              'confusion matrix of %d' % i)
        at += 2 + K
    header, means = read_table(os.path.join(results, 'mean-results_test.csv'))
    check(header[-4:] == ['MeanC', 'StdC', 'Meank', 'Stdk'], str(header))
    mean = means[name + '-svorim-mae-real']
    check(abs(mean['MeanMAE'] - statistics.mean(mae)) < 2e-6 and abs(mean['StdMAE'] - statistics.stdev(mae)) < 2e-6,
          'mean-results')
    check(abs(read_table(os.path.join(results, 'mean-results_matrices_sum_test.csv'))[1][name
                                                                                         + '-svorim-mae-real']['Acc']
              - 100 * right / rows) < 1e-6, 'sum of matrices')
    plan = dict(l.split(' = ') for l in lines(folder, 'exp-svorim-mae-real-%s-3.ini' % name) if ' = ' in l)
    check(plan['directory'] == partitions and plan['train'] == 'train_%s.2' % name and plan['algorithm'] == 'SVORIM'
          and plan['k'] == '0.001,0.01,0.1,1,10,100,1000' and plan['cvmetric'] == 'mae',
          'plan of partition 2: %s' % plan)
    said = subprocess.run([rung, 'predict', '-q', os.path.join(of, 'Models', name + '.2.rung'), '--format', 'orca',
                           os.path.join(partitions, 'test_%s.2' % name)], check=True, capture_output=True,
                           text=True).stdout
    check([r['rank'] for r in csv.DictReader(said.splitlines())] == lines(of, 'Predictions', 'test_%s.2' % name),
          'model of partition 2')


def main():
    if len(sys.argv) not in (2, 3): sys.exit(__doc__)
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    rung = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        prepared = os.path.join(folder, 'build', 'experiments')
        subprocess.run([sys.executable, os.path.join(HERE, 'prepare.py'), prepared, 'orca'], check=True)
        os.mkdir(os.path.join(folder, 'plans'))
        sets = [name for name in REFERENCE if os.path.isdir(os.path.join(prepared, name))]
        check({'toy', 'tae'} <= set(sets), 'prepared: %s' % sets)
        with open(os.path.join(HERE, 'orca-svorim.ini')) as f:
            plan = f.read().replace(','.join(REFERENCE), ','.join(sets))
        with open(os.path.join(folder, 'plans', 'orca-svorim.ini'), 'w') as f: f.write(plan)
        db = os.path.join(folder, 'orca.db')
        subprocess.run([rung, 'experiment', 'run', f.name, '--db', db, '--models', '-q', '--runs', str(runs)],
                       check=True)
        means = dict(sqlite3.connect(db).execute("SELECT dataset, avg(value) FROM result WHERE part = 'test' AND key = "
                                                 "'mae' GROUP BY 1"))
        out = os.path.join(folder, 'out')
        subprocess.run([rung, 'experiment', 'report', db, '--orca', out], check=True)
        for name in sets:
            check_set(rung, out, os.path.join(folder, 'plans', '..', 'build', 'experiments', name, 'matlab'), name,
                      runs)
    good = True
    for name in sets:
        want, within = REFERENCE[name]
        within *= (30 / runs) ** .5
        hit = abs(means[name] - want) <= within
        good = good and hit
        print('%-8s mae %.4f, ORCA %.4f%s' % (name, means[name], want, '' if hit else ': more than %g off' % within))
    sys.exit(0 if good else 1)


main()
