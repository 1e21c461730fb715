# SPDX-License-Identifier: BSD-3-Clause
# Calls of the library: a session per call, its warnings and notes as those of R, its failures as errors.

session <- function(seed = 1, threads = 0, memory = 0, progress = FALSE) {
    .Call(C_r_session, one_number(seed, "seed"), as.integer(one_number(threads, "threads")), bytes_of_size(memory),
          isTRUE(progress))
}

one_number <- function(value, name, least = 0) {
    if (!is.numeric(value) || length(value) != 1L || is.na(value) || value < least || value != floor(value)) {
        refuse(name, " = ", deparse(value)[1L], ": expected a whole number from ", least)
    }
    as.double(value)
}

# Of a list of arguments, those that are whole numbers, as the library takes them.
whole <- function(..., least = 0) {
    values <- list(...)
    Map(function(value, name) as.integer(one_number(value, name, least)), values, names(values))
}

# A number of bytes, or a size as the command takes it: "500M", "2G".
bytes_of_size <- function(size) {
    bytes <- size
    if (is.character(size) && length(size) == 1L) {
        unit <- match(toupper(sub("^[0-9.]+", "", size)), c("", "K", "M", "G", "T"))
        bytes <- suppressWarnings(floor(as.double(sub("[[:alpha:]]$", "", size)) * 1024^(unit - 1)))
    }
    if (!is.numeric(bytes) || length(bytes) != 1L || is.na(bytes) || bytes < 0) {
        refuse("memory = ", deparse(size)[1L], ": expected a number of bytes, or a size such as \"2G\"")
    }
    as.double(bytes)
}

ERRORS <- c("rung_memory_error", "rung_argument_error", "rung_data_error", "rung_file_error", "rung_format_error",
            "rung_numeric_error", "rung_numeric_error", "rung_limit_error", "rung_interrupt", "rung_internal_error")

# The value of a call, after its remarks and its failure were passed on. The value is a promise: the call runs here.
finish <- function(session, value, call = NULL) {
    force(value)
    outcome <- .Call(C_r_outcome, session)
    for (i in seq_along(outcome$remarks)) {
        remark <- own_words(outcome$remarks[i], "")
        if (outcome$levels[i] <= 1L) {
            warning(warningCondition(remark, class = "rung_warning", call = call))
        } else {
            message("rung: ", remark)
        }
    }
    if (outcome$status == 9L) .Call(C_r_interrupt)
    if (outcome$status != 0L) {
        stop(errorCondition(own_words(outcome$message, outcome$detail), class = c(ERRORS[outcome$status], "rung_error"),
                            call = call))
    }
    value
}

# The message in the words of R, by what it is about (rung_ctx_detail). Parameters with a hyphen have an underscore.
own_words <- function(message, detail) {
    for (line in strsplit(detail, "\n", fixed = TRUE)[[1]]) {
        name <- sub("^[a-z]+ ?", "", line)
        if (startsWith(line, "parameter ")) {
            message <- gsub(paste0(name, "="), paste0(gsub("-", "_", name), " = "), message, fixed = TRUE)
        } else if (line == "methods") {
            message <- paste0(message, "; rung_methods() lists them")
        } else if (startsWith(line, "method ")) {
            message <- paste0(message, "; rung_parameters(\"", name, "\") lists them")
        }
    }
    message
}

refuse <- function(...) stop(errorCondition(paste0(...), class = c("rung_argument_error", "rung_error")))
