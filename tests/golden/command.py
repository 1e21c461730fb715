# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: the data sets, writing a table, and running a command that must not fail."""
import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools'))
import data_sets  # noqa: E402,F401


def write(path, header, rows):
    with open(path, 'w', newline='') as f:
        csv.writer(f).writerows([header] + rows)


def call(args):
    p = subprocess.run(args, capture_output=True, text=True)
    if p.returncode:
        sys.exit('%s\n%s' % (' '.join(args), p.stderr))
    return p.stdout
