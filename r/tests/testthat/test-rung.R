# SPDX-License-Identifier: BSD-3-Clause
grades <- data.frame(
    size = c(1.2, 2.1, 2.9, 4.2, 5.1, 5.8, 7.1, 8.3, 8.9, 10.2, 11.1, 12.3),
    dose = factor(rep(c("<1", "1-2", ">2"), 4), levels = c("<1", "1-2", ">2"), ordered = TRUE),
    kind = factor(rep(c("a", "b"), 6)),
    day = as.Date("2024-01-01") + 10 * (1:12),
    seen = as.POSIXct("2024-01-01 08:30:00", tz = "UTC") + 7200 * (1:12),
    grade = factor(rep(c("low", "mid", "high"), each = 4), levels = c("low", "mid", "high"), ordered = TRUE)
)

test_that("columns are coded as what they are", {
    model <- quietly(rung(grade ~ ., grades, method = "pom"))
    described <- rung:::parse_json({
        session <- rung:::session()
        .Call(rung:::C_r_describe, session, rung:::handle(model))
    })
    kinds <- vapply(described$preprocessing$columns, `[[`, "", "kind")
    expect_identical(kinds, c("number", "ordinal", "nominal", "date", "date"))
    expect_identical(unlist(described$preprocessing$columns[[2]]$categories), levels(grades$dose))
    expect_identical(predict(model, grades[3:5, ], "score"), predict(model, grades, "score")[3:5])
    expect_error(rung(list(a = 1), 1), "neither a matrix nor a data frame")
    expect_error(rung(grade ~ as.complex(size), grades), "expected numbers, logical values, text, factors or dates")
})

test_that("formula and matrix interfaces agree", {
    data <- toy(unlabelled = 0.8)
    by_formula <- quietly(rung(label ~ x1 + x2, data, method = "kdlor"))
    by_rows <- quietly(rung(data[c("x1", "x2")], data$label, method = "kdlor"))
    by_matrix <- quietly(rung(as.matrix(data[c("x1", "x2")]), data$label, method = "kdlor"))
    unnamed <- quietly(rung(unname(as.matrix(data[c("x1", "x2")])), data$label, method = "kdlor"))
    expected <- predict(by_formula, data, "prob")
    expect_identical(by_rows$bytes, by_formula$bytes)
    expect_identical(by_matrix$bytes, by_formula$bytes)
    expect_identical(unname(predict(unnamed, unname(as.matrix(data[c("x1", "x2")])), "prob")), unname(expected))
    expect_s3_class(predict(by_formula, data), "ordered")
    expect_identical(levels(predict(by_formula, data)), as.character(1:5))
    expect_equal(unname(rowSums(expected)), rep(1, 300))
})

test_that("transformations and interactions of a formula", {
    data <- toy()
    model <- quietly(rung(label ~ log(x1) + poly(x2, 2) + x1:x2, data, method = "pom"))
    expect_identical(model$info$columns, c("x1", "x2"))
    expect_identical(names(coef(model))[-(1:4)], c("log(x1)", "center(x2)", "center(x2)^2", "x1:x2"))
    expect_identical(predict(model, data[1:9, ], "score"), head(predict(model, data, "score"), 9))
    expect_error(rung(label ~ x1 + offset(x2), data), "offset")
    expect_error(rung(label ~ 1, data), "no predictors")
    expect_error(rung(~x1, data, method = "pom"), class = "rung_error")
})

test_that("the order of the response", {
    data <- grades
    data$grade <- as.character(data$grade)
    expect_error(rung(grade ~ size, data), "\"high\", \"low\", \"mid\"", class = "rung_argument_error")
    data$grade <- factor(data$grade)
    expect_error(rung(grade ~ size, data), "ordered factor")
    model <- quietly(rung(grade ~ size, data, method = "pom", order = c("low", "mid", "high")))
    expect_identical(model$bytes, quietly(rung(grade ~ size, grades, method = "pom"))$bytes)
    expect_error(rung(grade ~ size, data, order = c("low", "mid")), "'high'")
    expect_error(rung(grade ~ size, data, order = c("low", "mid", "mid")), "twice")
    data$points <- as.integer(data$grade) / 2
    model <- quietly(rung(points ~ size, data, method = "pom", order = c("0.5", "1.0", "1.5"))) # 1 is 1.0, as in files
    expect_identical(levels(predict(model, data)), c("0.5", "1.0", "1.5"))
    data$grade <- as.integer(grades$grade)
    expect_identical(quietly(rung(grade ~ size, data, method = "pom"))$info$classes, c("1", "2", "3"))
})

test_that("missing responses are unlabelled rows, missing predictors take the median", {
    data <- grades
    data$grade[c(2, 7)] <- NA
    data$size[5] <- NA
    model <- quietly(rung(grade ~ size + kind, data, method = "pom"))
    expect_equal(c(model$info$rows, model$info$labelled), c(12, 10))
    expect_equal(nobs(model), 10)
    expect_false(anyNA(predict(model, data)))
    expect_identical(sum(is.na(residuals(model))), 2L)
    expect_error(quietly(rung(grade ~ size + kind, data, method = "pom", missing = "error")), class = "rung_data_error")
})

test_that("weights, class weights and groups", {
    data <- toy()
    weight <- rep(c(1, 3), 150)
    repeated <- data[rep(1:300, weight), ]
    weighted <- quietly(rung(label ~ ., data, method = "pom", weights = weight, scale = "none"))
    all <- quietly(rung(label ~ ., repeated, method = "pom", scale = "none"))
    expect_equal(coef(weighted), coef(all), tolerance = 1e-4)
    expect_error(rung(label ~ ., data, method = "pom", weights = -weight), class = "rung_error")
    balanced <- quietly(rung(label ~ ., data, method = "pom", class_weights = c("1" = 5)))
    plain <- quietly(rung(label ~ ., data, method = "pom"))
    expect_gt(sum(predict(balanced, data) == "1"), sum(predict(plain, data) == "1"))
    even <- quietly(rung(label ~ ., data, method = "kdlor", class_weights = "balanced"))
    share <- 300 / 5 / table(data$label)
    by_hand <- quietly(rung(label ~ ., data, method = "kdlor", class_weights = share))
    expect_equal(predict(even, data, "score"), predict(by_hand, data, "score"))
    expect_s3_class(quietly(tune(label ~ ., data, methods = "pom", class_weights = "balanced")), "rung_tune")
    person <- rep(1:30, 10)
    together <- quietly(rung(label ~ ., data, method = "kdlor", groups = person))
    expect_message(rung(label ~ ., data, method = "kdlor", groups = person), "30 groups")
    expect_false(identical(together$info$cv, quietly(rung(label ~ ., data, method = "kdlor"))$info$cv))
    grouped <- quietly(tune(label ~ x1 + x2, data, methods = "pom", groups = person))
    expect_false(identical(grouped$points$value, quietly(tune(label ~ x1 + x2, data, methods = "pom"))$points$value))
})

test_that("saveRDS, model files", {
    data <- toy(unlabelled = 0.8)
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    file <- tempfile(fileext = ".rds")
    saveRDS(model, file)
    again <- readRDS(file)
    expect_identical(predict(again, data, "prob"), predict(model, data, "prob"))
    path <- tempfile(fileext = ".rung")
    rung_save(model, path)
    expect_identical(bytes_of(path), model$bytes)
    loaded <- rung_load(path)
    expect_identical(predict(loaded, data, "prob"), predict(model, data, "prob"))
    expect_error(predict(loaded), "newdata")
    expect_error(rung_load(tempfile()), class = "rung_file_error")
    writeLines("nothing", path)
    expect_error(rung_load(path), class = "rung_format_error")
})

test_that("training rows: fitted, residuals, predict without newdata", {
    data <- toy(unlabelled = 0.8)
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    expect_identical(fitted(model), predict(model, data))
    expect_identical(predict(model, type = "prob"), predict(model, data, "prob"))
    rank <- residuals(model)
    expect_identical(as.vector(rank), as.integer(data$label) - as.integer(fitted(model)))
    scaled <- residuals(model, "probability")
    known <- which(!is.na(data$label))
    p <- predict(model, type = "prob")[known[1], ]
    k <- as.integer(data$label[known[1]])
    expect_equal(scaled[[known[1]]], sum(p[seq_len(k - 1)]) - sum(p[seq_along(p) > k]))
    spread <- quietly(rung(label ~ ., data, method = "llgc"))
    expect_identical(as.character(fitted(spread))[known], as.character(data$label)[known])
})

test_that("intervals, scores and real targets", {
    data <- toy(unlabelled = 0.5)
    model <- quietly(rung(label ~ ., data))
    range <- predict(model, data, "interval", level = 0.8)
    expect_true(all(range$low <= range$high))
    own <- predict(model, data, "interval", level = 0.8, by_class = TRUE)
    expect_true(all(own$low <= predict(model, data) & predict(model, data) <= own$high))
    expect_false(identical(own, range))
    expect_error(predict(quietly(rung(label ~ ., data, method = "kdlor", calibrate = 0,
                                      thresholds = "midpoint")), data, "prob"), "calibrate = 5")
    real <- quietly(rung(x1 ~ x2, data, real = TRUE))
    expect_identical(predict(real, data), predict(real, data, "score"))
    expect_equal(residuals(real), data$x1 - fitted(real))
    expect_error(predict(real, data, "class"), class = "rung_argument_error")
})

test_that("the proportional odds model is that of MASS and ordinal", {
    data <- toy()
    data$kind <- factor(rep(c("a", "b", "c"), 100))
    model <- quietly(rung(label ~ ., data, method = "pom", ridge = 1e-9))
    skip_if_not_installed("MASS")
    other <- suppressWarnings(MASS::polr(label ~ ., data))
    expect_equal(coef(model), c(other$zeta, coef(other)), tolerance = 1e-3)
    skip_if_not_installed("ordinal")
    table <- summary(ordinal::clm(label ~ x1 + x2 + kind, data = data))$coefficients
    ours <- summary(model)
    expect_equal(ours$coefficients, table, tolerance = 1e-4)
    expect_equal(ours$log_likelihood, as.numeric(stats::logLik(other)), tolerance = 1e-6)
    expect_output(print(ours), "Pr\\(>\\|z\\|\\)")
    # levels that are not in alphabetical order: the first one is the reference, and they keep their order
    data$kind <- factor(data$kind, levels = c("c", "a", "b"))
    table <- summary(ordinal::clm(label ~ x1 + kind, data = data))$coefficients
    turned <- quietly(rung(label ~ x1 + kind, data, method = "pom", ridge = 1e-9))
    expect_equal(summary(turned)$coefficients, table, tolerance = 1e-4)
    path <- tempfile(fileext = ".rung")
    rung_save(turned, path)
    expect_identical(coef(rung_load(path)), coef(turned))
    expect_identical(predict(rung_load(path), data, "prob"), predict(turned, data, "prob"))
    data$kind[1:9] <- NA
    expect_identical(names(coef(quietly(rung(label ~ kind, data, method = "pom"))))[5:7], c("kinda", "kindb", "kindNA"))
    expect_output(print(ours), "proportional odds")
    expect_error(coef(quietly(rung(label ~ ., data, method = "kdlor"))), "linear")
})

test_that("likelihoods, ranges and tests are those of ordinal", {
    skip_if_not_installed("ordinal")
    data <- toy()
    data$kind <- factor(rep(c("a", "b", "c"), 100))
    fit <- function(formula, ...) quietly(rung(formula, data, method = "pom", as_published = TRUE, ...))
    ours <- fit(label ~ x1 + kind)
    other <- ordinal::clm(label ~ x1 + kind, data = data)
    expect_equal(vcov(ours), vcov(other), tolerance = 1e-4)
    expect_equal(as.numeric(logLik(ours)), as.numeric(logLik(other)), tolerance = 1e-7)
    expect_equal(c(AIC(ours), BIC(ours)), c(AIC(other), BIC(other)), tolerance = 1e-7)
    slopes <- names(coef(other))[-(1:4)]
    expect_equal(confint(ours)[slopes, ], confint(other), tolerance = 1e-3, ignore_attr = TRUE)
    expect_equal(confint(ours, type = "Wald"), confint(other, type = "Wald"), tolerance = 1e-4, ignore_attr = TRUE)
    expect_equal(drop1(ours)$LRT, drop1(other, test = "Chi")$LRT[-1L], tolerance = 1e-4)
    small <- fit(label ~ x1)
    against <- anova(other, ordinal::clm(label ~ x1, data = data))
    expect_equal(anova(ours, small)$LR.stat, against$LR.stat, tolerance = 1e-4)
    free <- fit(label ~ x1 + kind, by_threshold = "kind", link = "probit")
    other <- suppressWarnings(ordinal::clm(label ~ x1, nominal = ~kind, data = data, link = "probit"))
    expect_equal(as.numeric(logLik(free)), as.numeric(logLik(other)), tolerance = 1e-7)
    expect_equal(unname(coef(free)["2|3.kindb"]), -unname(coef(other)["2|3.kindb"]), tolerance = 1e-4)
    expect_equal(dim(vcov(free)), c(13L, 13L))
})

test_that("bad arguments", {
    data <- toy()
    expect_error(rung(label ~ ., data, method = "nosuch"), "rung_methods\\(\\)", class = "rung_argument_error")
    expect_error(rung(label ~ ., data, method = "kdlor", nosuch = 1), "rung_parameters\\(\"kdlor\"\\)")
    expect_error(rung(label ~ ., data, method = "kdlor", ridge_kind = "x"), "ridge_kind = x")
    expect_error(rung(label ~ ., data, method = c("kdlor", "pom")), "tune")
    expect_error(tune(label ~ ., data, method = "pom", wrong = 1), "wrong")
    expect_error(rung(data[1:2], data$label[-1]), "299 labels for 300 rows")
    expect_error(rung(cbind(1:4), list(1, 2, 3, 4)), "is a list")
    expect_error(predict(quietly(rung(label ~ ., data, method = "pom")), data["x1"]), "'x2'")
    expect_error(rung(label ~ ., data, method = "kdlor", memory = 1000), class = "rung_limit_error")
})

test_that("no parameter of a method has the name of an argument", {
    own <- setdiff(union(names(formals(rung:::rung.formula)), names(formals(rung:::rung.default))), "...")
    for (method in rung_methods()$method) {
        expect_length(intersect(rung_parameters(method)$parameter, own), 0)
    }
    expect_error(rung_parameters("nosuch"), "rung_methods")
})

test_that("warnings are warnings, notes are messages", {
    data <- toy(unlabelled = 0.8)
    expect_message(rung(label ~ ., data, method = "kdlor"), "learns from the 60 labelled rows")
    data$id <- seq_len(300)
    expect_warning(suppressMessages(rung(label ~ ., data, method = "kdlor")), "only counts the rows",
                   class = "rung_warning")
})

test_that("the same seed gives the same bytes for any number of threads", {
    data <- toy(unlabelled = 0.8)
    one <- quietly(rung(label ~ ., data, threads = 1))
    expect_identical(quietly(rung(label ~ ., data, threads = 2))$bytes, one$bytes)
})

test_that("a forked child works and ends", {
    skip_on_os("windows")
    data <- toy(unlabelled = 0.8)
    here <- quietly(rung(label ~ ., data, method = "kdlor"))
    there <- parallel::mclapply(1:2, function(i) quietly(rung(label ~ ., data, method = "kdlor"))$bytes, mc.cores = 2)
    expect_identical(there, list(here$bytes, here$bytes))
})

test_that("Ctrl-C stops a fit", {
    skip_on_os("windows")
    data <- rung_generate("toy", rows = 3000)
    child <- parallel::mcparallel(tryCatch({
        quietly(tune(label ~ ., data, methods = c("gpor", "svorim")))
        "ended"
    }, interrupt = function(e) "interrupted"))
    Sys.sleep(1)
    tools::pskill(child$pid, tools::SIGINT)
    expect_identical(unname(parallel::mccollect(child))[[1]], "interrupted")
})

test_that("metrics with weights and groups", {
    truth <- c(1, 2, 3, 3, 2, 1, NA, 2)
    said <- c(1, 3, 3, 1, 2, 2, 1, 1)
    weights <- c(2, 0, 1, 3, 1, 1, 5, 2)
    rows <- rep(seq_along(truth), weights)
    point <- function(x) x[!names(x) %in% c("n", "mae_low", "mae_high")]
    expect_identical(point(rung_metrics(truth, said, weights = weights)), point(rung_metrics(truth[rows], said[rows])))
    alone <- rung_metrics(truth, said, groups = c("a", "b", "c", "d", "e", "f", NA, NA))
    expect_identical(alone[["mae"]], rung_metrics(truth, said)[["mae"]])
    expect_error(rung_metrics(truth, said, weights = 1:3), "3 weights or groups for 8 labels")
    expect_error(rung_metrics(truth, said, weights = -weights), "not a number >= 0")
})

test_that("metrics need ranks or an order", {
    truth <- c("low", "mid", "high", "low")
    said <- c("low", "high", "high", "mid")
    expect_error(rung_metrics(factor(truth), factor(said)), "have no order")
    ordered <- function(x) factor(x, levels = c("low", "mid", "high"), ordered = TRUE)
    expect_identical(rung_metrics(ordered(truth), ordered(said))[["mae"]], 0.5)
    expect_identical(rung_metrics(factor(c(1, 2, 3)), factor(c(1, 3, 2)))[["mae"]], 2 / 3)
    expect_error(rung_metrics(c(0, 1, 2), c(0, 1, 1)), "whole numbers from 1")
    expect_error(rung_metrics(c(1.5, 2), c(1, 2)), "whole numbers from 1")
    expect_error(rung_metrics(c(1, 2), c(1, NA)), "row 2 has a true label but no predicted one")
    expect_identical(rung_metrics(truth, ordered(said)), rung_metrics(ordered(truth), ordered(said)))
    expect_error(rung_metrics(c(truth[-1], "lwo"), ordered(said)),
                 "label 'lwo' is not one of the classes low, mid, high")
})

test_that("a model that may abstain has no answer there", {
    data <- toy()
    files <- tempfile(fileext = c(".csv", ".rung"))
    write_exact(data, files[1])
    command("fit", files[1], "-m", "kdlor", "--abstain", "0.3", "-o", files[2], "-q")
    model <- rung_load(files[2])
    said <- predict(model, data)
    told <- utils::read.csv(text = command("predict", files[2], files[1]))
    expect_length(said, 300)
    expect_identical(unname(is.na(said)), told$rank == 0)
    expect_true(anyNA(said) && !all(is.na(said)))
    expect_identical(as.character(said)[!is.na(said)], told$label[told$rank > 0])
})

test_that("columns that come twice, and columns that the model leaves out", {
    data <- toy()
    twice <- cbind(a = data$x1, a = data$x2)
    expect_error(quietly(rung(twice, data$label, method = "pom")), "two columns are named 'a'")
    x <- unname(cbind(seq_len(300), data$x1, data$x2))
    weight <- rep(1:2, 150)
    model <- quietly(rung(x, data$label, method = "pom", weights = weight))
    expect_identical(model$info$columns, c("x2", "x3"))
    own <- quietly(rung(x[, -1], data$label, method = "pom", weights = weight))
    expect_identical(predict(model, x, "score"), predict(own, x[, -1], "score"))
    expect_identical(unname(predict(model, as.data.frame(x), "score")), unname(predict(model, type = "score")))
    expect_error(predict(model, cbind(x, 1)), "fitted to 3 columns, and newdata has 4")
    expect_error(predict(own, data.frame(id = 1:300, x[, -1])), "fitted to 2 columns, and newdata has 3")
    effects <- function(columns) names(rung_explain(model, type = "effects", columns = columns, points = 3))
    expect_identical(effects(2), "x2")
    expect_identical(effects("x3"), "x3")
    expect_error(effects(1), "there is no column '1'; there are x2, x3")
})

test_that("text that is numbers is numbers, as in a file", {
    data <- toy()
    data$dose <- c("1.5", "2", "-30")[1 + seq_len(300) %% 3]
    model <- quietly(rung(label ~ ., data, method = "pom"))
    numbers <- quietly(rung(label ~ ., transform(data, dose = as.numeric(dose)), method = "pom"))
    expect_identical(model$bytes, numbers$bytes)
    expect_identical(predict(model, data, "prob"), predict(numbers, data, "prob"))
    expect_length(coef(quietly(rung(label ~ ., transform(data, dose = factor(dose)), method = "pom"))), 4 + 2 + 2)
})

test_that("arguments that would be ignored are errors", {
    data <- toy()
    model <- quietly(rung(label ~ ., data, method = "pom"))
    expect_error(rung_explain(model, data, columns = "x1"), "type = \"importance\" has no argument 'columns'")
    expect_error(rung_explain(model, data, "effects", row = 3), "type = \"effects\" has no argument 'row'")
    expect_error(rung_explain(model, data, "row", row = 1.5), "row = 1.5: expected a whole number from 1")
    expect_error(tune(label ~ ., data, methods = "pom", folds = 2.5), "folds = 2.5: expected a whole number")
    expect_error(rung_suggest(data[1:2], n = 1.5), "n = 1.5: expected a whole number")
    expect_error(rung(label ~ ., data, method = "pom", class_weights = c("1" = "two")), "weight of class '1'")
    expect_error(rung(label ~ ., data, method = "pom", scale = c("rank", "none")), "scale is one word")
    given <- quietly(rung(label ~ ., data, method = "kdlor", gamma = NULL, ridge = 0.5))
    expect_identical(given$bytes, quietly(rung(label ~ ., data, method = "kdlor", ridge = 0.5))$bytes)
    expect_identical(quietly(rung(label ~ ., data, method = "pom", ridge = NULL))$bytes, model$bytes)
    path <- tempfile(fileext = ".rung")
    rung_save(model, path)
    own <- rung_explain(model, data)
    expect_equal(rung_explain(rung_load(path), data)$mae, own$mae)
})

test_that("fractions of seconds are kept", {
    data <- toy()
    data$time <- as.POSIXct("2024-01-01", tz = "UTC") + (7 * seq_len(300)) %% 150 / 1000
    model <- quietly(rung(label ~ time + x1, data, method = "pom", scale = "none"))
    expect_identical(levels(model$sheet$columns[[1]])[1:3], sprintf("2024-01-01 00:00:00.%03d000", 0:2))
    rows <- tempfile(fileext = c(".csv", ".rung"))
    rung_save(model, rows[2])
    write_exact(transform(data, time = as.character(model$sheet$columns[[1]]))[c("time", "x1")], rows[1])
    told <- utils::read.csv(text = command("predict", rows[2], rows[1]))
    expect_equal(told$score, unname(predict(model, data, "score")), tolerance = 1e-14)
})

test_that("figures of a model with costs", {
    data <- toy()
    files <- tempfile(fileext = c(".csv", ".rung"))
    write_exact(data, files[1])
    command("fit", files[1], "-m", "kdlor", "--abstain", "0.3", "-o", files[2], "-q")
    model <- rung_load(files[2])
    expect_true(model$info$by_costs)
    expect_false(quietly(rung(label ~ ., data, method = "kdlor"))$info$by_costs)
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    for (type in c("confusion", "projection", "reliability")) expect_silent(plot(model, type, data))
})
