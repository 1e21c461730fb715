// SPDX-License-Identifier: BSD-3-Clause
#include "plot/figure.h"

#include <string.h>

#include "core/common.h"
#include "core/output.h"

figure_size figure_natural_size(const figure *f)
{
    switch (f->kind) {
    case FIGURE_PROJECTION: return projection_size(&f->of.projection);
    case FIGURE_CONFUSION: return confusion_size(&f->of.confusion);
    case FIGURE_BOUNDARY: return boundary_size(&f->of.boundary);
    case FIGURE_RANKS: return ranks_size(&f->of.ranks);
    case FIGURE_CURVE: return curve_size(&f->of.curve);
    case FIGURE_RELIABILITY: return reliability_size(&f->of.reliability);
    case FIGURE_BOXES: return boxes_size(&f->of.boxes);
    case FIGURE_BARS: return bars_size(&f->of.bars);
    case FIGURE_EFFECTS: return effects_size(&f->of.effects);
    case FIGURE_MAP: return map_size(&f->of.map);
    case FIGURE_WATERFALL: return waterfall_size(&f->of.waterfall);
    default: return times_size(&f->of.times);
    }
}

void figure_draw(canvas *c, const figure *f)
{
    switch (f->kind) {
    case FIGURE_PROJECTION: projection_draw(c, &f->of.projection); break;
    case FIGURE_CONFUSION: confusion_draw(c, &f->of.confusion); break;
    case FIGURE_BOUNDARY: boundary_draw(c, &f->of.boundary); break;
    case FIGURE_RANKS: ranks_draw(c, &f->of.ranks); break;
    case FIGURE_CURVE: curve_draw(c, &f->of.curve); break;
    case FIGURE_RELIABILITY: reliability_draw(c, &f->of.reliability); break;
    case FIGURE_BOXES: boxes_draw(c, &f->of.boxes); break;
    case FIGURE_TIMES: times_draw(c, &f->of.times); break;
    case FIGURE_BARS: bars_draw(c, &f->of.bars); break;
    case FIGURE_EFFECTS: effects_draw(c, &f->of.effects); break;
    case FIGURE_MAP: map_draw(c, &f->of.map); break;
    case FIGURE_WATERFALL: waterfall_draw(c, &f->of.waterfall); break;
    }
}

void figure_to_page(FILE *file, const figure *f)
{
    figure_size size = figure_natural_size(f);
    canvas *c = canvas_svg(file, size.width, size.height, f->title, f->detail, true);
    figure_draw(c, f);
    c->close(c);
}

bool figure_path_known(const char *path)
{
    return !strcmp(path, "-") || ends_with(path, ".svg") || ends_with(path, ".png") || ends_with(path, ".pdf");
}

bool figure_write(const figure *f, const char *path, figure_size size, double scale)
{
    output o;
    if (!output_open(&o, path)) return false;
    if (!(size.width > 0)) size = figure_natural_size(f);
    canvas *c = ends_with(path, ".png")   ? canvas_png(o.file, size.width, size.height, scale)
                : ends_with(path, ".pdf") ? canvas_pdf(o.file, size.width, size.height, f->title)
                                          : canvas_svg(o.file, size.width, size.height, f->title, f->detail, false);
    figure_draw(c, f);
    if (c->close(c) || output_failed(&o)) return output_keep(&o); /* which tells why it failed */
    complain("cannot draw %s; it may be too large", path);
    output_discard(&o);
    return false;
}
