// SPDX-License-Identifier: BSD-3-Clause
/* From text to the numbers of a row, column by column as rung reads files, and tables as text. */

const ABSENT = ['', '?', 'na', 'n/a', 'n.a.', '#n/a', '#n/a n/a', '<na>', 'null', '#div/0!', '#ref!', '#value!', '#num!',
  '#name?', '#null!', '#getting_data'];
const ABSENT_NUMBERS = [...ABSENT, 'nan', '-', '--', '---', '\u2013', '\u2014', '.', 'n.d.', 'n.d', 'nd', 'missing',
  'unknown', 'not available', 'n. d.', 'n. a.'];
const says = (words, text) => words.includes(text.toLowerCase());

/* A number, or undefined. */
const decimal = text => {
  const x = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(x) ? x : undefined;
};

const truth = text => ({true: 1, false: 0})[text.toLowerCase()];

const measure = (column, text) => {
  const unit = column.unit;
  if (unit && text.endsWith(unit) && text.length > unit.length) text = text.slice(0, -unit.length).trimEnd();
  if (truth(text) !== undefined) return truth(text);
  text = text.replace(/^\u2212/, '-');
  if (column.written === 'comma') text = text.replace(/(?<=\d)[. \u00a0\u202f](?=\d)/g, '').replace(',', '.');
  if (column.written === 'grouped') text = text.replace(/(?<=\d)[, \u00a0\u202f](?=\d)/g, '');
  return decimal(text);
};

/* The place of a category: by its text, else by its value as a number (6, 6.0; true is 1); -1: there is none. */
const category = (column, text) => {
  const names = column.categories, exact = names.indexOf(text);
  if (exact >= 0) return exact;
  const value = name => decimal(name) ?? truth(name), numbers = names.every(n => !n || decimal(n) !== undefined);
  if (says(numbers ? ABSENT_NUMBERS : ABSENT, text)) return names.indexOf('');
  const x = value(text);
  return x === undefined ? -1 : names.findIndex(name => value(name) === x);
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ORDERS = {ymd: /^(?<y>\d{4})[-/. ](?<m>\d{1,2}|[a-z]{3,}\.?)(?:[-/. ](?<d>\d{1,2}))?(?<rest>[T ].*)?$/i,
  dmy: /^(?<d>\d{1,2})[-/. ]\s?(?<m>\d{1,2}|[a-z]{3,}\.?)[-/. ](?<y>\d{4}|\d\d)(?<rest>[T ].*)?$/i,
  mdy: /^(?<m>\d{1,2}|[a-z]{3,}\.?)[-/. ](?<d>\d{1,2}),?[-/. ]\s?(?<y>\d{4}|\d\d)(?<rest>[T ].*)?$/i,
  compact: /^(?<y>\d{4})(?<m>\d\d)(?<d>\d\d)(?<rest>[T ].*)?$/};
const CLOCK = /^(\d{1,3}):(\d\d)(?::(\d\d(?:\.\d*)?))? ?(am|pm)?$/i;

/* Seconds of hh:mm, hh:mm:ss.fff, with am or pm; undefined: it is none. */
const seconds = text => {
  const found = CLOCK.exec(text);
  if (!found || found[2] > 59 || found[3] > 60) return undefined;
  let hours = Number(found[1]);
  if (found[4] && (hours < 1 || hours > 12)) return undefined;
  if (found[4]) hours = hours % 12 + (/pm/i.test(found[4]) ? 12 : 0);
  return hours * 3600 + found[2] * 60 + Number(found[3] || 0);
};

/* Days since 1970-01-01. */
const days = (order, text) => {
  const part = ORDERS[order].exec(text)?.groups;
  if (!part) return undefined;
  const month = /^\d/.test(part.m) ? Number(part.m) : 1 + MONTHS.indexOf(part.m.slice(0, 3).toLowerCase());
  const year = part.y.length === 2 ? Number(part.y) + (part.y < 69 ? 2000 : 1900) : Number(part.y);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, Number(part.d || 1));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== Number(part.d || 1)) return undefined;
  if (!part.rest) return date / 864e5;
  const [, clock, sign, hour, minute] = /^[T ](.*?) *(?:Z|([-+])(\d\d):?(\d\d)?)?$/.exec(part.rest);
  const of = seconds(clock);
  if (of === undefined || of >= 86401) return undefined;
  const time = of - (sign ? (sign === '-' ? -1 : 1) * (hour * 3600 + (minute || 0) * 60) : 0);
  return date / 864e5 + Math.floor(time / 86400) + (time - 86400 * Math.floor(time / 86400)) / 86400;
};

/* The number that stands for a cell. NaN: missing; undefined: the text means nothing in this column. */
const cellOf = (column, given) => {
  const text = given.trim();
  if (column.kind === 'category') return category(column, text);
  const place = column.kind === 'ordered' ? category(column, text) + 1 || undefined : undefined;
  const time = column.kind === 'hours' ? seconds(text) : undefined;
  const x = column.kind === 'number' ? measure(column, text) : column.kind === 'date' ? days(column.written, text)
    : time === undefined ? place : time / 3600;
  return x ?? (says(ABSENT_NUMBERS, text) ? NaN : undefined);
};

const unknownOf = column => column.kind === 'category' ? column.categories.indexOf('') : NaN;

const dayText = x => new Date(Math.round(x * 86400) * 1000).toISOString().replace(/T00:00:00.000Z$|:00.000Z$|.000Z$/, '')
  .replace('T', ' ');
const hourText = x => {
  const minutes = Math.round(x * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
};
/* A number as people write it: as many digits as tell. */
const short = (x, digits = 4) => Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x) : String(Number(x.toPrecision(digits)));

/* How the page writes a cell. */
const textOf = (column, x) => {
  if (column.kind === 'category' || column.kind === 'ordered') {
    const name = column.categories[column.kind === 'ordered' ? x - 1 : x];
    return name || 'unknown';
  }
  if (x !== x) return 'unknown';
  const unit = column.unit ? ` ${column.unit}` : '';
  return column.kind === 'date' ? dayText(x) : column.kind === 'hours' ? hourText(x) : short(x) + unit;
};

const outside = (column, x) => Boolean(column.range) && (x < column.range[0] || x > column.range[1]);

// ---- tables ----

/* The character between cells: the most frequent one of the first line. */
const delimiterOf = text => {
  const line = text.replace(/"[^"]*"/g, '').split(/\r?\n/, 1)[0];
  const count = c => line.split(c).length;
  return ['\t', ';', ',', '|'].reduce((best, c) => count(c) > count(best) ? c : best, ',');
};

/* Rows of cells; cells may be in double quotes, and then contain delimiters, newlines and doubled quotes. */
const parseTable = (given, delimiter = delimiterOf(given)) => {
  const text = given.replace(/^\ufeff/, ''), rows = [[]];
  let cell = '', quoted = false;
  const end = () => { rows[rows.length - 1].push(cell); cell = ''; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && cell === '') quoted = true;
    else if (c === delimiter) end();
    else if (c === '\n' || c === '\r') {
      if (c === '\r' && text[i + 1] === '\n') i++;
      end();
      rows.push([]);
    } else cell += c;
  }
  end();
  return rows.filter(row => row.length > 1 || row[0].trim());
};

const csvCell = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csvOf = rows => rows.map(row => row.map(csvCell).join(',') + '\n').join('');

/* Where each column of the model is among the names of a table: by name, else none. */
const placesOf = (columns, names) => columns.map(c => names.findIndex(name => name.trim() === c.name.trim()));
