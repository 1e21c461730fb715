#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command-line cases:  run.py RUNG [--update] [CASE]...

A case is a text file, cases/FOLDER/NAME.txt: the commands one by one, the data they read, errors, methods, options,
what they write. Lines that begin with two spaces are commands and what they print;
everything else is prose.

      $ rung fit train.csv            a command, run by sh in a folder of its own
      $~ rung fit train.csv           the same, but of what `auto` decides only the shape is kept: #.### for 0.275
      > continued                     its further lines (here-documents)
      printed on standard output
      ! printed on standard error
      ! took [0-9]+ seconds (re)      compared as a regular expression
      ~                               an empty line
      [2]                             exit code; 0 is not written

The folder starts with the files of data/, bin/ is on the path and $SOURCE is the repository. --update rewrites what the
commands print."""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 900  # seconds for one command; counting lines, each of hundreds of short ones takes a second


def parse(text):
    """The case as a list of prose lines (str) and steps (prompt, command lines, expected lines)."""
    parts, step = [], None
    for line in text.splitlines():
        if line.startswith(("  $ ", "  $~ ")):
            prompt, command = line.split(maxsplit=1)
            step = (prompt, [command], [])
            parts.append(step)
        elif line.startswith("  > ") and step and not step[2]:
            step[1].append(line[4:])
        elif line.startswith("  ") and step:
            step[2].append(line[2:])
        else:
            step = None
            parts.append(line)
    return parts


def shape(line):
    """The line without the digits that a change of `auto` changes: those of numbers with decimals, which keep their
    last column, and the number of members of a model."""
    line = re.sub(r"\b\d+ members", "# members", line)

    def masked(found):
        number = "#." + "#" * len(found["decimals"]) if len(found["decimals"]) <= 6 else "#.#..."
        return number.rjust(len(found[0])) if found["space"].startswith("  ") else found["space"] + number

    return re.sub(r"(?P<space> *)(?<![\w.])[+-]?\d+\.(?P<decimals>\d+)(e[+-]?\d+)?(?![\w.]\w)", masked, line)


def run(command, folder, environment):
    """What the command printed and returned, as expected lines are written."""
    if any("ulimit -f" in line for line in command):  # the counts of a coverage build could not be written, nor kept
        environment = dict(environment, GCOV_PREFIX=os.path.join(environment["HOME"], "gcov"),
                           GCOV_ERROR_FILE="/dev/null")
    done = subprocess.run(["sh", "-c", "\n".join(command) + "\n"], cwd=folder, env=environment, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, capture_output=True)
    out = done.stdout.decode(errors="backslashreplace").splitlines()
    err = done.stderr.decode(errors="backslashreplace").splitlines()
    code = [f"[{done.returncode}]"] if done.returncode else []
    return [line.rstrip() or "~" for line in out] + [("! " + line).rstrip() for line in err] + code


def merge(expected, got):
    """The lines got, with every expected regular expression that matches its line put in its place."""
    lines = list(got)
    if len(expected) == len(got):
        for i, line in enumerate(expected):
            if line.endswith(" (re)") and re.fullmatch(line[:-5], got[i]):
                lines[i] = line
    return lines


def render(parts):
    lines = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
        else:
            prompt, command, printed = part
            lines += [(f"  > {line}" if i else f"  {prompt} {line}") for i, line in enumerate(command)]
            lines += ["  " + line for line in printed]
    return "\n".join(lines) + "\n"


def run_case(path, rung, update):
    text = path.read_text()
    parts = parse(text)
    with tempfile.TemporaryDirectory(prefix="rung-cli-") as folder:
        work, tools = os.path.join(folder, "work"), os.path.join(folder, "bin")
        shutil.copytree(HERE / "data", work)
        os.mkdir(tools)
        os.symlink(rung, os.path.join(tools, "rung"))
        environment = {"PATH": f"{tools}:{HERE / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": folder,
                       "PYTHONDONTWRITEBYTECODE": "1", "SOURCE": str(HERE.parent.parent)}
        for name in os.environ:  # sanitizers and coverage need theirs
            if name.endswith("SAN_OPTIONS") or name.startswith(("GCOV", "LD_LIBRARY_PATH", "LLVM")):
                environment[name] = os.environ[name]
        for i, part in enumerate(parts):
            if not isinstance(part, str):
                prompt, command, expected = part
                got = run(command, work, environment)
                parts[i] = (prompt, command, merge(expected, [shape(line) for line in got] if prompt == "$~" else got))
    result = render(parts)
    if result == text:
        return True
    if update:
        path.write_text(result)
        print(f"updated {path.stem}")
        return True
    print(f"FAILED {path.stem}")
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), result.splitlines(True), "expected", "got"))
    return False


def main():
    words = sys.argv[1:]
    update = "--update" in words
    words = [w for w in words if w != "--update"]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    rung = os.path.abspath(words[0])
    if not os.access(rung, os.X_OK):
        sys.exit(f"run.py: {rung} is not a program")
    cases = {path.stem: path for path in sorted((HERE / "cases").glob("*/*.txt"))}
    unknown = [name for name in words[1:] if name not in cases]
    if unknown:
        sys.exit(f"run.py: no case {', '.join(unknown)}")
    paths = [cases[name] for name in words[1:] or cases]
    results = [run_case(path, rung, update) for path in paths]
    print(f"{sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
