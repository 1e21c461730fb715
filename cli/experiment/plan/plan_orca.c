// SPDX-License-Identifier: BSD-3-Clause
/* ORCA's dialect: every [section] is one experiment with the parts {general-conf}, {algorithm-parameters} and
 * {algorithm-hyper-parameters-to-cv}. Each becomes a method of the plan, on the data sets of its own. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/output.h"
#include "experiment/plan/plan.h"

/* ---- names in ORCA and rung ---- */

typedef struct {
    const char *theirs, *ours;
} word;

static const word algorithms[] = {{"KDLOR", "kdlor"}, {"SVORIM", "svorim"}, {"SVOREX", "svorex"}, {"POM", "pom"},
                                  {"GPOR", "gpor"},   {"LDA", "lda"},       {NULL, NULL}};
static const word parameters[] = {{"C", "C"}, {"k", "gamma"}, {"u", "ridge"}, {"kernelType", "kernel"}, {NULL, NULL}};
static const word metrics[] = {{"mae", "mae"},      {"mze", "mze"},      {"ccr", "acc"}, {"amae", "amae"},
                               {"mmae", "mmae"},    {"gm", "gm"},        {"ms", "ms"},   {"spearman", "spearman"},
                               {"tkendall", "tau"}, {"wkappa", "kappa"}, {NULL, NULL}};
static const char *const general_keys[] = {"seed",      "basedir",  "datasets",   "standarize",
                                           "num_folds", "cvmetric", "report_sum", NULL};

static const char *const part_keys[] = {"general-conf", "algorithm-parameters", "algorithm-hyper-parameters-to-cv",
                                        NULL};

static const char *our_word(const word *list, const char *theirs)
{
    for (; list->theirs; list++)
        if (!strcasecmp(list->theirs, theirs)) return list->ours;
    return NULL;
}

const char *plan_orca_word(orca_kind kind, const char *ours)
{
    static const word *const lists[] = {
        [ORCA_ALGORITHM] = algorithms, [ORCA_PARAMETER] = parameters, [ORCA_METRIC] = metrics};
    for (const word *w = lists[kind]; w->theirs; w++)
        if (!strcmp(w->ours, ours)) return w->theirs;
    return ours;
}

/* ---- values: MATLAB expressions, as far as these files use them ---- */

typedef struct {
    const char *at;
    double values[512];
    int n, depth;
} expression;

enum { DEEPEST = 16 }; /* brackets within brackets */

static void blanks(expression *e)
{
    while (isspace((unsigned char)*e->at)) e->at++;
}

static bool number(expression *e, double *out)
{
    char *end;
    blanks(e);
    if (!*e->at || !strchr("+-.0123456789", *e->at)) return false;
    *out = strtod(e->at, &end);
    /* 10.^x is 10 .^ x */
    if (end > e->at && end[-1] == '.' && *end == '^') end--;
    bool good = end > e->at;
    e->at = end;
    return good && isfinite(*out);
}

static bool list(expression *e);

static bool add(expression *e, double x)
{
    if (e->n == (int)(sizeof e->values / sizeof *e->values)) return false;
    e->values[e->n++] = x;
    return true;
}

/* a, a:b, a:step:b, a.^(list), a.^b */
static bool item(expression *e)
{
    double a, b, step = 1;
    if (!number(e, &a)) return false;
    blanks(e);
    if (*e->at == '.' && e->at[1] == '^') e->at++;
    if (*e->at == '^') {
        e->at++;
        blanks(e);
        int first = e->n;
        if (*e->at == '(' || *e->at == '[') {
            char close = *e->at == '(' ? ')' : ']';
            e->at++;
            if (++e->depth > DEEPEST || !list(e)) return false;
            blanks(e);
            if (*e->at != close) return false;
            e->at++;
            e->depth--;
        } else if (!number(e, &b) || !add(e, b)) {
            return false;
        }
        for (int i = first; i < e->n; i++) e->values[i] = pow(a, e->values[i]);
        return true;
    }
    if (*e->at != ':') return add(e, a);
    e->at++;
    if (!number(e, &b)) return false;
    blanks(e);
    if (*e->at == ':') {
        e->at++;
        step = b;
        if (!number(e, &b)) return false;
    }
    if (step == 0) return false;
    for (int i = 0; (b - a - i * step) * (step > 0 ? 1 : -1) >= -1e-9; i++)
        if (!add(e, a + i * step)) return false;
    return true;
}

static bool list(expression *e)
{
    do {
        blanks(e);
        if (*e->at == ',') e->at++;
        blanks(e);
        if (!item(e)) return false;
        blanks(e);
    } while (*e->at && *e->at != ')' && *e->at != ']' && *e->at != '}');
    return true;
}

/* The values as rung writes them, "0.001,0.01"; text that is not an expression is unchanged. To be freed. */
static char *values_of(const char *text)
{
    expression *e = allocate(1, sizeof *e);
    e->at = text;
    blanks(e);
    char close = *e->at == '[' ? ']' : *e->at == '{' ? '}' : 0;
    if (close) e->at++;
    bool good = list(e);
    if (good && close) {
        good = *e->at == close;
        e->at += good;
    }
    blanks(e);
    char *out = text_of("%s", good && !*e->at ? "" : text);
    for (int i = 0; good && !*e->at && i < e->n; i++)
        text_add(&out, "%s%s", i ? "," : "", number_of(e->values[i]).text);
    free(e);
    return out;
}

/* ---- one experiment ---- */

/* Paths in ORCA's files are relative to where ORCA runs: tried relative to the .ini file, then to the current
 * folder. */
static char *base_folder(const plan *p, const char *given, int line)
{
    if (p->changes.folder) return text_of("%s", p->changes.folder);
    char *path = plan_folder(p, given, line);
    if (!path || access(path, F_OK) == 0) return path;
    free(path);
    return text_of("%s", given);
}

static plan_dataset *find_dataset(plan *p, const char *name, const char *folder)
{
    for (int i = 0; i < p->n_datasets; i++)
        if (!strcmp(p->datasets[i].source, name) && !strcmp(p->datasets[i].folder, folder)) return &p->datasets[i];
    return NULL;
}

static bool read_general(plan *p, ini_section *s, plan_method *m, char ***names, char **base)
{
    const char *seed = ini_get(s, "seed"), *folds = ini_get(s, "num_folds"), *metric = ini_get(s, "cvmetric"),
               *standard = ini_get(s, "standarize"), *folder = ini_get(s, "basedir"), *sets = ini_get(s, "datasets");
    long long value = 1;
    if (seed && !parse_whole(seed, 0, INT64_MAX, &value))
        return ini_wrong(&p->file, ini_line(s, "seed"), "seed = %s: expected a whole number", seed);
    p->seed = (uint64_t)value;
    if (folds && !parse_whole(folds, 2, 1000000, &value))
        return ini_wrong(&p->file, ini_line(s, "num_folds"), "num_folds = %s: expected a whole number >= 2", folds);
    m->folds = folds ? (int)value : 5;
    m->repeats = 1;
    const char *key = metric ? our_word(metrics, metric) : "mae";
    if (!key) return ini_wrong(&p->file, ini_line(s, "cvmetric"), "cvmetric = %s is unknown", metric);
    m->metric = text_of("%s", key);
    m->scale =
        text_of("%s", standard && (!strcasecmp(standard, "true") || !strcmp(standard, "1")) ? "standard" : "none");
    if (!folder || !sets) return ini_wrong(&p->file, s->line, "{general-conf} needs basedir and datasets");
    (void)ini_get(s, "report_sum"); /* a matter of reports */
    *base = base_folder(p, folder, ini_line(s, "basedir"));
    if (!*base) return false;
    *names = plan_names(p->changes.datasets ? p->changes.datasets : sets, *base, ORCA, "");
    if (!(*names)[0]) return ini_wrong(&p->file, s->line, "no data sets found in %s", *base);
    return ini_all_used(&p->file, s, general_keys);
}

static bool read_algorithm(const plan *p, ini_section *s, plan_method *m)
{
    const char *name = ini_get(s, "algorithm");
    const char *method = name ? our_word(algorithms, name) : NULL;
    if (!name) return ini_wrong(&p->file, s->line, "{algorithm-parameters} needs the key algorithm");
    if (!method || !rung_method_find(method))
        return ini_wrong(&p->file, ini_line(s, "algorithm"), "rung has no method for ORCA's algorithm %s", name);
    m->method = text_of("%s", method);
    m->as_published = m->listed = true;
    return true;
}

static bool read_parameters(session *session_, const plan *p, ini_section *s, plan_method *m)
{
    for (int i = 0; i < s->n; i++) {
        ini_entry *e = &s->entries[i];
        if (e->used) continue;
        const char *name = our_word(parameters, e->key);
        if (!name) return ini_wrong(&p->file, e->line, "ORCA's parameter %s has no counterpart in rung", e->key);
        char *values = values_of(e->value);
        bool good = plan_set_param(session_, p, m, name, values, e->line);
        free(values);
        if (!good) return false;
    }
    return true;
}

static ini_section *part(plan *p, const char *name, const char *brace)
{
    for (int i = 0; i < p->file.n; i++) {
        ini_section *s = &p->file.sections[i];
        if (s->brace && !strcmp(s->name, name) && !strcmp(s->brace, brace)) return s;
    }
    return NULL;
}

/* What would have no effect is a typing error. */
static bool check_sections(const ini *f)
{
    for (int i = 0; i < f->n; i++) {
        const ini_section *s = &f->sections[i];
        bool known = !s->brace;
        if (!s->brace && s->n)
            return ini_wrong(f, s->entries[0].line, "'%s' must be in a {part} of [%s], such as {%s}", s->entries[0].key,
                             s->name, part_keys[0]);
        for (int k = 0; s->brace && part_keys[k]; k++) known = known || !strcmp(s->brace, part_keys[k]);
        if (!known)
            return ini_wrong(f, s->line, "unknown part {%s}: expected {%s}, {%s} or {%s}", s->brace, part_keys[0],
                             part_keys[1], part_keys[2]);
        for (int k = 0; s->brace && k < i; k++)
            if (f->sections[k].brace && !strcmp(f->sections[k].name, s->name) &&
                !strcmp(f->sections[k].brace, s->brace))
                return ini_wrong(f, s->line, "{%s} of [%s] already occurs in line %d", s->brace, s->name,
                                 f->sections[k].line);
    }
    return true;
}

/* A data set has one seed, whichever methods run on it. */
static bool same_seed(const plan *p, const plan_dataset *d, const ini_section *general)
{
    if (p->changes.seed || d->seed == p->seed) return true;
    return ini_wrong(
        &p->file, ini_line(general, "seed"),
        "seed = %llu, but an experiment above has the seed %llu for %s: give all of them one seed, or each "
        "a file and a database of its own",
        (unsigned long long)p->seed, (unsigned long long)d->seed, d->name);
}

/* The data sets of all experiments together; which are whose is noted in `on` when all are known. */
static bool read_experiment(session *s, plan *p, const ini_section *title, char ***names, char **base)
{
    plan_method *m = plan_add_method(p, title->name);
    ini_section *general = part(p, title->name, part_keys[0]), *algorithm = part(p, title->name, part_keys[1]),
                *searched = part(p, title->name, part_keys[2]);
    if (!general || !algorithm)
        return ini_wrong(&p->file, title->line, "[%s] needs {general-conf} and {algorithm-parameters}", title->name);
    if (!read_general(p, general, m, names, base) || !read_algorithm(p, algorithm, m) ||
        !read_parameters(s, p, algorithm, m) || (searched && !read_parameters(s, p, searched, m)))
        return false;
    bool good = true;
    for (int i = 0; (*names)[i] && good; i++) {
        char *folder = text_of("%s/%s", *base, (*names)[i]);
        plan_dataset *d = find_dataset(p, (*names)[i], folder);
        if (d) {
            good = same_seed(p, d, general);
        } else {
            d = plan_add_dataset(p, (*names)[i]);
            d->source = text_of("%s", (*names)[i]);
            d->folder = text_of("%s", folder);
            d->kind = ORCA;
            d->equal_rows = text_of("apart"); /* as it does */
        }
        free(folder);
    }
    return good;
}

static void mark_datasets(plan *p, plan_method *m, char **names, const char *base)
{
    m->on = allocate((size_t)p->n_datasets, sizeof *m->on);
    for (int i = 0; names[i]; i++) {
        char *folder = text_of("%s/%s", base, names[i]);
        m->on[find_dataset(p, names[i], folder) - p->datasets] = true;
        free(folder);
    }
}

bool plan_read_orca(session *s, plan *p)
{
    char ***names = allocate((size_t)p->file.n, sizeof *names), **base = allocate((size_t)p->file.n, sizeof *base);
    bool good = check_sections(&p->file);
    for (int i = 0; good && i < p->file.n; i++)
        if (!p->file.sections[i].brace)
            good = read_experiment(s, p, &p->file.sections[i], &names[p->n_methods], &base[p->n_methods]);
    for (int i = 0; good && i < p->n_methods; i++) mark_datasets(p, &p->methods[i], names[i], base[i]);
    for (int i = 0; i < p->file.n; i++) {
        names_free(names[i]);
        free(base[i]);
    }
    free(names);
    free(base);
    return good;
}
