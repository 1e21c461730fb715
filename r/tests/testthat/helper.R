# SPDX-License-Identifier: BSD-3-Clause
quietly <- function(...) suppressWarnings(suppressMessages(...))
toy <- function(...) rung_generate("toy", rows = 300, ...)

# The command, where there is one (RUNG_COMMAND): files are compared with what it writes.
command <- function(...) {
    path <- Sys.getenv("RUNG_COMMAND")
    testthat::skip_if(path == "", "RUNG_COMMAND is not set")
    words <- vapply(list(...), function(word) shQuote(as.character(word)), "")
    out <- suppressWarnings(system2(path, words, stdout = TRUE, stderr = FALSE))
    status <- attr(out, "status")
    if (!is.null(status)) stop("rung ", paste(words, collapse = " "), " failed with status ", status)
    out
}

number_text <- function(x) rung:::value_text_each(x)

# A CSV file whose numbers read back to the last bit.
write_exact <- function(frame, file) {
    cells <- lapply(frame, function(column) {
        text <- if (is.numeric(column)) number_text(column) else as.character(column)
        text[is.na(column)] <- ""
        text
    })
    lines <- do.call(paste, c(unname(cells), sep = ","))
    writeLines(c(paste(names(frame), collapse = ","), lines), file)
}

bytes_of <- function(file) readBin(file, "raw", file.size(file))
