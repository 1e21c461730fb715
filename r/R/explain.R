# SPDX-License-Identifier: BSD-3-Clause
# Which columns a model uses and how, as `rung explain` shows it.

rung_explain <- function(object, newdata = NULL, type = c("importance", "effects", "row"), y = NULL, columns = NULL,
                         pair = FALSE, row = 1, fixed = NULL, background = NULL, points = 0, repeats = 0, samples = 0,
                         rows = 0, seed = 1, threads = 0) {
    type <- match.arg(type)
    own <- list(importance = c("y", "repeats"), effects = c("columns", "pair", "points"),
                row = c("row", "fixed", "background", "samples"))
    other <- setdiff(intersect(names(match.call()), unlist(own)), own[[type]])
    other <- Filter(function(name) !is.null(get(name)), other)
    if (length(other)) refuse("type = \"", type, "\" has no argument '", other[1L], "'")
    options <- c(whole(rows = rows, repeats = repeats, points = points, samples = samples), whole(row = row, least = 1),
                 list(pair = as.integer(pair)))
    if (!is.null(columns)) options$columns <- named_columns(object, columns)
    if (!is.null(fixed)) options$fixed <- named_columns(object, fixed)
    sheet <- if (type == "importance") labelled_sheet(object, newdata, y) else rows_of(object, newdata)
    session <- session(seed, threads)
    others <- if (!is.null(background)) as_table(session, new_sheet(object, background))
    found <- finish(session, .Call(C_r_explain, session, handle(object), as_table(session, sheet), others, type,
                                   options))
    switch(type,
        importance = importance_of(found),
        effects = if (pair) pair_of(found, object) else effects_of(found, object),
        row = row_of(found, object))
}

# Columns of the model, by name, or by position among those of the fit, as the library takes them. The model may have
# left some of these out.
named_columns <- function(object, columns) {
    names <- object$info$columns
    by_place <- is.numeric(columns) && is.null(object$sheet)
    places <- if (by_place) as.integer(columns) else
        match(if (is.numeric(columns)) object$sheet$names[columns] else columns, names)
    bad <- which(is.na(places) | places < 1L | places > length(names))
    if (length(bad)) {
        known <- if (all(names == "")) paste("1 to", length(names)) else paste(head(names, 8L), collapse = ", ")
        refuse("there is no column '", columns[bad[1L]], "'; there are ", known, if (length(names) > 8L) ", ...")
    }
    mentioned(names, places)
}

# The rows to look at: those given, or those of the fit.
rows_of <- function(object, newdata) {
    if (!is.null(newdata)) return(new_sheet(object, newdata))
    if (is.null(object$sheet)) refuse("a model that was loaded from a file has no training rows: give newdata")
    object$sheet
}

# The same with the labels as a last column.
labelled_sheet <- function(object, newdata, y) {
    ground <- ground_truth(object, newdata, y)
    sheet <- ground$sheet
    classes <- object$info$classes
    low <- ground$truth$y
    high <- if (is.null(ground$truth$upper)) low else ground$truth$upper
    label <- if (!length(classes)) low else factor(text_of_ends(cbind(classes[low], classes[high])))
    kept <- if (is.null(sheet$names)) TRUE else sheet$names != object$info$label # newdata may have it, too
    sheet$columns <- c(sheet$columns[kept], list(label))
    sheet$kinds <- sheet$kinds[kept]
    if (!is.null(sheet$names)) sheet$names <- c(sheet$names[kept], object$info$label)
    sheet
}

# What the answers are that are explained.
answer_name <- function(object) {
    if (object$info$real) object$info$label else if (object$info$probabilities) "expected rank" else "rank"
}

# ---- importance ----

importance_of <- function(found) {
    all <- as.data.frame(found$permuted, stringsAsFactors = FALSE)
    if (is.null(found$second)) all$second <- NULL else names(all)[names(all) == "second"] <- found$second
    single <- all$n == 1
    shown <- setdiff(names(all), c("others", "n"))
    together <- all[!single, shown]
    rownames(together) <- NULL
    structure(all[single, c(shown, "others")], error = found$error, together = together, seen = found$seen,
              rows = found$rows, class = c("rung_importance", "data.frame"))
}

print.rung_importance <- function(x, digits = 3L, ...) {
    cat("rise of the mean absolute error (", format(attr(x, "error"), digits = digits), " on ", attr(x, "rows"),
        " rows",
        if (isTRUE(attr(x, "seen"))) ", which the model was fitted to",
        ")\nwhen a column is permuted, with a 95 % interval\n", sep = "")
    print.data.frame(x, digits = digits, row.names = FALSE)
    if (NROW(attr(x, "together"))) {
        cat("related columns, permuted together\n")
        print.data.frame(attr(x, "together"), digits = digits, row.names = FALSE)
    }
    invisible(x)
}

# ---- effects ----

effects_of <- function(found, object) {
    classes <- as.character(object$info$classes)
    one_column <- function(one) {
        out <- data.frame(value = one$value, rows = one$rows, dependence = one$dependence,
                          local = if (is.null(one$local)) NA_real_ else one$local, stringsAsFactors = FALSE)
        if (!is.null(one$shares)) {
            shares <- matrix(one$shares, nrow = nrow(out), byrow = TRUE)
            colnames(shares) <- paste0("p(", classes, ")")
            out <- cbind(out, shares)
        }
        structure(out, rug = one$rug)
    }
    names <- vapply(found$columns, `[[`, "", "name")
    structure(lapply(found$columns, one_column), names = names, rows = found$rows, average = found$average,
              classes = classes, answer = answer_name(object), class = "rung_effects")
}

print.rung_effects <- function(x, digits = 3L, ...) {
    cat(attr(x, "answer"), " averaged over ", attr(x, "rows"), " rows; its mean is ",
        format(attr(x, "average"), digits = digits), "\n", sep = "")
    for (name in names(x)) {
        cat("\n", name, "\n", sep = "")
        print(x[[name]], digits = digits, row.names = FALSE)
    }
    invisible(x)
}

# The joint effect of two columns: a matrix, the first column down, the second across.
pair_of <- function(found, object) {
    values <- lapply(found$columns, `[[`, "value")
    names(values) <- vapply(found$columns, `[[`, "", "name")
    map <- matrix(found$map, nrow = length(values[[1L]]), byrow = TRUE)
    dimnames(map) <- lapply(values, function(one) if (is.numeric(one)) format(one, digits = 3L, trim = TRUE) else one)
    structure(map, interaction = found$interaction, answer = answer_name(object), class = c("rung_pair", "matrix"))
}

print.rung_pair <- function(x, digits = 3L, ...) {
    print(matrix(x, nrow(x), dimnames = dimnames(x)), digits = digits)
    cat(sprintf("\n%.0f %% of the differences are not the sum of an effect of each column\n",
                100 * attr(x, "interaction")))
    invisible(x)
}

# ---- one row ----

row_of <- function(found, object) {
    classes <- as.character(object$info$classes)
    cells <- function(text, number) {
        shown <- vapply(number, function(one) if (is.na(one)) "missing" else format(one, digits = 6L), "")
        ifelse(is.na(text), shown, text)
    }
    change <- function(one) {
        if (is.null(one)) return(NULL)
        structure(data.frame(column = one$column, from = cells(one$from, one$from_number),
                             to = cells(one$to, one$to_number), stringsAsFactors = FALSE),
                  class_to = classes[one$rank[1L]])
    }
    parts <- found$columns
    columns <- data.frame(column = parts$column, value = cells(parts$value, parts$number),
                          contribution = parts$contribution, error = parts$error, stringsAsFactors = FALSE)
    structure(list(row = found$row, answer = found$answer, class = if (found$rank > 0) classes[found$rank],
                   average = found$average, prob = if (!is.null(found$prob)) structure(found$prob, names = classes),
                   columns = columns, up = change(found$up), down = change(found$down), exact = found$exact,
                   background = found$background, background_of = found$background_of, samples = found$samples,
                   classes = classes, name = answer_name(object)),
              class = "rung_row")
}

print.rung_row <- function(x, digits = 4L, ...) {
    cat("row ", x$row, ": ", if (!is.null(x$class)) paste0(x$class, ", "), x$name, " ",
        format(x$answer, digits = digits), "; the average row has ", format(x$average, digits = digits), "\n\n",
        sep = "")
    print(if (x$exact) x$columns[-4L] else x$columns, digits = digits, row.names = FALSE)
    cat("\nthe contributions add up to the difference (Shapley values",
        if (x$samples > 0) paste0(" from ", x$samples, " pairs of orders"), if (x$exact) ", exact", " against ",
        if (x$background < x$background_of) paste0(x$background, " of ", x$background_of) else
            paste0("all ", x$background), " rows)\n", sep = "")
    if (!is.null(x$class)) {
        say_change(x$up, "one class up", x$class == x$classes[length(x$classes)])
        say_change(x$down, "one class down", x$class == x$classes[1L])
    }
    invisible(x)
}

say_change <- function(change, words, last) {
    if (last) {
        cat(words, ": there is no such class\n", sep = "")
    } else if (is.null(change)) {
        cat(words, ": no change of at most three columns was found\n", sep = "")
    } else {
        cat(words, ", to ", attr(change, "class_to"), ": ",
            paste(change$column, "from", change$from, "to", change$to, collapse = ", "), "\n", sep = "")
    }
}
