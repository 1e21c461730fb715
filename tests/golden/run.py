#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden numbers: runs the shared cases of every method that this rung has.

usage: run.py RUNG GOLDEN      RUNG: the command; GOLDEN: the folder with `check` and the cases
"""
import json
import pathlib
import subprocess
import sys


def main():
    rung, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (golden / "check").exists():
        print(f"skipped: there are no golden numbers in {golden}")
        return 77
    listing = subprocess.run([rung, "methods", "--json"], capture_output=True, text=True, check=True)
    methods = {method["name"] for method in json.loads(listing.stdout)}
    cases = [
        path.parent.name
        for path in sorted(golden.glob("*/case.json"))
        if json.loads(path.read_text())["method"] in methods
    ]
    if not cases:
        print(f"no case of {golden} is about one of: {', '.join(sorted(methods))}")
        return 1
    print(f"{len(cases)} cases: {' '.join(cases)}", flush=True)
    return subprocess.run([golden / "check", rung, *cases]).returncode


sys.exit(main())
