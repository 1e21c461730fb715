// SPDX-License-Identifier: BSD-3-Clause
/* The kinds of `rung plot`: each reads what it shows, then hands one figure to the writer. */
#ifndef RUNG_CLI_PLOT_KINDS_KINDS_H
#define RUNG_CLI_PLOT_KINDS_KINDS_H

#include "core/common.h"

extern const option plot_options[];

typedef struct {
    const char *name;
    int operands;      /* files after the kind */
    const char *usage; /* their names */
    int (*run)(session *s, const arguments *args);
} plot_kind;
extern const plot_kind plot_kinds[]; /* ends with a row whose name is NULL */

/* Of a model and data (of_model.c), of an experiment or a table (of_ranks.c), of `rung curve` (of_curve.c). */
int plot_projection(session *s, const arguments *args);
int plot_confusion(session *s, const arguments *args);
int plot_boundary(session *s, const arguments *args);
int plot_reliability(session *s, const arguments *args);
int plot_ranks(session *s, const arguments *args);
int plot_curve(session *s, const arguments *args);

#include "plot/figure.h"
/* The options about the file: --title, --size, --scale, -o. EXIT_OK or an exit code. */
int plot_write(session *s, const arguments *args, figure *f);
figure_size plot_size(const arguments *args, figure_size otherwise); /* what --size says */
const char *plot_title(const arguments *args, const char *otherwise);

#endif
