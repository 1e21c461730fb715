#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of every method gives rung's predictions, by its scripts run in node.

    html_program.py RUNG [METHOD]...      exit 77: there is no node

Ranks and intervals must be equal, probabilities, scores and standard deviations to 1e-9. Where dates with cycles are
scaled to ranks, the last bit of a sine decides, and probabilities need only be equal to 0.05."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import cases  # noqa: E402

LIMIT = 1e-9


def check(case, answers, page):
    limit = 0.05 if '"op": "share"' in Path(page["page"]).read_text() and "cyclic" in case.name else LIMIT
    for i, got in enumerate(answers):
        if "unread" in got:
            return f"row {i + 1}: cannot read {got['unread']!r}"
        for name in ("rank", "sd"):
            if name in got:
                got[name] = got[name][0]
        if wrong := case.compare(i, got, limit):
            return wrong
    return None


def main():
    if not shutil.which("node"):
        print("there is no node")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = list(cases(sys.argv[1], folder, sys.argv[2:]))
        pages = [{"page": str(case.export(folder / f"model{i}.html")), "rows": case.rows}
                 for i, case in enumerate(every)]
        done = subprocess.run(["node", Path(__file__).with_name("page.js")], input=json.dumps(pages),
                              capture_output=True, text=True)
        if done.returncode:
            print(done.stderr)
            return 1
        for case, answers, page in zip(every, json.loads(done.stdout), pages, strict=True):
            if wrong := check(case, answers, page):
                failed += 1
                print(f"{case.name}: {wrong}")
    print(f"{len(every)} models, {failed} of them differ")
    return 1 if failed or not every else 0


if __name__ == "__main__":
    sys.exit(main())
