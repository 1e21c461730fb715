// SPDX-License-Identifier: BSD-3-Clause
/* fit.c - the whole library in one page: read a CSV file, fit, estimate the error, predict, save.
 *
 *     cc fit.c $(pkg-config --cflags --libs rung) -o fit && ./fit train.csv model.rung
 *
 * The label is the column `label`, else the last one; rows without a label may stay in the file. */
#include <rung/rung.h>
#include <stdio.h>

enum { SHOWN = 5 };

/* The error on rows held out of the fit, and the answers for the first rows. */
static rung_status show(rung_ctx *ctx, const rung_model *model, const rung_data *data)
{
    rung_metrics cv = {.size = sizeof cv};
    if (rung_model_cv(model, &cv)) printf("out-of-fold MAE %.3f on %lld rows\n", cv.mae, (long long)cv.n);

    int rank[SHOWN];
    double score[SHOWN];
    rung_view X = rung_data_view(data);
    if (X.n > SHOWN) X.n = SHOWN;
    rung_status status = rung_model_predict(ctx, model, &X, NULL,
                                            &(rung_output){.size = sizeof(rung_output), .rank = rank, .score = score});
    for (int i = 0; status == RUNG_OK && i < (int)X.n; i++)
        printf("row %d: %s (score %.3f)\n", i + 1, rung_model_class_name(model, rank[i]), score[i]);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: fit DATA MODEL\n");
        return 2;
    }
    rung_ctx *ctx = NULL;
    rung_table *table = NULL;
    rung_data *data = NULL;
    rung_spec *spec = NULL;
    rung_model *model = NULL;

    rung_status status = rung_ctx_new(&ctx);
    if (status == RUNG_OK) status = rung_table_read(ctx, argv[1], NULL, &table);
    if (status == RUNG_OK) status = rung_data_encode(ctx, table, NULL, &data);
    if (status == RUNG_OK) status = rung_spec_new(ctx, "auto", 0, &spec);
    if (status == RUNG_OK) status = rung_model_fit(ctx, spec, data, &model);
    if (status == RUNG_OK) status = show(ctx, model, data);
    if (status == RUNG_OK) status = rung_model_save(ctx, model, argv[2]);
    if (status != RUNG_OK) fprintf(stderr, "fit: %s\n", ctx ? rung_ctx_message(ctx) : rung_status_name(status));

    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    rung_table_free(table);
    rung_ctx_free(ctx);
    return status != RUNG_OK;
}
