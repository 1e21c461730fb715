// SPDX-License-Identifier: BSD-3-Clause
/* The reader of a model that was exported as a list of operations (docs/model-program.md of rung): one function per
 * operation, from the vectors of its operands to `out`. It knows nothing of the page. */

// ---- number by number; an operand of length 1 goes with every number of the other ----

const one = f => (o, out, x) => { for (let i = 0; i < out.length; i++) out[i] = f(x[i]); };
const two = f => (o, out, x, y) => {
  const a = x.length > 1 ? 1 : 0, b = y.length > 1 ? 1 : 0;
  for (let i = 0; i < out.length; i++) out[i] = f(x[a * i], y[b * i]);
};
const select = (o, out, c, x, y) => {
  const k = c.length > 1 ? 1 : 0, a = x.length > 1 ? 1 : 0, b = y.length > 1 ? 1 : 0;
  for (let i = 0; i < out.length; i++) out[i] = c[k * i] !== 0 ? x[a * i] : y[b * i];
};
const lower = (x, y) => x < y || y !== y ? x : y; // neither is taken for a missing number
const upper = (x, y) => x > y || y !== y ? x : y;

/* The complementary error function: a series of positive terms near 0, elsewhere a continued fraction (DLMF 7.6.2,
 * 7.9.1), whose error is below 1e-15. */
const erfc = x => {
  const z = Math.abs(x), scale = Math.exp(-z * z) / Math.sqrt(Math.PI);
  if (z !== z) return NaN;
  if (z < 2.5) {
    let term = 2 * z, sum = term;
    for (let n = 1; term > 1e-18 * sum; n++) sum += term *= 2 * z * z / (2 * n + 1);
    return 1 - Math.sign(x) * scale * sum;
  }
  let f = z;
  for (let n = 60; n > 0; n--) f = z + n / 2 / f;
  return x > 0 ? scale / f : 2 - scale / f;
};

// ---- cells ----

/* Sine and cosine, rounded correctly: the key of a row that equals labelled ones hangs on the last bit. In whole numbers
 * with 200 binary places, by the Taylor series. */
const PLACES = 200n, TURN = 10096689509235987743946820282484873672429286842977325943070736n;
const turned = new Map();
const circle = angle => {
  if (!Number.isFinite(angle)) return [NaN, NaN];
  if (turned.has(angle)) return turned.get(angle);
  const x = ((BigInt(angle * 2 ** 100) << PLACES - 100n) + TURN / 2n) % TURN - TURN / 2n;
  const sums = [0n, 0n];
  for (let n = 1n, term = 1n << PLACES; term !== 0n; n++) {
    sums[Number(n % 2n)] += n % 4n === 3n || n % 4n === 0n ? -term : term;
    term = (term * x >> PLACES) / n;
  }
  const pair = [Number(sums[0]) / 2 ** 200, Number(sums[1]) / 2 ** 200];
  turned.set(angle, pair);
  return pair;
};

const coded = (o, out, cells) => {
  out.fill(0);
  for (let j = 0; j < cells.length; j++) {
    const x = cells[j], at = o.first[j];
    if (o.kind[j] === 1) {
      if (x >= 0 && x < o.width[j]) out[at + Math.floor(x)] = 1;
      continue;
    }
    out[at] = x;
    if (o.kind[j] !== 2) continue;
    [out[at + 1], out[at + 2]] = circle(2 * Math.PI * x / 365.2425);
    [out[at + 3], out[at + 4]] = circle(2 * Math.PI * x / 7);
  }
};

// ---- of a row ----

const scale = (o, out, x) => {
  for (let i = 0; i < out.length; i++) {
    const v = (x[i] / 2 - o.shift[i] / 2) * o.factor[i] * 2;
    out[i] = o.factor[i] === 0 ? 0 : upper(lower(v, 1e150), -1e150);
  }
};

/* The first place from `low` on, below `high`, whose number is not less than x. */
const notLess = (list, low, high, x) => {
  while (low < high) {
    const middle = low + high >> 1;
    if (list[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
};

const share = (o, out, x) => {
  for (let j = 0; j < out.length; j++) {
    const first = o.first[j], last = o.first[j + 1], at = notLess(o.knot, first, last, x[j]);
    const below = at > first ? o.share[at - 1] : 0;
    out[j] = at < last && o.knot[at] === x[j] ? (below + o.share[at]) / 2 : below;
  }
};

const interpolate = (o, out, [x]) => {
  const {at, value} = o, last = at.length - 1;
  if (x >= at[0] && x < at[last]) {
    let j = notLess(at, 0, last, x);
    while (at[j + 1] === x) j++; // of equal points the last one holds
    if (at[j] > x) j--;
    const slope = (value[j + 1] - value[j]) / (at[j + 1] - at[j]);
    out[0] = Math.min(value[j] + slope * (x - at[j]), value[j + 1]);
    return;
  }
  const slope = (value[last] - value[0]) / Math.max(at[last] - at[0], 1e-300), end = x < at[0] ? 0 : last;
  out[0] = slope > 0 ? value[end] + slope * (x - at[end]) : value[end];
};

const linear = (o, out, x) => {
  for (let i = 0, w = 0; i < out.length; i++) {
    let sum = o.bias ? o.bias[i] : 0;
    for (let j = 0; j < x.length; j++) sum += o.weight[w++] * x[j];
    out[i] = sum;
  }
};

const squares = (o, out, x) => {
  for (let i = 0, w = 0; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < x.length; j++) {
      const difference = o.row[w++] - x[j];
      sum += difference * difference;
    }
    out[i] = sum;
  }
};

const neighbours = (o, out, x) => {
  const rows = o.row.length / x.length, distance = new Float64Array(rows);
  squares(o, distance, x);
  const near = Array.from(distance.keys()).sort((a, b) => distance[a] - distance[b] || a - b).slice(0, o.neighbours);
  const weight = near.map(i => o.width > 0 ? Math.exp(-(distance[i] - distance[near[0]]) / o.width / o.width / 2) : 1);
  const total = weight.reduce((a, b) => a + b, 0);
  for (let k = 0; k < out.length; k++)
    out[k] = near.reduce((sum, i, j) => sum + weight[j] / total * o.value[k * rows + i], 0);
};

const trees = (o, out, cells) => {
  out.fill(0);
  for (let t = 0; t < o.root.length; t++) {
    let node = o.root[t];
    for (let column; (column = o.column[node]) >= 0;) {
      const x = cells[column], first = o.set[node];
      const right = first >= 0 && x >= 0 ? !(o.word[first + (x >> 5)] >>> (x & 31) & 1)
        : first >= 0 || x !== x ? o.missing_right[node] : x > o.cut[node];
      node = o.left[node] + Number(right);
    }
    if (!o.votes) out[t % out.length] += o.leaf[node];
    else for (let i = 0; i < o.leaf[node] - 1; i++) out[i]++;
  }
  if (o.votes) for (let i = 0; i < out.length; i++) out[i] /= o.root.length;
};

/* FNV-1a over the words of the coded row. */
const equals = (o, out, x) => {
  const bits = new DataView(new ArrayBuffer(8));
  let hash = 14695981039346656037n;
  for (const v of x) {
    bits.setFloat64(0, v + 0);
    const word = v !== v ? 0x7ff8000000000000n : bits.getBigUint64(0);
    hash = BigInt.asUintN(64, (hash ^ word) * 1099511628211n);
    hash ^= hash >> 32n;
  }
  const key = Number(hash >> 11n);
  out.fill(0);
  for (let i = notLess(o.key, 0, o.key.length, key); o.key[i] === key; i++) out[o.rank[i] - 1] += o.mass[i];
};

// ---- intervals ----

const interval = (o, out, p, [rank]) => {
  let low = rank, high = rank, mass = p[low - 1];
  while (low > 1 || high < p.length) {
    const down = low > 1 && (high === p.length || p[low - 2] >= p[high]), more = down ? p[low - 2] : p[high];
    if (!(mass + 0.5 * more <= o.limit[0])) break;
    mass += more;
    if (down) low--; else high++;
  }
  out[0] = low;
  out[1] = high;
};

const shortest = (o, out, p) => {
  out[0] = 1;
  out[1] = p.length;
  for (let length = 1, best = -1; length < p.length && best < 0; length++)
    for (let from = 0; from + length <= p.length; from++) {
      let sum = 0;
      for (let i = from; i < from + length; i++) sum += p[i];
      if (sum < o.mass || sum <= best) continue;
      best = sum;
      out[0] = from + 1;
      out[1] = from + length;
    }
};

// ---- all ----

const running = (f, from, step) => (o, out, x) => {
  let sum;
  for (let k = 0, i = from < 0 ? x.length - 1 : 0; k < x.length; k++, i += step) out[i] = sum = k ? f(x[i], sum) : x[i];
};

const OPERATIONS = {
  coded, constant: (o, out) => out.set(o.value), scale, share, interpolate, linear, squares, neighbours, trees, equals,
  interval, shortest, select,
  add: two((x, y) => x + y), subtract: two((x, y) => x - y), multiply: two((x, y) => x * y),
  divide: two((x, y) => x / y), minimum: two(lower), maximum: two(upper), power: two((x, y) => x ** y),
  less: two((x, y) => x < y ? 1 : 0),
  exp: one(Math.exp), log: one(Math.log), log2: one(Math.log2), log10: one(Math.log10),
  log1p: one(Math.log1p), root: one(Math.sqrt), erfc: one(erfc), missing: one(x => x !== x ? 1 : 0),
  finite: (o, out, x) => {
    if (!x.every(Number.isFinite)) throw new RangeError('The score overflows.');
    out.set(x);
  },
  part: (o, out, x) => out.set(x.subarray(o.from, o.from + out.length)),
  join: (o, out, x, y) => { out.set(x); out.set(y, x.length); },
  total: (o, out, x) => { out[0] = x.reduce((a, b) => a + b, 0); },
  largest: (o, out, x) => { out[0] = x.reduce(upper); },
  place: (o, out, x) => { out[0] = x.reduce((best, v, i) => v > x[best] ? i : best, 0); },
  sums: running((x, sum) => sum + x, 0, 1), least_yet: running(lower, 0, 1), most_ahead: running(upper, -1, -1),
  choose: (o, out, place, x) => { for (let i = 0; i < out.length; i++) out[i] = x[place[i]]; },
};

const ARRAYS = { // the keys of an operation that are numbers of constants
  coded: ['first', 'width', 'kind'], constant: ['value'], scale: ['shift', 'factor'], share: ['first', 'knot', 'share'],
  interpolate: ['at', 'value'], linear: ['weight', 'bias'], squares: ['row'], neighbours: ['row', 'value'],
  trees: ['root', 'column', 'cut', 'left', 'missing_right', 'set', 'leaf', 'word'], equals: ['key', 'rank', 'mass'],
  interval: ['limit'],
};

/* From a program to a function of the cells of a row, as numbers: {rank, score, probabilities, sd, interval}, so far as
 * the model has them, each an array. */
const predictor = program => {
  const constants = program.constants.map(c => Float64Array.from(c.values));
  const values = program.operations.map(o => new Float64Array(o.n));
  const steps = program.operations.slice(1).map((o, i) => {
    const own = {...o};
    for (const key of ARRAYS[o.op] || []) if (key in o) own[key] = constants[o[key]];
    return [OPERATIONS[o.op], own, values[i + 1], ...(o.of || []).map(k => values[k])];
  });
  // What is the same for all rows is computed once.
  const ready = steps.filter(([f, o]) => o.op === 'constant');
  const left = steps.filter(([f, o]) => o.op !== 'constant');
  for (const [f, ...of] of ready) f(...of);
  return cells => {
    values[0].set(cells);
    for (const [f, ...of] of left) f(...of);
    return Object.fromEntries(Object.entries(program.results).map(([name, k]) => [name, Array.from(values[k])]));
  };
};
