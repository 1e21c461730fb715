# SPDX-License-Identifier: BSD-3-Clause
# From data of R to a sheet: the columns that become a table of the library, and what they are.
#
# A sheet is list(columns, names, kinds, rows, numbered, hidden, derive): every column a vector of doubles or a factor;
# numbered: the columns had no names and are called by their places; hidden: the places of those that are no features,
# from which others are derived, by the expressions derive.

sheet <- function(frame) {
    columns <- list()
    kinds <- character()
    for (j in seq_along(frame)) { # by place: names may come twice, which the library refuses
        name <- names(frame)[j]
        column <- frame[[j]]
        if (is.matrix(column) || is.data.frame(column)) {
            parts <- as.data.frame(column)
            own <- if (is.null(colnames(column))) seq_along(parts) else colnames(column)
            names(parts) <- paste(name, own, sep = ".")
        } else {
            parts <- structure(list(column), names = name)
        }
        for (k in seq_along(parts)) {
            one <- as_column(parts[[k]], names(parts)[k])
            columns[[length(columns) + 1L]] <- one$values
            kinds <- c(kinds, structure(one$kind, names = names(parts)[k]))
        }
    }
    list(columns = columns, names = names(kinds), kinds = unname(kinds), rows = nrow(frame))
}

# Text is left to the library, which finds numbers and dates written as text just as it does in a file; a factor is
# what it says it is.
as_column <- function(x, name) {
    if (is.ordered(x)) return(list(values = droplevels_na(x), kind = "ordinal"))
    if (is.factor(x)) return(list(values = droplevels_na(x), kind = "nominal"))
    if (inherits(x, "Date")) return(list(values = factor(format(x, "%Y-%m-%d")), kind = "date"))
    if (inherits(x, "POSIXt")) return(list(values = factor(format_time(x)), kind = "date"))
    if (inherits(x, "difftime")) return(list(values = as.double(x, units = "days"), kind = "number"))
    if (inherits(x, "integer64")) refuse("column '", name, "' is of class integer64: give as.double() of it")
    if (is.numeric(x) || is.logical(x)) return(list(values = as.double(x), kind = "number"))
    if (is.character(x)) return(list(values = factor(x, levels = unique(x[!is.na(x)])), kind = "text"))
    refuse("column '", name, "' is of class ", paste(class(x), collapse = ", "),
           "; expected numbers, logical values, text, factors or dates")
}

# Times of a zone are those of UTC, as in a file; times without one are what the clock shows.
format_time <- function(x) {
    x <- as.POSIXct(x)
    zone <- attr(x, "tzone")[1L]
    seconds <- unclass(x)
    form <- "%Y-%m-%d %H:%M:%S"
    if (any(seconds != floor(seconds), na.rm = TRUE)) {
        form <- "%Y-%m-%d %H:%M:%OS6"
        x <- x + 5e-7 # R cuts off what it does not show
    }
    format(x, form, tz = if (is.null(zone) || !nzchar(zone)) "" else "UTC")
}

# A missing cell may be a level of its own in R; here it is a missing cell.
droplevels_na <- function(x) {
    if (!anyNA(levels(x))) return(x)
    known <- levels(x)[!is.na(levels(x))]
    factor(as.character(x), levels = known, ordered = is.ordered(x))
}

as_table <- function(session, sheet) {
    cells <- seq_along(sheet$columns) %in% which(sheet$kinds == "text")
    finish(session, .Call(C_r_table, session, as.double(sheet$rows), sheet$columns, sheet$names, cells))
}

# The rows of a matrix or a data frame, without a formula. Columns without names get some, so that the model finds them
# again where it leaves some out.
sheet_of_rows <- function(x) {
    if (is.null(dim(x))) refuse("x is neither a matrix nor a data frame")
    numbered <- is.null(colnames(x))
    frame <- as.data.frame(x, stringsAsFactors = FALSE)
    if (numbered) names(frame) <- paste0("x", seq_along(frame))
    c(sheet(frame), numbered = numbered)
}

# ---- the response ----

# list(values, order): numbers (classes that order themselves, or real targets), an ordered factor or, where some labels
# are intervals, an unordered one, which the library reads as it reads the cells of a file, with the order of the
# classes (NULL: they are numbers).
response <- function(y, order, real, name) {
    if (is.null(y)) refuse("the formula has no response")
    if (inherits(y, "integer64")) refuse("the response '", name, "' is of class integer64: give as.double() of it")
    if (!real && NCOL(y) == 2L) {
        if (is.null(order)) order <- order_of_ends(y)
        y <- text_of_ends(y)
    }
    if (!is.atomic(y)) refuse("the response '", name, "' is a list, not a vector of labels")
    if (NCOL(y) != 1L) refuse("the response '", name, "' has ", NCOL(y), " columns")
    if (!real && !is.ordered(y) && !is.numeric(y) && has_intervals(y, order)) {
        return(list(values = factor(as.character(y)), order = if (!is.null(order)) as.character(order)))
    }
    list(values = classes_or_targets(y, order, real, name))
}

classes_or_targets <- function(y, order, real, name) {
    if (real) {
        if (!is.numeric(y)) refuse("real = TRUE needs a response of numbers; '", name, "' is of class ", class(y)[1])
        return(as.double(y))
    }
    if (!is.null(order)) return(in_order(y, order, name))
    if (is.ordered(y)) return(droplevels_na(y))
    if (is.numeric(y)) return(as.double(y))
    if (is.logical(y)) return(factor(y, levels = c(FALSE, TRUE), ordered = TRUE))
    levels <- if (is.factor(y)) levels(y) else sort(unique(as.character(y[!is.na(y)])))
    if (are_numbers(levels)) {
        return(factor(as.character(y), levels = levels[order(as.numeric(levels))], ordered = TRUE))
    }
    if (any(is_interval(levels))) levels <- read_labels(levels)$classes # of intervals the ends
    quoted <- paste0('"', head(levels, 8), '"', collapse = ", ")
    if (length(levels) > 8) quoted <- paste0(quoted, ", ...")
    refuse("the response '", name, "' has no order: its levels are ", quoted,
           ". Give them lowest first: order = c(", quoted, ") in the right order, or make it an ordered factor")
}

in_order <- function(y, order, name) {
    order <- as.character(order)
    if (anyDuplicated(order)) refuse("order names ", order[anyDuplicated(order)], " twice")
    text <- as.character(y)
    if (is.numeric(y) && are_numbers(order)) { # 1 and "1.0" are one class, as in files
        named <- order[match(as.double(y), as.numeric(order))]
        text[!is.na(named)] <- named[!is.na(named)]
    }
    unknown <- setdiff(unique(text[!is.na(text)]), order)
    if (length(unknown)) refuse("the response '", name, "' has the value '", unknown[1], "', which order does not name")
    factor(text, levels = order, ordered = TRUE)
}

are_numbers <- function(text) !anyNA(suppressWarnings(as.numeric(text)))

unused_name <- function(name, names) {
    while (name %in% names) name <- paste0(name, "_")
    name
}

# Columns for an option that takes a list: by name, or by position where the name would be taken apart.
mentioned <- function(names, places) {
    words <- as.character(places)
    if (!is.null(names)) {
        plain <- !grepl("=|^\\s|\\s$|^$", names[places])
        words[plain] <- names[places][plain]
    }
    words
}

# Coefficients are differences from the first level that occurs, as with contr.treatment: "=level". A level that would
# be taken apart leaves it to the library, which takes the first in the alphabet.
reference_level <- function(column) {
    if (!is.factor(column)) return("")
    first <- levels(column)[tabulate(column, nlevels(column)) > 0L][1L]
    if (is.na(first) || grepl("=|^\\s|\\s$|^$", first)) "" else paste0("=", first)
}

# What the caller says of columns, and what their classes say where the caller does not: options of the library.
column_options <- function(sheet, said) {
    ordinal <- said_entries(said$ordinal, sheet, order_text)
    said <- lapply(said[c("nominal", "numeric", "dates")], said_entries, sheet = sheet)
    taken <- c(ordinal$places, unlist(lapply(said, `[[`, "places")))
    options <- list()
    for (option in c("nominal", "numeric", "dates")) {
        kind <- c(nominal = "nominal", numeric = "", dates = "date")[[option]]
        places <- setdiff(which(sheet$kinds == kind), taken)
        ways <- c(said[[option]]$ways, rep("", length(places)))
        places <- c(said[[option]]$places, places)
        if (option == "nominal") ways[ways == ""] <- vapply(sheet$columns[places[ways == ""]], reference_level, "")
        if (length(places)) options[[option]] <- paste0(mentioned(sheet$names, places), ways)
    }
    if (length(sheet$hidden)) options$ignore <- mentioned(sheet$names, sheet$hidden)
    if (length(sheet$derive)) options$derive <- sheet$derive
    if (length(sheet$random)) options$random <- sheet$random
    if (length(ordinal$places)) options$ordinal <- paste0(mentioned(sheet$names, ordinal$places), ordinal$ways)
    options
}

# Columns by name or position, list(places, ways): c("ward"), or with how they are meant c(ward = "north"),
# list(size = c("small", "large")).
said_entries <- function(columns, sheet, text = function(way) way[1L]) {
    names <- sheet$names
    meant <- if (is.null(names(columns))) rep("", length(columns)) else names(columns)
    word <- ifelse(meant == "", vapply(columns, function(one) as.character(one)[1L], ""), meant)
    places <- match(word, names)
    number <- is.na(places) & (isTRUE(sheet$numbered) | is.numeric(columns)) & grepl("^[0-9]+$", word)
    places[number] <- as.integer(word[number])
    bad <- which(is.na(places) | places < 1L | places > length(sheet$columns))
    if (length(bad)) {
        known <- if (isTRUE(sheet$numbered)) paste("1 to", length(names)) else paste(head(names, 8L), collapse = ", ")
        refuse("there is no column '", word[bad[1L]], "'; there are ", known, if (length(names) > 8L) ", ...")
    }
    ways <- vapply(columns, function(one) text(as.character(one)), "")
    list(places = places, ways = unname(ifelse(meant == "", "", paste0("=", ways))))
}

# The data of a fit: the sheet and, behind it, the columns of labels, weights and groups.
training_data <- function(session, sheet, y, label, weights, groups, real, missing, said) {
    extra <- list()
    options <- list(missing_error = as.integer(missing == "error"), real = as.integer(real))
    add <- function(role, values, name) {
        if (length(values) != sheet$rows) refuse(length(values), " ", role, " for ", sheet$rows, " rows")
        extra[[length(extra) + 1L]] <<- values
        names <<- c(names, unused_name(name, names))
        place <- length(sheet$columns) + length(extra)
        options[[role]] <<- if (is.null(sheet$names)) as.character(place) else names[place]
    }
    names <- sheet$names
    if (!is.null(y)) add("label", y$values, label)
    if (!is.null(y$order)) options$order <- order_text(y$order)
    if (!is.null(weights)) {
        if (!is.numeric(weights) || inherits(weights, "integer64")) refuse("weights must be numbers")
        add("weights", as.double(weights), "(weights)")
    }
    if (!is.null(groups)) add("groups", factor(groups), "(groups)")
    options <- c(options, column_options(sheet, said))
    sheet$columns <- c(sheet$columns, extra)
    if (!is.null(sheet$names)) sheet$names <- names
    finish(session, .Call(C_r_encode, session, as_table(session, sheet), options))
}
