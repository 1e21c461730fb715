// SPDX-License-Identifier: BSD-3-Clause
/* What the page says of a row: the answer in words, and what moved it. */

/* An answer: the class, how probable the classes are, the value that contributions add up to. */
const answerOf = (program, predict, cells) => {
  const got = predict(cells), p = got.probabilities, rank = got.rank?.[0];
  const value = p ? p.reduce((sum, v, q) => sum + (q + 1) * v, 0) : rank ?? got.score[0];
  const name = rank === undefined ? short(got.score[0]) : rank ? program.classes[rank - 1] : 'no answer';
  return {...got, rank, name, value};
};

/* Which columns of a row differ from another one. */
const differing = (cells, from) => [...cells.keys()].filter(j => !Object.is(cells[j], from[j]));

const EXACT = 8, ORDERS_DRAWN = 24; // columns for which all subsets are looked at; orders that stand for all, and back

/* Shapley values: by how much the value changes when a column takes its number in `cells` instead of that in `from`, on
 * average over all orders in which the columns can change. They add up to the whole change. A generator that yields
 * between predictions, so that the page stays responsive; its result is [column, change], the largest first. */
function* contributions(value, cells, from) {
  const changed = differing(cells, from), k = changed.length, sum = new Float64Array(k);
  const mixed = Array.from(from);
  const take = on => {
    for (let i = 0; i < k; i++) mixed[changed[i]] = on(i) ? cells[changed[i]] : from[changed[i]];
    return value(mixed);
  };
  if (k <= EXACT) {
    const of = [];
    for (let set = 0; set < 1 << k; set++) yield of[set] = take(i => set >> i & 1);
    const size = set => { let n = 0; for (; set; set &= set - 1) n++; return n; };
    const factorial = n => n > 1 ? n * factorial(n - 1) : 1;
    for (let set = 0; set < 1 << k; set++)
      for (let i = 0; i < k; i++) {
        if (set >> i & 1) continue;
        const n = size(set);
        sum[i] += (of[set | 1 << i] - of[set]) * factorial(n) * factorial(k - n - 1) / factorial(k);
      }
  } else {
    let state = 1;
    const draw = n => { state = state * 48271 % 2147483647; return state % n; }; // the same orders every time
    for (let r = 0; r < ORDERS_DRAWN; r++) {
      const order = [...changed.keys()];
      for (let i = k - 1; i > 0; i--) {
        const j = draw(i + 1);
        [order[i], order[j]] = [order[j], order[i]];
      }
      for (const way of [order, [...order].reverse()]) {
        const on = new Set();
        let before = take(i => on.has(i));
        for (const i of way) {
          on.add(i);
          const after = take(j => on.has(j));
          sum[i] += (after - before) / (2 * ORDERS_DRAWN);
          before = after;
          yield;
        }
      }
    }
  }
  return changed.map((j, i) => [j, sum[i]]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
}

const signed = x => (x < 0 ? '\u2212' : '+') + Math.abs(x).toFixed(2);
const percent = p => p > 0 && p < 0.0005 ? '< 0.1 %' : p < 1 && p >= 0.9995 ? '> 99.9 %' : `${(100 * p).toFixed(1)} %`;

/* The cells of a table that was pasted: {rows, problems, unused}; a row that cannot be read has a problem instead. */
const readRows = (program, table) => {
  const places = placesOf(program.columns, table[0]), found = places.filter(p => p >= 0).length;
  const unnamed = found === 0 && table[0].length === program.columns.length; // no header: columns by their order
  if (found === 0 && !unnamed)
    throw new Error(`No column of the model is in the first line. It needs: ${program.columns.map(c => c.name).join(', ')}`);
  const at = unnamed ? [...program.columns.keys()] : places;
  const header = unnamed ? program.columns.map(c => c.name) : table[0];
  const absent = program.columns.filter((c, j) => at[j] < 0).map(c => c.name);
  const rows = table.slice(unnamed ? 0 : 1).map(given => {
    const cells = [], unread = [];
    program.columns.forEach((c, j) => {
      const text = at[j] < 0 ? '' : given[at[j]] ?? '', x = cellOf(c, text);
      if (x === undefined || x !== x && !program.takes_missing) unread.push(`${c.name}: ${text || 'missing'}`);
      cells.push(x ?? NaN);
    });
    const far = program.columns.filter((c, j) => outside(c, cells[j])).map(c => c.name);
    const unseen = program.columns.filter((c, j) => c.kind === 'category' && cells[j] < 0 && at[j] >= 0
      && (given[at[j]] ?? '').trim() && !says(ABSENT, given[at[j]].trim())).map(c => c.name);
    return {given: header.map((name, j) => given[j] ?? ''), cells, unread, far, unseen};
  });
  return {header, rows, absent};
};

/* The columns of rung's own predictions, after those that were given. */
const resultHeader = program => [program.label || 'prediction', ...('rank' in program.results ? ['rank'] : []),
  ...('probabilities' in program.results ? program.classes.map(c => `p(${c})`) : ['score']),
  ...('interval' in program.results ? ['interval_low', 'interval_high'] : []), 'note'];
const resultCells = (program, row, answer) => {
  const notes = [...row.unread.map(t => `cannot be read: ${t}`), ...row.far.map(n => `outside the training range: ${n}`),
    ...row.unseen.map(n => `not seen in training: ${n}`)];
  if (!answer) return [...resultHeader(program).slice(1).map(() => ''), notes.join('; ')];
  return [answer.rank === 0 ? '' : answer.name, ...(answer.rank === undefined ? [] : [String(answer.rank || '')]),
    ...(answer.probabilities || answer.score.slice(0, 1)).map(String), ...(answer.interval || []).map(String),
    notes.join('; ')];
};
