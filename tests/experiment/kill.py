#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An experiment that is killed, shared and interrupted ends with the same numbers as an undisturbed one.

usage: kill.py RUNG [--kills N]
Kills (SIGKILL) a run at random moments N times (default 20) and lets it end; lets two processes work on one database;
stops one with Ctrl-C; takes over claims without heartbeat; drops the result of a process that lost its claim. Only the
Python standard library is used."""
import os, random, signal, sqlite3, subprocess, sys, tempfile, time

PLAN = '''
[experiment]
folder = .
datasets = a, b, c
partitions = random
runs = 8
labelled = 0.5
folds = 5
repeats = 1

[method DL]
method = kdlor
as-published = yes
gamma = 0.1, 1, 10

[method S-DL]
method = s-dl
as-published = yes
width = 0.1, 1
mu = 0.1, 0.01

[method SVM]
method = svorim
search = listed
C = 1, 10
gamma = 1

[method broken]
method = kdlor
kernel = precomputed
'''
CELLS, FAILED = 3 * 8 * 4, 3 * 8


class Failure(Exception):
    pass


def check(good, text):
    if not good:
        raise Failure(text)


def start(rung, db, *options):
    return subprocess.Popen([rung, 'experiment', 'run', 'plan.ini', '-q', '--db', db] + list(options),
                            stderr=subprocess.DEVNULL)


def dump(db):
    """Everything a cell has, by name: all but who did it and when."""
    con = sqlite3.connect(db)
    names = (' FROM %s x JOIN cell c ON c.id = x.cell JOIN dataset d ON d.id = c.dataset'
             ' JOIN method m ON m.id = c.method')
    columns = {'metric': 'x.part, x.key, x.value', 'param': 'x.name, x.value, x.searched',
               'prediction': 'x.part, x.rows, x.truth, x.rank, x.score'}
    out = {t: sorted(con.execute('SELECT d.name, c.partition, m.name, ' + columns[t] + names % t), key=repr)
           for t in columns}
    out['cell'] = sorted(con.execute('SELECT d.name, c.partition, m.name, status, message, labelled, unlabelled, test '
                                     'FROM cell c'
                                     ' JOIN dataset d ON d.id = c.dataset JOIN method m ON m.id = c.method'), key=repr)
    check(con.execute('PRAGMA integrity_check').fetchone() == ('ok',), db + ' is damaged')
    con.close()
    return out


def compare(db, whole):
    got = dump(db)
    for table in whole:
        check(got[table] == whole[table], '%s: table %s differs from the undisturbed run' % (db, table))


def count(db, where):
    try:
        con = sqlite3.connect('file:%s?mode=ro' % db, uri=True)
        return con.execute('SELECT count(*) FROM cell WHERE ' + where).fetchone()[0]
    except sqlite3.OperationalError:  # there is no file yet, or no table in it
        return 0


def end(process, code=1):
    """The broken cells make a run end with 1."""
    check(process.wait(120) == code, 'a run ended with %s instead of %d' % (process.returncode, code))


def killed(rung, whole, kills):
    done, starts = 0, 0
    while done < kills:
        process = start(rung, 'killed.db', '--threads', '2')
        time.sleep(random.uniform(0.01, 0.25))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            done += 1
        else:
            compare('killed.db', whole)  # it came to its end before: once more from the start
            for end_ in ('', '-wal', '-shm'):
                if os.path.exists('killed.db' + end_): os.remove('killed.db' + end_)
        process.wait()
        starts += 1
    end(start(rung, 'killed.db'))
    compare('killed.db', whole)
    print('%d kills in %d starts: the same numbers' % (done, starts))


def shared(rung, whole):
    processes = [start(rung, 'shared.db', '--threads', '1') for _ in range(2)]
    for p in processes: end(p)
    compare('shared.db', whole)
    con = sqlite3.connect('shared.db')
    owners = dict(con.execute('SELECT owner, count(*) FROM cell GROUP BY 1'))
    check(len(owners) == 2 and sum(owners.values()) == CELLS, 'two processes did %s' % owners)
    print('two processes: %s cells each, every one stored once' % ' and '.join(map(str, owners.values())))


def interrupted(rung, whole):
    process = start(rung, 'stopped.db', '--threads', '2')
    while process.poll() is None and not count('stopped.db', "status = 'done'"): time.sleep(0.01)
    check(process.poll() is None, 'the plan is too small to be interrupted')
    process.send_signal(signal.SIGINT)
    end(process, -signal.SIGINT)
    con = sqlite3.connect('stopped.db')
    states = dict(con.execute('SELECT status, count(*) FROM cell GROUP BY 1'))
    check('running' not in states and states.get('waiting', 0) > 0, 'after Ctrl-C: %s' % states)
    con.close()
    end(start(rung, 'stopped.db'))
    compare('stopped.db', whole)
    print('Ctrl-C: no claim left behind, and it goes on')


def taken_over(rung, whole):
    end(start(rung, 'stale.db'))
    con = sqlite3.connect('stale.db')
    lost = [r[0] for r in con.execute("SELECT id FROM cell WHERE status = 'done' LIMIT 2")]
    for cell, age in zip(lost,
                         # of a process on another machine: the second is silent for 60 seconds only in a moment
                         (61, 57)):
        for table in ('metric', 'param', 'prediction'): con.execute('DELETE FROM %s WHERE cell = ?' % table, (cell,))
        con.execute("UPDATE cell SET status = 'running', owner = 'elsewhere:1:2:3', heartbeat = ? WHERE id = ?",
                    (time.time() - age, cell))
    con.commit()
    began = time.time()
    end(start(rung, 'stale.db'))
    check(time.time() - began > 2.5, 'a claim was taken over too soon')
    compare('stale.db', whole)
    print('claims without heartbeat: taken over after 60 seconds')


def dropped(rung):
    """A process that slept while its claims were given to another one keeps its result to itself."""
    process = start(rung, 'dropped.db', '--threads', '1')
    con, cell = None, None
    for _ in range(1000):
        time.sleep(0.005)
        if not os.path.exists('dropped.db'): continue
        process.send_signal(signal.SIGSTOP)
        con = sqlite3.connect('dropped.db')
        try:
            cell = con.execute("SELECT c.id FROM cell c JOIN method m ON m.id = c.method WHERE status = 'running' AND "
                               "m.name = 'S-DL'").fetchone()
            if cell:
                con.execute("UPDATE cell SET owner = 'elsewhere:1:2:3', heartbeat = ? WHERE id = ?",
                            (time.time() + 600, cell[0]))
                con.commit()
        except sqlite3.OperationalError:  # it sleeps in a transaction, or before the tables are there
            cell = None
        con.close()
        process.send_signal(signal.SIGCONT)
        if cell: break
    check(cell, 'never found at work')
    con = sqlite3.connect('dropped.db', timeout=60)
    while con.execute("SELECT count(*) FROM cell WHERE status = 'waiting' OR (status = 'running' AND id <> ?)",
                      cell).fetchone()[0]:
        check(process.poll() is None, 'it ended before all was done')
        time.sleep(0.05)
    check(process.poll() is None, 'it did not wait for the cell of the other process')
    con.execute("UPDATE cell SET status = 'done' WHERE id = ?", cell)
    con.commit()
    end(process)
    check(con.execute('SELECT count(*) FROM metric WHERE cell = ?', cell).fetchone() == (0,), 'a lost claim was stored')
    print('a lost claim: the result is dropped')


def main():
    if len(sys.argv) < 2: sys.exit(__doc__)
    random.seed(1)
    rung = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[sys.argv.index('--kills') + 1]) if '--kills' in sys.argv else 20
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i, name in enumerate('abc'):
            os.mkdir(name)
            with open('%s/%s.csv' % (name, name), 'w') as f:
                subprocess.run([rung, 'generate', 'toy', '--rows', str(80 + 60 * i), '--seed', str(i), '-q'], stdout=f,
                               check=True)
        with open('plan.ini', 'w') as f: f.write(PLAN)
        try:
            end(start(rung, 'whole.db', '--threads', '1'))
            whole = dump('whole.db')
            check(len(whole['cell']) == CELLS and sum(c[3] == 'failed' for c in whole['cell']) == FAILED,
                  'the undisturbed run: %s' % whole['cell'])
            killed(rung, whole, kills)
            shared(rung, whole)
            interrupted(rung, whole)
            taken_over(rung, whole)
            dropped(rung)
        except Failure as e:
            sys.exit('failed: %s' % e)
        os.chdir('/')


if __name__ == '__main__':
    main()
