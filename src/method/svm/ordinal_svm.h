// SPDX-License-Identifier: BSD-3-Clause
/* What svorim, svorex and isvor share: parameters, the fit, and the state from which an update starts
 * (method/svm/svor.h). */
#ifndef RUNG_METHOD_SVM_ORDINAL_SVM_H
#define RUNG_METHOD_SVM_ORDINAL_SVM_H

#include "fit/method.h"
#include "method/svm/svor.h"

typedef struct {
    kernel_params kernel;
    double C, tolerance, diagonal;
    int calibrate;
} ordinal_svm_params;

/* The hooks (method.h); the variant of a method is its svor_hinges. */
rung_status ordinal_svm_prepare(rung_ctx *ctx, const fit_input *in);
rung_status ordinal_svm_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
rung_status ordinal_svm_update(rung_ctx *ctx, pool *mem, const fit_input *in, int64_t known, const double *state,
                               fitted *out);
rung_status ordinal_svm_verify(rung_ctx *ctx, const struct verification *v); /* by the duality gap of the model */
double ordinal_svm_bytes(const problem_shape *shape, const void *params);

#define ORDINAL_SVM_PARAMS(T)                                                                                          \
    PARAM(T, C, .name = "C", .help = "penalty of a row on the wrong side of a threshold, or within its margin",        \
          .type = RUNG_TYPE_REAL, .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL,                  \
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_DOWN, .grid = "0.1,1,10,100,1000",         \
          .published_grid = "0.001,0.01,0.1,1,10,100,1000"),                                                           \
        PARAM(T, tolerance, .name = "tolerance",                                                                       \
              .help = "stop when the objective is within this share of its minimum (relative duality gap)",            \
              .type = RUNG_TYPE_REAL, .default_value = "1e-3", .published = "1e-3", .low = 1e-12, .high = 0.5,         \
              .flags = RUNG_PARAM_LOG),                                                                                \
        PARAM(T, diagonal, .name = "diagonal",                                                                         \
              .help = "added to the diagonal of the training kernel matrix; the authors' program adds 0.001",          \
              .type = RUNG_TYPE_REAL, .default_value = "0", .published = "0.001", .low = 0, .high = HUGE_VAL,          \
              .flags = RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP)

/* What their table entries have in common. */
extern const param_row ordinal_svm_rows[];
#define ORDINAL_SVM_COST                                                                                               \
    "time about l s (d + K) for s support vectors of l labelled rows, memory l d + s^2; m landmarks: l m (d + K) per " \
    "round, and s^2 m"
#define ORDINAL_SVM_FLAGS                                                                                              \
    (RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS | RUNG_METHOD_UPDATABLE)
#define ORDINAL_SVM_HOOKS                                                                                              \
    .params = ordinal_svm_rows, .params_size = sizeof(ordinal_svm_params), .bytes = ordinal_svm_bytes,                 \
    .prepare = ordinal_svm_prepare, .fit = ordinal_svm_fit, .update = ordinal_svm_update, .state_per_threshold = true, \
    .verify = ordinal_svm_verify

#endif
