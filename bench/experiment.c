// SPDX-License-Identifier: BSD-3-Clause
/* What it costs to claim a cell of an experiment and to store it (45 labelled, 180 unlabelled and 75 test rows, 14
 * parameters), beside a transaction with a single number in the same file. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "experiment/jobs_finish.h"

enum { CELLS = 2000 };

static const char plan_text[] = "[experiment]\ndatasets = a\npartitions = random\n[method kdlor]\n";

static void fill(answers *a, int64_t n)
{
    rng r;
    rng_open(&r, 1, (uint64_t)n);
    *a = (answers){.n = n,
                   .rows = allocate((size_t)n, sizeof *a->rows),
                   .truth = allocate((size_t)n, sizeof *a->truth),
                   .rank = allocate((size_t)n, sizeof *a->rank),
                   .score = allocate((size_t)n, sizeof *a->score)};
    for (int64_t i = 0; i < n; i++) {
        a->rows[i] = 3 * i;
        a->truth[i] = 1 + (int)rng_below(&r, 5);
        a->rank[i] = 1 + (int)rng_below(&r, 5);
        a->score[i] = rng_normal(&r);
    }
}

static void must(bool good)
{
    if (good) return;
    fprintf(stderr, "bench: experiment\n");
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double floor_seconds(store *s)
{
    must(store_do(s, "CREATE TABLE floor (x REAL)", ""));
    double start = seconds();
    for (int i = 0; i < CELLS; i++)
        must(store_begin(s) && store_do(s, "INSERT INTO floor VALUES (?)", "d", 1.0 * i) && store_commit(s));
    return (seconds() - start) / CELLS;
}

typedef struct {
    double mean, median, tenth, cpu; /* tenth: one in ten takes longer */
} cost;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static cost cell_cost(jobs *c, const job_result *result)
{
    double each[CELLS];
    cost out = {0};
    double cpu_start = cpu_seconds();
    for (int i = 0; i < CELLS; i++) {
        job_place place;
        double start = seconds();
        must(jobs_claim(c, &place) == 1 && jobs_store(c, &place, result, 0));
        each[i] = seconds() - start;
        out.mean += each[i] / CELLS;
    }
    out.cpu = (cpu_seconds() - cpu_start) / CELLS;
    qsort(each, CELLS, sizeof *each, by_size);
    out.median = each[CELLS / 2];
    out.tenth = each[CELLS - CELLS / 10];
    return out;
}

int main(void)
{
    char folder[] = "/tmp/rung-bench-XXXXXX";
    must(mkdtemp(folder) != NULL);
    char *path = text_of("%s/plan.ini", folder), *db = text_of("%s/bench.db", folder);
    FILE *file = fopen(path, "w");
    must(file && fputs(plan_text, file) >= 0 && fclose(file) == 0);

    session s = {.command = "bench"};
    must(rung_ctx_new(&s.ctx) == RUNG_OK);
    plan p;
    store file_store;
    jobs c;
    const int64_t counts[] = {CELLS};
    job_result result = {
        .params = json_object(), .searched = json_array(), .labelled = 45, .unlabelled = 180, .test = 75};
    fill(&result.part[0], 75);
    fill(&result.part[1], 180);
    fill(&result.part[2], 45);
    for (int i = 0; i < 14; i++) {
        char name[16];
        snprintf(name, sizeof name, "name%d", i);
        json_object_set_new(result.params, name, json_string("0.25"));
    }
    must(plan_read(&s, path, NULL, &p) && store_open(&file_store, db, true) &&
         jobs_open(&c, &file_store, &p, counts, 0, 1, false));
    double floor = floor_seconds(&file_store);
    cost cell = cell_cost(&c, &result);
    printf("claim and store a cell, %d times: wall %.3f ms in the mean (median %.3f, one in ten above %.3f), processor "
           "%.3f ms\n",
           CELLS, 1e3 * cell.mean, 1e3 * cell.median, 1e3 * cell.tenth, 1e3 * cell.cpu);
    printf("at most 1 ms of wall clock: %s\n", cell.mean < 1e-3 ? "yes" : "NO");
    printf("a transaction of one number: %.3f ms; ratio %.1f\n", 1e3 * floor, cell.mean / floor);

    jobs_close(&c);
    store_close(&file_store);
    plan_free(&p);
    job_free(&result);
    rung_ctx_free(s.ctx);
    char *command = text_of("rm -r %s", folder);
    must(system(command) == 0);
    free(command);
    free(path);
    free(db);
    return 0;
}
