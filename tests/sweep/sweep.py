#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sweep of shapes: random tables times random options times every method (docs/testing.md).

    sweep.py RUNG [--seed N] [--minutes M | --cases N | --case NUMBER] [--method NAME] [--relation NAME]

A case is made of the seed and its number alone. It runs in a process of its own, so that a crash and a hang are
findings like others. Prints each finding with the command that repeats it; exit 1 if there was one."""
import argparse
import collections
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import batch  # noqa: E402
import fronts  # noqa: E402,F401
import library  # noqa: E402
import relations  # noqa: E402
import sound  # noqa: E402
from cases import Case, Options  # noqa: E402

LIMIT = 120  # seconds of processor time of a case
BATCH = 30  # cases for which R is started once


class Outcome:
    """What a case gave: its description, findings, and counts."""

    def __init__(self, case=None):
        self.what = describe(case) if case else ""
        self.findings, self.counts, self.refusal = [], collections.Counter(), None


def describe(case):
    o = case.options
    usual = vars(Options())
    said = {name: value for name, value in vars(o).items() if value != usual[name] and name != "method"}
    kinds = collections.Counter(column.kind for column in case.table.columns)
    return f"{o.method}, {case.table.rows} rows, {case.classes} classes, {dict(kinds)}, {said}"


def examine(case, folder, arguments):
    """All that is wrong with a case."""
    out = Outcome(case)
    try:
        fit = library.Fit(case.table, case.options, case.form, folder)
    except library.Refused as why:
        out.refusal = (why.status, why.message)
        out.findings += sound.refused(why)
        return out
    out.counts["fits"] += 1
    for check in sound.CHECKS:
        out.findings += check(fit)
        out.counts[check.__name__] += 1
    base = relations.Base(case, fit, folder)
    names = relations.chosen(case, None if arguments.case is not None or arguments.all else 3)
    if arguments.relation:
        names = [name for name in relations.chosen(case) if name == arguments.relation]
    for name in names:
        out.findings += relations.run(base, name)
        out.counts[name] += 1
    if arguments.jobs and batch.can(case) and (arguments.case is not None or case.stream("R").random() < 0.3):
        batch.add(fit, arguments.jobs / str(case.number))
    return out


def in_a_process(case, folder, arguments):
    """The outcome of a case, or of its crash: the child writes it to a file."""
    result = folder / "outcome"
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            out = examine(case, folder, arguments)
        except BaseException as why:
            out = Outcome(case)
            out.findings = [("the sweep itself", f"{why!r} {traceback.format_exc()}")]
        result.write_bytes(pickle.dumps(out))
        os._exit(0)
    try:
        _, status, used = os.wait4(child, 0)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        raise
    if result.exists():
        out = pickle.loads(result.read_bytes())
    else:
        out = Outcome(case)
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
        out.findings = [("hang" if name == "SIGPROF" else "crash", name)]
    out.seconds = used.ru_utime + used.ru_stime
    return out


def numbers(arguments):
    """The numbers of the cases to run."""
    if arguments.case is not None:
        return [arguments.case]
    count, number = arguments.cases or sys.maxsize, arguments.first
    return range(number, number + count)


def used():
    children, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    return children.ru_utime + children.ru_stime + own.ru_utime + own.ru_stime


class Log:
    """Counts what was done and found."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.done, self.found, self.refusals = (collections.Counter() for _ in range(3))

    def add(self, number, out):
        self.done["cases"] += 1
        self.done.update(out.counts)
        if out.refusal:
            self.done["refused"] += 1
            self.refusals[out.refusal[0]] += 1
            if self.arguments.verbose:
                print(f"{number}: refused: {out.refusal[1]}   [{out.what[:60]}]", flush=True)
        for kind, detail in out.findings:
            self.found[kind] += 1
            print(f"FOUND {kind}: {detail}\n      {out.what}\n      tools/sweep --seed {self.arguments.seed} --case "
                  f"{number}",
                  flush=True)
        if self.arguments.verbose and out.seconds > 10:
            print(f"{number}: {out.seconds:.0f} s: {out.what}", flush=True)

    def add_of_r(self, number, wrong):
        self.done["by_r"] += 1
        if wrong:
            self.found["by_r"] += 1
            print(f"FOUND by_r: {wrong}\n      tools/sweep --seed {self.arguments.seed} --case {number} --relation "
                  f"by_r", flush=True)

    def summary(self):
        print(f"seed {self.arguments.seed}: {used():.0f} s of processor time; "
              + ", ".join(f"{name} {count}" for name, count in self.done.most_common()))
        print("findings: " + (", ".join(f"{kind} {count}" for kind, count in self.found.most_common()) or "none"),
              flush=True)


def through_r(arguments, log, at_least=1):
    """The jobs that have come together, where they are enough to start R for."""
    if arguments.jobs is None or len(list(arguments.jobs.iterdir())) < at_least:
        return
    for number, wrong in batch.run(arguments.jobs):
        log.add_of_r(number, wrong)
    for job in arguments.jobs.iterdir():
        shutil.rmtree(job)


def run(arguments, methods, log):
    for number in numbers(arguments):
        if arguments.minutes and used() > 60 * arguments.minutes:
            break
        case = Case(arguments.seed, number, methods)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(arguments.keep or name)
            folder.mkdir(exist_ok=True)
            (folder / "outcome").unlink(missing_ok=True)
            log.add(number, in_a_process(case, folder, arguments))
        through_r(arguments, log, at_least=BATCH)
    through_r(arguments, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rung")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="of processor time")
    parser.add_argument("--cases", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    parser.add_argument("--method")
    parser.add_argument("--relation")
    parser.add_argument("--all", action="store_true", help="every relation of every case")
    parser.add_argument("--keep", help="folder to keep the files of the case in")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.minutes or arguments.cases or arguments.case is not None):
        arguments.minutes = 1
    fronts.COMMAND = os.path.abspath(arguments.rung)
    methods, log = library.methods(), Log(arguments)
    if arguments.method:
        methods = {arguments.method: methods[arguments.method]}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as jobs:
        arguments.jobs = Path(jobs) if arguments.relation in (None, "by_r") and batch.available() else None
        try:
            run(arguments, methods, log)
        except KeyboardInterrupt:
            print("interrupted")
    log.summary()
    return 1 if log.found else 0


if __name__ == "__main__":
    sys.exit(main())
