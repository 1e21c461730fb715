// SPDX-License-Identifier: BSD-3-Clause
#include "serve/answers.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_out.h"
#include "data/contents.h"
#include "data/learn.h"
#include "explain/row.h"
#include "serve/openapi.h"
#include "serve/rows.h"

/* ---- workers ---- */

static void on_log(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_WARNING) json_array_append_new(user, jout_text(text));
}

rung_status answers_open(answers *a, const session *s)
{
    a->worker = allocate((size_t)http_workers(), sizeof *a->worker);
    for (int i = 0; i < http_workers(); i++) {
        rung_status status = rung_ctx_new(&a->worker[i].ctx);
        if (status != RUNG_OK) return status;
        a->worker[i].warnings = json_array();
        rung_ctx_set_threads(a->worker[i].ctx, 1); /* requests run side by side instead */
        session_settle(s, a->worker[i].ctx, http_workers());
        rung_ctx_set_log(a->worker[i].ctx, on_log, a->worker[i].warnings);
    }
    return RUNG_OK;
}

void answers_interrupt(answers *a)
{
    for (int i = 0; i < http_workers(); i++) rung_ctx_interrupt(a->worker[i].ctx);
}

void answers_close(answers *a)
{
    for (int i = 0; a->worker && i < http_workers(); i++) {
        rung_ctx_free(a->worker[i].ctx);
        json_decref(a->worker[i].warnings);
    }
    free(a->worker);
}

/* ---- one request ---- */

typedef struct {
    const served *of;
    rung_ctx *ctx;
    json_t *warnings;
    json_t *body;       /* as it came */
    const json_t *rows; /* in it */
    const char *id;     /* the field of a row that comes back with its answer ... */
    bool named;         /* ... which every row must have, because the body names it */
    rung_table *table;
    rung_data *data;
    http_reply *reply;
} question;

/* The status says whose fault it is. */
static bool good(question *q, rung_status status)
{
    if (status == RUNG_OK) return true;
    bool asked = status == RUNG_EARG || status == RUNG_EDATA || status == RUNG_ELIMIT;
    http_error(q->reply, status == RUNG_EINTERRUPT ? 503 : asked ? 400 : 500, "%s", rung_ctx_message(q->ctx));
    return false;
}

static bool read_id(question *q)
{
    size_t i;
    json_t *row;
    const json_t *name = json_is_object(q->body) ? json_object_get(q->body, "id") : NULL;
    q->named = name != NULL;
    q->id = name ? json_string_value(name) : "id";
    if (!q->id) {
        http_error(q->reply, 400, "id: expected the name of a field of the rows in a text, such as \"patient\"");
        return false;
    }
    json_array_foreach(q->rows, i, row)
    {
        const json_t *id = json_object_get(row, q->id); /* NULL of a list */
        if (!q->named || (id && !json_is_object(id) && !json_is_array(id))) continue;
        http_error(q->reply, 400, "row %zu has no number or text '%.80s', which \"id\" names", i + 1, q->id);
        return false;
    }
    return true;
}

/* An answer to row i, with the row's id as it came. */
static json_t *with_id(const question *q, int64_t i, json_t *answer)
{
    json_t *id = json_object_get(json_array_get(q->rows, (size_t)i), q->id);
    if (!id || json_is_object(id) || json_is_array(id)) return answer;
    json_t *all = json_object();
    json_object_set(all, "id", id);
    json_object_update(all, answer);
    json_decref(answer);
    return all;
}

/* {"rows": [...]}, with options, or the list alone. allowed: the names of the options, ends with NULL. */
static bool read_body(question *q, const http_request *request, const char *const *allowed, size_t most)
{
    json_error_t wrong;
    const char *key;
    json_t *value;
    q->body = json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, &wrong);
    if (!q->body) {
        http_error(q->reply, 400, "the body is not JSON: line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
        return false;
    }
    q->rows = json_is_array(q->body) ? q->body : json_object_get(q->body, "rows");
    if (!json_is_array(q->rows)) {
        http_error(q->reply, 400, "the body must be {\"rows\": [...]}, with an object or a list for each row");
        return false;
    }
    if (json_is_object(q->body)) json_object_foreach(q->body, key, value)
        {
            bool known = !strcmp(key, "rows");
            for (const char *const *name = allowed; *name; name++) known |= !strcmp(key, *name);
            if (known) continue;
            http_error(q->reply, 400, "unknown key '%.80s' beside rows", key);
            return false;
        }
    size_t n = json_array_size(q->rows);
    if (n >= 1 && n <= most) return read_id(q);
    if (n == 0)
        http_error(q->reply, 400, "there are no rows");
    else
        http_error(q->reply, 413, "%zu rows are too many for one request; send at most %zu", n, most);
    return false;
}

static bool code_rows(question *q)
{
    char *wrong = rows_table(q->ctx, q->of->model, q->rows, &q->table);
    if (wrong) {
        http_error(q->reply, 400, "%s", wrong);
        free(wrong);
        return false;
    }
    return good(q, rung_model_encode(q->ctx, q->of->model, q->table, RUNG_LABELS_IGNORED, &q->data));
}

static void reply_rows(question *q, json_t *rows)
{
    json_t *root = json_object();
    json_object_set_new(root, "rows", rows);
    if (json_array_size(q->warnings)) json_object_set_new(root, "warnings", json_copy(q->warnings));
    http_json(q->reply, 200, root);
}

/* ---- POST /predict ---- */

typedef struct {
    int *rank, *low, *high;
    double *score, *proba, level;
    double *sd; /* of the latent value whose mean is the score */
} predictions;

static json_t *prediction(const rung_model *model, const predictions *p, int64_t i)
{
    int classes = rung_model_classes(model), outputs = rung_model_outputs(model);
    json_t *row = json_object();
    if (p->rank) {
        json_object_set_new(row, "label", jout_text(p->rank[i] ? rung_model_class_name(model, p->rank[i]) : "unsure"));
        json_object_set_new(row, "rank", json_integer(p->rank[i]));
    }
    json_object_set_new(row, "score",
                        outputs == 1 ? jout_number(p->score[i]) : jout_numbers(outputs, p->score + i * outputs));
    if (p->proba) json_object_set_new(row, "proba", jout_numbers(classes, p->proba + i * classes));
    if (p->sd) {
        json_object_set_new(row, "mean", jout_number(p->score[i]));
        json_object_set_new(row, "sd", jout_number(p->sd[i]));
    }
    if (p->low) {
        json_object_set_new(row, "low", json_integer(p->low[i]));
        json_object_set_new(row, "high", json_integer(p->high[i]));
    }
    return row;
}

static bool interval_of(question *q, double *level)
{
    const json_t *value = json_is_object(q->body) ? json_object_get(q->body, "interval") : NULL;
    *level = 0;
    if (!value) return true;
    *level = json_number_value(value);
    if (*level > 0 && *level < 1) return true;
    http_error(q->reply, 400, "interval: expected a probability between 0 and 1, such as 0.9");
    return false;
}

static void predict_rows(question *q)
{
    const rung_model *model = q->of->model;
    rung_view X = rung_data_view(q->data);
    size_t n = (size_t)X.n;
    predictions p = {.score = allocate(n * (size_t)rung_model_outputs(model), sizeof *p.score)};
    if (!interval_of(q, &p.level)) {
        free(p.score);
        return;
    }
    if (rung_model_has_ranks(model)) p.rank = allocate(n, sizeof *p.rank);
    if (rung_model_has_probabilities(model)) p.proba = allocate(n * (size_t)rung_model_classes(model), sizeof *p.proba);
    if (p.proba && rung_model_has_latent(model)) p.sd = allocate(n, sizeof *p.sd);
    if (p.level > 0) p.low = allocate(n, sizeof *p.low), p.high = allocate(n, sizeof *p.high);
    rung_output out = {.size = sizeof out,
                       .rank = p.rank,
                       .score = p.score,
                       .proba = p.proba,
                       .sd = p.sd,
                       .low = p.low,
                       .high = p.high};
    const rung_predict_options how = {.size = sizeof how, .level = p.level};
    if (good(q, rung_model_predict(q->ctx, model, &X, &how, &out))) {
        json_t *rows = json_array();
        for (int64_t i = 0; i < X.n; i++) json_array_append_new(rows, with_id(q, i, prediction(model, &p, i)));
        reply_rows(q, rows);
    }
    free(p.rank);
    free(p.low);
    free(p.high);
    free(p.score);
    free(p.proba);
    free(p.sd);
}

static void predict(question *q, const http_request *request)
{
    static const char *const allowed[] = {"interval", "id", NULL};
    if (read_body(q, request, allowed, MOST_ROWS) && code_rows(q)) predict_rows(q);
}

/* ---- POST /explain ---- */

static json_t *explain_row(question *q, int64_t i, rung_row_options *how)
{
    rung_row *found = NULL;
    how->row = i;
    how->background = q->of->background;
    json_t *report =
        good(q, rung_row_explain(q->ctx, q->of->model, q->data, how, &found)) ? row_json(q->of->model, found) : NULL;
    rung_row_free(found);
    return report;
}

static bool explain_options(question *q, rung_row_options *how)
{
    const json_t *fixed = NULL, *samples = NULL;
    if (json_is_object(q->body))
        fixed = json_object_get(q->body, "fixed"), samples = json_object_get(q->body, "samples");
    how->samples = (int)json_integer_value(samples);
    if (fixed && !json_is_string(fixed))
        http_error(q->reply, 400, "fixed: expected names of columns in a text, such as \"age,sex\"");
    else if (samples && !(json_is_integer(samples) && how->samples >= 1 && json_integer_value(samples) <= MOST_SAMPLES))
        http_error(q->reply, 400, "samples: expected a whole number from 1 to %d", MOST_SAMPLES);
    else
        return how->fixed = learn_columns(json_string_value(fixed)), true;
    return false;
}

static void explain_rows(question *q, rung_row_options *how)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < rung_data_rows(q->data); i++) {
        json_t *report = explain_row(q, i, how);
        if (!report) {
            json_decref(rows);
            return;
        }
        json_array_append_new(rows, with_id(q, i, report));
    }
    reply_rows(q, rows);
}

static void explain(question *q, const http_request *request)
{
    static const char *const allowed[] = {"fixed", "samples", "id", NULL};
    rung_row_options how = {.size = sizeof how};
    if (!q->of->background) {
        http_error(q->reply, 400, "explanations compare a row with others: start 'rung serve' with --data FILE");
        return;
    }
    if (!read_body(q, request, allowed, MOST_EXPLAINED) || !explain_options(q, &how)) return;
    if (code_rows(q)) explain_rows(q, &how);
    free((void *)how.fixed);
}

/* ---- GET /health ---- */

static json_t *describe(const served *of)
{
    json_t *root = json_object(), *columns = json_array();
    for (int64_t j = 0; j < rung_model_inputs(of->model); j++) {
        int is_text;
        json_t *one = json_object();
        json_object_set_new(one, "name",
                            jout_text(rung_model_column(of->model, rung_model_input(of->model, j), &is_text)));
        json_object_set_new(one, "text", json_boolean(is_text));
        json_array_append_new(columns, one);
    }
    json_object_set_new(root, "status", json_string("ok"));
    json_object_set_new(root, "version", json_string(rung_version()));
    json_object_set_new(root, "model", json_string(of->name));
    json_object_set_new(root, "method", jout_text(rung_model_method(of->model)));
    json_object_set_new(root, "label", jout_text(rung_model_label(of->model)));
    json_object_set_new(root, "classes", classes_json(of->model));
    json_object_set_new(root, "columns", columns);
    json_object_set_new(root, "explains", json_boolean(of->background != NULL));
    return root;
}

static json_t *describe_all(const answers *a)
{
    json_t *root = json_object(), *models = json_array();
    for (int i = 0; i < a->n; i++) json_array_append_new(models, json_string(a->of[i].name));
    json_object_set_new(root, "status", json_string("ok"));
    json_object_set_new(root, "version", json_string(rung_version()));
    json_object_set_new(root, "models", models);
    return root;
}

/* ---- which answer ---- */

/* The model that a path names, and in *rest what follows the name; NULL: it names none that is served. */
static const served *find_model(const answers *a, const char *path, const char **rest)
{
    size_t length = strcspn(path, "/");
    *rest = path;
    if (!path[length]) return a->n == 1 ? a->of : NULL;
    *rest = path + length + 1;
    for (int i = 0; i < a->n; i++)
        if (strlen(a->of[i].name) == length && !strncmp(a->of[i].name, path, length)) return &a->of[i];
    return NULL;
}

static void no_path(const answers *a, const char *path, http_reply *reply)
{
    char *names = text_of("%s", a->of[0].name);
    for (int i = 1; i < a->n; i++) text_add(&names, ", %s", a->of[i].name);
    if (a->n == 1)
        http_error(reply, 404,
                   "there is no /%.80s; there are GET /health, GET /openapi.json, POST /predict and POST /explain",
                   path);
    else
        http_error(reply, 404,
                   "there is no /%.80s; there are GET /health, GET /openapi.json, and for every model NAME: GET "
                   "/NAME/health, POST /NAME/predict and POST /NAME/explain; the models are %.400s",
                   path, names);
    free(names);
}

static void ask(const answers *a, const served *of, void (*what)(question *, const http_request *),
                const http_request *request, http_reply *reply)
{
    question q = {.of = of,
                  .ctx = a->worker[request->worker].ctx,
                  .warnings = a->worker[request->worker].warnings,
                  .reply = reply};
    json_array_clear(q.warnings);
    what(&q, request);
    rung_data_free(q.data);
    rung_table_free(q.table);
    json_decref(q.body);
}

void answers_give(void *user, const http_request *request, http_reply *reply)
{
    const answers *a = user;
    const char *rest;
    const served *of = find_model(a, request->path, &rest);
    bool of_all = !strcmp(request->path, "openapi.json") || (a->n > 1 && !strcmp(request->path, "health")),
         to_health = of && !strcmp(rest, "health"), to_predict = of && !strcmp(rest, "predict"),
         to_explain = of && !strcmp(rest, "explain");
    if (!of_all && !to_health && !to_predict && !to_explain)
        no_path(a, request->path, reply);
    else if (request->post == (of_all || to_health))
        http_error(reply, 405, "/%s takes %s requests", request->path, of_all || to_health ? "GET" : "POST");
    else if (of_all)
        http_json(reply, 200, *request->path == 'o' ? openapi_of(a) : describe_all(a));
    else if (to_health)
        http_json(reply, 200, describe(of));
    else
        ask(a, of, to_predict ? predict : explain, request, reply);
}
