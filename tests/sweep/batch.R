# SPDX-License-Identifier: BSD-3-Clause
# The jobs of a folder through the R package (tests/sweep/batch.py): what R reads of a file, answered by the model of
# the sweep and by one of its own; the same cells go into a file with row names, for the command.
suppressMessages(library(rung))

text_of <- function(column) {
    text <- if (is.numeric(column)) rung:::value_text_each(column) else paste0("\"", gsub("\"", "\"\"", column), "\"")
    text[is.na(column)] <- ""
    text
}

write_with_names <- function(frame, file) {
    cells <- lapply(frame, text_of)
    head <- paste0("\"", gsub("\"", "\"\"", c("", names(frame))), "\"", collapse = ",")
    writeLines(c(head, do.call(paste, c(list(paste0("\"", row.names(frame), "\"")), unname(cells), sep = ","))), file,
               useBytes = TRUE)
}

answer <- function(model, rows, file) {
    numbers <- as.matrix(predict(model, rows, if (model$info$probabilities) "prob" else "score"))
    writeLines(apply(matrix(rung:::value_text_each(numbers), nrow(numbers)), 1L, paste, collapse = ","), file)
}

one <- function(folder) {
    at <- function(name) file.path(folder, name)
    job <- rung:::parse_json(paste(readLines(at("job.json"), warn = FALSE, encoding = "UTF-8"), collapse = "\n"))
    frame <- read.csv(at("data.csv"), sep = job$delimiter, check.names = FALSE, fileEncoding = "UTF-8-BOM")
    write_with_names(frame, at("frame.csv"))
    features <- frame[setdiff(names(frame), unlist(job$roles))]
    answer(rung_load(at("model.rung")), features, at("loaded"))
    roles <- lapply(job$roles, function(name) frame[[name]])
    names(roles)[names(roles) == "label"] <- "y"
    if (is.character(roles$y)) { # a vector says NA where a file has words for it; as words rung refuses them
        roles$y[roles$y %in% c("", "?", "NA")] <- NA
        roles$y <- type.convert(roles$y, as.is = TRUE)
    }
    model <- suppressWarnings(do.call(rung, c(list(x = features, threads = 1), roles, job$arguments)))
    rung_save(model, at("own.rung"))
    answer(model, features, at("fitted"))
    character()
}

for (folder in list.dirs(commandArgs(TRUE)[1L], recursive = FALSE)) {
    wrong <- tryCatch(suppressMessages(one(folder)), error = conditionMessage)
    writeLines(as.character(wrong), file.path(folder, "wrong"))
}
