#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of src/ by the tests run so far in build/coverage (make coverage): files with the least first, the lines
that never ran, and the total of lines and of branches. usage: coverage.py [BUILD] [--least PERCENT]   exit 1 where
fewer lines ran

A branch is one way out of a condition, and every TRY has two: the one that passes an error on is taken where a test
makes just that call fail. t_memory makes all that allocate fail, so what is left are errors of calls that allocate
nothing."""
import argparse
import json
import subprocess
from collections import defaultdict
from pathlib import Path

SHOWN = 25  # files


def counts(build, root):
    """{file: {line: times}} and {(file, line, number): times} of branches over all programs; a line that
    no program compiled in is not counted."""
    found, branches = defaultdict(lambda: defaultdict(int)), defaultdict(int)
    notes = [str(path) for path in build.rglob("*.gcda")]  # also of tests, which may include a source
    for start in range(0, len(notes), 50):
        done = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", *notes[start:start + 50]],
                              capture_output=True,
                              text=True, check=True, cwd=build)
        for line in done.stdout.splitlines():
            if not line.strip():
                continue
            document = json.loads(line)
            for file in document["files"]:
                path = (Path(document["current_working_directory"]) / file["file"]).resolve()
                if (root / "src") in path.parents:
                    for one in file["lines"]:
                        name = str(path.relative_to(root))
                        found[name][one["line_number"]] += one["count"]
                        for number, branch in enumerate(one["branches"]):
                            branches[name, one["line_number"], number] += branch["count"]
    return found, branches


def ranges(lines):
    """1-3,7"""
    parts = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default="build/coverage")
    parser.add_argument("--least", type=float, default=0)
    a = parser.parse_args()
    found, branches = counts(Path(a.build).resolve(), Path(__file__).resolve().parent.parent)
    if not found:
        print(f"{a.build} has no counts: make coverage")
        return 1
    rows, ran, total = [], 0, 0
    for file, lines in found.items():
        missed = sorted(line for line, times in lines.items() if not times)
        ran, total = ran + len(lines) - len(missed), total + len(lines)
        rows.append((1 - len(missed) / len(lines), file, missed))
    for share, file, missed in sorted(rows)[:SHOWN]:
        if missed:
            print(f"{100 * share:6.1f} %  {file}  {ranges(missed)}")
    percent = 100 * ran / total
    taken = sum(times > 0 for times in branches.values())
    print(f"{percent:.1f} % of {total} lines, {100 * taken / max(1, len(branches)):.1f} % of {len(branches)} branches "
          f"of src/ "
          f"({len(found)} files)")
    return 1 if percent < a.least else 0


if __name__ == "__main__":
    raise SystemExit(main())
