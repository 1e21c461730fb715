// SPDX-License-Identifier: BSD-3-Clause
/* The page: a form made from the columns of the model, what it answers, and tables of rows. Names are put in as text. */

const program = JSON.parse(document.getElementById('model').textContent);
const predict = predictor(program);
const {columns, classes} = program;
const at = id => document.getElementById(id);
const make = (name, attributes, ...inside) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) e.setAttribute(key, value);
  e.append(...inside);
  return e;
};
const nameOf = text => make('bdi', {}, text); // whatever its direction, what follows stays in its place

// ---- the form ----

const CHOICES = 4; // up to so many are all in sight

const hintOf = column => {
  if (column.range) return `${textOf(column, column.range[0])} to ${textOf(column, column.range[1])} in training`;
  return column.kind === 'hours' ? 'hours and minutes, as 12:30' : '';
};

/* What is chosen from: [value, text] each, the last one for unknown. */
const optionsOf = column => {
  const first = column.kind === 'ordered' ? 1 : 0;
  return [...column.categories.map((name, k) => [String(k + first), name]).filter(o => o[1] !== ''), ['', 'unknown']];
};

const chosenField = (column, j) => {
  const options = optionsOf(column);
  if (options.length <= CHOICES + 1)
    return make('fieldset', {class: 'field'}, make('legend', {}, make('span', {class: 'name'}, nameOf(column.name))),
      make('div', {class: 'choices'}, ...options.map(([value, text]) => make('label', {},
        make('input', {type: 'radio', name: `c${j}`, value, checked: value ? null : ''}), nameOf(text)))));
  return make('div', {class: 'field'}, make('label', {for: `c${j}`}, make('span', {class: 'name'}, nameOf(column.name))),
    make('select', {id: `c${j}`, name: `c${j}`}, ...options.map(([value, text]) => make('option', {value, dir: 'auto', selected: value ? null : ''}, text))));
};

const timed = column => column.typical * 2 % 1 !== 0; // dates with a time of day; a median may be half a day

const typedField = (column, j) => {
  const name = make('span', {class: 'name'}, nameOf(column.name)), hint = hintOf(column);
  const input = make('input', {id: `c${j}`, name: `c${j}`, autocomplete: 'off', placeholder: 'unknown',
    'aria-describedby': `h${j} p${j}`, type: column.kind !== 'date' ? 'text' : timed(column) ? 'datetime-local' : 'date',
    inputmode: column.kind === 'number' ? 'decimal' : null});
  return make('div', {class: 'field'}, make('label', {for: `c${j}`}, name, column.unit ? ` (${column.unit})` : ''), input,
    make('p', {class: 'hint', id: `h${j}`}, hint), make('p', {class: 'problem', id: `p${j}`}));
};

const isChosen = column => column.kind === 'category' || column.kind === 'ordered';
const controlOf = j => at('form').elements[`c${j}`];

/* What is typed may have a decimal comma; with three digits after it, it could mean thousands. */
const typedCell = (column, given) => {
  const text = given.trim();
  if (column.kind === 'date') return text ? days('ymd', text) : NaN;
  if (column.kind === 'number' && !column.written && /^[-+]?\d*,(\d{1,2}|\d{4,})$/.test(text))
    return cellOf(column, text.replace(',', '.'));
  return cellOf(column, text);
};

const formCells = () => columns.map((column, j) => {
  const text = controlOf(j).value;
  return !isChosen(column) ? typedCell(column, text) : text === '' ? unknownOf(column) : Number(text);
});

const setCell = (column, j, x) => {
  const none = x !== x || x < 0 || column.kind === 'category' && column.categories[x] === '';
  if (isChosen(column)) controlOf(j).value = none ? '' : String(x);
  else if (column.kind === 'date') controlOf(j).value = none ? '' : timed(column) ? dayText(x).replace(' ', 'T') : dayText(x);
  else controlOf(j).value = none ? '' : column.kind === 'hours' ? hourText(x) : writtenNumber(column, x);
};

/* A number as the column has them, with as few digits as its range lets one tell. */
const writtenNumber = (column, x) => {
  const text = short(x, 6);
  return column.written === 'comma' ? text.replace('.', ',') : text;
};

const typicalCells = columns.map(c => c.kind === 'number' ? Number(short(c.typical, 6)) // as the form has them
  : c.kind === 'hours' ? Math.round(c.typical * 60) / 60 : c.kind === 'date' && !timed(c) ? Math.floor(c.typical) : c.typical);

// ---- the answer ----

const showProblems = cells => columns.forEach((column, j) => {
  if (isChosen(column)) return;
  const bad = cells[j] === undefined, far = !bad && outside(column, cells[j]);
  at(`p${j}`).textContent = bad ? 'This is not understood; it counts as unknown. Write a plain number, as 1200 or 1.2.'
    : far ? 'Outside the training range' : '';
  if (bad && column.kind !== 'number') at(`p${j}`).textContent = 'This is not understood; it counts as unknown.';
  controlOf(j).setAttribute('aria-invalid', bad);
});

const warningsOf = cells => columns.flatMap((column, j) => outside(column, cells[j])
  ? [`${column.name}: ${textOf(column, cells[j])} is outside the range of the training data, ${
    textOf(column, column.range[0])} to ${textOf(column, column.range[1])}. The model has not seen such a value.`] : []);

const intervalText = ({interval}) => {
  if (!interval) return '';
  const [low, high] = interval.map(k => classes[k - 1]), share = short(100 * program.level);
  return low === high ? `With ${share} % probability it is ${low}.` : `With ${share} % probability it is from ${low} to ${high}.`;
};

const showBars = answer => {
  const p = answer.probabilities;
  at('bars').hidden = !p;
  if (!p) return;
  at('bars').tBodies[0].replaceChildren(...classes.map((name, q) => {
    const best = q + 1 === answer.rank, within = answer.interval && q + 1 >= answer.interval[0] && q + 1 <= answer.interval[1];
    const fill = make('div', {class: 'fill'});
    fill.style.width = `${100 * p[q]}%`;
    return make('tr', {class: `${best ? 'best' : ''} ${within ? 'within' : ''}`.trim() || null},
      make('th', {scope: 'row'}, nameOf(name), make('span', {class: 'unseen'}, `${best ? ', the answer' : ''}${within ? ', in the interval' : ''}`)),
      make('td', {}, make('div', {class: 'track', 'aria-hidden': 'true'}, fill)), make('td', {}, percent(p[q])));
  }));
};

const scoreText = answer => {
  const sd = answer.sd ? ` \u00b1 ${short(answer.sd[0], 3)} (standard deviation)` : '';
  return classes.length ? '' : sd;
};

let spoken = 0;
const speak = text => { clearTimeout(spoken); spoken = setTimeout(() => { at('said').textContent = text; }, 400); };

const MOST_MOVES = 10;
const SLICE = 12; // milliseconds of work between breaths
let moving = null;

const showMoves = (moves, from, to, cells) => {
  const shown = moves.slice(0, moves.length > MOST_MOVES + 1 ? MOST_MOVES : moves.length), rest = moves.slice(shown.length);
  const largest = Math.max(...moves.map(m => Math.abs(m[1])), 1e-12), [caption, body] = at('moved').querySelectorAll('caption, tbody');
  const row = (label, change) => {
    const fill = make('div', {class: `fill ${change < 0 ? 'down' : 'up'}`});
    fill.style.width = `${50 * Math.min(1, Math.abs(change) / largest)}%`;
    return make('tr', {}, make('th', {scope: 'row'}, ...label), make('td', {}, make('div', {class: 'track', 'aria-hidden': 'true'}, fill)),
      make('td', {}, signed(change)));
  };
  body.replaceChildren(...shown.map(([j, change]) => row([nameOf(columns[j].name), `: `, nameOf(textOf(columns[j], cells[j]))], change)));
  if (rest.length) body.append(row([`${rest.length} others`], rest.reduce((sum, m) => sum + m[1], 0)));
  caption.textContent = moves.length ? `${valueName} ${to.toFixed(2)}; of a typical row ${from.toFixed(2)}`
    : `Nothing differs from a typical row.`;
};

const valueName = 'probabilities' in program.results ? 'Expected grade' : classes.length ? 'Grade' : 'Value';

const explain = (cells, answer) => {
  const value = c => answerOf(program, predict, c).value;
  const steps = contributions(value, cells, typicalCells);
  clearTimeout(moving);
  const go = () => {
    for (const end = performance.now() + SLICE; performance.now() < end;) {
      const step = steps.next();
      if (step.done) return showMoves(step.value, value(typicalCells), answer.value, cells);
    }
    moving = setTimeout(go);
    return undefined;
  };
  go();
};

const nothing = text => {
  at('headline').className = 'soft';
  at('headline').textContent = text;
  at('details').hidden = true;
  speak('');
};

const show = () => {
  const given = formCells(), cells = given.map((x, j) => x ?? unknownOf(columns[j]));
  showProblems(given);
  clearTimeout(moving);
  const blank = columns.every((c, j) => controlOf(j).value === '');
  if (blank) return nothing('Enter what is known.');
  const needed = program.takes_missing ? [] : columns.filter((c, j) => c.kind !== 'category' && cells[j] !== cells[j]);
  if (needed.length) return nothing(`Still needed: ${needed.map(c => c.name).join(', ')}`);
  let answer;
  try {
    answer = answerOf(program, predict, cells);
  } catch (error) {
    return nothing(`There is no answer to these values. ${error.message}`);
  }
  const p = answer.probabilities && answer.rank ? percent(answer.probabilities[answer.rank - 1]) : '';
  at('headline').className = '';
  at('headline').replaceChildren(nameOf(answer.name), ' ', make('span', {}, p || scoreText(answer)));
  at('details').hidden = false;
  at('range').textContent = answer.rank === 0 ? 'By the costs that the model was given, no answer is better than any.' : intervalText(answer);
  const warnings = warningsOf(cells);
  at('warnings').replaceChildren(...warnings.map(text => make('li', {dir: 'auto'}, text)));
  showBars(answer);
  speak([`${program.label || 'Answer'}: ${answer.name}${p ? `, probability ${p}` : ''}.`, intervalText(answer), ...warnings].join(' '));
  return explain(cells, answer);
};

// ---- several rows ----

const SHOWN = 100, ROWS_AT_ONCE = 50;
let results = [], running_ = 0;

const predictRow = row => {
  if (row.unread.length) return null;
  try {
    return answerOf(program, predict, row.cells);
  } catch (error) {
    row.unread.push(error.message);
    return null;
  }
};

const showResults = (header, given, absent) => {
  const own = resultHeader(program), [head, body] = at('results').querySelectorAll('thead, tbody');
  const cell = (text, k) => make('td', {dir: 'auto', class: k >= given ? 'result' : null}, text);
  head.replaceChildren(make('tr', {}, ...header.map(name => make('th', {scope: 'col', dir: 'auto'}, name))));
  body.replaceChildren(...results.slice(1, SHOWN + 1).map(row => make('tr', {}, ...row.map((text, k) =>
    cell(k >= given && /^-?\d*\.\d{5,}/.test(text) ? Number(text).toFixed(4) : text, k)))));
  const n = results.length - 1, failed = results.slice(1).filter(row => row[given] === '' && row[row.length - 1]).length;
  at('count').textContent = `${n} row${n === 1 ? '' : 's'} predicted${n > SHOWN ? `, the first ${SHOWN} are shown` : ''}.`
    + (failed ? ` ${failed} of them have no answer; the column ${own[own.length - 1]} says why.` : '')
    + (absent.length ? ` Columns that are not in the table count as unknown: ${absent.join(', ')}.` : '');
  at('results').hidden = at('download').hidden = false;
};

/* In pieces, so that the page answers in between. */
const predictTable = async text => {
  const turn = ++running_;
  at('results').hidden = at('download').hidden = true;
  try {
    const {header, rows, absent} = readRows(program, parseTable(text)), names = [...header, ...resultHeader(program)];
    const all = [names];
    for (const row of rows) {
      all.push([...row.given, ...resultCells(program, row, predictRow(row))]);
      if (all.length % ROWS_AT_ONCE) continue;
      at('count').textContent = `${all.length} of ${rows.length} rows`;
      await new Promise(done => { setTimeout(done); });
      if (turn !== running_) return;
    }
    results = all;
    showResults(names, header.length, absent);
  } catch (error) {
    at('count').textContent = error.message;
  }
};

const takeFile = async file => {
  if (!file) return;
  const text = await file.text();
  at('table').value = text.length < 1e6 ? text : '';
  predictTable(text);
};

const download = () => {
  const link = make('a', {href: URL.createObjectURL(new Blob([csvOf(results)], {type: 'text/csv'})), download: 'predictions.csv'});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// ---- all ----

at('bars').caption.textContent = 'Probability of each class, the lowest first.'
  + ('interval' in program.results ? ` A mark at the left of a bar: the class is in the ${short(100 * program.level)} % interval.` : '');
at('asked').append(nameOf(program.label || 'Answer'));
at('fields').append(...columns.map((column, j) => isChosen(column) ? chosenField(column, j) : typedField(column, j)));
at('method').textContent = `${valueName} means ${classes.length ? `the place of the class, from 1 (${classes[0]}) to ${
  classes.length} (${classes[classes.length - 1]})${'probabilities' in program.results ? ', averaged over the probabilities' : ''}` : 'the predicted number'}. `
  + 'The row is compared with a typical one: the median of every number, the most common of every category. A column moves the answer by the '
  + 'change that its value makes in place of the typical one, on average over all orders in which the columns can change (Shapley values); '
  + (columns.length > EXACT ? `where more than ${EXACT} columns differ, over ${2 * ORDERS_DRAWN} of them. ` : '')
  + 'The changes add up to the whole difference. They describe the model, not causes.';
at('typically').textContent = `The typical row: ${columns.map((c, j) => `${c.name} ${textOf(c, typicalCells[j])}`).join('; ')}.`;
at('form').addEventListener('input', show);
at('form').addEventListener('submit', event => event.preventDefault());
at('typical').addEventListener('click', () => { columns.forEach((c, j) => setCell(c, j, typicalCells[j])); show(); });
at('clear').addEventListener('click', () => { at('form').reset(); show(); });
at('print').addEventListener('click', () => window.print());
addEventListener('beforeprint', () => { at('printed').textContent = `Printed on ${new Date().toISOString().slice(0, 16).replace('T', ' ')} (UTC).`; });
at('predict').addEventListener('click', () => predictTable(at('table').value));
at('file').addEventListener('change', () => takeFile(at('file').files[0]));
at('download').addEventListener('click', download);
for (const type of ['dragover', 'dragleave', 'drop']) addEventListener(type, event => {
  event.preventDefault();
  at('many').classList.toggle('over', type === 'dragover');
  if (type === 'drop') takeFile(event.dataTransfer.files[0]);
});
document.querySelector('main').hidden = at('many').hidden = false;
show();
