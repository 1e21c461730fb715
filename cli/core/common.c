// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "core/common.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/advice.h"
#include "core/signals.h"
#include "processes/processes.h"

#define GROUP "Global options"
const option global_options[] = {
    {"json", 0, NULL, "print the result as one JSON document on standard output", GROUP},
    {"seed", 0, "N", "seed of the random numbers (default 1)", GROUP},
    {"threads", 0, "N", "number of threads (default: all cores); results do not depend on it", GROUP},
    {"memory", 0, "SIZE",
     "keep the whole process below SIZE bytes, and reject work that needs more; suffixes K, M, G are allowed", GROUP},
    {"quiet", 'q', NULL, "print errors only", GROUP},
    {"verbose", 'v', NULL, "print more, including the operations performed and their time", GROUP},
    {"help", 'h', NULL, "explain the usual options; --help all: every option", GROUP},
    {"version", 0, NULL, "print the version, the compiler, the BLAS and the number of cores", GROUP},
    {0}};

/* ---- messages ---- */

/* Bytes of the character at c, from 1; 0: a control character or invalid UTF-8. */
static int printable(const unsigned char *c)
{
    if (*c < 0x80) return (*c >= 0x20 || *c == '\n' || *c == '\t') && *c != 0x7f;
    int more = *c >= 0xf5 ? 0 : *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc2 ? 1 : 0;
    for (int i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return more && !(c[0] == 0xc2 && c[1] < 0xa0) ? more + 1 : 0; /* U+0080 to U+009F control terminals too */
}

void make_printable(char *text)
{
    for (char *c = text; *c;) {
        int length = printable((unsigned char *)c);
        if (length == 0) *c = '?';
        c += length ? length : 1;
    }
}

void say(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = text_of_list(format, args);
    va_end(args);
    make_printable(text);
    fputs(text, file);
    free(text);
}

void complain(const char *format, ...)
{
    char text[4096]; /* of fixed size: it may report that memory has run out */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    if (!processes_keep(text)) fprintf(stderr, "rung: %s\n", text);
}

static void bar_clear(session *s)
{
    if (s->bar.drawn) fputs("\r\033[K", stderr);
    s->bar.drawn = false;
}

static void on_log(void *user, rung_log_level level, const char *text)
{
    enum { MOST_WARNINGS = 5 }; /* a long file read in blocks may have one in every block */
    session *s = user;
    if (level == RUNG_LOG_DEBUG ? !s->verbose : level != RUNG_LOG_ERROR && s->quiet) return;
    if (level == RUNG_LOG_WARNING && !strncmp(text, s->last, sizeof s->last - 1)) return;
    if (level == RUNG_LOG_WARNING) snprintf(s->last, sizeof s->last, "%s", text);
    bar_clear(s);
    if (level == RUNG_LOG_WARNING && s->warnings++ >= MOST_WARNINGS && !s->verbose) {
        if (s->warnings == MOST_WARNINGS + 1) complain("warning: further warnings are hidden; -v shows them");
        return;
    }
    char *words = advice(text, rung_ctx_detail(s->ctx), s->args);
    complain("%s%s", level == RUNG_LOG_WARNING ? "warning: " : "", words);
    free(words);
}

/* ---- progress ---- */

static void bar_draw(session *s, double done, double now)
{
    enum { CELLS = 30 };
    char cells[CELLS + 1];
    int full = (int)(done * CELLS);
    for (int i = 0; i < CELLS; i++) cells[i] = i < full ? '#' : '.';
    cells[CELLS] = 0;
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%", s->bar.stage, cells, 100 * done);
    if (done > 0.02) {
        double left = (now - s->bar.started) * (1 - done) / done;
        if (left >= 90)
            fprintf(stderr, ", about %.0f min left", left / 60);
        else
            fprintf(stderr, ", about %.0f s left", ceil(left));
    }
    fflush(stderr);
    s->bar.drawn = true;
    s->bar.shown = now;
}

static void on_progress(void *user, const char *stage, double done)
{
    session *s = user;
    double now = seconds_now();
    if (!processes_lead()) return;
    if (s->stage && strcmp(stage, s->stage)) return;
    if (s->stage && s->shown) stage = s->shown;
    if (!(done >= 0)) done = 0;
    if (done > 1) done = 1;
    if (strncmp(stage, s->bar.stage, sizeof s->bar.stage - 1)) {
        bar_clear(s);
        snprintf(s->bar.stage, sizeof s->bar.stage, "%s", stage);
        s->bar.started = now;
        s->bar.tenth = -1;
    }
    if (isatty(STDERR_FILENO)) {
        /* Short work shows no bar: it would only flicker. */
        if (done >= 1)
            bar_clear(s);
        else if (now - s->bar.started > 0.5 && now - s->bar.shown > 0.1)
            bar_draw(s, done, now);
    } else if (s->verbose && (int)(done * 10) > s->bar.tenth) {
        s->bar.tenth = (int)(done * 10);
        complain("%s: %d %%", s->bar.stage, 10 * s->bar.tenth);
    }
}

void session_progress(session *s, const char *stage, double done)
{
    if (!s->quiet) on_progress(s, stage, done);
}

/* ---- session ---- */

bool parse_whole(const char *text, long long low, long long high, long long *out)
{
    char *end;
    errno = 0;
    if (!(*text == '-' || *text == '+' || (*text >= '0' && *text <= '9'))) return false;
    *out = strtoll(text, &end, 10);
    return !errno && !*end && *out >= low && *out <= high;
}

bool parse_double(const char *text, double *out)
{
    char *end;
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
    *out = strtod(text, &end);
    return !*end && isfinite(*out);
}

static bool parse_size(const char *text, int64_t *out)
{
    size_t n = strlen(text);
    char number[32];
    if (n == 0 || n >= sizeof number) return false;
    memcpy(number, text, n + 1);
    static const char suffix[] = "KMGT";
    const char *unit = strchr(suffix, number[n - 1] >= 'a' ? number[n - 1] - 32 : number[n - 1]);
    double x, factor = 1;
    if (unit && *unit) {
        number[n - 1] = 0;
        for (const char *u = suffix; u <= unit; u++) factor *= 1024;
    }
    if (!parse_double(number, &x) || !(x > 0) || x * factor < 1 || x * factor > 9e18) return false;
    *out = (int64_t)(x * factor);
    return true;
}

/* What the command takes whatever it does, the program with its libraries, and what each thread takes: the buffers of
 * the BLAS. tests/memory compares them with what the system measures. */
static const int64_t PROGRAM = 16 << 20, THREAD = 6 << 20;

void session_settle(const session *s, rung_ctx *ctx, int shares)
{
    rung_ctx_set_seed(ctx, s->seed);
    rung_ctx_set_memory(ctx, s->memory / shares);
    rung_ctx_set_overhead(ctx, PROGRAM / shares, THREAD);
}

/* Arrays go back to the system when they are freed; the heap would keep up to 64 MiB of them. */
static void return_freed_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}

int session_open(session *s, const char *command, const arguments *args)
{
    enum { MOST_THREADS = 4096 };
    *s = (session){.command = command,
                   .args = args,
                   .json = option_given(args, "json"),
                   .quiet = option_given(args, "quiet"),
                   .verbose = option_given(args, "verbose")};
    const char *seed = option_value(args, "seed"), *threads = option_value(args, "threads"),
               *bytes = option_value(args, "memory");
    long long seed_number = 1, threads_number = 0;
    int64_t limit = 0;
    if (seed && !parse_whole(seed, 0, INT64_MAX, &seed_number)) {
        complain("%s: --seed %s: expected a whole number >= 0", command, seed);
        return USAGE;
    }
    if (threads && !parse_whole(threads, 1, MOST_THREADS, &threads_number)) {
        complain("%s: --threads %s: expected a whole number from 1 to %d", command, threads, MOST_THREADS);
        return USAGE;
    }
    if (bytes && !parse_size(bytes, &limit)) {
        complain("%s: --memory %s: expected a size such as 500M or 2G", command, bytes);
        return USAGE;
    }
    if (rung_ctx_new(&s->ctx) != RUNG_OK) {
        complain("out of memory");
        return FAILED;
    }
    s->seed = (uint64_t)seed_number;
    s->threads = threads ? (int)threads_number : processes_threads();
    s->memory = limit;
    if (limit > 0) return_freed_memory();
    rung_ctx_set_threads(s->ctx, s->threads);
    session_settle(s, s->ctx, 1);
    rung_ctx_set_log(s->ctx, on_log, s);
    if (!s->quiet) rung_ctx_set_progress(s->ctx, on_progress, s);
    s->outer = signals_watch(s->ctx);
    if (s->verbose) processes_show();
    return processes_comm() ? session_check(s, rung_ctx_set_comm(s->ctx, processes_comm())) : EXIT_OK;
}

void session_close(session *s)
{
    bar_clear(s);
    if (s->ctx) signals_unwatch(s->outer);
    rung_ctx_free(s->ctx);
    s->ctx = NULL;
}

int session_check(session *s, rung_status status)
{
    if (status == RUNG_OK && !session_interrupted()) return EXIT_OK;
    bar_clear(s);
    if (status == RUNG_EINTERRUPT || session_interrupted()) {
        complain("interrupted");
        return FAILED;
    }
    const char *why = rung_ctx_message(s->ctx);
    char *words = advice(*why ? why : rung_status_name(status), rung_ctx_detail(s->ctx), s->args);
    complain("%s", words);
    free(words);
    return status == RUNG_EARG ? USAGE : FAILED;
}

void session_counters(session *s)
{
    rung_counter c = {.size = sizeof c};
    bool first = true;
    if (!s->verbose) return;
    for (int i = 0; rung_ctx_counter(s->ctx, i, &c); i++) {
        if (c.calls == 0) continue;
        if (first) fprintf(stderr, "%-16s %10s %12s %10s %10s\n", "operation", "calls", "Gflop", "seconds", "Gflop/s");
        first = false;
        fprintf(stderr, "%-16s %10lld %12.3f %10.3f %10.2f\n", c.name, (long long)c.calls, c.flops * 1e-9, c.seconds,
                c.seconds > 0 ? c.flops * 1e-9 / c.seconds : 0.0);
    }
}

/* ---- small things ---- */

void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        complain("out of memory");
        exit(FAILED);
    }
    return p;
}

char *text_of_list(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = allocate((size_t)n + 1, 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

void text_add(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *more = text_of_list(format, args), *whole = text_of("%s%s", *text, more);
    va_end(args);
    free(more);
    free(*text);
    *text = whole;
}

bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

char *text_of(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = text_of_list(format, args);
    va_end(args);
    return text;
}

const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
