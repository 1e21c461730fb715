# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: writing a table, and running a command that must not fail."""
import csv, subprocess, sys


def write(path, header, rows):
    with open(path, 'w', newline='') as f:
        csv.writer(f).writerows([header] + rows)


def call(args):
    p = subprocess.run(args, capture_output=True, text=True)
    if p.returncode:
        sys.exit('%s\n%s' % (' '.join(args), p.stderr))
    return p.stdout
