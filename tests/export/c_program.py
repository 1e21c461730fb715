#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C code of every method gives rung's predictions.

    c_program.py RUNG [METHOD]...

Every model is exported as C, compiled without a warning by gcc and clang, as C and as C++ (those that there are), and
run on cells as text: ranks and intervals must be equal, probabilities, scores and standard deviations to 1e-12, with
kernels to 1e-11."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import cases  # noqa: E402

LIMIT = 1e-12
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]
COMPILERS = [[name, f"-std={standard}", *STRICT, *(["-x", "c++"] if "++" in name else [])]
             for name, standard in (("gcc", "c99"), ("clang", "c99"), ("g++", "c++11"), ("clang++", "c++11"))]
MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

/* Cells separated by 0x1f, rows by newlines; answers as numbers. */
int main(void)
{
    static char line[1 << 20];
    static double cells[PREFIX_COLUMNS];
    while (fgets(line, sizeof line, stdin)) {
        prefix_answer a;
        char *at = line;
        int j, code;
        line[strcspn(line, "\n")] = 0;
        for (j = 0; j < PREFIX_COLUMNS; j++) {
            char *end = at + strcspn(at, "\x1f"), last = *end;
            *end = 0;
            if (!prefix_cell(j, at, &cells[j])) return printf("cell %d: %s\n", j, at), 1;
            at = end + (last != 0);
        }
        code = prefix_predict(cells, &a);
        printf("%d %d %.17g %d %d", code, a.rank, a.sd, a.low, a.high);
        for (j = 0; j < PREFIX_SCORES; j++) printf(" %.17g", a.score[j]);
        for (j = 0; j < PREFIX_CLASSES; j++) printf(" %.17g", a.probability[j]);
        printf("\n");
    }
    return prefix_class[0] && prefix_column[0] && !prefix_category(0, -1) ? 0 : 2;
}
"""


def build(case, folder, compiler, prefix):
    """Compiles the model; returns what is wrong, or None."""
    program = folder / "program"
    (folder / "main.c").write_text(MAIN.replace("prefix", prefix).replace("PREFIX", prefix.upper()))
    done = subprocess.run([*compiler, folder / "main.c", folder / "model.c", "-o", program, "-lm"], capture_output=True,
                          text=True)
    return None if done.returncode == 0 else f"{' '.join(compiler)}: {done.stderr[:1500]}"


def check(case, folder, number, compilers):
    prefix = f"model{number}"
    case.export(folder / "model.c", "--name", prefix)
    for compiler in compilers[1:] if number % 3 == 0 else []:
        if wrong := build(case, folder, compiler, prefix):
            return wrong
    if wrong := build(case, folder, compilers[0], prefix):
        return wrong
    limit = 10 * LIMIT if "squares" in (folder / "model.c").read_text() else LIMIT
    text = "".join("\x1f".join(row) + "\n" for row in case.rows)
    done = subprocess.run([folder / "program"], input=text, capture_output=True, text=True)
    if done.returncode:
        return done.stdout[-300:] + done.stderr
    scores = int((folder / "model.h").read_text().split("_SCORES = ")[1].split()[0])
    for i, line in enumerate(done.stdout.splitlines()):
        code, rank, sd, low, high, *rest = line.split()
        got = {"rank": int(rank), "sd": float(sd), "interval": [int(low), int(high)],
               "score": [float(v) for v in rest[:scores]], "probabilities": [float(v) for v in rest[scores:]]}
        if wrong := case.compare(i, got, limit) if code == "0" else f"row {i + 1}: code {code}":
            return wrong
    return None if i + 1 == len(case.rows) else "too few answers"


def main():
    compilers = [c for c in COMPILERS if shutil.which(c[0])]
    if not compilers:
        print("no C compiler")
        return 77
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases(sys.argv[1], folder, sys.argv[2:]):
            count += 1
            if wrong := check(case, folder, count, compilers):
                failed += 1
                print(f"{case.name}: {wrong}")
    print(f"{count} models, {failed} of them differ; " + ", ".join(c[0] for c in compilers))
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
