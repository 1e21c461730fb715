/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <R_ext/Utils.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    rung_log_level level;
    char *text;
} remark;

struct session {
    rung_ctx *ctx;
    rung_status status;
    remark *remarks;
    size_t n_remarks, room;
    int show, drawn; /* progress: wanted; a line of it stands on the screen */
    double began, shown;
    struct sigaction before;
};

/* ---- what a call says ---- */

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static void remember(void *user, rung_log_level level, const char *text)
{
    session *s = user;
    if (s->n_remarks == s->room) {
        size_t room = s->room ? 2 * s->room : 8;
        remark *more = realloc(s->remarks, room * sizeof *more);
        if (!more) return; /* a remark is lost, the result is not */
        s->remarks = more;
        s->room = room;
    }
    char *copy = copy_text(text);
    if (copy) s->remarks[s->n_remarks++] = (remark){level, copy};
}

static void forget(session *s)
{
    for (size_t i = 0; i < s->n_remarks; i++) free(s->remarks[i].text);
    s->n_remarks = 0;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look_for_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

/* Called in the thread of R. A graphical front end has no signals: it is asked here. */
static void tell(void *user, const char *stage, double done)
{
    session *s = user;
    double t = now();
    if (t - s->began < 0.5 || t - s->shown < 0.1) return; /* sooner it would only flicker */
    s->shown = t;
    if (!R_ToplevelExec(look_for_interrupt, NULL)) rung_ctx_interrupt(s->ctx);
    if (!s->show) return;
    REprintf("\r%s: %3.0f %%", stage, 100 * (done < 0 ? 0 : done > 1 ? 1 : done));
    s->drawn = 1;
}

/* ---- Ctrl-C ---- */

static rung_ctx *volatile running; /* R has one thread */

static void on_interrupt(int number)
{
    (void)number;
    rung_ctx *ctx = running;
    if (ctx) rung_ctx_interrupt(ctx);
}

void session_begin(session *s)
{
    struct sigaction own;
    memset(&own, 0, sizeof own);
    own.sa_handler = on_interrupt;
    sigemptyset(&own.sa_mask);
    s->began = s->shown = now();
    running = s->ctx;
    sigaction(SIGINT, &own, &s->before);
}

void session_end(session *s, rung_status status)
{
    sigaction(SIGINT, &s->before, NULL);
    running = NULL;
    if (s->drawn) REprintf("\r%40s\r", "");
    s->drawn = 0;
    session_note(s, status);
}

void session_note(session *s, rung_status status)
{
    if (s->status == RUNG_OK) s->status = status;
}

/* ---- handles ---- */

typedef struct {
    void *object;
    free_fn *release;
} owner;

static void finalize(SEXP handle)
{
    owner *o = R_ExternalPtrAddr(handle);
    if (!o) return;
    if (o->object) o->release(o->object);
    free(o);
    R_ClearExternalPtr(handle);
}

SEXP handle_new(free_fn *release)
{
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    owner *o = calloc(1, sizeof *o);
    if (!o) Rf_error("out of memory");
    o->release = release;
    R_SetExternalPtrAddr(handle, o);
    R_RegisterCFinalizerEx(handle, finalize, TRUE);
    UNPROTECT(1);
    return handle;
}

void handle_set(SEXP handle, void *object) { ((owner *)R_ExternalPtrAddr(handle))->object = object; }

void *handle_get(SEXP handle)
{
    owner *o = TYPEOF(handle) == EXTPTRSXP ? R_ExternalPtrAddr(handle) : NULL;
    if (!o || !o->object) Rf_error("this object of rung is gone");
    return o->object;
}

SEXP r_alive(SEXP handle)
{
    owner *o = TYPEOF(handle) == EXTPTRSXP ? R_ExternalPtrAddr(handle) : NULL;
    return Rf_ScalarLogical(o && o->object);
}

static void session_free(void *object)
{
    session *s = object;
    rung_ctx_free(s->ctx);
    forget(s);
    free(s->remarks);
    free(s);
}

session *session_of(SEXP handle) { return handle_get(handle); }
rung_ctx *session_ctx(session *s) { return s->ctx; }

/* The threads of OpenMP are gone in a forked child (parallel::mclapply), where work that wants them never ends. */
static pid_t loaded_by;
void session_loaded(void) { loaded_by = getpid(); }

/* seed, threads, memory: numbers; progress: a flag. */
SEXP r_session(SEXP seed, SEXP threads, SEXP memory, SEXP progress)
{
    SEXP handle = PROTECT(handle_new(session_free));
    session *s = calloc(1, sizeof *s);
    if (!s || rung_ctx_new(&s->ctx) != RUNG_OK) {
        free(s);
        Rf_error("out of memory");
    }
    handle_set(handle, s);
    s->show = Rf_asLogical(progress);
    rung_ctx_set_seed(s->ctx, (uint64_t)Rf_asReal(seed));
    rung_ctx_set_threads(s->ctx, getpid() == loaded_by ? Rf_asInteger(threads) : 1);
    rung_ctx_set_memory(s->ctx, (int64_t)Rf_asReal(memory));
    rung_ctx_set_log(s->ctx, remember, s);
    rung_ctx_set_progress(s->ctx, tell, s);
    UNPROTECT(1);
    return handle;
}

/* How the calls since the last time ended: list(status, message, detail, levels, remarks), which is then forgotten. */
SEXP r_outcome(SEXP handle)
{
    session *s = session_of(handle);
    const char *names[] = {"status", "message", "detail", "levels", "remarks", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(s->status));
    const char *message = rung_ctx_message(s->ctx);
    if (s->status != RUNG_OK && !*message) message = rung_status_name(s->status);
    SET_VECTOR_ELT(out, 1, Rf_ScalarString(text_utf8(message)));
    SET_VECTOR_ELT(out, 2, Rf_ScalarString(text_utf8(rung_ctx_detail(s->ctx))));
    SEXP levels = Rf_allocVector(INTSXP, (R_xlen_t)s->n_remarks);
    SET_VECTOR_ELT(out, 3, levels);
    SEXP texts = Rf_allocVector(STRSXP, (R_xlen_t)s->n_remarks);
    SET_VECTOR_ELT(out, 4, texts);
    for (size_t i = 0; i < s->n_remarks; i++) {
        INTEGER(levels)[i] = (int)s->remarks[i].level;
        SET_STRING_ELT(texts, (R_xlen_t)i, text_utf8(s->remarks[i].text));
    }
    forget(s);
    s->status = RUNG_OK;
    UNPROTECT(1);
    return out;
}

/* Hands an interrupt on to R, which leaves from here. */
SEXP r_interrupt(void)
{
    raise(SIGINT);
    R_CheckUserInterrupt();
    return R_NilValue;
}

/* ---- lists of R ---- */

SEXP text_utf8(const char *text) { return Rf_mkCharCE(text ? text : "", CE_UTF8); }

SEXP field(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
    return R_NilValue;
}

const char *field_text(SEXP list, const char *name)
{
    SEXP value = field(list, name);
    return value == R_NilValue ? NULL : Rf_translateCharUTF8(STRING_ELT(value, 0));
}

int field_int(SEXP list, const char *name, int otherwise)
{
    SEXP value = field(list, name);
    return value == R_NilValue ? otherwise : Rf_asInteger(value);
}

const char *const *field_texts(SEXP list, const char *name)
{
    SEXP value = field(list, name);
    R_xlen_t n = Rf_xlength(value);
    if (value == R_NilValue || n == 0) return NULL;
    const char **out = (const char **)R_alloc((size_t)n + 1, sizeof *out);
    for (R_xlen_t i = 0; i < n; i++) out[i] = Rf_translateCharUTF8(STRING_ELT(value, i));
    out[n] = NULL;
    return out;
}
