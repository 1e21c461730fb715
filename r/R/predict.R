# SPDX-License-Identifier: BSD-3-Clause
# Predictions, fitted values, residuals, coefficients.

predict.rung <- function(object, newdata, type = c("class", "prob", "score", "interval"), level = 0.9,
                         by_class = FALSE, threads = 0, ...) {
    reject_unknown("predict", ...)
    type <- if (base::missing(type) && object$info$real) "score" else match.arg(type)
    check_type(object, type)
    wanted <- list(class = "rank", prob = "proba", score = "score", interval = c("low", "high"))[[type]]
    said <- if (base::missing(newdata)) answers_of_training(object, wanted, level, by_class, threads)
            else answers(object, new_sheet(object, newdata), wanted, level, by_class, threads)
    rows <- if (base::missing(newdata)) object$row_names else rownames(newdata)
    classes <- object$info$classes
    # rank 0: no answer, of a model that may abstain
    graded <- function(rank) factor(classes[replace(rank, rank == 0L, NA)], levels = classes, ordered = TRUE)
    switch(type,
        class = structure(graded(said$rank), names = rows),
        prob = structure(said$proba, dimnames = list(rows, classes)),
        score = if (ncol(said$score) == 1L) structure(said$score[, 1L], names = rows) else
            structure(said$score, dimnames = list(rows, NULL)),
        interval = data.frame(low = graded(said$low), high = graded(said$high), row.names = rows))
}

check_type <- function(object, type) {
    info <- object$info
    if (type == "class" && !info$ranks) refuse(info$method, " predicts no classes here: use type = \"score\"")
    if (type == "prob" && !info$probabilities) {
        refuse("this model has no probabilities: fit it with calibrate = 5")
    }
    if (type == "interval" && is.null(info$interval)) {
        refuse("this model has no prediction intervals: fit it with calibrate = 5")
    }
}

new_sheet <- function(object, newdata) {
    if (is.null(object$terms)) {
        if (is.null(dim(newdata))) refuse("newdata is neither a matrix nor a data frame")
        return(like_training(object, sheet_of_rows(newdata)))
    }
    terms <- delete.response(object$terms)
    absent <- setdiff(all.vars(terms), c(names(newdata), ls(environment(terms))))
    if (length(absent)) refuse("newdata has no column '", absent[1], "'")
    sheet_of_terms(terms, model.frame(terms, newdata, na.action = na.pass))
}

# Columns without names, here or in the fit, are taken by their places: there must be as many as in the fit.
like_training <- function(object, sheet) {
    if (!sheet$numbered && !isTRUE(object$sheet$numbered) && any(object$info$columns != "")) return(sheet)
    known <- if (is.null(object$sheet)) length(object$info$columns) else length(object$sheet$columns)
    if (length(sheet$columns) != known) {
        refuse("the model was fitted to ", known, " columns, and newdata has ", length(sheet$columns),
               ", without names by which to choose")
    }
    sheet["names"] <- list(object$sheet$names)
    sheet
}

answers <- function(object, sheet, wanted, level = 0.9, by_class = FALSE, threads = 0) {
    if (sheet$rows == 0L) return(no_answers(object))
    session <- session(threads = threads)
    table <- as_table(session, sheet)
    finish(session, .Call(C_r_predict, session, handle(object), table, wanted, as.double(level),
                          isTRUE(by_class)))
}

no_answers <- function(object) {
    list(rank = integer(), low = integer(), high = integer(), score = matrix(0, 0L, object$info$outputs),
         proba = matrix(0, 0L, length(object$info$classes)))
}

# A transductive model has answers of its own for its training rows.
answers_of_training <- function(object, wanted, level = 0.9, by_class = FALSE, threads = 0) {
    if (is.null(object$sheet)) refuse("a model that was loaded from a file has no training rows: give newdata")
    if (object$info$training_rows == 0 || any(wanted %in% c("low", "high"))) {
        return(answers(object, object$sheet, wanted, level, by_class, threads))
    }
    session <- session(threads = threads)
    finish(session, .Call(C_r_predict, session, handle(object), NULL, wanted, as.double(level), FALSE))
}

fitted.rung <- function(object, ...) {
    reject_unknown("fitted", ...)
    predict(object, type = if (object$info$real) "score" else "class")
}

# rank: the observed rank minus the predicted one. probability: the probability-scale residual P(Y < y) - P(Y > y)
# (Li and Shepherd, Biometrika 99, 2012), which has mean 0 where the model is right. Of an interval, the rank that is
# nearest to the prediction counts, and the probability of what lies below it minus that of what lies above.
residuals.rung <- function(object, type = c("rank", "probability"), ...) {
    reject_unknown("residuals", ...)
    type <- match.arg(type)
    if (is.null(object$y)) refuse("the model was fitted without labels, or loaded from a file")
    if (object$info$real) return(object$y - fitted(object))
    if (type == "rank") {
        rank <- answers_of_training(object, "rank")$rank
        return(structure(nearest(object, rank) - rank, names = object$row_names))
    }
    check_type(object, "prob")
    proba <- answers_of_training(object, "proba")$proba
    below <- cbind(0, t(apply(proba, 1L, cumsum)))
    rows <- seq_along(object$y)
    upper <- if (is.null(object$upper)) object$y else object$upper
    structure(below[cbind(rows, object$y)] - (1 - below[cbind(rows, upper + 1L)]), names = object$row_names)
}
