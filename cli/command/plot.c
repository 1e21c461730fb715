// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "data/datafile.h"
#include "plot/kinds/kinds.h"

#define GROUP "Plotting"
const option plot_options[] = {
    {"output", 'o', "FILE", "file to write: .svg, .png or .pdf (default - : SVG on standard output)", GROUP},
    {"title", 0, "TEXT", "title of the figure", GROUP},
    {"size", 0, "WxH", "width and height in pixels (default: depends on the contents)", GROUP},
    {"scale", 0, "S", "png: dots per pixel (default 2)", GROUP},
    {"output-column", 0, "N", "projection: score to plot if the model has several (default 1)", GROUP},
    {"x", 0, "COLUMN", "boundary: feature on the horizontal axis; the others are held at their medians", GROUP},
    {"y", 0, "COLUMN", "boundary: feature on the vertical axis", GROUP},
    {"metric", 0, "KEY", "ranks: metric to compare (default: the plan's, else mae); curve: column to plot", GROUP},
    {"part", 0, "test|unlabelled|labelled", "ranks of an experiment: rows measured (default test)", GROUP},
    {"methods", 0, "NAME,...", "ranks of an experiment: only these methods", GROUP},
    {"alpha", 0, "P", "ranks: significance level (default 0.05)", GROUP},
    {0}};

const plot_kind plot_kinds[] = {{"projection", 2, "MODEL DATA", plot_projection},
                                {"confusion", 2, "MODEL DATA", plot_confusion},
                                {"boundary", 2, "MODEL DATA", plot_boundary},
                                {"ranks", 1, "DB|TABLE", plot_ranks},
                                {"curve", 1, "CURVE", plot_curve},
                                {"reliability", 2, "MODEL DATA", plot_reliability},
                                {0}};
enum { KINDS = sizeof plot_kinds / sizeof *plot_kinds };

static const option *const tables[] = {plot_options, reader_options, global_options, NULL};

const char *plot_title(const arguments *args, const char *otherwise)
{
    const char *title = option_value(args, "title");
    return title ? title : otherwise;
}

/* 640x480; only sensible sizes, so that a typing error does not allocate a gigabyte. */
static int read_size(const arguments *args, figure_size *size, double *scale)
{
    const char *text = option_value(args, "size"), *factor = option_value(args, "scale"),
               *times = text ? strchr(text, 'x') : NULL;
    long long width = 0, height = 0;
    *scale = 2;
    if (text) {
        char first[16] = "";
        if (times && times - text < (long)sizeof first) memcpy(first, text, (size_t)(times - text));
        if (!parse_whole(first, 120, 10000, &width) || !parse_whole(times + 1, 120, 10000, &height)) {
            complain("plot: --size %s: expected WIDTHxHEIGHT in pixels, such as 640x480, each from 120 to 10000", text);
            return USAGE;
        }
    }
    if (factor && (!parse_double(factor, scale) || !(*scale >= 0.25 && *scale <= 10))) {
        complain("plot: --scale %s: expected a number from 0.25 to 10", factor);
        return USAGE;
    }
    *size = (figure_size){(double)width, (double)height};
    return EXIT_OK;
}

figure_size plot_size(const arguments *args, figure_size otherwise)
{
    figure_size size;
    double scale;
    return read_size(args, &size, &scale) == EXIT_OK && size.width > 0 ? size : otherwise;
}

int plot_write(session *s, const arguments *args, figure *f)
{
    const char *path = option_value(args, "output");
    figure_size size;
    double scale;
    int code = read_size(args, &size, &scale);
    if (code != EXIT_OK) return code;
    if (!figure_write(f, path ? path : "-", size, scale)) return FAILED;
    if (s->json && path && strcmp(path, "-")) {
        if (!(size.width > 0)) size = figure_natural_size(f);
        jout_print(json_pack("{s:o, s:o, s:o, s:o, s:o}", "kind", jout_text(operand(args, 0)), "file", jout_text(path),
                             "title", jout_text(f->title), "width", jout_number(size.width), "height",
                             jout_number(size.height)));
    }
    return EXIT_OK;
}

/* An option of other kinds would be without effect. */
static bool options_fit(const arguments *args, const char *kind)
{
    static const struct {
        const char *name, *kinds; /* the words of a list */
    } own[] = {{"output-column", "projection"},
               {"x", "boundary"},
               {"y", "boundary"},
               {"metric", "ranks, curve"},
               {"part", "ranks"},
               {"methods", "ranks"},
               {"alpha", "ranks"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (!option_given(args, own[i].name) || strstr(own[i].kinds, kind)) continue;
        complain("plot: --%s is an option of %s, not of %s", own[i].name, own[i].kinds, kind);
        return false;
    }
    return true;
}

static int plot_run(session *s, const arguments *args)
{
    const char *names[KINDS], *kind = operand(args, 0), *path = option_value(args, "output");
    figure_size size;
    double scale;
    for (int i = 0; i < KINDS; i++) names[i] = plot_kinds[i].name;
    const plot_kind *k = plot_kinds;
    while (k->name && strcmp(k->name, kind)) k++;
    if (!k->name) {
        const char *near = nearest_name(kind, names);
        if (near)
            complain("plot: unknown kind '%s'; did you mean %s?", kind, near);
        else
            complain("plot: unknown kind '%s'; expected projection, confusion, boundary, ranks, curve or reliability",
                     kind);
        return USAGE;
    }
    if (args->operands - 1 != k->operands) {
        complain("plot: a file is missing: rung plot %s %s -o FILE", k->name, k->usage);
        return USAGE;
    }
    if (!options_fit(args, kind)) return USAGE;
    if (path && !figure_path_known(path)) {
        complain("plot: -o %s: the name must end in .svg, .png or .pdf", path);
        return USAGE;
    }
    if (path && !output_possible(path)) return FAILED;
    int code = read_size(args, &size, &scale);
    return code == EXIT_OK ? k->run(s, args) : code;
}

static const example examples[] = {
    {"rung plot projection model.rung test.csv -o scores.svg", "scores of each class"},
    {"rung plot confusion model.rung test.csv -o confusion.png --size 800x700", "confusion matrix"},
    {"rung plot boundary model.rung train.csv --x age --y dose -o plane.pdf", "predicted class over two features"},
    {"rung plot ranks results.db --metric amae -o ranks.svg", "a critical difference diagram"},
    {"rung curve train.csv > curve.csv && rung plot curve curve.csv -o curve.svg", "error by number of labels"},
    {0}};

const command command_plot = {
    .name = "plot",
    .operands = "projection|confusion|boundary|ranks|curve|reliability FILE...",
    .help = "draw a figure: projection, confusion, boundary, ranks, curve, reliability",
    .about = "projection MODEL DATA: the scores of each class and the thresholds.\nconfusion MODEL DATA: true against "
             "predicted classes.\nboundary MODEL DATA: the predicted class over two features (--x, --y) or the first "
             "two principal components, with the rows.\nranks FILE: mean ranks with the critical difference, from an "
             "experiment or a CSV file with a row per data set and a column per method.\ncurve FILE: error by number "
             "of labels, from the output of 'rung curve'.\nreliability MODEL DATA: calibration of the "
             "probabilities.\nThe colours of the classes are ordered from dark to light and readable with any colour "
             "vision. The same input gives the same SVG, byte for byte; its text stays text.",
    .options = tables,
    .usual = "output title size x y",
    .examples = examples,
    .run = plot_run};
