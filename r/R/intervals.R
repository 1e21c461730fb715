# SPDX-License-Identifier: BSD-3-Clause
# Labels that are intervals of classes: text such as "2..4", "<=2" or "low..mid", or two columns of ends.

# By its form; the library knows.
is_interval <- function(text) grepl("^[<>]=|[.][.]", text)

# Labels as the library reads the cells of a file: list(classes, y, upper), see labels_of. Words without an order have
# no ranks.
read_labels <- function(text, order = NULL) {
    session <- session()
    data <- finish(session, .Call(C_r_read_labels, session, as.character(text), if (!is.null(order)) order_text(order)))
    c(list(classes = .Call(C_r_classes, data)), labels_of(data))
}

# Whether there are intervals among labels. Without an order only numbers can have them.
has_intervals <- function(y, order) {
    text <- unique(as.character(y[!is.na(y)]))
    odd <- is_interval(text)
    if (!any(odd)) return(FALSE)
    if (!is.null(order)) return(any(odd & !text %in% as.character(order)))
    said <- read_labels(text)
    !all(is.na(said$y)) && any(odd & !text %in% said$classes)
}

# Labels as text, numbers as the library writes them.
label_text <- function(labels) {
    said <- !is.na(labels)
    out <- rep(NA_character_, length(labels))
    out[said] <- if (is.numeric(labels)) value_text_each(labels[said]) else as.character(labels[said])
    out
}

# Two columns, the lower and the upper ends, as text; a missing end is open.
text_of_ends <- function(y) {
    low <- label_text(if (is.data.frame(y)) y[[1L]] else y[, 1L])
    high <- label_text(if (is.data.frame(y)) y[[2L]] else y[, 2L])
    both <- ifelse(low == high, low, paste(low, high, sep = ".."))
    ifelse(is.na(low), ifelse(is.na(high), NA, paste0("<=", high)), ifelse(is.na(high), paste0(">=", low), both))
}

# The classes, where both columns are ordered factors of the same levels.
order_of_ends <- function(y) {
    if (!is.data.frame(y) || !all(vapply(y, is.ordered, NA))) return(NULL)
    if (!identical(levels(y[[1L]]), levels(y[[2L]]))) refuse("the two columns of labels have different levels")
    levels(y[[1L]])
}

# The ranks of labels among known classes, as the library reads them: list(y, upper).
ranks_among <- function(y, classes) {
    text <- if (NCOL(y) == 2L) text_of_ends(y) else label_text(y)
    unknown <- setdiff(text[!is.na(text) & nzchar(text) & !is_interval(text)], classes)
    if (length(unknown)) {
        refuse("the label '", unknown[1L], "' is not one of the classes ", paste(head(classes, 8L), collapse = ", "))
    }
    if (length(text)) read_labels(text, classes) else list(y = integer())
}

# The rank among those of an interval that is nearest to a prediction.
nearest <- function(labels, predicted) {
    if (is.null(labels$upper)) labels$y else pmin(pmax(predicted, labels$y), labels$upper)
}

# The ranks of labels that are one class; NA: unlabelled, or an interval.
one_class <- function(labels) {
    if (is.null(labels$upper)) labels$y else ifelse(labels$upper > labels$y, NA_integer_, labels$y)
}

# The classes as an option of the library, lowest first.
order_text <- function(classes) paste(gsub("([\\\\<])", "\\\\\\1", classes), collapse = "<")
