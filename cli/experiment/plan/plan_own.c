// SPDX-License-Identifier: BSD-3-Clause
/* rung's own dialect: [experiment] with common settings, [dataset NAME] and [method NAME] with those of one. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"

static const double MOST_ROWS = 1e15; /* far more than a file can have, and exact */

typedef struct { /* the sections of a key: the special one, then the general one */
    const ini *file;
    ini_section *own, *general;
} place;

static const char *const general_keys[] = {
    "name",       "datasets",     "metric",       "folder",  "file",    "partitions", "runs",   "test",
    "train",      "bins",         "labelled",     "real",    "label",   "order",      "ignore", "seed",
    "search",     "folds",        "groups",       "weights", "nominal", "numeric",    "dates",  "ordinal",
    "equal-rows", "as-published", "transductive", "scale",   "repeats", NULL};
static const char *const dataset_keys[] = {"source", "folder",   "file",       "partitions",   "runs",    "test",
                                           "train",  "labelled", "bins",       "real",         "label",   "order",
                                           "ignore", "seed",     "groups",     "weights",      "nominal", "numeric",
                                           "dates",  "ordinal",  "equal-rows", "transductive", NULL};

static const char *get(place *p, const char *key)
{
    const char *value = p->own ? ini_get(p->own, key) : NULL, *general = ini_get(p->general, key);
    return value ? value : general;
}

static int line_of(place *p, const char *key)
{
    return ini_line(p->own && ini_get(p->own, key) ? p->own : p->general, key);
}

static char *text(place *p, const char *key)
{
    const char *value = get(p, key);
    return value ? text_of("%s", value) : NULL;
}

static bool yes(place *p, const char *key, bool *out)
{
    const char *value = get(p, key);
    *out = value && !strcmp(value, "yes");
    if (!value || *out || !strcmp(value, "no")) return true;
    return ini_wrong(p->file, line_of(p, key), "%s = %s: expected yes or no", key, value);
}

static bool count(place *p, const char *key, long long low, long long high, int64_t *out)
{
    const char *value = get(p, key);
    long long number;
    if (!value) return true;
    if (!parse_whole(value, low, high, &number))
        return ini_wrong(p->file, line_of(p, key), "%s = %s: expected a whole number >= %lld", key, value, low);
    *out = number;
    return true;
}

/* 0.25: a share; 100: rows; 10 per class; all. */
static bool how_many(place *p, const char *key, amount *out)
{
    const char *value = get(p, key);
    double number;
    *out = (amount){0};
    if (!value || !strcmp(value, "all")) return true;
    size_t n = strcspn(value, " ");
    char *first = text_of("%.*s", (int)n, value);
    bool good = parse_double(first, &number) && number > 0,
         whole = good && number >= 1 && number <= MOST_ROWS && number == floor(number);
    free(first);
    const char *rest = value + n + strspn(value + n, " ");
    if (good && whole && !strcmp(rest, "per class"))
        out->per_class = (int64_t)number;
    else if (good && whole && !*rest)
        out->rows = (int64_t)number;
    else if (good && number < 1 && !*rest)
        out->share = number;
    else
        return ini_wrong(p->file, line_of(p, key),
                         "%s = %s: expected a share (0.25), a number of rows (100), N per class, or all", key, value);
    return true;
}

/* ---- a data set ---- */

static partition_kind kind_of(const char *partitions)
{
    if (!partitions) return SPLITS;
    return !strcmp(partitions, "random")      ? RANDOM
           : !strcmp(partitions, "orca")      ? ORCA
           : !strcmp(partitions, "skordinal") ? SKORDINAL
                                              : SPLITS;
}

static const char *const drawn_keys[] = {"test", "train", NULL};

/* Where the partitions are given, a section that says how many rows to draw asks for what is not done. */
static bool only_random(place *p, ini_section *s)
{
    for (int k = 0; s && drawn_keys[k]; k++)
        if (ini_get(s, drawn_keys[k]))
            return ini_wrong(p->file, ini_line(s, drawn_keys[k]), "%s needs partitions = random", drawn_keys[k]);
    return true;
}

static bool read_partitions(place *p, plan_dataset *d)
{
    const char *value = get(p, "partitions");
    d->kind = kind_of(value);
    if (d->kind == SPLITS && value && !ends_with(value, ".csv"))
        return ini_wrong(p->file, line_of(p, "partitions"),
                         "partitions = %s: expected random, orca, skordinal, or a file of test rows such as splits.csv",
                         value);
    if (d->kind == SPLITS) d->splits = text_of("%s", value ? value : "splits.csv");
    if (!count(p, "runs", 1, 1000000, &d->runs) || !how_many(p, "test", &d->test) || !how_many(p, "train", &d->train))
        return false;
    if (d->kind != RANDOM) {
        d->test = d->train = (amount){0};
        return only_random(p, p->own);
    }
    if (!d->runs) d->runs = 30;
    bool test = get(p, "test") != NULL, train = get(p, "train") != NULL;
    for (int k = 0; drawn_keys[k]; k++)
        if (get(p, drawn_keys[k]) && !strcmp(get(p, drawn_keys[k]), "all"))
            return ini_wrong(p->file, line_of(p, drawn_keys[k]), "%s = all leaves no rows for the other part",
                             drawn_keys[k]);
    if (test && train) return ini_wrong(p->file, line_of(p, "train"), "test and train exclude each other");
    if (!test && !train) d->test.share = 0.25;
    return true;
}

static bool read_bins(place *p, plan_dataset *d)
{
    const char *value = get(p, "bins");
    long long bins;
    if (!value || !strcmp(value, "no")) return true;
    const char *comma = strchr(value, ',');
    char *number = text_of("%.*s", (int)strcspn(value, ", "), value);
    bool good = parse_whole(number, 2, 1000, &bins);
    free(number);
    if (comma) {
        while (isspace((unsigned char)comma[1])) comma++;
        good = good && !strcmp(comma + 1, "width");
    }
    if (!good)
        return ini_wrong(p->file, line_of(p, "bins"),
                         "bins = %s: expected a number of classes, optionally followed by ,width", value);
    d->bins = (int)bins;
    d->width = comma != NULL;
    return true;
}

/* What columns are, as the options of fit say it. */
static bool read_columns(place *p, plan_dataset *d)
{
    const char *ordinal = get(p, "ordinal"), *equal = get(p, "equal-rows");
    d->label = text(p, "label");
    d->order = text(p, "order");
    d->ignore = text(p, "ignore");
    d->weights = text(p, "weights");
    d->groups = text(p, "groups");
    d->nominal = text(p, "nominal");
    d->numeric = text(p, "numeric");
    d->dates = text(p, "dates");
    if (ordinal) d->ordinal = plan_names(ordinal, "", SPLITS, "");
    if (!equal || !strcmp(equal, "auto")) return true;
    if (strcmp(equal, "together") && strcmp(equal, "apart"))
        return ini_wrong(p->file, line_of(p, "equal-rows"), "equal-rows = %s: expected auto, together or apart", equal);
    d->equal_rows = text_of("%s", equal);
    return true;
}

/* Where the folders of the data sets are; NULL: printed. */
static char *base_folder(const plan *out, place *p)
{
    const char *folder = get(p, "folder"), *own = p->own ? ini_get(p->own, "folder") : NULL;
    if (out->changes.folder && !own) return text_of("%s", out->changes.folder);
    return plan_folder(out, folder ? folder : ".", line_of(p, "folder"));
}

static bool read_dataset(plan *out, place *p, const char *name)
{
    plan_dataset *d = plan_add_dataset(out, name);
    const char *source = p->own ? ini_get(p->own, "source") : NULL;
    int64_t seed = (int64_t)out->seed;
    char *base = base_folder(out, p);
    if (!base) return false;
    d->source = text_of("%s", source ? source : name);
    d->folder = text_of("%s/%s", base, d->source);
    free(base);
    d->file = text(p, "file");
    if (!read_columns(p, d) || !read_partitions(p, d) || !read_bins(p, d) || !how_many(p, "labelled", &d->labelled) ||
        !yes(p, "transductive", &d->transductive) || !yes(p, "real", &d->real) ||
        !count(p, "seed", 0, INT64_MAX, &seed))
        return false;
    d->seed = (uint64_t)seed;
    if (d->transductive && (d->kind == ORCA || d->kind == SKORDINAL))
        return ini_wrong(p->file, line_of(p, "transductive"),
                         "transductive = yes needs partitions of one file, not separate training and test files");
    if (d->real && d->bins)
        return ini_wrong(p->file, line_of(p, "real"),
                         "real = yes (numbers) and bins (classes) exclude each other for %s", name);
    if (d->bins && (d->kind == ORCA || d->kind == SKORDINAL))
        return ini_wrong(p->file, line_of(p, "bins"),
                         "bins need partitions of one file, not separate training and test files");
    if (d->real && (d->labelled.per_class || d->train.per_class || d->test.per_class))
        return ini_wrong(p->file, line_of(p, "real"), "%s has real targets, so 'per class' is not possible", name);
    return !p->own || ini_all_used(p->file, p->own, dataset_keys);
}

/* What a search goes by and a report shows; otherwise the report would show another one without a word. */
static bool check_metric(place *p)
{
    static const char *const more[] = {"evidence", "rmse", "r2", NULL};
    const char *value = get(p, "metric");
    const char *const *name = more;
    while (value && *name && strcmp(*name, value)) name++;
    if (!value || *name || rung_metric_find(value)) return true;
    char known[256] = "";
    const rung_metric *m;
    for (int i = 0; (m = rung_metric_at(i)); i++)
        if (!strstr(m->key, "mae_")) snprintf(known + strlen(known), sizeof known - strlen(known), " %s", m->key);
    return ini_wrong(p->file, line_of(p, "metric"), "unknown metric '%s'; expected one of%s evidence rmse r2", value,
                     known);
}

/* ---- a method ---- */

static ini_section *section(ini *f, const char *kind, const char *name)
{
    for (int i = 0; i < f->n; i++) {
        size_t n = strlen(kind);
        const char *title = f->sections[i].name;
        if (strncmp(title, kind, n) || (title[n] && !isspace((unsigned char)title[n]))) continue;
        title += n;
        while (isspace((unsigned char)*title)) title++;
        if (!strcmp(title, name)) return &f->sections[i];
    }
    return NULL;
}

/* A data set that the plan knows, though it is not among those to run: their list was shortened. */
static bool left_out(plan *out, place *p, const char *name)
{
    if (section(&out->file, "dataset", name)) return true;
    const char *written = ini_get(p->general, "datasets");
    if (!out->changes.datasets || !written) return false;
    char **names = plan_names(written, "", SPLITS, "");
    bool found = !strcmp(written, "all");
    for (int i = 0; names[i] && !found; i++) found = !strcmp(names[i], name);
    names_free(names);
    return found;
}

static bool read_on(plan *out, place *p, plan_method *m)
{
    const char *list = p->own ? ini_get(p->own, "datasets") : NULL;
    m->on = allocate((size_t)out->n_datasets, sizeof *m->on);
    for (int i = 0; i < out->n_datasets; i++) m->on[i] = !list;
    if (!list) return true;
    char **names = plan_names(list, "", SPLITS, "");
    bool good = true;
    for (int n = 0; good && names[n]; n++) {
        bool found = false;
        for (int i = 0; i < out->n_datasets; i++)
            if (!strcmp(out->datasets[i].name, names[n])) m->on[i] = found = true;
        if (!found && !left_out(out, p, names[n]))
            good = ini_wrong(p->file, line_of(p, "datasets"), "%s is not a data set of this plan", names[n]);
    }
    names_free(names);
    return good;
}

static bool read_params(session *s, plan *out, place *p, plan_method *m)
{
    for (int i = 0; i < p->own->n; i++) {
        ini_entry *e = &p->own->entries[i];
        if (e->used) continue;
        e->used = true;
        if (!plan_set_param(s, out, m, e->key, e->value, e->line)) return false;
    }
    return true;
}

static bool read_method(session *s, plan *out, place *p, const char *name)
{
    plan_method *m = plan_add_method(out, name);
    const char *method = ini_get(p->own, "method"), *search = get(p, "search"), *metric = get(p, "metric");
    int64_t folds = 0, repeats = 0;
    const rung_method *found = rung_method_find(method ? method : name);
    if (!found) {
        if (!method)
            return ini_wrong(p->file, p->own->line, "[method %s] needs the key method: rung has no method of that name",
                             name);
        return ini_wrong(p->file, line_of(p, "method"), "unknown method '%s'; 'rung methods' lists them", method);
    }
    m->method = text_of("%s", found->name);
    if (search && strcmp(search, "all") && strcmp(search, "listed"))
        return ini_wrong(p->file, line_of(p, "search"), "search = %s: expected all or listed", search);
    m->listed = search && !strcmp(search, "listed");
    m->metric = metric ? text_of("%s", metric) : NULL;
    m->scale = text(p, "scale");
    if (!check_metric(p) || !yes(p, "as-published", &m->as_published) || !count(p, "folds", 2, 1000000, &folds) ||
        !count(p, "repeats", 1, 1000000, &repeats) || !read_on(out, p, m))
        return false;
    m->folds = (int)folds;
    m->repeats = (int)repeats;
    return read_params(s, out, p, m);
}

/* ---- the whole ---- */

static bool check_sections(const ini *f)
{
    for (int i = 0; i < f->n; i++) {
        const char *title = f->sections[i].name;
        if (strcmp(title, "experiment") && strncmp(title, "dataset ", 8) && strncmp(title, "method ", 7))
            return ini_wrong(f, f->sections[i].line, "[%s]: expected [experiment], [dataset NAME] or [method NAME]",
                             title);
    }
    return true;
}

static bool read_datasets(plan *out, place *p)
{
    const char *list = ini_get(p->general, "datasets");
    if (out->changes.datasets) list = out->changes.datasets;
    if (!list) return ini_wrong(p->file, p->general->line, "[experiment] needs the key datasets: names, or all");
    char *base = base_folder(out, p);
    if (!base) return false;
    const char *partitions = get(p, "partitions"), *splits = partitions ? partitions : "splits.csv";
    char **names = plan_names(list, base, kind_of(partitions), splits);
    bool good = true;
    for (int i = 0; good && names[i]; i++) {
        place here = {p->file, section(&out->file, "dataset", names[i]), p->general};
        for (int j = 0; j < i && good; j++)
            if (!strcmp(names[i], names[j]))
                good = ini_wrong(p->file, line_of(p, "datasets"), "%s occurs twice", names[i]);
        good = good && read_dataset(out, &here, names[i]);
    }
    bool drawn = out->changes.datasets != NULL; /* or by a data set that is left out */
    for (int i = 0; i < out->n_datasets; i++) drawn = drawn || out->datasets[i].kind == RANDOM;
    good = good && (drawn || only_random(p, p->general));
    if (good && !names[0]) good = ini_wrong(p->file, line_of(p, "datasets"), "no data sets found in %s", base);
    names_free(names);
    free(base);
    return good;
}

/* A section of a data set that is not among `datasets`: it was removed from the list, or it is a typing error. */
static void tell_left_out(const session *s, plan *p)
{
    for (int i = 0; i < p->file.n && !s->quiet && !p->changes.datasets; i++) {
        const ini_section *own = &p->file.sections[i];
        bool found = strncmp(own->name, "dataset ", 8) != 0;
        for (int d = 0; d < p->n_datasets && !found; d++)
            found = section(&p->file, "dataset", p->datasets[d].name) == own;
        if (!found)
            complain("experiment: %s, line %d: [%s] is not among the datasets of [experiment]: left out", p->file.path,
                     own->line, own->name);
    }
}

bool plan_read_own(session *s, plan *p)
{
    place general = {&p->file, NULL, section(&p->file, "experiment", "")};
    if (!check_sections(&p->file)) return false;
    if (!general.general) {
        complain("experiment: %s has no [experiment] section", p->file.path);
        return false;
    }
    p->name = text(&general, "name");
    p->metric = text(&general, "metric");
    if (!check_metric(&general)) return false;
    if (!read_datasets(p, &general)) return false;
    for (int i = 0; i < p->file.n; i++) {
        ini_section *own = &p->file.sections[i];
        place here = {&p->file, own, general.general};
        if (strncmp(own->name, "method ", 7)) continue;
        const char *name = own->name + 7 + strspn(own->name + 7, " \t");
        if (!read_method(s, p, &here, name)) return false;
    }
    if (p->n_methods == 0) {
        complain("experiment: %s has no [method NAME] section", p->file.path);
        return false;
    }
    tell_left_out(s, p);
    return ini_all_used(&p->file, general.general, general_keys);
}
