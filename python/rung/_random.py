# SPDX-License-Identifier: BSD-3-Clause
"""The random effects of a mixed model."""

from __future__ import annotations

import numpy as np

from ._library import ffi, lib, struct, text
from ._linear import coefficient_name


def _written(write):
    """The text that a function of the library copies into room that is made for it; None: there is none."""
    length = write(ffi.NULL, 0)
    if not length:
        return None
    room = ffi.new("char[]", length + 1)
    write(room, length + 1)
    return text(room)


def _effect(model, term, effect):
    out = struct("random_effect")
    lib.rung_model_random_effect(model.pointer, term, effect, out)
    name = "intercept" if out.column < 0 else coefficient_name(model, out)
    return {"name": name, "sd": out.sd, "sd_low": out.sd_low, "sd_high": out.sd_high}


def _groups(model, term, shape):
    modes, errors, names = np.zeros(shape), np.zeros(shape), []
    for g in range(shape[0]):
        mode, error = (ffi.cast("double *", ffi.from_buffer(rows[g])) for rows in (modes, errors))
        names.append(
            _written(
                lambda room, size, g=g, mode=mode, error=error: lib.rung_model_random_group(
                    model.pointer, term, g, room, size, mode, error
                )
            )
        )
    return names, modes, errors


def random_effects(model):
    """A dict for each term; empty: the model has none."""
    out, terms = struct("random_term"), []
    while lib.rung_model_random_term(model.pointer, len(terms), out):
        term = len(terms)
        names, modes, errors = _groups(model, term, (out.groups, out.effects))
        correlation = np.eye(out.effects)
        for a in range(out.effects):
            for b in range(out.effects):
                if a != b:
                    correlation[a, b] = lib.rung_model_random_correlation(
                        model.pointer, term, a, b, ffi.NULL, ffi.NULL
                    )
        terms.append(
            {
                "name": _written(
                    lambda room, size, term=term: lib.rung_model_random_name(model.pointer, term, room, size)
                ),
                "effects": [_effect(model, term, r) for r in range(out.effects)],
                "correlation": correlation,
                "chi2": out.chi2,
                "df": out.df,
                "p": out.p,
                "groups": names,
                "modes": modes,
                "errors": errors,
            }
        )
    return terms
