// SPDX-License-Identifier: BSD-3-Clause
/* The figures: what each shows, as plain data, and the function that draws it. One file per figure. Nothing here reads
 * a file or a model, so the command, the page of an experiment and the page of a model share them. */
#ifndef RUNG_CLI_PLOT_FIGURES_H
#define RUNG_CLI_PLOT_FIGURES_H

#include "plot/axes.h"
#include "plot/canvas.h"
#include "rung/experimental.h"

typedef struct {
    double width, height;
} figure_size;

/* The scores of each class, one strip per class, with the thresholds. */
typedef struct {
    const char *title, *score_name;
    int classes;
    const char *const *name; /* [classes] */
    int64_t n;
    const int *truth; /* 0: unlabelled */
    const double *score;
    int thresholds;
    const double *threshold; /* in order; NaN: none there */
    const int *answer;       /* the class between them: thresholds + 1; NULL: not known */
    bool expected;           /* the score is the expected class: bands around the whole numbers */
} projection_figure;
figure_size projection_size(const projection_figure *f);
void projection_draw(canvas *c, const projection_figure *f);

/* True against predicted classes: counts, and shares of the true class. */
typedef struct {
    const char *title;
    int classes;
    const char *const *name;
    const int64_t *count; /* [true][predicted] */
} confusion_figure;
figure_size confusion_size(const confusion_figure *f);
void confusion_draw(canvas *c, const confusion_figure *f);

/* The predicted class over a plane, and the rows. */
typedef struct {
    const char *title, *x_name, *y_name;
    int classes;
    const char *const *name;
    double x_low, x_high, y_low, y_high;
    int columns, rows; /* of the grid of answers */
    const int *answer; /* [row][column], rows from the bottom */
    int64_t n;
    const double *x, *y;
    const int *truth; /* 0: unlabelled */
} boundary_figure;
figure_size boundary_size(const boundary_figure *f);
void boundary_draw(canvas *c, const boundary_figure *f);

/* Mean ranks of methods; bars join those whose difference is below the critical one (J. Demsar, 2006). */
typedef struct {
    const char *title;
    int methods, n; /* n: data sets */
    const char *const *name;
    const double *mean_rank;
    double alpha;
} ranks_figure;
figure_size ranks_size(const ranks_figure *f);
void ranks_draw(canvas *c, const ranks_figure *f);

/* Error by number of labels. */
typedef struct {
    const char *name;
    int index;  /* of its colour and marker */
    bool faint; /* dashed: the same method without the unlabelled rows */
    int n;
    const double *x, *mean, *low, *high; /* low, high: the band; NULL: none */
} curve_series;
typedef struct {
    const char *title, *note, *x_name, *y_name; /* note: what the bands are; NULL: there are none */
    int series;
    const curve_series *line;
} curve_figure;
figure_size curve_size(const curve_figure *f);
void curve_draw(canvas *c, const curve_figure *f);

/* The share of correct predictions by predicted probability. */
typedef struct {
    const char *title;
    int bins;
    const rung_reliability_bin *bin;
    double ece;
} reliability_figure;
figure_size reliability_size(const reliability_figure *f);
void reliability_draw(canvas *c, const reliability_figure *f);

/* Box plots: quartiles, whiskers to the last value within 1.5 box lengths, values beyond, and the mean. */
typedef struct {
    const char *title, *value_name;
    int methods;
    const char *const *name;
    const int *n;               /* values of each */
    const double *const *value; /* sorted */
} boxes_figure;
figure_size boxes_size(const boxes_figure *f);
void boxes_draw(canvas *c, const boxes_figure *f);

/* Seconds (log scale) against an error; one point per method. */
typedef struct {
    const char *title, *value_name;
    int methods;
    const char *const *name;
    const double *seconds, *value; /* NaN: left out */
} times_figure;
figure_size times_size(const times_figure *f);
void times_draw(canvas *c, const times_figure *f);

/* Horizontal bars from 0, with ranges: the importance of columns. */
typedef struct {
    const char *title, *note, *value_name; /* note: what the ranges are; NULL: nothing */
    int n;
    const char *const *name;
    const double *mean, *low, *high; /* low, high: NULL, or NaN: no range */
    const bool *joint;               /* of another colour: several columns together; NULL: none */
} bars_figure;
figure_size bars_size(const bars_figure *f);
void bars_draw(canvas *c, const bars_figure *f);

/* The answers along columns, a panel each: lines over numbers, dots over categories, and the shares of the classes. */
typedef struct {
    const char *column;
    bool category, dates;             /* dates: the numbers are days since 1970 */
    int n;                            /* points */
    const double *x;                  /* numbers, ascending; NULL: categories */
    const char *const *name;          /* categories */
    const double *dependence, *local; /* local: NULL: none */
    const double *share;              /* n x classes; NULL: no classes */
    int rugs;
    const double *rug; /* values of rows */
} effect_panel;
typedef struct {
    const char *title, *answer; /* what the lines show */
    int classes;
    const char *const *name;
    double low, high; /* of the answers in all panels */
    int panels;
    const effect_panel *panel;
} effects_figure;
figure_size effects_size(const effects_figure *f);
void effects_draw(canvas *c, const effects_figure *f);

/* The answers over two columns. */
typedef struct {
    const char *title, *note, *x_name, *y_name;
    int columns, rows;
    const char *const *x, *const *y; /* labels */
    const double *value;             /* columns x rows */
    double low, high;
} map_figure;
figure_size map_size(const map_figure *f);
void map_draw(canvas *c, const map_figure *f);

/* The contributions to one answer, from the average row to this one. */
typedef struct {
    const char *title, *note, *value_name;
    double start; /* the average */
    int n;
    const char *const *name;
    const double *step, *error; /* error: standard errors; NULL: none */
} waterfall_figure;
figure_size waterfall_size(const waterfall_figure *f);
void waterfall_draw(canvas *c, const waterfall_figure *f);

/* The widest of the names at a font size. */
double widest_name(int n, const char *const *name, double size);

#endif
