// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/output.h"
#include "data/datafile.h"
#include "data/learn.h"
#include "label/export.h"
#include "label/pages.h"
#include "serve/browser.h"

enum { MOST_BYTES = 64 << 10, MOST_GRADER = 100 };

#define GROUP "Grading"
static const option label_options[] = {
    {"grader", 0, "NAME", "who grades (default: the name of the user)", GROUP},
    {"overlap", 0, "P", "the share of your rows that other graders have graded, too (default 0.2)", GROUP},
    {"in-order", 0, NULL, "rows in the order of DATA (default: those that 'rung suggest' suggests)", GROUP},
    {"journal", 0, "FILE", "file of the grades (default: DATA.journal)", GROUP},
    {"export", 0, "FILE", "write the labelled copy of DATA, and serve no page", GROUP},
    {"by-grader", 0, NULL, "--export: also a column for each grader, which a fit must ignore", GROUP},
    {"method", 'm', "METHOD", "method of the model in the background (default {method})", GROUP},
    {"param", 'p', "NAME=VALUE", "a parameter of the method; may be repeated", GROUP},
    {"no-browser", 0, NULL, "only print the address of the page", GROUP},
    {0}};
static const option *const tables[] = {subject_options, label_options,  http_port_options,
                                       reader_options,  global_options, NULL};

static const char *grader_name(const arguments *args)
{
    const char *name = option_value(args, "grader");
    if (!name) name = getenv("USER");
    return name && *name ? name : "grader";
}

static int check_options(session *s, const arguments *args, double *overlap)
{
    const char *text = option_value(args, "overlap"), *name = grader_name(args);
    *overlap = 0.2;
    if (text && (!parse_double(text, overlap) || *overlap < 0 || *overlap > 1)) {
        complain("%s: --overlap %s: expected a share from 0 to 1", s->command, text);
        return USAGE;
    }
    if (strlen(name) <= MOST_GRADER) return EXIT_OK;
    complain("%s: --grader: a name has at most %d bytes", s->command, MOST_GRADER);
    return USAGE;
}

/* The journal is JSON, which is UTF-8, as the library has checked of the cells. */
static int need_text(session *s, const char *what, const char *text)
{
    json_t *value = json_string(text);
    bool good = value != NULL;
    json_decref(value);
    if (good) return EXIT_OK;
    complain("%s: the name of %s, '%s', is not UTF-8", s->command, what, text);
    return USAGE;
}

static int need_texts(session *s, const arguments *args, const subject *u)
{
    int code = need_text(s, "the grader", grader_name(args));
    return code == EXIT_OK ? need_text(s, "the column", u->name) : code;
}

static int need_classes(session *s, const subject *u)
{
    if (u->classes >= 2) return EXIT_OK;
    complain("%s: %s has no grades yet: name them, lowest first, such as --order \"1<2<3<4<5\"", s->command, u->path);
    return USAGE;
}

static int serve_desk(session *s, const arguments *args, desk *d)
{
    http_server *server;
    char *forward = NULL;
    http_options how = {.most_bytes = MOST_BYTES, .verbose = s->verbose, .answer = pages_give, .user = d};
    int code = http_port(s, args, &how.port);
    if (code == EXIT_OK) code = http_start(s, &how, &server);
    if (code != EXIT_OK) return code;
    code = refit_start(&d->model);
    if (code == EXIT_OK) {
        printf("%s\n", http_address(server));
        fflush(stdout);
        if (!option_given(args, "no-browser")) forward = browser_open(http_address(server));
        if (!s->quiet) complain("grades go to %s; press Ctrl-C to stop", d->j.path);
        http_wait(server);
    }
    http_stop(server);
    refit_stop(&d->model);
    browser_forget(forward);
    return code;
}

static int grade_rows(session *s, const arguments *args, desk *d, rung_spec **spec)
{
    const char *method = option_value(args, "method");
    int code = learn_spec(s, args, method ? method : rung_method_default(0)->name, spec);
    if (code != EXIT_OK) return code;
    d->me = journal_grader(&d->j, grader_name(args));
    d->ctx = s->ctx;
    d->in_order = option_given(args, "in-order");
    d->model = (refit){.s = s, .of = &d->j, .me = d->me, .suggests = !d->in_order, .spec = *spec, .lock = &d->lock};
    pthread_mutex_init(&d->lock, NULL);
    code = serve_desk(s, args, d);
    pthread_mutex_destroy(&d->lock);
    return code;
}

static int label_run(session *s, const arguments *args)
{
    subject of = {0};
    desk *d = allocate(1, sizeof *d);
    rung_spec *spec = NULL;
    const char *to = option_value(args, "export"), *kept = option_value(args, "journal");
    char *path = kept ? text_of("%s", kept) : text_of("%s.journal", operand(args, 0));
    int code = check_options(s, args, &d->overlap);
    if (code == EXIT_OK && !to) code = http_built(s);
    if (to) rung_ctx_set_log(s->ctx, NULL, NULL); /* what a model leaves out does not matter to a copy */
    if (code == EXIT_OK) code = subject_read(s, args, path, &of);
    if (code == EXIT_OK) code = journal_open(s, path, !to, &of, &d->j);
    if (code == EXIT_OK) code = need_classes(s, &of);
    if (code == EXIT_OK) code = need_texts(s, args, &of);
    if (code == EXIT_OK && to && output_same_file(to, d->j.path)) {
        complain("label: --export %s would overwrite the journal; give another file", to);
        code = USAGE;
    }
    if (code == EXIT_OK)
        code = to ? export_labels(s, &d->j, option_given(args, "by-grader"), to) : grade_rows(s, args, d, &spec);
    journal_close(&d->j);
    free(path);
    rung_spec_free(spec);
    subject_free(&of);
    free(d);
    return code;
}

static const example examples[] = {
    {"rung label films.csv -l stars --order \"1<2<3<4<5\"", "grade the rows of a file on a page in the browser"},
    {"rung label eyes.csv -l stage --images photo --grader ann", "rows with pictures; ann is one of several graders"},
    {"rung label films.csv -l stars --export films-labelled.csv", "the labelled copy, for 'rung fit'"},
    {0}};

const command command_label = {
    .name = "label",
    .operands = "DATA",
    .help = "grade rows on a page in the browser",
    .about =
        "Shows the rows of DATA one at a time on a page of this machine, and keeps your grades in DATA.journal. Keys: "
        "digits grade (the number of the class, or its place if it has a name), n: not sure, a range of grades, s: "
        "skip, u: undo. "
        "Each grade is on the disk before the next row is shown; DATA is never changed, and a later 'rung label' goes "
        "on where this one ended, however it ended.\nWhile you grade, a model is fitted in the background. The page "
        "shows its error and, once you have graded a row, its guess. One row in twenty is one you have graded before, "
        "to measure how far you agree with yourself.\nSeveral people may grade the same file under their names "
        "(--grader), at the same time or one after the other; a page shows how far they agree and where they do "
        "not.\nThe page is served on 127.0.0.1 only, at an address with a random token.",
    .options = tables,
    .usual = "label order text images grader export",
    .examples = examples,
    .run = label_run};
