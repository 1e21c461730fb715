# SPDX-License-Identifier: BSD-3-Clause
# Formulas: what is predicted is what was fitted, whatever the levels, contrasts and rows of the new data.

graded <- function(n = 150) {
    a <- 3 * sin(seq_len(n))
    f <- factor(c("p", "q", "r")[1 + seq_len(n) %% 3])
    b <- 2 * cos(3 * seq_len(n))
    score <- a * (as.integer(f) - 2) + b
    data.frame(a, b, f, y = factor(cut(score, c(-Inf, -1, 1, Inf), c("lo", "mid", "hi")), ordered = TRUE))
}
plain <- function(...) quietly(rung(..., method = "pom", ridge = 0.01))
proba <- function(model, data) predict(model, data, "prob")

test_that("interactions keep the levels and contrasts of the fit", {
    data <- graded()
    old <- options(contrasts = c("contr.sum", "contr.poly"))
    on.exit(options(old))
    sums <- plain(y ~ a * f, data)
    said <- proba(sums, data)
    options(old)
    expect_identical(proba(sums, data), said)
    model <- plain(y ~ a * f + b, data)
    said <- proba(model, data)
    other <- transform(data, f = factor(as.character(f), levels = c("r", "q", "p", "z")))
    expect_identical(proba(model, other), said)
    expect_identical(proba(model, transform(data, f = as.character(f))), said)
    expect_equal(proba(model, data[5, ]), said[5, , drop = FALSE])
    stats::contrasts(other$f) <- "contr.sum"
    expect_identical(proba(model, other), said)
    expect_warning(zero <- proba(model, transform(data[1:2, ], f = "new")), "category not seen in training")
    expect_true(all(is.finite(zero)))
    # an unused level changes nothing, and a factor outside the interaction may have one level
    more <- transform(data, f = factor(f, levels = c("p", "q", "r", "z")))
    expect_identical(proba(plain(y ~ a * f + b, more), data), said)
    side <- plain(y ~ a:b + f, data)
    expect_equal(proba(side, droplevels(data[2, ])), proba(side, data)[2, , drop = FALSE])
})

test_that("names in backticks", {
    data <- graded()
    names(data)[1:2] <- c("a b", "if")
    model <- plain(y ~ `a b` * f + log(`if` + 3), data)
    expect_identical(model$sheet$names, c("a b", "f", "if"))
    expect_identical(names(coef(model))[-(1:2)], c("a b", "fq", "fr", "log(if+3)", "a b:f=q", "a b:f=r"))
    expect_equal(proba(model, data[7:8, ]), proba(model, data)[7:8, ])
})

test_that("the model file has what a formula makes", {
    data <- transform(graded(), age = 20 + seq_along(a) %% 50, size = ordered(c("s", "m", "l")[1 + seq_along(a) %% 3],
                                                                            levels = c("s", "m", "l")))
    formula <- y ~ a * f + log(age) + I((b - 1)^2) + poly(age, 2):b + size:a + exp(-b):f
    model <- plain(formula, data)
    file <- tempfile()
    rows <- tempfile(fileext = ".csv")
    rung_save(model, file)
    write_exact(transform(data[c("age", "f", "size", "b", "a")], size = as.character(size)), rows)
    said <- read.csv(text = command("predict", file, rows, "--proba"), check.names = FALSE)
    expect_identical(unname(as.matrix(said[paste0("p(", levels(data$y), ")")])), unname(proba(model, data)))
    expect_identical(proba(rung_load(file), data), proba(model, data))
    # as the command fits it
    made <- tempfile()
    write_exact(transform(data, size = as.character(size))[c("a", "f", "age", "b", "size", "y")], rows)
    command("fit", rows, "-m", "pom", "-p", "ridge=0.01", "--ordinal", "size=s<m<l", "--ignore", "age,b,size", "--derive",
            "log(age)", "--derive", "(b-1)^2", "--derive", "a:f", "--derive", "poly(age,2):b", "--derive", "a:size",
            "--derive", "exp(-b):f", "--order", "lo<mid<hi", "-o", made, "-q")
    expect_identical(rung_load(made)$info$columns, c("a", "f", "age", "b", "size"))
    expect_equal(proba(rung_load(made), data), proba(model, data), tolerance = 1e-10)
    # explanations are by variables
    expect_setequal(rung_explain(model, data, type = "importance")$column, c("a", "f", "age", "b", "size"))
})

test_that("what the library does not cover is computed here", {
    data <- graded()
    model <- plain(y ~ scale(a) + cut(b, c(-3, 0, 3)) + f:scale(b) + poly(b, 2, raw = TRUE) + I(a + b), data)
    expect_identical(model$sheet$names[1:2], c("scale(a).1", "cut(b, c(-3, 0, 3))"))
    expect_equal(proba(model, data[4:9, ]), proba(model, data)[4:9, ])
    logs <- plain(y ~ log(a + 4, 2) + sqrt(abs(b)), data)
    expect_identical(logs$sheet$names, c("log(a + 4, 2)", "b"))
    expect_error(plain(y ~ log(b - 10), data), "not a finite number")
})

test_that("weights and groups are no predictors", {
    data <- transform(graded(), w = 1 + (seq_along(a) %% 2), pat = seq_along(a) %/% 3)
    model <- quietly(rung(y ~ ., data, method = "pom", ridge = 0.01, groups = pat, weights = w))
    expect_identical(model$sheet$names, c("a", "b", "f"))
    expect_identical(proba(model, graded()), proba(model, data))
    also <- quietly(rung(y ~ . + pat, data, method = "pom", groups = pat, weights = w))
    expect_identical(also$sheet$names, c("a", "b", "f", "pat"))
})

test_that("what cannot be is refused", {
    data <- transform(graded(), judge = seq_along(a) %/% 10)
    expect_error(plain(y ~ a + (1 | judge), data), "no random effects for the groups of 'judge'")
    expect_identical(plain(y ~ a + I(b > 0 | a > 0), data)$sheet$names, c("a", "I(b > 0 | a > 0)"))
    model <- plain(y ~ a, data)
    expect_error(predict(model, data, typo = "prob"), "no argument 'typo'")
    expect_error(fitted(model, typo = 1), "no argument 'typo'")
    expect_error(plain(y ~ a, data, memory = "lots"), "expected a number of bytes")
    expect_error(plain(y ~ a, data, memory = "1K"), class = "rung_limit_error")
    expect_error(plain(y ~ a, data, seed = "one"), "expected a whole number")
})

test_that("a column too many without a name", {
    data <- graded()
    x <- unname(as.matrix(data[c("a", "b")]))
    for (model in list(plain(x, data$y), plain(data[c("a", "b")], data$y))) {
        expect_equal(unname(proba(model, x)), unname(predict(model, type = "prob")))
        expect_error(predict(model, cbind(x, 1)), "fitted to 2 columns, and newdata has 3")
        expect_error(predict(model, x[, 1, drop = FALSE]), "fitted to 2 columns, and newdata has 1")
    }
})

test_that("no rows", {
    data <- graded()
    for (model in list(plain(y ~ a * f, data), plain(data[c("a", "b")], data$y))) {
        expect_identical(predict(model, data[0, ]), predict(model, data)[0])
        expect_identical(dim(proba(model, data[0, ])), c(0L, 3L))
        expect_identical(nrow(predict(model, data[0, ], "interval")), 0L)
        expect_length(predict(model, data[0, ], "score"), 0L)
    }
})

test_that("rows with missing cells are left out on request", {
    data <- graded()
    data$a[3:4] <- NA
    data$y[7] <- NA
    model <- plain(y ~ a, data, na.action = na.omit)
    expect_identical(nobs(model), 147)
    expect_identical(length(fitted(model)), 147L)
    expect_identical(length(fitted(plain(y ~ a, data))), 150L)
})

test_that("columns are what the caller says", {
    data <- transform(graded(), id = seq_along(a), size = c("small", "big", "mid")[1 + seq_along(a) %% 3],
                      code = seq_along(a) %% 3, day = paste0(1 + seq_along(a) %% 28, "/1/2024"))
    expect_warning(rung(y ~ a + id, data, method = "pom"), "only counts the rows")
    expect_silent(model <- rung(y ~ a + id, data, method = "pom", numeric = "id"))
    expect_identical(model$info$columns, c("a", "id"))
    expect_silent(rung(as.matrix(data[c("a", "id")]), data$y, method = "pom", numeric = 2))
    slopes <- function(...) names(coef(plain(...)))[-(1:2)]
    expect_identical(slopes(y ~ a + size, data, ordinal = list(size = c("small", "mid", "big"))), c("a", "size"))
    expect_identical(slopes(y ~ a + size, data, nominal = c(size = "mid")), c("a", "sizebig", "sizesmall"))
    expect_identical(slopes(y ~ a + code, data, nominal = "code"), c("a", "code1", "code2"))
    expect_identical(slopes(y ~ a + day, data, dates = c(day = "dmy")), c("a", "day"))
    expect_error(plain(y ~ a, data, nominal = "sise"), "no column 'sise'")
    expect_error(plain(y ~ a + size, data, ordinal = c("small", "mid")), "ordinal names its columns")
    found <- quietly(tune(y ~ a + id, data, methods = "pom", numeric = "id", folds = 2, repeats = 1))
    expect_identical(found$info$columns, c("a", "id"))
    # as the command has it
    file <- tempfile(fileext = ".csv")
    write_exact(data[c("a", "size", "code", "id", "y")], file)
    made <- tempfile()
    command("fit", file, "-m", "pom", "-p", "ridge=0.01", "--nominal", "code", "--numeric", "id", "--ordinal",
            "size=small<mid<big", "--order", "lo<mid<hi", "-o", made, "-q")
    own <- plain(y ~ ., data[c("a", "size", "code", "id", "y")], nominal = "code", numeric = "id",
                 ordinal = list(size = c("small", "mid", "big")))
    expect_identical(proba(own, data), proba(rung_load(made), data))
})

test_that("logical columns, times and differences of times", {
    data <- graded()
    data$flag <- data$a > 0
    data$time <- as.POSIXct("2024-01-01", tz = "America/New_York") + 5000 * (7 * seq_along(data$a)) %% 150
    model <- plain(y ~ flag + time + b, data)
    elsewhere <- data
    attr(elsewhere$time, "tzone") <- "Asia/Tokyo" # the same instants
    expect_identical(proba(model, elsewhere), proba(model, data))
    in_utc <- transform(data, time = format(time, tz = "UTC"))
    expect_identical(proba(model, in_utc), proba(model, data))
    # R writes TRUE and FALSE, and the command reads them
    rows <- tempfile(fileext = ".csv")
    file <- tempfile()
    rung_save(model, file)
    write_exact(transform(in_utc[1:9, ], flag = as.character(flag))[c("flag", "time", "b")], rows)
    said <- read.csv(text = command("predict", file, rows, "--proba"), check.names = FALSE)
    expect_equal(unname(as.matrix(said[paste0("p(", levels(data$y), ")")])), unname(proba(model, data)[1:9, ]),
                 tolerance = 1e-14)
    read <- rung_load(file)
    expect_identical(proba(read, utils::read.csv(rows)), proba(model, data)[1:9, ])
    hours <- transform(data, span = as.difftime(b, units = "hours"))
    expect_equal(proba(plain(y ~ span, hours), hours), proba(plain(y ~ b, data), data))
})

test_that("equal rows are copies or replicates", {
    data <- graded(60)[rep(1:60, 3), ]
    mae <- function(rule) quietly(rung(y ~ a + b, data, method = "kdlor", equal_rows = rule))$info$cv[["mae"]]
    file <- tempfile(fileext = ".csv")
    write_exact(data[c("a", "b", "y")], file)
    made <- tempfile()
    for (rule in c("together", "apart")) {
        command("fit", file, "-m", "kdlor", "--order", "lo<mid<hi", "--equal-rows", rule, "-o", made, "-q")
        expect_identical(mae(rule), rung_load(made)$info$cv[["mae"]])
    }
    expect_lt(mae("apart"), mae("together"))
    expect_error(mae("near"), "unknown rule")
})
