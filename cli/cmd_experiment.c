// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "command.h"
#include "experiment/merge.h"
#include "experiment/report.h"

typedef struct {
    const char *name;
    int (*run)(session *s, const arguments *args);
} action;

static const action actions[] = {{"merge", experiment_merge}, {"report", experiment_report}, {0}};
static const option *const tables[] = {merge_options, report_options, global_options, NULL};

static int experiment_run(session *s, const arguments *args)
{
    const char *names[sizeof actions / sizeof *actions];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) names[i] = actions[i].name;
    for (const action *a = actions; a->name; a++)
        if (!strcmp(a->name, operand(args, 0))) return a->run(s, args);
    const char *near = nearest_name(operand(args, 0), names);
    complain("experiment: '%s': %s%s", operand(args, 0), near ? "did you mean " : "expected merge or report",
             near ? near : "");
    return USAGE;
}

static const example examples[] = {{"rung experiment merge a.db b.db -o all.db", "the results of two machines in one"},
                                   {"rung experiment report all.db", "a table of means and the tests"},
                                   {"rung experiment report all.db --format latex -o table.tex", "for a paper"},
                                   {0}};

const command command_experiment = {.name = "experiment",
                                    .operands = "merge|report FILE...",
                                    .help = "compare methods on many data sets, with tables and tests",
                                    .about = "The results live in one SQLite file.",
                                    .options = tables,
                                    .examples = examples,
                                    .run = experiment_run};
