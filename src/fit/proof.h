// SPDX-License-Identifier: BSD-3-Clause
/* A model is what was said of it, or it does not leave the driver.
 *
 * Before a model is returned, whatever the method: the weights and numbers that are reported are those of its members;
 * what its members say of rows they have not seen, taken together with the weights in the model, is what the reported
 * error was measured on; that error follows from the held-out predictions; and the model, applied to some of its rows
 * as they were read, says what the fit says of them, also after it was written and read again. Anything else is
 * RUNG_EINTERNAL, with a sentence that says what differs. */
#ifndef RUNG_FIT_PROOF_H
#define RUNG_FIT_PROOF_H

#include "fit/heldout.h"

typedef struct { /* a fit, and what was measured of it; arrays are in scratch memory */
    const training *t;
    const problem *p;
    fitted fit;
    held_grades grades; /* as the error was computed from them; h NULL: nothing was held out */
    folds f;
    const void *params; /* of the method */
    held_out held;
} made_fit;

enum { PROOF_MOST = 1 << 24, PROOF_ROWS = 16 }; /* a model up to so many bytes is written and read; rows it predicts */

rung_status model_prove(rung_ctx *ctx, const made_fit *made, const rung_model *model);

#endif
