/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUNG_R_DATA_H
#define RUNG_R_DATA_H

#include "session.h"

/* A table coded as a model was trained; R_NilValue: that failed. labels: as in rung_model_encode. */
SEXP data_for_model(session *s, const rung_model *model, SEXP table, rung_labels labels);

#endif
