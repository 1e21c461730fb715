'use strict';
const WAIT = 700; // milliseconds for a second digit, where a longer number begins with the first
const POLL = 2000; // milliseconds between questions about the model

const client = Number(sessionStorage.getItem('client')) || 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 0xfffffffe;
sessionStorage.setItem('client', client);

let row = null; // that is shown
let state = null;
let busy = false;
let range = null; // null: a single grade; 0: the lowest is asked for; k: it is k
let digits = '';
let timer = 0;

// What is typed for each class: its name if all are whole numbers, else its place from 1.
const keysOf = classes => classes.every(c => /^[0-9]{1,3}$/.test(c.name)) ? classes.map(c => c.name) : classes.map((c, k) => String(k + 1));

// ---- what is shown ----

const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

const showQuestion = () => {
  const last = state.classes.length;
  at('question').textContent = !row ? '' : digits ? `Grade ${digits}_ (Enter)`
    : range === null ? '' : range === 0 ? 'Not sure: the lowest grade it could be?' : 'And the highest?';
  at('range').setAttribute('aria-pressed', range !== null);
  for (const button of at('grades').children) {
    const k = Number(button.dataset.rank);
    button.disabled = !row || (range !== null && (range === 0 ? k === last : k <= range));
    button.className = range && k === range ? 'low' : '';
  }
  at('skip').disabled = at('range').disabled = !row;
};

const showGrades = () => {
  if (at('grades').children.length === state.classes.length) return;
  if (state.classes.length <= 7 && state.classes.every(c => c.name.length <= 4)) // in one line, on a phone, too
    at('grades').style.gridTemplateColumns = `repeat(${state.classes.length}, minmax(0, 1fr))`;
  const keys = keysOf(state.classes);
  at('grades').replaceChildren(...state.classes.map((c, k) => {
    const button = make('button', {type: 'button', 'data-rank': k + 1}, make('span', {}, c.name));
    if (c.name !== keys[k]) button.append(make('kbd', {}, keys[k]));
    button.addEventListener('click', () => choose(k + 1));
    return button;
  }));
};

const showRow = () => {
  if (row) {
    at('number').textContent = `Row ${row.number}`;
    showCells(at('cells'), row);
    return;
  }
  at('number').textContent = 'No row is left to grade';
  const parts = [make('p', {}, `The labelled copy: rung label ${state.data} -l ${state.column} --export FILE`)];
  if (state.skipped) {
    const again = make('button', {type: 'button', id: 'reopen'}, `Show the ${plural(state.skipped, 'skipped row')} again`);
    again.addEventListener('click', () => act('reopen', {}));
    parts.push(again);
  }
  at('cells').replaceChildren(...parts);
};

const showGraded = graded => {
  const place = at('graded');
  place.replaceChildren();
  if (!graded) return;
  place.append(`Row ${graded.number}: you `, make('strong', {}, graded.label));
  if (graded.before !== null) place.append(`; this row came again, the first time you said `, make('strong', {}, graded.before));
  if (graded.guess) {
    const far = graded.guess.rank < graded.low - 1 || graded.guess.rank > graded.high + 1;
    const sure = graded.guess.probability === undefined ? '' : ` (${percent(graded.guess.probability)})`;
    place.append('; the model ', make('strong', far ? {class: 'far'} : {}, graded.guess.label), sure);
    if (far) place.append(make('span', {class: 'far'}, ': far apart, undo if you were wrong'));
  }
  place.append('.');
};

const showLabels = () => {
  const most = Math.max(1, ...state.classes.map(c => c.labels));
  const table = make('table', {class: 'count'}, make('caption', {hidden: ''}, 'Labels per class'));
  for (const c of state.classes) {
    const fill = make('div', {class: 'fill'});
    fill.style.width = `${100 * c.labels / most}%`;
    fill.hidden = !c.labels;
    table.append(make('tr', {}, make('th', {scope: 'row'}, c.name), make('td', {}, String(c.labels)), make('td', {}, fill)));
  }
  at('labels').replaceChildren(table);
  if (state.ranges) at('labels').append(make('p', {class: 'soft'}, `and ${plural(state.ranges, 'range')}`));
};

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

// The error by number of labels, with its range.
const showHistory = history => {
  const [W, H, L, R, T, B] = [280, 120, 30, 6, 8, 18];
  const xs = history.map(p => p[0]), top = Math.max(...history.map(p => p[3] ?? p[1]), 0.1) * 1.05;
  const low = Math.min(...xs), high = Math.max(...xs, low + 1);
  const x = v => L + (W - L - R) * (v - low) / (high - low), y = v => T + (H - T - B) * (1 - v / top);
  const line = k => history.map(p => `${x(p[0]).toFixed(1)},${y(p[k] ?? p[1]).toFixed(1)}`);
  const words = `Error from ${low} labels, ${history[0][1].toFixed(2)}, to ${xs.at(-1)} labels, ${history.at(-1)[1].toFixed(2)}`;
  return svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': words},
    svg('polygon', {points: [...line(2), ...line(3).reverse()].join(' '), fill: 'currentColor', 'fill-opacity': '.25'}),
    svg('polyline', {points: line(1).join(' '), fill: 'none', stroke: 'currentColor', 'stroke-width': '2'}),
    ...history.slice(-1).map(p => svg('circle', {cx: x(p[0]), cy: y(p[1]), r: 3, fill: 'currentColor'})),
    svg('text', {x: L - 4, y: T + 8, 'text-anchor': 'end'}, top.toFixed(1)), svg('text', {x: L - 4, y: H - B, 'text-anchor': 'end'}, '0'),
    svg('text', {x: L, y: H - 4}, String(low)), svg('text', {x: W - R, y: H - 4, 'text-anchor': 'end'}, `${high} labels`));
};

const showModel = () => {
  const m = state.model, parts = [], last = m.history.at(-1);
  if (last) {
    const bounds = last[2] === null ? '' : ` (${last[2].toFixed(2)} to ${last[3].toFixed(2)})`;
    parts.push(make('p', {class: 'big'}, `Mean error ${m.bound ? 'at least ' : ''}${last[1].toFixed(2)}${bounds}`),
      make('p', {class: 'soft'}, `in classes, with ${last[0]} labels, on ${last[4]} rows held out and not chosen; always predicting the median class: ${m.median.toFixed(2)}` +
        (m.bound ? '. A guess inside a range counts as right: grade more rows with one class.' : '')));
    if (m.history.length > 1) parts.push(showHistory(m.history));
  }
  if (m.forecast) {
    const f = m.forecast, pays = f.low < 0.8 * f.now ? '' : ' More labels may not pay.';
    parts.push(make('p', {id: 'forecast'},
      `Forecast made with ${f.labels} labels, when the error was ${f.now.toFixed(2)}: ${f.low.toFixed(2)} to ${f.high.toFixed(2)} with ${f.labels + f.more}.${pays}`));
  }
  if (m.why) parts.push(make('p', {class: 'soft'}, `No model: ${m.why}`));
  else if (!m.labels && !m.fitting) parts.push(make('p', {class: 'soft'}, 'Begins with two labels in each of two classes.'));
  else if (m.labels && !last) parts.push(make('p', {class: 'soft'}, `Fitted to ${m.labels} labels; too few were drawn at random to measure its error.`));
  parts.push(make('p', {class: 'soft', id: 'fitting'}, m.fitting ? 'Fitting …' : ''));
  at('model').replaceChildren(...parts);
};

const showYou = () => {
  const parts = [make('p', {}, `${state.grader}: ${plural(state.mine, 'grade')}`)];
  parts.push(make('p', {class: 'soft'}, state.again.n ? `Rows that came again: ${agreementWords(state.again)}.`
    : 'One row in twenty comes again, to see how far you agree with yourself.'));
  if (state.graders.length > 1) parts.push(make('p', {}, make('a', {href: 'graders'}, `Agreement of ${state.graders.length} graders`)));
  at('you').replaceChildren(...parts);
};

const showState = () => {
  document.title = `${state.column} – ${state.data}`;
  at('title').textContent = `${state.data}: ${state.column}`;
  at('progress').textContent = `${state.labelled} of ${plural(state.rows, 'row')} labelled` + (state.skipped ? `, ${state.skipped} skipped` : '');
  at('bar').max = state.rows;
  at('bar').value = state.labelled;
  showGrades(), showLabels(), showModel(), showYou();
};

// ---- what is done ----

const act = async (path, body) => {
  if (busy) return;
  busy = true;
  try {
    const answer = await ask(path, {client, ...body});
    row = answer.row;
    state = answer.state;
    range = null;
    digits = '';
    alarm('');
    showState(), showRow(), showGraded(answer.graded), showQuestion();
    scrollTo(0, 0);
  } catch (error) {
    alarm(error.message);
    if (error.status === 409) setTimeout(() => act('next', {}), 0);
  } finally {
    busy = false;
    document.body.dataset.row = row ? row.number : '';
  }
};

const choose = rank => {
  if (!row || busy || rank < 1 || rank > state.classes.length) return;
  if (range === null) act('grade', {row: row.number, low: rank, high: rank});
  else if (range === 0 && rank < state.classes.length) range = rank, showQuestion();
  else if (range > 0 && rank > range) act('grade', {row: row.number, low: range, high: rank});
};

const toggleRange = () => {
  if (!row) return;
  range = range === null ? 0 : null;
  digits = '';
  showQuestion();
};

// A number grades at once where no longer one begins with it.
const type = digit => {
  const keys = keysOf(state.classes), begun = text => keys.some(key => key.startsWith(text));
  clearTimeout(timer);
  digits = begun(digits + digit) ? digits + digit : begun(digit) ? digit : '';
  if (keys.includes(digits) && !keys.some(key => key.startsWith(digits) && key !== digits)) return finish();
  if (digits) timer = setTimeout(finish, WAIT);
  showQuestion();
};

const finish = () => {
  clearTimeout(timer);
  const rank = 1 + keysOf(state.classes).indexOf(digits);
  digits = '';
  showQuestion();
  choose(rank);
};

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || !state) return;
  const key = event.key.toLowerCase();
  if (/^[0-9]$/.test(key)) {
    if (row && !busy) type(key);
  } else if (key === 'enter' && digits) finish();
  else if (key === 'n') toggleRange();
  else if (key === 's') row && act('skip', {row: row.number});
  else if (key === 'u' || key === 'backspace') act('undo', {});
  else if (key === 'escape') range = null, digits = '', clearTimeout(timer), showQuestion();
  else return;
  event.preventDefault();
});

at('range').addEventListener('click', toggleRange);
at('skip').addEventListener('click', () => row && act('skip', {row: row.number}));
at('undo').addEventListener('click', () => act('undo', {}));

setInterval(async () => {
  if (document.hidden || busy || !state) return;
  try {
    const now = await ask('state');
    if (!busy) state = now, showState();
  } catch (error) {
    alarm(error.message);
  }
}, POLL);

act('next', {});
