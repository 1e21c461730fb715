'use strict';
// Shared by the pages. Texts of the data become text nodes, never markup.

const at = id => document.getElementById(id);

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const ask = async (path, body) => {
  let reply;
  try {
    reply = await fetch(path, body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)});
  } catch {
    throw new Error('The server does not answer. Start rung label again: the grades are in the journal.');
  }
  const answer = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(answer.error), {status: reply.status});
  return answer;
};

const alarm = text => {
  at('alert').textContent = text;
  at('alert').hidden = !text;
};

const LONG = 120; // letters, from which a cell is shown as running text

const showCells = (place, row) => {
  const table = make('table', {class: 'cells'}), parts = [];
  table.append(make('caption', {hidden: ''}, 'Columns of the row'));
  for (const cell of row.cells) {
    if (cell.as === 'image' && cell.text) {
      parts.push(make('figure', {}, make('img', {src: `image/${row.number}/${cell.column}`, alt: `${cell.name}: ${cell.text}`}),
        make('figcaption', {}, `${cell.name}: ${cell.text}`)));
    } else if (cell.as === 'text' || cell.text.length > LONG) {
      parts.push(make('div', {class: 'text'}, make('h3', {}, cell.name),
        make('p', {tabindex: '0'}, cell.text + (cell.cut ? ' … (cut here; the file has more)' : ''))));
    } else {
      table.append(make('tr', {}, make('th', {scope: 'row'}, cell.name), make('td', {}, cell.text || '–')));
    }
  }
  if (table.rows.length) parts.push(table);
  place.replaceChildren(...parts);
};

const percent = share => Math.round(100 * share) + ' %';

const agreementWords = a =>
  `${a.same} of ${a.n} the same, ${a.close} within one class` + (a.kappa === null ? '' : `; weighted kappa ${a.kappa.toFixed(2)}`);
