// SPDX-License-Identifier: BSD-3-Clause
// Predicts with the scripts of a page that need no document: node page.js, [{page, rows}] as JSON on standard input,
// rows being texts of cells; answers [[{rank, score, ...}]].
const fs = require('fs');
const vm = require('vm');
const inside = (text, id) => text.split(`id="${id}">`)[1].split('</script>')[0];
const answers = JSON.parse(fs.readFileSync(0, 'utf8')).map(({page, rows}) => {
  const text = fs.readFileSync(page, 'utf8'), context = vm.createContext({model: inside(text, 'model'), rows});
  return JSON.parse(vm.runInContext(`${inside(text, 'engine')}
    const program = JSON.parse(model), predict = predictor(program);
    JSON.stringify(rows.map(row => {
      const cells = row.map((cell, j) => cellOf(program.columns[j], cell));
      if (cells.includes(undefined)) return {unread: row[cells.indexOf(undefined)]};
      return predict(cells);
    }))`, context));
});
process.stdout.write(JSON.stringify(answers));
