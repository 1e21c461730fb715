// SPDX-License-Identifier: BSD-3-Clause
/* Whether a model was fitted to just these rows: by the checksum that is noted in it or, where it has another note or
 * the labels are not those, by its scaling: it was made from all rows, and others do not give the same numbers to the
 * last bit. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "model/model.h"

/* CRC-32 of the coded cells and the labels, whatever file or table they came from. */
static unsigned long checksum(const rung_data *data)
{
    unsigned long crc = crc32_z(0, (const unsigned char *)data->X, (size_t)(data->n * data->d) * sizeof *data->X);
    crc = data->target ? crc32_z(crc, (const unsigned char *)data->target, (size_t)data->n * sizeof *data->target)
                       : crc32_z(crc, (const unsigned char *)data->y, (size_t)data->n * sizeof *data->y);
    return data->upper ? crc32_z(crc, (const unsigned char *)data->upper, (size_t)data->n * sizeof *data->upper) : crc;
}

void rows_note(const rung_data *data, char text[ROWS_NOTE])
{
    snprintf(text, ROWS_NOTE, "%s%lld rows of %lld coded columns, checksum %08lx", data->source ? "a sample of " : "",
             (long long)data->n, (long long)data->d, checksum(data));
}

/* In the note of an updated model those of each step follow each other. */
static bool is_noted(const rung_model *m, const rung_data *data)
{
    char rows[ROWS_NOTE];
    rows_note(data, rows);
    for (int i = 0; i < m->n_notes; i++)
        if (strcmp(m->notes[i].name, "data") == 0) return strstr(m->notes[i].value, rows) != NULL;
    return false;
}

static bool same(int64_t n, const void *a, const void *b, size_t size) { return memcmp(a, b, (size_t)n * size) == 0; }

static bool same_scaling(const scaling *a, const scaling *b)
{
    if (!same(a->d, a->shift, b->shift, sizeof *a->shift) || !same(a->d, a->factor, b->factor, sizeof *a->factor))
        return false;
    if (a->kind != SCALE_RANK) return true;
    return same(a->d + 1, a->knots_first, b->knots_first, sizeof *a->knots_first) &&
           same(a->knots_first[a->d], a->knot, b->knot, sizeof *a->knot) &&
           same(a->knots_first[a->d], a->knot_cdf, b->knot_cdf, sizeof *a->knot_cdf);
}

rung_status model_saw(rung_ctx *ctx, const rung_model *m, const rung_data *data, bool *out)
{
    const scaling *fitted = &m->members->scale;
    scaling anew;
    *out = is_noted(m, data);
    if (*out) return RUNG_OK;
    if (fitted->kind == SCALE_NONE || data->n != m->n_rows || data->d != m->code.d) return RUNG_OK;
    bool varies = false;
    for (int64_t j = 0; j < data->d; j++) varies = varies || fitted->factor[j] != 0;
    if (!varies) return RUNG_OK;
    TRY(scale_fit(ctx, &ctx->scratch, fitted->kind,
                  &(scale_rows){data->d, data->n, data->X, fitted->fill, data->weight}, &anew));
    *out = same_scaling(fitted, &anew);
    return RUNG_OK;
}
