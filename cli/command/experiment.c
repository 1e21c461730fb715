// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "core/command.h"
#include "experiment/merge.h"
#include "experiment/report/report.h"
#include "experiment/run.h"
#include "processes/processes.h"

typedef struct {
    const char *name;
    int (*run)(session *s, const arguments *args);
    const option *own[2]; /* its options */
} action;

static const action actions[] = {{"run", experiment_run, {run_options}},
                                 {"merge", experiment_merge, {merge_options}},
                                 {"report", experiment_report, {merge_options, report_options}},
                                 {0}};
static const option *const tables[] = {run_options, merge_options, report_options, global_options, NULL};

static bool listed(const option *table, const option *one)
{
    for (const option *o = table; o && o->name; o++)
        if (o == one) return true;
    return false;
}

static bool has_option(const action *a, const option *one) { return listed(a->own[0], one) || listed(a->own[1], one); }

/* An option of another action would be without effect. */
static bool options_fit(const action *a, const arguments *args)
{
    for (int i = 0; i < args->n; i++) {
        const option *o = args->list[i].option;
        if (!o || listed(global_options, o) || has_option(a, o)) continue;
        bool merges = listed(merge_options, o);
        complain("experiment %s: --%s is an option of %s", a->name, o->name,
                 merges                   ? "merge and report"
                 : listed(run_options, o) ? "run"
                                          : "report");
        return false;
    }
    return true;
}

static int run_action(session *s, const arguments *args)
{
    const char *names[sizeof actions / sizeof *actions];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) names[i] = actions[i].name;
    for (const action *a = actions; a->name; a++) {
        if (strcmp(a->name, operand(args, 0)) != 0) continue;
        if (!options_fit(a, args)) return USAGE;
        if (processes_all() == 1 || a->run == experiment_run) return a->run(s, args);
        complain("experiment %s runs in one process; start it without mpirun", a->name);
        return USAGE;
    }
    const char *near = nearest_name(operand(args, 0), names);
    complain("experiment: '%s': %s%s", operand(args, 0), near ? "did you mean " : "expected run, merge or report",
             near ? near : "");
    return USAGE;
}

static const example examples[] = {
    {"rung experiment run plan.ini", "run the cells that are not done yet; the results are in plan.db"},
    {"rung experiment run plan.ini --shard 2/8 --db part2.db", "the second of eight machines"},
    {"mpirun -n 64 rung experiment run plan.ini", "64 processes share the cells; the first one writes plan.db"},
    {"rung experiment merge a.db b.db -o all.db", "combine the results of two machines"},
    {"rung experiment report all.db", "a table of means and the tests"},
    {"rung experiment report all.db --format latex -o table.tex", "for a paper"},
    {0}};

const command command_experiment = {
    .name = "experiment",
    .operands = "run|merge|report FILE...",
    .help = "compare methods on many data sets, with tables and statistical tests",
    .about = "A plan is an .ini file that names data sets, partitions and methods; ORCA's .ini files are also "
             "supported. 'run' runs its cells (one method on one partition of one data set) in parallel, one thread "
             "each, and stores each in a SQLite file as soon as it is done. An interrupted run resumes where it "
             "stopped; several processes may work on one file.\n'merge' combines several files; 'report' prints "
             "tables, ranks and tests. docs/experiments.md explains plans and files.",
    .options = tables,
    .usual = "folder runs retry output metric control format",
    .examples = examples,
    .ranks = true,
    .run = run_action};
