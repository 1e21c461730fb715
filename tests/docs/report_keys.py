#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every number that a fit reports by a name has a meaning on the pages (cli/page/report_keys.c).

usage: report_keys.py SOURCE"""
import pathlib
import re
import sys

CALL = re.compile(r"\breport_\w+\s*\(([^;{]*?)\)\s*[;)]", re.S)
NAME = re.compile(r'"([a-z_]+)[0-9]*"')  # mode1, mode2, ... have one meaning

source = pathlib.Path(sys.argv[1])
known = set(re.findall(r'\{"([a-z_]+)",', (source / "cli/page/report_keys.c").read_text()))
calls = [NAME.search(call) for file in source.glob("src/**/*.c") for call in CALL.findall(file.read_text())]
reported = {name[1] for name in calls if name}
missing = sorted(reported - known)
for name in missing:
    print(f"cli/page/report_keys.c: {name} has no meaning")
print(f"{len(reported)} names")
sys.exit(bool(missing) or len(reported) < 40)
