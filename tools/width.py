#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines above 120 columns in code, header and prose. usage: width.py [ROOT]

Prints file:line for each; exit code 1 if there is one. Not counted: in Markdown tables, code, links and figures, which
cannot be broken."""
import pathlib
import re
import sys

MOST = 120
FOLDERS = "cli docs examples include octave python/rung r/R r/src src".split()
FILES = "CHANGELOG.md CONTRIBUTING.md README.md".split()
KINDS = {".c", ".h", ".m", ".md", ".py", ".R", ".sh", ""}


def files(root):
    yield from (root / name for name in FILES)
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.is_file() and path.suffix in KINDS)


def wide_lines(path):
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if path.suffix == ".md":
            code ^= line.lstrip().startswith("```")
            if code or re.match(r"\s*[|<!]", line) or "](" in line:
                continue
        if len(line) > MOST:
            yield number, len(line)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [f"{path.relative_to(root)}:{n}: {width} columns" for path in files(root) for n, width in wide_lines(path)]
    print("\n".join(found) if found else f"no line above {MOST} columns")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
