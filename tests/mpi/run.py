#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands under mpirun give the bits of one process, print once, and fail together.

usage: run.py RUNG WITHOUT MPIRUN SHIM [--part I/N]
WITHOUT: a rung that was built without MPI; SHIM: the library of tests/fault, by which writing fails or a rank is
killed."""
import os, shutil, signal, sqlite3, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'experiment'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import kill as experiments
import part

share = part.take(sys.argv)

RUNG, WITHOUT, MPIRUN, SHIM = (os.path.abspath(a) if '/' in a else a for a in sys.argv[1:5])
# Also as root, with more processes than cores, without ssh, and beside other tests on the same cores.
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_rmaps_base_oversubscribe='1',
                  OMPI_MCA_plm='isolated', OMPI_MCA_hwloc_base_binding_policy='none',
                  OMPI_MCA_btl_vader_single_copy_mechanism='none')


class Failure(Exception):
    pass


def check(good, *what):
    if not good:
        raise Failure(' '.join(str(w) for w in what))


def run(*command, ranks=0, code=0, fault=None):
    """Standard error; the words of mpirun itself are between lines of dashes."""
    env = dict(os.environ, **(dict(LD_PRELOAD=SHIM, RUNG_FAULT=fault) if fault else {}))
    launcher = [MPIRUN, '-n', str(ranks)] if ranks else []
    done = subprocess.run(launcher + [str(c) for c in command], env=env, text=True, capture_output=True, timeout=300)
    check((done.returncode != 0) == (code != 0), command, 'ranks', ranks, 'exit code', done.returncode, done.stderr)
    return done.stderr + done.stdout


def of_rung(text):
    return [line for line in text.splitlines() if line.startswith('rung: ')]


def content(path):
    with open(path, 'rb') as f:
        return f.read()


def leaves_nothing(folder='.'):
    left = [name for name in os.listdir(folder) if '.part' in name or name.startswith('new')]
    check(not left, 'left behind:', left)


def make_parts():
    for folder in ('parts', 'few', 'bad'):
        os.mkdir(folder)
    for i in range(1, 8):
        run(RUNG, 'generate', 'isbor', '--rows', 150 + 30 * i, '--unlabelled', 0.2, '--seed', i, '-o', f'parts/{i}.csv')
        shutil.copy(f'parts/{i}.csv', 'bad')
        if i < 4:
            shutil.copy(f'parts/{i}.csv', 'few')
    open('parts/5b.csv', 'w').close()  # an empty file among them
    lines = open('bad/6.csv').read().splitlines()
    lines[99] = '1,2,3,4'
    open('bad/6.csv', 'w').write('\n'.join(lines) + '\n')


def fit(out, *more, ranks=0, code=0, fault=None, data='parts/*.csv'):
    return run(RUNG, 'fit', *([data] if isinstance(data, str) else data), '--passes', '--anonymous', '-o', out, *more,
               ranks=ranks, code=code, fault=fault)


def test_fit_has_the_same_bits():
    for method, counts in ((['kdlor', '-p', 'landmarks=40'], (2, 3, 5)),
                           (['boost', '-p', 'rounds=8'], (2, 3, 5)), (['pom'], (1, 3))):
        fit('one.rung', '-m', *method)
        for ranks in counts:
            fit('many.rung', '-m', *method, ranks=ranks)
            check(content('one.rung') == content('many.rung'), method, 'differs with', ranks, 'ranks')
    names = sorted(os.listdir('parts'), reverse=True)
    fit('many.rung', '-m', 'pom', ranks=3, data=[f'parts/{n}' for n in names])
    check(content('one.rung') == content('many.rung'), 'files in another order')
    fit('one.rung', '-m', 'pom', data='few/*.csv')
    fit('many.rung', '-m', 'pom', ranks=5, data='few/*.csv')
    check(content('one.rung') == content('many.rung'), 'fewer files than ranks')


def test_the_default_has_the_same_bits():
    more = '-p', 'effort=quick', '-p', 'relevance=without'
    shown = fit('one.rung', *more, data='few/*.csv')
    check('in passes' in shown, shown)
    shown = fit('many.rung', *more, ranks=2, data='few/*.csv')
    check(content('one.rung') == content('many.rung'), 'auto differs with 2 ranks')
    check(shown.count('in passes') == 1, shown)
    shown = fit('many.rung', *more, '--memory', '100k', ranks=2, code=1, data='few/*.csv')
    check(shown.count('above the memory limit') == 1, shown)


def test_tune_has_the_same_bits():
    run(RUNG, 'generate', 'toy', '--rows', 80, '-o', 'toy.csv')
    command = (RUNG, 'tune', 'toy.csv', '-m', 'kdlor,svorim,pom', '-g', 'gamma=0.5,2', '-g', 'C=1,10', '--anonymous',
               '-q')
    run(*command, '-o', 'one.rung')
    for ranks in (2, 5):
        check(run(*command, '-o', 'many.rung', ranks=ranks) == '', 'a search with -q prints')
        check(content('one.rung') == content('many.rung'), 'a search with', ranks, 'ranks')


def test_predict_has_the_same_bytes():
    fit('one.rung', '-m', 'pom')
    run(RUNG, 'predict', 'one.rung', 'parts', '--output-dir', 'alone')
    run(RUNG, 'predict', 'one.rung', 'parts', '--output-dir', 'together', ranks=3)
    names = sorted(os.listdir('parts'))
    check(sorted(os.listdir('alone')) == names and sorted(os.listdir('together')) == names, os.listdir('together'))
    for name in names:
        check(content(f'alone/{name}') == content(f'together/{name}'), name)
    told = of_rung(run(RUNG, 'predict', 'one.rung', 'bad', '--output-dir', 'broken', ranks=3, code=1))
    check(len(told) == 1 and 'bad/6.csv, line 100' in told[0], told)
    check('6.csv' not in os.listdir('broken'), 'a half-written file')
    leaves_nothing('broken')
    told = of_rung(run(RUNG, 'predict', 'one.rung', 'parts', ranks=2, code=1))
    check(len(told) == 1 and '--output-dir' in told[0], told)


def test_output_appears_once():
    one = fit('out.rung', '-m', 'pom', '--json')
    many = fit('out.rung', '-m', 'pom', '--json', ranks=3)
    drop = lambda text: sorted(line for line in text.splitlines() if 'seconds' not in line)
    check(drop(one) == drop(many), one, '\nand\n', many)
    check(sum('no rows' in line for line in many.splitlines()) == 1, 'the warning of one rank:', many)
    shown = fit('out.rung', '-m', 'pom', '-v', ranks=2)
    check(shown.count('fitting: 100 %') <= 1 and 'bytes exchanged' in shown, shown)
    check(run(RUNG, '--version', ranks=3).count('compiler') == 1, 'version')


def test_refusals():
    for words, command in ((['svorim', 'kdlor', 'mpirun'], ('fit', 'parts/*.csv', '-m', 'svorim')),
                           (['one process', 'mpirun'], ('inspect', 'one.rung')),
                           (["'nowhere.csv'"], ('fit', 'nowhere.csv')),
                           (['--no-such'], ('fit', 'parts', '--no-such'))):
        told = of_rung(run(RUNG, *command, '-q', ranks=3, code=1))
        check(len(told) == 1 and all(w in told[0] for w in words), command, told)
    told = of_rung(run(WITHOUT, 'fit', 'parts/*.csv', '-o', 'new.rung', ranks=3, code=1))
    check(len(told) == 1 and 'without MPI' in told[0], told)
    run(WITHOUT, 'fit', 'few/1.csv', '-m', 'pom', '-o', 'out.rung', ranks=1)
    leaves_nothing()


def test_a_rank_that_fails_ends_the_job():
    told = of_rung(fit('new.rung', '-m', 'pom', '-q', ranks=3, code=1, data='bad/*.csv'))
    check(len(told) == 1 and 'bad/6.csv, line 100' in told[0], 'a broken part:', told)
    leaves_nothing()
    fit('new.rung', '-m', 'pom', ranks=3, code=1, fault='read-kill:2:parts/6.csv')  # with a message of mpirun
    leaves_nothing()
    fit('new.rung', '-m', 'boost', ranks=3, code=1, fault='read-kill:4:parts/6.csv')
    leaves_nothing()
    told = of_rung(fit('new.rung', '-m', 'pom', '-q', ranks=3, code=1, fault='enospc:2:new.rung'))
    check(len(told) == 1 and 'No space left' in told[0], 'a full disk:', told)
    leaves_nothing()


def test_ranks_that_see_other_data():
    """Every rank works in a folder of its own."""
    def told(*command):
        script = 'cd here$OMPI_COMM_WORLD_RANK && exec "$@"'
        said = run('sh', '-c', script, 'sh', RUNG, *command, '-q', ranks=2, code=1)
        lines = of_rung(said)
        check(len(lines) == 1 and 'those of process 0' in lines[0], command, said)
    run(RUNG, 'fit', 'few/1.csv', '-m', 'pom', '-o', 'some.rung')
    for rank in '01':
        shutil.copytree('few', f'here{rank}/few')
        shutil.copy('some.rung', f'here{rank}')
    lines = open('few/1.csv').read().splitlines()
    with open('here1/few/1.csv', 'w') as f:  # as long, and another number
        f.write('\n'.join([lines[0], ','.join(['9' + lines[1][1:]]) if lines[1][0] in '12345678'
                           else lines[1].replace('0', '1', 1)]
                          + lines[2:]) + '\n')
    told('tune', 'few/1.csv', '-m', 'pom,kdlor', '-g', 'gamma=0.5,2', '-o', 'new.rung')
    os.rename('here1/few/2.csv', 'here1/few/4.csv')
    told('fit', 'few', '-m', 'pom', '-o', 'new.rung')
    told('predict', 'some.rung', 'few', '--output-dir', 'out')
    os.remove('here1/few/4.csv')
    told('fit', 'few', '-m', 'pom', '-o', 'new.rung')
    told('fit', 'few', '-m', 'boost', '-o', 'new.rung')
    told('predict', 'some.rung', 'few', '--output-dir', 'out')
    shutil.rmtree('here1/few')
    shutil.copytree('few', 'here1/few')
    for name in os.listdir('few'):  # of the same size, with a column fewer
        text = open(f'few/{name}').read().splitlines()
        with open(f'here1/few/{name}', 'w') as f:
            f.write('\n'.join('_'.join(line.rsplit(',', 1)) for line in text) + '\n')
    told('fit', 'few', '-m', 'pom', '-o', 'new.rung')


def test_one_process_under_mpirun():
    more = '-m', 'boost', '-p', 'rounds=8', '--anonymous', '-q', '-o'
    run(RUNG, 'fit', 'few', '--passes', *more, 'one.rung')
    run(RUNG, 'fit', 'few', *more, 'many.rung', ranks=1)
    check(content('one.rung') == content('many.rung'), 'mpirun -n 1 does not read in passes')


def make_experiment():
    for i, name in enumerate('abc'):
        os.mkdir(name)
        run(RUNG, 'generate', 'toy', '--rows', 80 + 60 * i, '--seed', i, '-o', f'{name}/{name}.csv')
    with open('plan.ini', 'w') as f:
        f.write(experiments.PLAN)


def processes_of(launcher):
    with open(f'/proc/{launcher.pid}/task/{launcher.pid}/children') as f:
        return [int(pid) for pid in f.read().split()]


def disturbed(disturb):
    """A job that is disturbed when it has done a few cells. mpirun takes a second to end the other ranks."""
    before = experiments.count('disturbed.db', "status = 'done'")
    job = subprocess.Popen([MPIRUN, '-n', '3', RUNG, 'experiment', 'run', 'many.ini', '-q', '--db', 'disturbed.db'],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while job.poll() is None and experiments.count('disturbed.db', "status = 'done'") < before + 5:
        time.sleep(0.002)
    check(job.poll() is None, 'the job was too fast to be disturbed')
    disturb(job)
    check(job.wait(60) != 0, 'a disturbed job ended with 0')
    check(experiments.count('disturbed.db', "status NOT IN ('done', 'failed')") > 0, 'a disturbed job did all cells')


def models(db):
    con = sqlite3.connect(db)
    rows = list(con.execute('SELECT c.dataset, c.partition, c.method, m.bytes FROM model m JOIN cell c ON c.id = m.cell'
                            ' ORDER BY 1, 2, 3'))
    con.close()
    return rows


def test_experiment_over_ranks():
    run(RUNG, 'experiment', 'run', 'plan.ini', '--db', 'whole.db', '--threads', 1, '--models', code=1)
    whole = experiments.dump('whole.db')
    told = run(RUNG, 'experiment', 'run', 'plan.ini', '--db', 'many.db', '--models', ranks=3, code=1)
    check(told.count('72 of 96 cells done, 24 failed') == 1, told)
    check(len(models('whole.db')) == 72 and models('many.db') == models('whole.db'), 'other models')
    check(experiments.dump('many.db') == whole, 'other numbers than those of one process')
    told = of_rung(run(RUNG, 'experiment', 'report', 'many.db', ranks=2, code=1))
    check(len(told) == 1 and 'one process' in told[0], told)


def test_experiment_goes_on():
    """A killed rank, then an interrupt, then the rest."""
    with open('many.ini', 'w') as f:
        f.write(experiments.PLAN.replace('runs = 8', 'runs = 40'))
    run(RUNG, 'experiment', 'run', 'many.ini', '--db', 'all.db', code=1)
    disturbed(lambda job: os.kill(processes_of(job)[-1], signal.SIGKILL))
    disturbed(lambda job: job.send_signal(signal.SIGINT))
    run(RUNG, 'experiment', 'run', 'many.ini', '--db', 'disturbed.db', ranks=2, code=1)
    check(experiments.dump('disturbed.db') == experiments.dump('all.db'),
          'other numbers after a kill, an interrupt and a resumption')


def main():
    failed = 0
    tests = share((name, f) for name, f in globals().items() if name.startswith('test_'))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_parts()
        make_experiment()
        for name, f in tests:
            try:
                f()
            except Failure as why:
                failed += 1
                print(f'{name}: {why}')
        os.chdir('/')
    print(f'{len(tests) - failed} of {len(tests)} tests passed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
