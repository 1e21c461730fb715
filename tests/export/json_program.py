#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The exported program of every method gives rung's predictions.

    json_program.py RUNG [METHOD]...

Every model is exported as JSON and evaluated by the reader in program.py: ranks and intervals must be equal,
probabilities, scores and standard deviations to 1e-12, with kernels to 1e-11: rung takes squared distances from
products, |x|^2 + |z|^2 - 2 x'z, the program from differences."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import cases  # noqa: E402
from program import Program  # noqa: E402

LIMIT = 1e-12


def whole(values):
    return [int(v) for v in values]


def check(case, path):
    program = Program.read(path)
    limit = 10 * LIMIT if any(o["op"] == "squares" for o in program.operations) else LIMIT
    for i, row in enumerate(case.rows):
        got = program.predict(row)
        got["score"] = list(got["score"])
        for name in ("rank", "sd"):
            if name in got:
                got[name] = got[name][0]
        if "interval" in got:
            got["interval"] = whole(got["interval"])
        if wrong := case.compare(i, got, limit):
            return wrong
    return None


def main():
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases(sys.argv[1], folder, sys.argv[2:]):
            count += 1
            if wrong := check(case, case.export(folder / "model.json")):
                failed += 1
                print(f"{case.name}: {wrong}")
    print(f"{count} models, {failed} of them differ")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
