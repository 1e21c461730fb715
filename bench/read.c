// SPDX-License-Identifier: BSD-3-Clause
/* Reading a CSV file of numbers against the work that cannot be avoided: counting its lines and turning its cells into
 * numbers by strtod.
 *
 *     bench_read [ROWS] [COLUMNS]        default a million rows of 20 columns, in a temporary file
 *     bench_read --file FILE             processor seconds that one thread takes to load a file (bench/read_speed.py)
 *
 * Every ratio divides the best of several runs by the best of as many runs of its floor, taken in turns. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { PIECE = 1 << 18 };

static int64_t write_file(int fd, int64_t rows, int64_t columns)
{
    FILE *f = fdopen(fd, "w");
    rng r;
    rng_open(&r, 1, 0);
    for (int64_t j = 0; j < columns; j++) fprintf(f, "x%lld,", (long long)j + 1);
    fputs("label\n", f);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) fprintf(f, "%.6f,", rng_normal(&r));
        fprintf(f, "%d\n", 1 + (int)rng_below(&r, 5));
    }
    int64_t size = ftell(f);
    if (fclose(f) != 0) exit(1);
    return size;
}

static double time_lines(const char *path)
{
    static char piece[PIECE];
    double t = seconds();
    int64_t lines = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY);
    while ((got = read(fd, piece, sizeof piece)) > 0)
        for (const char *p = piece; (p = memchr(p, '\n', (size_t)(piece + got - p))); p++) lines++;
    close(fd);
    return lines > 0 ? seconds() - t : 1e9;
}

/* A number from every cell, one line at a time, kept nowhere. */
static double time_strtod(const char *path)
{
    double t = seconds(), sum = 0;
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    if (getline(&line, &room, f) < 0) exit(1);
    while (getline(&line, &room, f) > 0)
        for (char *p = line; *p && *p != '\n'; p += *p == ',') sum += strtod(p, &p);
    fclose(f);
    free(line);
    return sum == sum ? seconds() - t : 1e9;
}

static int time_file(const char *path)
{
    rung_ctx *ctx;
    rung_table *table;
    struct timespec from, to;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    need(ctx, rung_table_read(ctx, path, NULL, &table));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%.6f\n", (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    rung_table_free(table);
    rung_ctx_free(ctx);
    return 0;
}

static double peak_bytes(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--file") == 0) return time_file(argv[2]);
    int64_t rows = argc > 1 ? atoll(argv[1]) : 1000000, columns = argc > 2 ? atoll(argv[2]) : 20;
    char path[] = "/tmp/rung_bench_XXXXXX";
    int fd = mkstemp(path);
    rung_ctx *ctx;
    if (fd < 0 || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    int64_t size = write_file(fd, rows, columns);
    double load = 1e9, stream = 1e9, lines = 1e9, number = 1e9, before = peak_bytes(), peak = 0;
    for (int run = 0; run < RUNS; run++) {
        rung_table *table;
        rung_reader *reader;
        double t = seconds();
        need(ctx, rung_reader_open(ctx, path, NULL, NULL, &reader));
        for (;;) {
            need(ctx, rung_reader_next(ctx, reader, 10000, &table));
            if (!table) break;
            rung_table_free(table);
        }
        rung_reader_free(reader);
        stream = smaller(stream, seconds() - t);
        if (run == 0) peak = peak_bytes();
        double stream_peak = peak;
        t = seconds();
        need(ctx, rung_table_read(ctx, path, NULL, &table));
        load = smaller(load, seconds() - t);
        rung_table_free(table);
        if (run == 0) {
            peak = peak_bytes();
            printf("%lld rows of %lld columns, %.0f MB\n", (long long)rows, (long long)columns + 1, (double)size / 1e6);
            printf("  peak memory of loading / the numbers' own size    %6.2f   (wanted: <= 2)\n",
                   (peak - before) / (8.0 * (double)(rows * (columns + 1))));
            printf("  peak memory of reading in blocks of 10000 rows    %6.1f MB\n", (stream_peak - before) / 1e6);
        }
        lines = smaller(lines, time_lines(path));
        number = smaller(number, time_strtod(path));
    }
    unlink(path);
    printf("  load %.3f s, in blocks %.3f s; lines %.3f s, strtod %.3f s\n", load, stream, lines, number);
    printf("  load / (lines + strtod)                           %6.2f   (wanted: <= 3)\n", load / (lines + number));
    printf("  in blocks / (lines + strtod)                      %6.2f   (wanted: <= 3)\n", stream / (lines + number));
    rung_ctx_free(ctx);
    return 0;
}
