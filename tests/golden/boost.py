#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees beside a slow program that shares no code with the library: the same trees, leaves, thresholds,
probabilities.

usage: boost.py RUNG
Seeded tables with numbers, missing cells, text columns and weights are fitted by `rung fit -m boost` without random
choices, and by the functions below, which sum over rows instead of histograms. Every split must be the same, every
number equal to 1e-7. Only the Python standard library is used."""
import csv, json, math, os, random, struct, subprocess, sys, tempfile

L2_TEXT = SMOOTH_TEXT = 5  # as in src/trees/grow.c
MOST, LEAST_GAIN = 10, 1e-9


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


# ---- one tree ----

def value(rows, g, h, l2):
    return max(-MOST, min(MOST, -sum(g[i] for i in rows) / (sum(h[i] for i in rows) + l2)))


def worth(rows, g, h, l2):
    return sum(g[i] for i in rows) ** 2 / (sum(h[i] for i in rows) + l2)


def gain(left, right, g, h, l2):
    return worth(left, g, h, l2) + worth(right, g, h, l2) - worth(left + right, g, h, l2)


def divisions(column, rows, g, h, l2):
    """(penalty, goes left, missing goes right) of every split of one column, in the order that settles ties."""
    known = [i for i in rows if column[i] is not None]
    missing = [i for i in rows if column[i] is None]
    if known and isinstance(column[known[0]], str):
        order = sorted(set(column[i] for i in known))
        key = {c: sum(g[i] for i in rows if column[i] == c) / (sum(h[i] for i in rows if column[i] == c) + SMOOTH_TEXT)
               for c in order}
        order.sort(key=lambda c: (key[c], c))
        for k in range(1, len(order)):
            yield l2 + (L2_TEXT if len(set(c for c in column if c is not None)) > 2 else 0), set(order[:k]), None
        return
    values = sorted(set(column[i] for i in known))
    for k in range(len(values) if missing else len(values) - 1):
        yield l2, values[k], True
        if missing:
            yield l2, values[k], False


def goes_left(x, split, missing_right):
    if x is None:
        return not missing_right
    return x in split if isinstance(split, set) else x <= split


def best_split(columns, rows, g, h, rules):
    best = (LEAST_GAIN, None)
    for c, column in enumerate(columns):
        for l2, split, missing_right in divisions(column, rows, g, h, rules['l2']):
            left = [i for i in rows if goes_left(column[i], split, missing_right)]
            inside = set(left)
            right = [i for i in rows if i not in inside]
            if min(len(left), len(right)) < rules['min-rows']:
                continue
            worth_it = gain(left, right, g, h, l2)
            if worth_it > best[0] * (1 + 1e-12):
                best = (worth_it, (c, split, missing_right, left, right))
    return best


def grow(columns, rows, g, h, rules):
    """Nodes as dictionaries, in the order they were made."""
    nodes = [{'rows': rows, 'best': best_split(columns, rows, g, h, rules)}]
    for _ in range(rules['leaves'] - 1):
        open_nodes = [n for n in nodes if 'split' not in n and n['best'][1]]
        if not open_nodes:
            break
        node = max(open_nodes, key=lambda n: n['best'][0])
        node['gain'], (c, split, missing_right, left, right) = node['best']
        node['column'], node['split'], node['missing_right'] = c, split, missing_right
        node['children'] = []
        for part in (left, right):
            child = {'rows': part, 'best': best_split(columns, part, g, h, rules)}
            nodes.append(child)
            node['children'].append(child)
    for node in nodes:
        if 'split' not in node:
            node['value'] = value(node['rows'], g, h, rules['l2'])
    return nodes[0]


# ---- boosting ----

def ordinal_pair(t, f, y):
    K = len(t) + 1
    return logistic(t[y - 1] - f) if y < K else 1, logistic(t[y - 2] - f) if y > 1 else 0


def solve(A, b):
    n = len(b)
    A = [row[:] + [x] for row, x in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda r: abs(A[r][k]))
        A[k], A[p] = A[p], A[k]
        for r in range(k + 1, n):
            m = A[r][k] / A[k][k]
            A[r] = [x - m * z for x, z in zip(A[r], A[k])]
    x = [0] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum(A[k][j] * x[j] for j in range(k + 1, n))) / A[k][k]
    return x


def threshold_step(t, f, y, w):
    J = len(t)
    gradient, hessian = [0.0] * J, [[0.0] * J for _ in range(J)]
    for fi, yi, wi in zip(f, y, w):
        a, b = ordinal_pair(t, fi, yi)
        u, v = a * (1 - a) / (a - b), b * (1 - b) / (a - b)
        if yi <= J:
            gradient[yi - 1] -= wi * u
            hessian[yi - 1][yi - 1] += wi * (u * u - u * (1 - 2 * a))
        if yi > 1:
            gradient[yi - 2] += wi * v
            hessian[yi - 2][yi - 2] += wi * (v * v + v * (1 - 2 * b))
        if 1 < yi <= J:
            hessian[yi - 1][yi - 2] -= wi * u * v
            hessian[yi - 2][yi - 1] -= wi * u * v
    step = solve(hessian, gradient)
    size = 1 / max(1, max(map(abs, step)))
    while any(t[q] - size * step[q] <= t[q - 1] - size * step[q - 1] for q in range(1, J)):
        size /= 2
    return [x - size * s for x, s in zip(t, step)]


def add_values(root, rate, f):
    stack = [root]
    while stack:
        node = stack.pop()
        stack += node.get('children', [])
        for i in node['rows'] if 'value' in node else []:
            f[i] += rate * node['value']


def boost_ordinal(columns, y, w, K, rules):
    n = len(y)
    f, trees = [0.0] * n, []
    below = [sum(wi for yi, wi in zip(y, w) if yi <= q) for q in range(1, K)]
    t = [math.log(b / (sum(w) - b)) for b in below]
    for _ in range(rules['rounds']):
        pairs = [ordinal_pair(t, fi, yi) for fi, yi in zip(f, y)]
        g = [wi * (1 - a - b) for (a, b), wi in zip(pairs, w)]
        h = [wi * (a * (1 - a) + b * (1 - b)) for (a, b), wi in zip(pairs, w)]
        trees.append(grow(columns, list(range(n)), g, h, rules))
        add_values(trees[-1], rules['rate'], f)
        t = threshold_step(t, f, y, w)
    for _ in range(30):
        t = threshold_step(t, f, y, w)
    proba = [[ordinal_pair(t, fi, q)[0] - ordinal_pair(t, fi, q)[1] for q in range(1, K + 1)] for fi in f]
    return trees, t, proba


def softmax(f):
    e = [math.exp(x - max(f)) for x in f]
    return [x / sum(e) for x in e]


def boost_nominal(columns, y, w, K, rules):
    n = len(y)
    start = [math.log(sum(wi for yi, wi in zip(y, w) if yi == q + 1) / sum(w)) for q in range(K)]
    f, trees = [[s] * n for s in start], []
    for _ in range(rules['rounds']):
        proba = [softmax([f[q][i] for q in range(K)]) for i in range(n)]
        for q in range(K):
            g = [wi * (p[q] - (yi == q + 1)) for p, yi, wi in zip(proba, y, w)]
            h = [wi * p[q] * (1 - p[q]) * K / (K - 1) for p, wi in zip(proba, w)]
            trees.append(grow(columns, list(range(n)), g, h, rules))
            add_values(trees[-1], rules['rate'], f[q])
    return trees, None, [softmax([f[q][i] for q in range(K)]) for i in range(n)]


# ---- the library's model ----

def read_model(path):
    with open(path, 'rb') as file:
        data = file.read()
    size = struct.unpack('<Q', data[:8])[0]
    header = json.loads(data[8:8 + size])
    model = json.loads(header.pop('__metadata__')['model'])
    arrays = {}
    for name, entry in header.items():
        a, b = entry['data_offsets']
        arrays[name] = struct.unpack('<%d%s' % ((b - a) // 8, 'd' if entry['dtype'] == 'F64' else 'q'),
                                     data[8 + size + a:8 + size + b])
    return model, {name.removeprefix('members.0.'): v for name, v in arrays.items()}


def close(a, b, what):
    if abs(a - b) > 1e-7 * (1 + abs(b)):
        raise AssertionError('%s: %.12g, expected %.12g' % (what, a, b))


def compare_tree(model, a, number, root, columns, rate, what):
    first, splits = a['trees.first'][number], 0
    waiting = [(0, root)]
    while waiting:
        k, node = waiting.pop(0)
        at = first + k
        here = '%s, tree %d, node %d' % (what, number, k)
        if 'value' in node:
            assert a['trees.column'][at] == -1, here + ' is a split'
            close(a['trees.value'][at], rate * node['value'], here)
            continue
        c = node['column']
        assert a['trees.column'][at] == c, '%s splits column %d, expected %d' % (here, a['trees.column'][at], c)
        close(a['trees.value'][at], node['gain'], here + ', gain')
        left = set(node['children'][0]['rows'])
        categories = model['coding']['columns'][c]['categories']
        for i in node['rows']:
            x, split = columns[c][i], a['trees.split'][at]
            if x is None:
                side = not a['trees.missing'][at]
            elif categories:
                j = categories.index(x)
                side = bool(a['trees.set'][split + j // 64] >> j % 64 & 1)
            else:
                cuts = a['cuts'][a['cuts.first'][c]:a['cuts.first'][c + 1]]
                side = split >= len(cuts) or x <= cuts[split]
            assert side == (i in left), '%s: row %d goes to the other side' % (here, i)
        waiting += [(2 * splits + 1, node['children'][0]), (2 * splits + 2, node['children'][1])]
        splits += 1
        waiting.sort(key=lambda one: one[0])


def make_table(rng, n, K):
    columns = [[rng.gauss(0, 1) for _ in range(n)], [round(rng.gauss(0, 1), 1) for _ in range(n)],
               [rng.choice(['red', 'green', 'blue', 'black', 'white']) for _ in range(n)],
               [rng.choice(['no', 'yes']) for _ in range(n)],
               [rng.gauss(0, 1) for _ in range(n)]]
    shift = {'red': 1, 'green': -.5, 'blue': 0, 'black': .7, 'white': -1}
    latent = [columns[0][i] + (columns[1][i] > .3) * columns[4][i] + shift[columns[2][i]] + rng.gauss(0, .5)
              for i in range(n)]
    for i in range(n):
        for c in (0, 1):
            if rng.random() < .15:
                columns[c][i] = None
    cuts = sorted(latent)
    y = [1 + sum(x > cuts[n * q // K] for q in range(1, K)) for x in latent]
    return columns, y, [rng.choice([.5, 1, 1, 2]) for _ in range(n)]


def run(rung, folder, number, K, n, options, weighted):
    rng = random.Random(number)
    columns, y, w = make_table(rng, n, K)
    rules = {'rounds': 12, 'rate': .3, 'leaves': 5, 'min-rows': 4, 'l2': 1.5, **options}
    train, path, answers = (os.path.join(folder, name) for name in ('train.csv', 'm.rung', 'p.csv'))
    with open(train, 'w', newline='') as file:
        out = csv.writer(file)
        out.writerow(['a', 'b', 'c', 'd', 'e', 'w', 'label'])
        for i in range(n):
            out.writerow(['' if c[i] is None else c[i] for c in columns] + [w[i] if weighted else 1, y[i]])
    command = [rung, 'fit', train, '--weights', 'w', '-m', 'boost', '-o', path, '--quiet']
    for name, x in {**rules, 'rows': 1, 'columns': 1, 'seeds': 1, 'calibrate': 0}.items():
        command += ['-p', '%s=%s' % (name, x)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    nominal = rules.get('link') == 'nominal'
    trees, t, proba = (boost_nominal if nominal else boost_ordinal)(columns, y, w if weighted else [1] * n, K, rules)
    what = 'case %d' % number
    model, a = read_model(path)
    assert len(trees) == model['members'][0]['trees']['count'], what
    for k, root in enumerate(trees):
        compare_tree(model, a, k, root, columns, rules['rate'], what)
    for q, x in enumerate(t or []):
        close(a['probit.thresholds'][q], x, '%s, threshold %d' % (what, q + 1))
    subprocess.run([rung, 'predict', path, train, '--proba', '-o', answers, '--quiet'], check=True,
                   stdout=subprocess.DEVNULL)
    with open(answers) as file:
        for i, row in enumerate(csv.DictReader(file)):
            for q in range(K):
                close(float(row['p(%d)' % (q + 1)]), proba[i][q],
                      '%s, row %d, probability of %d' % (what, i + 1, q + 1))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = [(4, 90, {}, False), (4, 90, {}, True), (2, 70, {}, False), (3, 80, {'link': 'nominal'}, False),
             (3, 80, {'link': 'nominal'}, True), (5, 120, {'leaves': 8, 'min-rows': 1, 'l2': 0.1}, False)]
    with tempfile.TemporaryDirectory() as folder:
        for number, (K, n, options, weighted) in enumerate(cases):
            run(sys.argv[1], folder, number, K, n, options, weighted)
    print('%d passed, 0 failed' % len(cases))


if __name__ == '__main__':
    main()
