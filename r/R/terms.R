# SPDX-License-Identifier: BSD-3-Clause
# From a formula to a sheet.

# A taking is list(sheet, y, label, weights, groups, chosen, terms, coding, row_names, places): places of its rows among
# those of the data, NULL: all of them, in their order.
formula_data <- function(call, env) {
    wanted <- match(c("formula", "data", "subset", "weights", "groups", "na.action"), names(call), 0L)
    frame_call <- call[c(1L, wanted)]
    data <- eval(call$data, env)
    marks <- marks_of(data)
    if (!is.null(marks)) {
        frame_call$chosen <- data[[marks]] %in% "chosen"
        data <- data[-marks]
        frame_call$data <- data
    }
    frame_call$formula <- without_roles(eval(call$formula, env), data, c(all.vars(call$weights), all.vars(call$groups)))
    if (is.data.frame(data)) frame_call$place <- seq_len(nrow(data))
    if (is.null(call$na.action)) frame_call$na.action <- quote(stats::na.pass)
    frame_call$drop.unused.levels <- FALSE
    frame_call[[1L]] <- quote(stats::model.frame)
    frame <- eval(frame_call, env)
    terms <- attr(frame, "terms")
    label <- if (attr(terms, "response")) names(frame)[attr(terms, "response")] else "label"
    if (NCOL(model.response(frame)) == 2L) reject_bound_factors(terms[[2L]], data, env)
    reject_bars(terms)
    coding <- interaction_coding(terms, frame)
    list(sheet = sheet_of_terms(terms, frame, coding), y = model.response(frame), label = label,
         weights = frame[["(weights)"]], groups = frame[["(groups)"]], chosen = frame[["(chosen)"]], terms = terms,
         coding = coding, row_names = row.names(frame), places = frame[["(place)"]])
}

# The dot of a formula stands for the columns that have no other role: not for weights and groups.
without_roles <- function(formula, data, roles) {
    if (!inherits(formula, "formula") || !"." %in% all.vars(formula) || !is.data.frame(data)) return(formula)
    stats::formula(terms(formula, data = data[setdiff(names(data), roles)]))
}

# cbind() makes numbers of factors: their classes are lost.
reject_bound_factors <- function(ends, data, env) {
    for (end in as.list(ends)[-1L]) {
        if (!is.factor(eval(end, data, env))) next
        refuse("cbind() makes numbers of the factor ", deparse(end), ": write as.character(", deparse(end),
               ") and give the order of the classes, or fit by rung(x, data.frame(lower, upper))")
    }
}

# (1 | judge) is a random effect elsewhere; here it would silently be a logical or.
reject_bars <- function(terms) {
    for (term in as.list(attr(terms, "variables"))[-1L]) {
        if (!is.call(term) || !as.character(term[[1L]])[1L] %in% c("|", "||")) next
        refuse("the formula has the term ", deparse(term), ": there are no random effects. Give groups = ",
               deparse(term[[3L]]), " to hold its rows out together, or add it as a predictor; write a logical or as ",
               "I(",
               deparse(term), ")")
    }
}

# Variables as they are, so that the library codes them as it codes a file; interactions by their columns of the model
# matrix, made with the levels and contrasts of the fit.
sheet_of_terms <- function(terms, frame, coding) {
    if (length(attr(terms, "offset"))) refuse("offset() is not supported in the formula of rung")
    order <- attr(terms, "order")
    if (length(order) == 0L) refuse("the formula has no predictors")
    used <- attr(terms, "factors") > 0L # variables, in the order of the frame, by terms
    plain <- frame[vapply(which(order == 1L), function(k) which(used[, k])[1L], 1L)]
    sheet(if (any(order > 1L)) cbind(plain, interactions(terms, frame, coding)) else plain)
}

# What the columns of interactions depend on beside their cells: the levels that occur, and the contrasts; NULL: there
# are none.
interaction_coding <- function(terms, frame) {
    mixed <- attr(terms, "order") > 1L
    if (!any(mixed)) return(NULL)
    used <- names(frame)[which(rowSums(attr(terms, "factors")[, mixed, drop = FALSE]) > 0L)]
    used <- used[vapply(frame[used], function(x) is.factor(x) || is.character(x), NA)]
    coding <- list(levels = lapply(frame[used], function(x) levels(droplevels(as.factor(x)))))
    coding$contrasts <- attr(interaction_matrix(terms, frame, coding), "contrasts")
    coding
}

interactions <- function(terms, frame, coding) {
    coded <- interaction_matrix(terms, frame, coding)
    as.data.frame(coded[, attr(coded, "assign") %in% which(attr(terms, "order") > 1L), drop = FALSE])
}

interaction_matrix <- function(terms, frame, coding) {
    for (name in names(frame)[seq_len(nrow(attr(terms, "factors")))]) {
        x <- frame[[name]]
        if (name %in% names(coding$levels)) {
            frame[[name]] <- with_levels(x, coding$levels[[name]], name)
        } else if (is.factor(x) || is.character(x)) {
            frame[[name]] <- numeric(nrow(frame)) # no part of an interaction: its levels need not be those of the fit
        }
    }
    model.matrix(terms, frame, contrasts.arg = coding$contrasts)
}

with_levels <- function(x, levels, name) {
    unknown <- setdiff(unique(as.character(x[!is.na(x)])), levels)
    if (length(unknown)) {
        refuse("column '", name, "' has the level '", unknown[1L], "', which is not among those of the fit, and so ",
               "its interactions have no coefficient for it")
    }
    out <- factor(as.character(x), levels = levels, ordered = is.ordered(x))
    own <- attr(x, "contrasts")
    if (is.character(own) || identical(rownames(own), levels)) attr(out, "contrasts") <- own
    out
}
