// SPDX-License-Identifier: BSD-3-Clause
/* PNG and PDF, by Cairo. */
#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/canvas.h"

typedef struct {
    canvas base; /* first: a canvas is one of these */
    FILE *file;
    cairo_surface_t *surface;
    cairo_t *pen;
    bool png;
} raster;

static void ink(raster *r, colour c, double opacity)
{
    double alpha = opacity > 0 ? opacity : 1;
    cairo_set_source_rgba(r->pen, (c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0, alpha);
}

/* Fills and strokes the current path, and forgets it. */
static void apply(raster *r, const paint *look)
{
    if (look->fill != NO_COLOUR) {
        ink(r, look->fill, look->opacity);
        cairo_fill_preserve(r->pen);
    }
    if (look->stroke != NO_COLOUR) {
        ink(r, look->stroke, look->opacity);
        cairo_set_line_width(r->pen, look->width);
        cairo_set_dash(r->pen, &look->dash, look->dash > 0, 0);
        cairo_stroke_preserve(r->pen);
    }
    cairo_new_path(r->pen);
}

static void raster_path(canvas *c, int n, const point *p, bool closed, const paint *look)
{
    raster *r = (raster *)c;
    for (int i = 0; i < n; i++) cairo_line_to(r->pen, p[i].x, p[i].y);
    if (closed) cairo_close_path(r->pen);
    apply(r, look);
}

static void raster_boxes(canvas *c, int n, const box *b, const paint *look)
{
    raster *r = (raster *)c;
    for (int i = 0; i < n; i++) cairo_rectangle(r->pen, b[i].x, b[i].y, b[i].w, b[i].h);
    if (n > 1) cairo_set_antialias(r->pen, CAIRO_ANTIALIAS_NONE); /* neighbours must not shine through */
    apply(r, look);
    cairo_set_antialias(r->pen, CAIRO_ANTIALIAS_DEFAULT);
}

static void raster_circle(canvas *c, point centre, double radius, const paint *look)
{
    raster *r = (raster *)c;
    cairo_new_sub_path(r->pen);
    cairo_arc(r->pen, centre.x, centre.y, radius, 0, 2 * acos(-1));
    apply(r, look);
}

static void raster_text(canvas *c, point at, const text_style *style, const char *text)
{
    raster *r = (raster *)c;
    cairo_text_extents_t size;
    cairo_save(r->pen);
    cairo_select_font_face(r->pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(r->pen, style->size);
    cairo_text_extents(r->pen, text, &size);
    cairo_translate(r->pen, at.x, at.y);
    cairo_rotate(r->pen, style->angle * acos(-1) / 180);
    cairo_move_to(r->pen,
                  style->anchor == END      ? -size.x_advance
                  : style->anchor == MIDDLE ? -size.x_advance / 2
                                            : 0,
                  0);
    ink(r, style->colour, 1);
    cairo_show_text(r->pen, text);
    cairo_new_path(r->pen); /* it left a point behind */
    cairo_restore(r->pen);
}

static void raster_begin(canvas *c, const char *hint, const box *clip)
{
    raster *r = (raster *)c;
    (void)hint;
    cairo_save(r->pen);
    if (!clip) return;
    cairo_rectangle(r->pen, clip->x, clip->y, clip->w, clip->h);
    cairo_clip(r->pen);
}

static void raster_end(canvas *c) { cairo_restore(((raster *)c)->pen); }

static cairo_status_t to_file(void *file, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool raster_close(canvas *c)
{
    raster *r = (raster *)c;
    bool good = cairo_status(r->pen) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(r->pen);
    if (r->png) good = good && cairo_surface_write_to_png_stream(r->surface, to_file, r->file) == CAIRO_STATUS_SUCCESS;
    cairo_surface_finish(r->surface);
    good = good && cairo_surface_status(r->surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(r->surface);
    free(r);
    return good;
}

static canvas *raster_new(FILE *file, double width, double height, cairo_surface_t *surface, double scale, bool png)
{
    raster *r = allocate(1, sizeof *r);
    *r = (raster){.base = {.width = width,
                           .height = height,
                           .path = raster_path,
                           .boxes = raster_boxes,
                           .circle = raster_circle,
                           .text = raster_text,
                           .begin = raster_begin,
                           .end = raster_end,
                           .close = raster_close},
                  .file = file,
                  .surface = surface,
                  .pen = cairo_create(surface),
                  .png = png};
    ink(r, PAPER, 1);
    cairo_paint(r->pen); /* the last pixels, too, where the size is no whole number of them */
    cairo_scale(r->pen, scale, scale);
    return &r->base;
}

canvas *canvas_png(FILE *file, double width, double height, double scale)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    return raster_new(file, width, height, surface, scale, true);
}

canvas *canvas_pdf(FILE *file, double width, double height, const char *title)
{
    const double points = 0.75; /* of one CSS pixel */
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(to_file, file, width * points, height * points);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    return raster_new(file, width, height, surface, points, false);
}
