# SPDX-License-Identifier: BSD-3-Clause

test_that("the rows are those of the command", {
    data <- toy(unlabelled = 0.85)
    found <- quietly(rung_suggest(label ~ ., data, n = 6, method = "kdlor"))
    files <- tempfile(fileext = c(".csv", ".csv"))
    write_exact(transform(data, label = as.integer(label)), files[1])
    command("suggest", files[1], "-n", "6", "-m", "kdlor", "-q", "-o", files[2])
    said <- read.csv(files[2], stringsAsFactors = FALSE)
    expect_identical(found$row, said$row)
    expect_identical(found$suggested, said$suggested)
    expect_identical(found$reason, said$reason)
    expect_identical(as.integer(found$guess), said$guess)
    forecast <- attr(found, "forecast")
    expect_identical(forecast[["more"]], 6)
    expect_true(forecast[["low"]] <= forecast[["value"]] && forecast[["value"]] <= forecast[["high"]])
    expect_output(print(found), "6 more labels: mae")
})

test_that("the matrix interface, no labels, no random rows", {
    data <- toy(unlabelled = 0.85)
    by_rows <- quietly(rung_suggest(data[c("x1", "x2")], data$label, n = 4, random = 0, more = 0, method = "kdlor"))
    by_formula <- quietly(rung_suggest(label ~ ., data, n = 4, random = 0, more = 0, method = "kdlor"))
    expect_identical(by_rows, by_formula)
    expect_identical(by_rows$suggested, rep("chosen", 4))
    expect_null(attr(by_rows, "forecast"))
    first <- quietly(rung_suggest(data[c("x1", "x2")], n = 3))
    expect_true(all(is.na(first$guess)))
    data$label <- NA
    expect_identical(quietly(rung_suggest(label ~ ., data, n = 3)), first)
    expect_error(rung_suggest(label ~ ., toy(), n = 3, method = "kdlor"), class = "rung_data_error")
})

test_that("the column of marks is no predictor, and chosen rows do not count in the error", {
    data <- toy(unlabelled = 0.7)
    plain <- quietly(rung(label ~ ., data, method = "kdlor"))
    data$suggested <- ""
    data$suggested[which(!is.na(data$label))[1:30]] <- rep(c("chosen", "chosen", "random"), 10)
    marked <- quietly(rung(label ~ ., data, method = "kdlor"))
    expect_identical(marked$info$columns, c("x1", "x2"))
    expect_identical(marked$info$cv[["n"]], plain$info$cv[["n"]] - 20)
    expect_identical(predict(marked, data[1:2]), predict(plain, data[1:2]))
    by_rows <- quietly(rung(data[c("x1", "x2", "suggested")], data$label, method = "kdlor"))
    expect_identical(by_rows$bytes, marked$bytes)
    names(data)[names(data) == "suggested"] <- "Suggested"
    expect_identical(quietly(rung(label ~ ., data, method = "kdlor"))$bytes, marked$bytes)
    names(data)[names(data) == "Suggested"] <- "suggested"
    data$suggested[1] <- "other" # an ordinary column
    expect_identical(quietly(rung(label ~ ., data, method = "kdlor"))$info$columns, c("x1", "x2", "suggested"))
})

test_that("rows are those of the data, also of a subset", {
    data <- toy(unlabelled = 0.5)
    part <- data$x1 > 0.6
    found <- quietly(rung_suggest(label ~ ., data, n = 5, method = "pom", more = 0, subset = x1 > 0.6))
    expect_true(all(part[found$row] & is.na(data$label[found$row])))
    own <- quietly(rung_suggest(label ~ ., data[part, ], n = 5, method = "pom", more = 0))
    expect_identical(found$row, which(part)[own$row])
})
