#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The processor time of every test, the slowest first: seconds.py BUILD [REGEX] [--most N]

Runs the tests of a build folder whose name matches REGEX (all but the long ones without it) one after the other, with
their environment, and counts what each and its processes take. No test of `make test` should take more than 20 s
(docs/testing.md). Exits with 1 if one does.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("build")
parser.add_argument("regex", nargs="?", default=r"^(?!long/)")
parser.add_argument("--most", type=float, default=20, metavar="N", help="seconds that a test may take (20)")
a = parser.parse_args()


def used():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=a.build, capture_output=True, text=True, check=True)
times = []
for test in json.loads(shown.stdout)["tests"]:
    if not re.search(a.regex, test["name"]):
        continue
    properties = {p["name"]: p["value"] for p in test["properties"]}
    environment = dict(os.environ, **dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", [])))
    before = used()
    status = subprocess.run(test["command"], cwd=properties["WORKING_DIRECTORY"], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    times.append((used() - before, test["name"]))
    print(f"{times[-1][0]:7.1f}  {test['name']}{'' if status in (0, 77) else f'  failed ({status})'}", flush=True)
times.sort(reverse=True)
slow = [(seconds, name) for seconds, name in times if seconds > a.most]
print(f"\n{sum(seconds for seconds, _ in times):.0f} s in {len(times)} tests, {len(slow)} above {a.most:g} s")
for seconds, name in times[:20]:
    print(f"{seconds:7.1f}  {name}")
sys.exit(bool(slow))
