'use strict';
const client = Number(sessionStorage.getItem('client')) || 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 0xfffffffe;

const showAgreement = found => {
  const table = make('table', {}, make('caption', {}, 'Rows that both have graded'));
  table.append(make('tr', {}, ...['Graders', 'Rows', 'The same', 'Within one class', 'Weighted kappa'].map(t => make('th', {scope: 'col'}, t))));
  for (const p of found.pairs) {
    table.append(make('tr', {}, make('th', {scope: 'row'}, `${p.a} and ${p.b}`), make('td', {}, String(p.n)),
      make('td', {}, p.n ? percent(p.same / p.n) : '–'), make('td', {}, p.n ? percent(p.close / p.n) : '–'),
      make('td', {}, p.kappa === null ? '–' : p.kappa.toFixed(2))));
  }
  at('agreement').replaceChildren(found.pairs.length ? table : make('p', {}, 'There is a single grader.'),
    make('p', {class: 'soft'}, 'Kappa with quadratic weights: 1 is full agreement, 0 what chance gives. A range counts as its middle.'));
};

const showRows = found => {
  const open = new Set([...document.querySelectorAll('details[open]')].map(d => d.dataset.row));
  at('left').textContent = found.disagreements
    ? `${found.left} of ${found.disagreements} are not settled. Until then the label is the median of the grades, or the range between the two in the middle.` : 'None.';
  at('rows').replaceChildren(...found.rows.map(row => {
    const grades = row.grades.map(g => `${g.grader}: ${g.label}`).join(', ');
    const cells = make('div'), settle = make('div', {class: 'settle', role: 'group', 'aria-label': `Settle row ${row.number}`}, 'Settle as:');
    showCells(cells, row);
    found.classes.forEach((name, k) => {
      const button = make('button', {type: 'button', 'aria-pressed': row.settled === name}, name);
      button.addEventListener('click', () => load('settle', {client, row: row.number, low: k + 1, high: k + 1}));
      settle.append(button);
    });
    const item = make('details', {'data-row': row.number},
      make('summary', {}, `Row ${row.number}. ${grades}` + (row.settled === null ? '' : `. Settled: ${row.settled}`)), make('div', {}, settle, cells));
    item.open = open.has(String(row.number));
    return item;
  }));
};

const load = async (path, body) => {
  try {
    const found = await ask(path, body);
    document.title = `Graders – ${found.data}`;
    at('title').textContent = `${found.data}: graders`;
    alarm('');
    showAgreement(found), showRows(found);
  } catch (error) {
    alarm(error.message);
  }
};

load('agreement');
