#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares docs/methods with the method table:  methods.py RUNG REPOSITORY [--update]

Every method has a page docs/methods/NAME.md: text written by hand and, between two marks, the contents of the table.
Without --update, a page that is missing or out of date fails the test; with it, the marked part is rewritten (at the
end of a page that has none)."""
import json, os, subprocess, sys, textwrap

BEGIN, END = '<!-- from the method table: tests/docs/methods.py RUNG . --update -->', '<!-- end -->'


def cell(x):
    return '' if x is None else str(x).replace('|', '\\|')


def span(p):
    if p['type'] not in ('real', 'int'):
        return ', '.join(p['choices'] or [])
    low, high = p['low'], p['high']
    bounds = ([] if low is None else ['%s %g' % ('above' if p['low_open'] else 'from', low)]) + ([] if high is None
                                                                                                 else ['to %g' % high])
    return ', '.join(([' '.join(bounds)] if bounds else []) + (p['choices'] or []) + (['auto'] if p['auto'] else []))


def fill(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def table(m):
    lines = [BEGIN, '', fill('`-m %s`: %s. %s.' % (m['name'], m['title'], m['reference'].rstrip('.'))), '',
             fill('Cost: %s.' % m['cost']), '']
    if m['params']:
        lines += ['| parameter | default | published | allowed | searched | meaning |', '|---|---|---|---|---|---|']
        for p in m['params']:
            grid = ', '.join(map(str, p['grid'])) if p['grid'] else ''
            lines.append('| `%s` | %s | %s | %s | %s | %s |' % (p['name'], cell(p['default']), cell(p['published']),
                                                                cell(span(p)), cell(grid), cell(p['help'])))
    return '\n'.join(lines + ['', END])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rung, folder = sys.argv[1], os.path.join(sys.argv[2], 'docs', 'methods')
    bad = []
    methods = json.loads(subprocess.run([rung, 'methods', '--json'], check=True, capture_output=True, text=True).stdout)
    for m in methods:
        path, want = os.path.join(folder, m['name'] + '.md'), table(m)
        text = open(path).read() if os.path.exists(path) else ''
        if not text:
            bad.append('%s: the page %s is missing' % (m['name'], path))
            continue
        a, b = text.find(BEGIN), text.find(END)
        new = text[:a] + want + text[b + len(END):] if a >= 0 and b > a else text.rstrip() + '\n\n' + want + '\n'
        if new == text:
            continue
        if '--update' in sys.argv:
            open(path, 'w').write(new)
        else:
            bad.append('%s: the page differs from the table; run tests/docs/methods.py RUNG . --update' % m['name'])
    print('\n'.join(bad))
    print('%d passed, %d failed' % (len(methods) - len(bad), len(bad)))
    sys.exit(1 if bad else 0)


main()
