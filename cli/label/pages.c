// SPDX-License-Identifier: BSD-3-Clause
#include "label/pages.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_out.h"
#include "label/assets.h"
#include "label/grades.h"

/* ---- files ---- */

static bool give_file(const char *path, http_reply *reply)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"}};
    const char *name = !*path ? "label.html" : !strcmp(path, "graders") ? "graders.html" : path;
    for (const asset *a = assets; a->name; a++) {
        if (strcmp(a->name, name)) continue;
        reply->body = allocate(a->size, 1);
        memcpy(reply->body, a->bytes, a->size);
        reply->size = a->size;
        reply->status = 200;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (strstr(name, types[i][0])) reply->type = types[i][1];
        return true;
    }
    return false;
}

/* A whole number from 1 to most, which ends at `end`; 0: it is none. */
static int64_t number_in(const char *text, char end, int64_t most, const char **rest)
{
    int64_t n = 0;
    for (; *text >= '0' && *text <= '9' && n <= most; text++) n = 10 * n + (*text - '0');
    *rest = text;
    return *text == end && n <= most ? n : 0;
}

/* image/ROW/COLUMN */
static bool give_picture(const desk *d, const char *path, http_reply *reply)
{
    const subject *u = d->j.of;
    const char *rest;
    if (strncmp(path, "image/", 6)) return false;
    int64_t row = number_in(path + 6, '/', u->rows, &rest),
            column = row ? number_in(rest + 1, 0, u->columns, &rest) : 0;
    if (!column || !pages_picture(u, row - 1, column - 1, reply))
        http_error(reply, 404, "there is no such picture in the folder of the data");
    return true;
}

/* ---- what the browser does ---- */

/* What the model thinks of a row that it was not fitted to; null: nothing. */
static json_t *guess_of(const desk *d, int64_t row)
{
    const refit *r = &d->model;
    int classes = d->j.of->classes;
    if (!r->rank || !r->rank[row] || r->fitted[row]) return json_null();
    json_t *root = json_object();
    json_object_set_new(root, "label", jout_text(d->j.of->class_name[r->rank[row] - 1]));
    json_object_set_new(root, "rank", json_integer(r->rank[row]));
    if (r->proba) json_object_set_new(root, "probability", jout_number(r->proba[row * classes + r->rank[row] - 1]));
    return root;
}

/* The row that was graded, and what was hidden before. */
static json_t *graded_json(const desk *d, int64_t row, bool again, grade before, int low, int high)
{
    json_t *root = json_object();
    char *label = subject_label(d->j.of, low, high),
         *first = before.state == GRADED ? subject_label(d->j.of, before.low, before.high) : NULL;
    json_object_set_new(root, "number", json_integer(row + 1));
    json_object_set_new(root, "label", jout_text(label));
    json_object_set_new(root, "low", json_integer(low));
    json_object_set_new(root, "high", json_integer(high));
    json_object_set_new(root, "guess", again ? json_null() : guess_of(d, row));
    json_object_set_new(root, "before", again ? jout_text(first) : json_null());
    free(label);
    free(first);
    return root;
}

static void reply_next(desk *d, client *c, json_t *graded, http_reply *reply)
{
    json_t *root = json_object();
    desk_next(d, c);
    json_object_set_new(root, "row", c->row >= 0 ? pages_row(d, c->row) : json_null());
    json_object_set_new(root, "graded", graded ? graded : json_null());
    json_object_set_new(root, "state", pages_state(d));
    http_json(reply, 200, root);
}

static bool ranks_of(const desk *d, const json_t *body, int *low, int *high)
{
    json_int_t a = json_integer_value(json_object_get(body, "low")),
               b = json_integer_value(json_object_get(body, "high"));
    if (a < 1 || b < a || b > d->j.of->classes) return false;
    *low = (int)a;
    *high = (int)b;
    return true;
}

typedef struct {
    desk *d;
    client *c;
    const json_t *body;
    http_reply *reply;
} act;

static bool failed(const act *a, char *wrong)
{
    if (!wrong) return false;
    http_error(a->reply, 500, "%s", wrong);
    free(wrong);
    return true;
}

/* The row the browser means must be the one it was shown: another window may have been faster. */
static bool shows(const act *a)
{
    if (a->c->row >= 0 && json_integer_value(json_object_get(a->body, "row")) == a->c->row + 1) return true;
    http_error(a->reply, 409, "this row is no longer the one to grade here");
    return false;
}

static void do_next(act *a) { reply_next(a->d, a->c, NULL, a->reply); }

static void do_grade(act *a)
{
    int low, high;
    if (!ranks_of(a->d, a->body, &low, &high)) {
        http_error(a->reply, 400, "expected low and high, whole numbers from 1 to %d", a->d->j.of->classes);
        return;
    }
    if (!shows(a)) return;
    int64_t row = a->c->row;
    bool again = a->c->again;
    grade before = grade_by(&a->d->j, a->d->me, row);
    json_t *graded = graded_json(a->d, row, again, before, low, high);
    if (failed(a, desk_grade(a->d, a->c, low, high)))
        json_decref(graded);
    else
        reply_next(a->d, a->c, graded, a->reply);
}

static void do_skip(act *a)
{
    if (shows(a) && !failed(a, desk_skip(a->d, a->c))) reply_next(a->d, a->c, NULL, a->reply);
}

static void do_undo(act *a)
{
    bool done;
    if (!failed(a, desk_undo(a->d, a->c, &done))) reply_next(a->d, a->c, NULL, a->reply);
}

static void do_reopen(act *a)
{
    if (!failed(a, desk_reopen(a->d))) reply_next(a->d, a->c, NULL, a->reply);
}

static void do_settle(act *a)
{
    int low, high;
    json_int_t row = json_integer_value(json_object_get(a->body, "row"));
    if (row < 1 || row > a->d->j.of->rows || !ranks_of(a->d, a->body, &low, &high))
        http_error(a->reply, 400, "expected row, low and high");
    else if (!failed(a, desk_settle(a->d, row - 1, low, high)))
        http_json(a->reply, 200, pages_agreement(a->d));
}

static void post(desk *d, const http_request *request, http_reply *reply)
{
    static const struct {
        const char *path;
        void (*run)(act *);
    } acts[] = {{"next", do_next}, {"grade", do_grade},   {"skip", do_skip},
                {"undo", do_undo}, {"reopen", do_reopen}, {"settle", do_settle}};
    size_t i = 0;
    while (i < sizeof acts / sizeof *acts && strcmp(acts[i].path, request->path)) i++;
    if (i == sizeof acts / sizeof *acts) {
        http_error(reply, 404, "there is no /%.80s", request->path);
        return;
    }
    json_t *body = json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL);
    json_int_t id = json_integer_value(json_object_get(body, "client"));
    if (id < 1 || id > UINT32_MAX) {
        http_error(reply, 400, "expected a JSON object with client, a whole number from 1 to %u", UINT32_MAX);
    } else {
        act a = {d, NULL, body, reply};
        pthread_mutex_lock(&d->lock);
        if (!failed(&a, journal_follow(&d->j))) {
            a.c = desk_client(d, (unsigned)id);
            acts[i].run(&a);
        }
        pthread_mutex_unlock(&d->lock);
    }
    json_decref(body);
}

void pages_give(void *user, const http_request *request, http_reply *reply)
{
    desk *d = user;
    bool state = !strcmp(request->path, "state"), agree = !strcmp(request->path, "agreement");
    if (request->post) {
        post(d, request, reply);
    } else if (state || agree) {
        act a = {d, NULL, NULL, reply};
        pthread_mutex_lock(&d->lock);
        if (!failed(&a, journal_follow(&d->j))) http_json(reply, 200, state ? pages_state(d) : pages_agreement(d));
        pthread_mutex_unlock(&d->lock);
    } else if (!give_picture(d, request->path, reply) && !give_file(request->path, reply)) {
        http_error(reply, 404, "there is no /%.80s", request->path);
    }
}
