// SPDX-License-Identifier: BSD-3-Clause
#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/measures.h"

#define GROUP "Columns"
static const option metrics_options[] = {
    {"truth", 0, "COLUMN", "column of the true labels, by name or position from 1", GROUP},
    {"predicted", 0, "COLUMN", "column of the predicted labels", GROUP},
    {"order", 0, "A<B<C", "the classes, lowest first; needed when labels are text", GROUP},
    {0}};
static const option *const tables[] = {metrics_options, reader_options, global_options, NULL};

static int metrics_run(session *s, const arguments *args)
{
    const char *truth = option_value(args, "truth"), *predicted = option_value(args, "predicted");
    if (!truth || !predicted) {
        complain("metrics: --%s COLUMN is missing", truth ? "predicted" : "truth");
        return USAGE;
    }
    rung_table *table = NULL;
    rung_metrics found = {.size = sizeof found};
    const char *order;
    int code = order_option(s, args, &order);
    if (code == EXIT_OK) code = datafile_read(s, args, operand(args, 0), &table);
    if (code == EXIT_OK)
        code = session_check(s, rung_metrics_compute_table(s->ctx, table, truth, predicted, order, &found));
    rung_table_free(table);
    if (code != EXIT_OK) return code;
    if (s->json) {
        jout_print(measures_json(&found));
        return EXIT_OK;
    }
    sheet t = sheet_new("lrl");
    const rung_metric *m;
    for (int i = 0; (m = rung_metric_at(i)); i++) {
        sheet_add(&t, "%s", m->key);
        sheet_add_number(&t, rung_metrics_value(&found, m->key), 4);
        sheet_add(&t, "%s", m->help);
    }
    sheet_add(&t, "n");
    sheet_add(&t, "%lld", (long long)found.n);
    sheet_add(&t, "rows compared");
    sheet_print(&t, stdout, "");
    return EXIT_OK;
}

static const example examples[] = {
    {"rung metrics both.csv --truth grade --predicted guess", "compare two columns of one file"},
    {"rung metrics both.csv --truth 1 --predicted 2 --order \"low<mid<high\" --json", "text labels, as JSON"},
    {0}};

const command command_metrics = {
    .name = "metrics",
    .operands = "FILE",
    .help = "compare two columns of labels",
    .about =
        "Rows without a true label are left out. The predictions may come from any program. Without --order the "
        "classes are those of both columns; whole numbers are a scale without gaps: a 1 that should be a 5 is four "
        "classes away.",
    .options = tables,
    .usual = "truth predicted order",
    .examples = examples,
    .run = metrics_run};
