#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option of `rung fit` has a row in docs/python.md that says what it is in Python and R; no row names another,
and the arguments of R that it names exist:  options.py RUNG REPOSITORY"""
import pathlib
import re
import subprocess
import sys

rung, root = sys.argv[1], pathlib.Path(sys.argv[2])
said = subprocess.run([rung, "fit", "--help", "all"], capture_output=True, text=True, check=True).stdout
options = set(re.findall(r"^ +(?:-[a-z], )?(--[a-z-]+)", said, re.M)) - {"--help", "--version"}
section = (root / "docs/python.md").read_text().split("## The options of `rung fit`")[1].split("\n## ")[0]
rows = [line.split("|")[1:4] for line in section.splitlines() if line.startswith("| `--")]
named = {option for row in rows for option in re.findall(r"`(--[a-z-]+)`", row[0])}
for option in sorted(options ^ named):
    print(f"FAIL: docs/python.md has {'no' if option in options else 'a'} row for {option}, "
          f"which rung fit {'has' if option in options else 'does not have'}")
header = re.search(r"rung.formula <- function\((.*?)\) \{", (root / "r/R/rung.R").read_text(), re.S).group(1)
have = set(re.findall(r"([a-z_.]+) =", header)) | {"y"}
same = [row[0].replace("--", "") if row[2].strip() == "the same" else row[2] for row in rows]
words = {word for cell in same for word in re.findall(r"`([a-z_]+)`", cell)} - {"cut", "rung_explain", "plot",
                                                                                "rung_save"}
for word in sorted(words - have):
    print(f"FAIL: docs/python.md names the argument {word} of R, which rung() does not have")
sys.exit(bool(options ^ named or words - have))
