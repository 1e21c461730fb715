// SPDX-License-Identifier: BSD-3-Clause
/* A plan, in either dialect. */
#define _POSIX_C_SOURCE 200809L
#include "experiment/plan/plan.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/output.h"
#include "experiment/plan/partitions.h"

/* ---- lists ---- */

static char **names_add(char **names, const char *text, size_t length)
{
    size_t n = 0;
    while (names && names[n]) n++;
    char **more = allocate(n + 2, sizeof *more);
    if (n) memcpy(more, names, n * sizeof *more);
    more[n] = text_of("%.*s", (int)length, text);
    free(names);
    return more;
}

void names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++) free(names[i]);
    free(names);
}

/* The items of a comma list without the blanks around them. */
static char **names_split(const char *list)
{
    char **names = allocate(1, sizeof *names);
    while (*list) {
        size_t n = strcspn(list, ",");
        const char *from = list, *to = list + n;
        while (from < to && isspace((unsigned char)*from)) from++;
        while (to > from && isspace((unsigned char)to[-1])) to--;
        if (to > from) names = names_add(names, from, (size_t)(to - from));
        list += n + (list[n] == ',');
    }
    return names;
}

static char **names_of_folders(const char *folder, partition_kind kind, const char *splits)
{
    struct dirent **found = NULL;
    int n = scandir(folder, &found, NULL, alphasort);
    char **names = allocate(1, sizeof *names);
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name;
        char *path = text_of("%s/%s", folder, name), *rows = text_of("%s/%s", path, splits);
        plan_dataset d = {.source = (char *)name, .folder = path, .kind = kind};
        if (*name != '.' && dataset_exists(&d) && (kind != SPLITS || access(rows, F_OK) == 0))
            names = names_add(names, name, strlen(name));
        free(rows);
        free(path);
        free(found[i]);
    }
    free(found);
    return names;
}

char **plan_names(const char *list, const char *folder, partition_kind kind, const char *splits)
{
    return strcmp(list, "all") ? names_split(list) : names_of_folders(folder, kind, splits);
}

static char *from_environment(const plan *p, const char *folder, int line)
{
    size_t n = strcspn(folder, "/");
    char *name = text_of("%.*s", (int)n - 1, folder + 1);
    const char *value = getenv(name);
    if (!value || !*value)
        ini_wrong(&p->file, line,
                  "the environment variable %s is not set; it names the folder of the data sets (docs/data-sets.md); "
                  "or give --folder",
                  name);
    free(name);
    return value && *value ? text_of("%s%s", value, folder + n) : NULL;
}

char *plan_folder(const plan *p, const char *folder, int line)
{
    const char *slash = strrchr(p->file.path, '/');
    if (*folder == '$') return from_environment(p, folder, line);
    if (*folder == '/' || !slash) return text_of("%s", folder);
    return text_of("%.*s/%s", (int)(slash - p->file.path), p->file.path, folder);
}

/* ---- data sets and methods ---- */

static void *grown(void *list, int n, size_t size)
{
    char *more = allocate((size_t)n + 1, size);
    if (n) memcpy(more, list, (size_t)n * size);
    free(list);
    return more;
}

plan_dataset *plan_add_dataset(plan *p, const char *name)
{
    p->datasets = grown(p->datasets, p->n_datasets, sizeof *p->datasets);
    plan_dataset *d = &p->datasets[p->n_datasets++];
    d->name = text_of("%s", name);
    d->seed = p->seed;
    return d;
}

plan_method *plan_add_method(plan *p, const char *name)
{
    p->methods = grown(p->methods, p->n_methods, sizeof *p->methods);
    plan_method *m = &p->methods[p->n_methods++];
    m->name = text_of("%s", name);
    m->fixed = allocate(1, sizeof *m->fixed);
    m->grids = allocate(1, sizeof *m->grids);
    return m;
}

/* Every value is checked on a spec now, so that a typing error is reported before the first cell. */
bool plan_set_param(session *s, const plan *p, plan_method *m, const char *name, const char *values, int line)
{
    char **list = names_split(values);
    rung_spec *spec = NULL;
    rung_status status = rung_spec_new(s->ctx, m->method, m->as_published, &spec);
    for (int i = 0; status == RUNG_OK && list[i]; i++) status = rung_spec_set(s->ctx, spec, name, list[i]);
    bool good = status == RUNG_OK && list[0];
    if (status != RUNG_OK) ini_wrong(&p->file, line, "%s", rung_ctx_message(s->ctx));
    if (status == RUNG_OK && !list[0]) ini_wrong(&p->file, line, "%s has no value", name);
    if (good) {
        char *text = text_of("%s=%s", name, list[0]);
        for (int i = 1; list[i]; i++) text_add(&text, ",%s", list[i]);
        if (list[1])
            m->grids = names_add(m->grids, text, strlen(text));
        else
            m->fixed = names_add(m->fixed, text, strlen(text));
        free(text);
    }
    rung_spec_free(spec);
    names_free(list);
    return good;
}

bool setting_is(const char *setting, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(setting, name, n) && setting[n] == '=';
}

bool plan_searches(const plan_method *m)
{
    if (m->grids[0]) return true;
    const rung_method *method = rung_method_find(m->method);
    const rung_param *q;
    for (int k = 0; !m->listed && (q = rung_method_param_at(method, k)); k++) {
        const char *grid = m->as_published ? q->published_grid : q->grid;
        bool fixed = false;
        for (int i = 0; m->fixed[i]; i++) fixed = fixed || setting_is(m->fixed[i], q->name);
        if (grid && !fixed) return true;
    }
    return false;
}

/* ---- settings: the same text for the same meaning ---- */

static char *joined(char *text, const char *key, const char *value)
{
    text_add(&text, "%s%s%s%s", *text ? " " : "", key, value ? "=" : "", value ? value : "");
    return text;
}

static char *joined_amount(char *text, const char *key, const amount *a)
{
    char value[64] = "";
    if (a->share > 0) snprintf(value, sizeof value, "%s", number_of(a->share).text);
    if (a->rows > 0) snprintf(value, sizeof value, "%lld", (long long)a->rows);
    if (a->per_class > 0) snprintf(value, sizeof value, "%lld-per-class", (long long)a->per_class);
    return *value ? joined(text, key, value) : text;
}

static void settle_dataset(plan_dataset *d)
{
    static const char *const kinds[] = {"splits", "random", "orca", "skordinal"};
    char number[32];
    char *t = joined(text_of("%s", ""), "source", d->source);
    if (d->file) t = joined(t, "file", d->file);
    t = joined(t, "partitions", d->kind == SPLITS ? d->splits : kinds[d->kind]);
    t = joined_amount(t, "test", &d->test);
    t = joined_amount(t, "train", &d->train);
    t = joined_amount(t, "labelled", &d->labelled);
    if (d->transductive) t = joined(t, "transductive", NULL);
    snprintf(number, sizeof number, "%d%s", d->bins, d->width ? ",width" : "");
    if (d->bins) t = joined(t, "bins", number);
    if (d->real) t = joined(t, "real", NULL);
    if (d->label) t = joined(t, "label", d->label);
    if (d->order) t = joined(t, "order", d->order);
    if (d->ignore) t = joined(t, "ignore", d->ignore);
    if (d->weights) t = joined(t, "weights", d->weights);
    if (d->groups) t = joined(t, "groups", d->groups);
    if (d->nominal) t = joined(t, "nominal", d->nominal);
    if (d->numeric) t = joined(t, "numeric", d->numeric);
    if (d->dates) t = joined(t, "dates", d->dates);
    for (char **one = d->ordinal; one && *one; one++) t = joined(t, "ordinal", *one);
    /* Where rows are drawn it changes which: files from before it was there say nothing. */
    bool drawn = d->kind == RANDOM || d->labelled.share > 0 || d->labelled.rows > 0 || d->labelled.per_class > 0;
    if (drawn || d->equal_rows) t = joined(t, "equal-rows", d->equal_rows ? d->equal_rows : "auto");
    snprintf(number, sizeof number, "%llu", (unsigned long long)d->seed);
    d->settings = joined(t, "seed", number);
}

static void settle_method(plan_method *m)
{
    char number[32];
    char *t = text_of("%s%s", m->method, m->as_published ? " as-published" : "");
    if (m->scale) t = joined(t, "scale", m->scale);
    for (int i = 0; m->fixed[i]; i++) t = joined(t, m->fixed[i], NULL);
    for (int i = 0; m->grids[i]; i++) t = joined(t, m->grids[i], NULL);
    if (!plan_searches(m)) {
        m->settings = t;
        return;
    }
    if (m->listed) t = joined(t, "search", "listed");
    snprintf(number, sizeof number, "%d", m->folds ? m->folds : 5);
    t = joined(t, "folds", number);
    if (m->repeats) {
        snprintf(number, sizeof number, "%d", m->repeats);
        t = joined(t, "repeats", number);
    }
    m->settings = joined(t, "metric", m->metric ? m->metric : "mae");
}

/* ---- the whole ---- */

static void method_free(plan_method *m)
{
    char *texts[] = {m->name, m->method, m->metric, m->scale, m->settings};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) free(texts[t]);
    names_free(m->fixed);
    names_free(m->grids);
    free(m->on);
}

/* A method whose data sets were all left out has nothing to do, and no column in reports. */
static void drop_idle_methods(plan *p)
{
    int kept = 0;
    for (int i = 0; i < p->n_methods; i++) {
        bool busy = false;
        for (int d = 0; d < p->n_datasets; d++) busy = busy || p->methods[i].on[d];
        if (busy)
            p->methods[kept++] = p->methods[i];
        else
            method_free(&p->methods[i]);
    }
    p->n_methods = kept;
}

static bool orca_dialect(const ini *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->sections[i].brace) return true;
    return false;
}

bool plan_read(session *s, const char *path, const plan_changes *changes, plan *out)
{
    *out = (plan){.changes = *changes, .seed = changes->seed ? *changes->seed : 1};
    if (!ini_read(path, &out->file)) return false;
    if (!(orca_dialect(&out->file) ? plan_read_orca(s, out) : plan_read_own(s, out))) return false;
    for (int i = 0; i < out->n_datasets; i++) {
        if (changes->seed) out->datasets[i].seed = *changes->seed;
        if (changes->runs) out->datasets[i].runs = changes->runs;
        settle_dataset(&out->datasets[i]);
    }
    drop_idle_methods(out);
    for (int i = 0; i < out->n_methods; i++) settle_method(&out->methods[i]);
    if (out->n_methods == 0) complain("experiment: no method of %s is for these data sets", path);
    return out->n_methods > 0;
}

void plan_free(plan *p)
{
    for (int i = 0; i < p->n_datasets; i++) {
        plan_dataset *d = &p->datasets[i];
        char *texts[] = {d->name,    d->source, d->folder,  d->file,    d->splits, d->label,      d->order,   d->ignore,
                         d->weights, d->groups, d->nominal, d->numeric, d->dates,  d->equal_rows, d->settings};
        names_free(d->ordinal);
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) free(texts[t]);
    }
    for (int i = 0; i < p->n_methods; i++) method_free(&p->methods[i]);
    free(p->datasets);
    free(p->methods);
    free(p->name);
    free(p->metric);
    ini_free(&p->file);
}
