# SPDX-License-Identifier: BSD-3-Clause
# The table of methods, metrics, and data by formula.

rung_methods <- function() as.data.frame(.Call(C_r_methods), stringsAsFactors = FALSE)

rung_parameters <- function(method) {
    rows <- .Call(C_r_parameters, as.character(method))
    if (is.null(rows)) refuse("there is no method '", method, "'; rung_methods() lists them")
    rows$parameter <- gsub("-", "_", rows$parameter, fixed = TRUE)
    as.data.frame(rows, stringsAsFactors = FALSE)
}

# truth and predicted: ordered factors with the same levels, or ranks; truth may also be text or two columns, with
# intervals of the levels of predicted. proba: a matrix with a column per class.
rung_metrics <- function(truth, predicted, proba = NULL, weights = NULL, groups = NULL) {
    if (NROW(truth) != length(predicted)) refuse(NROW(truth), " true and ", length(predicted), " predicted labels")
    upper <- NULL
    if (is.factor(predicted) && (is.character(truth) || NCOL(truth) == 2L)) {
        classes <- nlevels(predicted)
        ranks <- ranks_among(truth, levels(predicted))
        truth <- ranks$y
        if (!is.null(ranks$upper)) upper <- ifelse(is.na(ranks$upper), 0L, ranks$upper)
    } else if (is.factor(truth) != is.factor(predicted) || is.character(truth) || NCOL(truth) != 1L) {
        refuse("truth and predicted must both be ordered factors, or both ranks; intervals need an ordered factor of ",
               "predictions")
    } else if (is.factor(truth)) {
        if (!identical(levels(truth), levels(predicted))) refuse("truth and predicted have different levels")
        if (!is.ordered(truth) && !is.ordered(predicted) && !in_order_of_numbers(levels(truth))) {
            refuse("the levels of truth and predicted have no order: make them ordered factors")
        }
        classes <- nlevels(truth)
    } else {
        ranks <- c(truth, predicted)
        if (!is.numeric(ranks) || any(ranks < 1 | ranks != floor(ranks), na.rm = TRUE)) {
            refuse("truth and predicted are no ranks, which are whole numbers from 1: make them ordered factors")
        }
        classes <- max(ranks, na.rm = TRUE)
    }
    truth <- as.integer(truth)
    truth[is.na(truth)] <- 0L
    open <- which(truth > 0L & is.na(predicted))
    if (length(open)) refuse("row ", open[1L], " has a true label but no predicted one")
    if (!is.null(proba)) {
        proba <- as.matrix(proba)
        if (!identical(dim(proba), c(length(truth), as.integer(classes)))) {
            refuse("proba must have a row per label and a column per class")
        }
        storage.mode(proba) <- "double"
    }
    for (given in list(weights, groups)) {
        if (is.null(given) || length(given) == length(truth)) next
        refuse(length(given), " weights or groups for ", length(truth), " labels")
    }
    if (!is.null(weights) && !is.numeric(weights)) refuse("weights must be numbers")
    session <- session()
    finish(session, .Call(C_r_metrics, session, classes, truth, upper, as.integer(predicted), proba,
                          if (!is.null(weights)) as.double(weights), group_numbers(groups)))
}

in_order_of_numbers <- function(levels) are_numbers(levels) && !is.unsorted(as.numeric(levels))

# A number for every row; rows without a group are by themselves.
group_numbers <- function(groups) {
    if (is.null(groups)) return(NULL)
    numbers <- as.integer(factor(groups))
    alone <- which(is.na(numbers))
    numbers[alone] <- -seq_along(alone)
    numbers
}

rung_generate <- function(name = "toy", rows = 300, noise = NULL, unlabelled = 0, seed = 1) {
    session <- session(seed)
    noise <- if (is.null(noise)) -1 else as.double(noise)
    made <- finish(session, .Call(C_r_generate, session, name, as.double(rows), noise, as.double(unlabelled)))
    colnames(made$x) <- paste0("x", seq_len(ncol(made$x)))
    label <- factor(ifelse(made$rank == 0L, NA, made$rank), levels = seq_len(max(made$rank)), ordered = TRUE)
    data.frame(made$x, label = label)
}
