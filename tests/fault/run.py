#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever goes wrong while files are written, there is the old file or the new one, never a broken one; and while they
are read, the answer is the right one or a sentence.

usage: run.py RUNG SHIM [--all]
Every call by which a model is saved fails once (full disk, input/output error, interrupted), is cut short, or is the
last one of the process, which is killed before it; the same, for some of the calls (--all: for each), while an
experiment is run. SHIM is the preloaded library that does this. Only the Python standard library is used."""
import glob, gzip, os, resource, signal, stat, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'experiment'))
import kill  # the tables of an experiment, and the comparison of two

KINDS = 'kill', 'short', 'enospc', 'eio', 'eintr'
PLAN = '''
[experiment]
folder = .
datasets = a
partitions = random
runs = 2
labelled = 0.5

[method DL]
method = kdlor
gamma = 1

[method median]
method = median
'''


class Failure(Exception):
    pass


def check(good, text):
    if not good:
        raise Failure(text)


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path, content):
    if os.path.lexists(path):
        os.remove(path)
    if content is not None:
        with open(path, 'wb') as file:
            file.write(content)


class Faults:
    def __init__(self, rung, shim):
        self.rung, self.shim, self.log = rung, shim, os.path.abspath('struck')

    def run(self, kind, number, part, *arguments):
        """Whether the fault happened, the exit code and the messages."""
        write(self.log, None)
        env = dict(os.environ, LD_PRELOAD=self.shim, RUNG_FAULT='%s:%d:%s' % (kind, number, part),
                   RUNG_FAULT_LOG=self.log)
        done = subprocess.run([self.rung] + list(arguments), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        return os.path.exists(self.log), done.returncode, done.stderr


def save(faults, part, target, old, new, command, kinds=KINDS):
    """Each call on paths with `part` goes wrong, in each way; counts the faults."""
    count = 0
    for kind in kinds:
        for number in range(1, 1000):
            write(target, old)
            struck, code, messages = faults.run(kind, number, part, *command)
            what = '%s of call %d: exit %d, %s' % (kind, number, code, messages.strip())
            now = read(target)
            check(now in (old, new), what + ': neither the old model nor the new one')
            if not struck:
                check(code == 0 and now == new, what + ': failed without a fault')
                break
            count += 1
            left = glob.glob(os.path.join(part, '*.tmp'))
            if kind == 'kill':
                check(code == -signal.SIGKILL, what)
                for name in left:
                    os.remove(name)
                continue
            check(not left, what + ': %s is left' % left)
            if kind in ('short', 'eintr'):
                check(code == 0, what + ': not overcome')
            check(code in (0, 1), what)
            if code == 0:
                check(now == new, what + ': said to be saved')
            else:
                check(now == old and messages.startswith('rung: ') and len(messages.strip().splitlines()) == 1, what)
        check(number > 1, kind + ': no call was found')
    return count


def models(faults):
    os.makedirs('models')
    options = ['fit', 'a.csv', '-q', '-m', 'kdlor', '-p']
    path = 'models/m.rung'
    subprocess.run([faults.rung] + options + ['gamma=1', '-o', path], check=True)
    old = read(path)
    command = options + ['gamma=2', '-o', path]
    subprocess.run([faults.rung] + command, check=True)
    new = read(path)
    check(old != new, 'two models are the same')
    count = save(faults, 'models', path, old, new, command) + save(faults, 'models', path, None, new, command)
    command = ['fit', 'a.csv', '-q', '-m', 'pom', '--passes', '-o', path]
    subprocess.run([faults.rung] + command, check=True)
    count += save(faults, 'models', path, old, read(path), command, ['enospc'])
    print('saving a model: %d faults' % count)

    os.symlink('models/m.rung', 'link.rung')
    write(path, old)
    os.chmod(path, 0o600)
    subprocess.run([faults.rung] + options + ['gamma=2', '-o', 'link.rung'], check=True)
    check(os.path.islink('link.rung') and read(path) == new, 'a symbolic link is not followed')
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, 'a private model became public')
    os.remove('link.rung')
    os.symlink('nowhere', 'link.rung')
    done = subprocess.run([faults.rung] + options + ['gamma=2', '-o', 'link.rung'], stderr=subprocess.PIPE, text=True)
    check(done.returncode == 1 and 'cannot follow the symbolic link' in done.stderr and not os.path.exists('nowhere'),
          'a link to nowhere: ' + done.stderr)
    check(glob.glob('*.tmp') == [], 'a temporary file is left')

    os.makedirs('closed', mode=0o555)
    done = subprocess.run([faults.rung] + options + ['gamma=2', '-o', 'closed/m.rung'], stderr=subprocess.PIPE,
                          text=True)
    if os.geteuid() != 0:  # who may everything is not refused
        check(done.returncode == 1 and done.stderr.startswith('rung: ') and os.listdir('closed') == [],
              'a read-only folder: ' + done.stderr)


def reading(faults):
    """Data (plain, gzip, LIBSVM), a model, a plan and its list of test rows are read while calls fail."""
    os.makedirs('in')
    for name, content in (('data.csv', read('a.csv')), ('data.csv.gz', gzip.compress(read('a.csv'))),
                          ('plan.ini', PLAN.replace('partitions = random',
                                                    'partitions = splits.csv').replace('a\n', 'b\n', 1).encode()),
                          ('data.libsvm', b''.join(b'%d 1:%d 2:%d\n' % (i % 3, i * 7 % 11 + 5 * (i % 3), i * 5 % 13)
                                                   for i in range(36)))):
        write('in/' + name, content)
    os.makedirs('in/b')
    write('in/b/b.csv', read('a.csv'))
    write('in/b/splits.csv', b'0 1 2 3 4 5\n6 7 8 9 10 11\n')
    subprocess.run([faults.rung, 'fit', 'a.csv', '-q', '-m', 'kdlor', '-o', 'in/m.rung'], check=True)
    fit = ['fit', None, '-q', '-m', 'kdlor', '-o', 'out.rung']
    jobs = [('in/data.csv', fit), ('in/data.csv.gz', fit), ('in/data.libsvm', fit),
            ('in/m.rung', ['predict', None, 'a.csv', '-q', '-o', 'out.csv']),
            ('in/data.csv', ['predict', 'in/m.rung', None, '-q', '-o', 'out.csv']),
            ('in/plan.ini', ['experiment', 'run', None, '-q', '--threads', '1', '--db', 'out.db']),
            ('in/b/splits.csv', ['experiment', 'run', 'in/plan.ini', '-q', '--threads', '1', '--db', 'out.db'])]
    count = 0
    for path, command in jobs:
        command = [path if word is None else word for word in command]
        target = command[-1]
        write(target, None)
        subprocess.run([faults.rung] + command, check=True)
        answer = kill.dump(target) if target.endswith('.db') else read(target)
        for kind in 'read-short', 'read-eintr', 'read-eio':
            for number in range(1, 100):
                for old in glob.glob('out.*'):
                    os.remove(old)
                struck, code, messages = faults.run(kind, number, path, *command)
                what = '%s, %s of call %d: exit %d, %s' % (' '.join(command), kind, number, code, messages.strip())
                if not struck:
                    check(code == 0, what)
                    break
                count += 1
                if kind == 'read-eio' or (code == 1
                                          and path.endswith('splits.csv')):  # a stream loses its place by an interrupt
                    one = messages.startswith('rung: ') and len(messages.strip().splitlines()) == 1
                    why = 'nput/output error' if kind == 'read-eio' else 'Interrupted system call'
                    check(code == 1 and one and os.path.basename(path) in messages and why in messages, what)
                    check(target.endswith('.db') or not os.path.exists(target), what + ': something was written')
                    continue
                check(code == 0, what + ': not overcome')
                if target.endswith('.db'):
                    kill.compare(target, answer)
                else:
                    check(read(target) == answer, what + ': another answer')
            check(number > 1, '%s of %s: no call was found' % (kind, path))
    print('reading: %d faults' % count)


def experiment(faults, most):
    with open('plan.ini', 'w') as file:
        file.write(PLAN)
    command = ['experiment', 'run', 'plan.ini', '-q', '--threads', '1', '--db']
    os.makedirs('undisturbed')
    subprocess.run([faults.rung] + command + ['undisturbed/x.db'], check=True)
    whole, count = kill.dump('undisturbed/x.db'), 0
    for kind in KINDS:
        calls, step, number = 0, 1, 1
        while True:
            folder = '%s-%d' % (kind, number)
            os.makedirs(folder)
            db = folder + '/x.db'
            struck, code, messages = faults.run(kind, number, folder, *(command + [db]))
            what = 'experiment, %s of call %d: exit %d, %s' % (kind, number, code, messages.strip())
            if struck:
                count += 1
                check(code in (0, 1, -signal.SIGKILL), what)
                check(code != 1 or messages.startswith('rung: '), what)
                again = subprocess.run([faults.rung] + command + [db], stderr=subprocess.PIPE, text=True)
                check(again.returncode == 0, what + '; then: ' + again.stderr)
            else:
                check(code == 0, what)
            try:
                kill.compare(db, whole)
            except kill.Failure as failure:
                raise Failure(what + '; ' + str(failure))
            if not struck:
                break
            calls += 1
            if calls % most == 0:
                step *= 3
            number += step
        check(calls > 0, kind + ': no call was found')
    print('running an experiment: %d faults' % count)


def address_space(rung):
    """Too little for the buffers of OpenBLAS, which would try for ever: a sentence. Enough for one thread: a fit."""
    for size, words in (120 << 20, 'the address space is limited to 120.0 MiB'), (1 << 30, ''):
        done = subprocess.run([rung, 'fit', 'a.csv', '-m', 'kdlor', '-q', '--threads', '1', '-o', 'space.rung'],
                              timeout=600,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
                              capture_output=True, text=True)
        check(done.returncode == bool(words) and words in done.stderr and done.stderr.count('\n') == bool(words),
              '%d MiB of address space: %s' % (size >> 20, done.stderr))
    print('a limited address space: a sentence, and no endless loop')


def main():
    arguments = [a for a in sys.argv[1:] if a != '--all']
    most = 10 ** 9 if '--all' in sys.argv else 4
    faults_of = os.path.abspath(arguments[0]), os.path.abspath(arguments[1])
    with tempfile.TemporaryDirectory(prefix='rung-fault-') as folder:
        os.chdir(folder)
        faults = Faults(*faults_of)
        with open('a.csv', 'w') as file:
            file.write('x,y,label\n'
                       + ''.join('%d,%d,%d\n' % (i * 7 % 11 + 5 * (i % 3), i * 5 % 13, i % 3) for i in range(36)))
        os.makedirs('a')
        os.link('a.csv', 'a/a.csv')
        models(faults)
        reading(faults)
        address_space(faults_of[0])
        experiment(faults, most)
        os.chdir('/')
    print('passed')


if __name__ == '__main__':
    try:
        main()
    except Failure as failure:
        sys.exit('failed: %s' % failure)
