# SPDX-License-Identifier: BSD-3-Clause
# The modules that inst/parsnip/engine.R gives to parsnip: the calls that parsnip builds from them.

engine <- function() {
    modules <- new.env()
    for (one in parse(system.file("parsnip", "engine.R", package = "rung"))) {
        if (identical(one[[1]], as.name("<-"))) eval(one, modules)
    }
    modules
}

# What parsnip does with a module: the call of its function with protected and default arguments, then the last touch.
fit_by <- function(module, ...) {
    arguments <- c(list(...), module$defaults)
    eval(as.call(c(call("::", as.name(module$func[["pkg"]]), as.name(module$func[["fun"]])), arguments)))
}

predict_by <- function(module, fit, new_data) {
    object <- list(fit = fit)
    result <- eval(as.call(c(as.name(module$func[["fun"]]), module$args)))
    if (is.null(module$post)) result else module$post(result, object)
}

test_that("the modules of tidymodels", {
    data <- toy(unlabelled = 0.5)
    modules <- engine()
    module <- modules$rung_fit_module("classification")
    fit <- quietly(fit_by(module, formula = label ~ ., data = data, method = "kdlor"))
    direct <- quietly(rung(label ~ ., data, method = "kdlor"))
    expect_identical(fit$bytes, direct$bytes)
    types <- modules$rung_predict_modules$classification
    expect_identical(predict_by(types$class, fit, data), predict(direct, data))
    prob <- predict_by(types$prob, fit, data)
    expect_s3_class(prob, "data.frame")
    expect_identical(names(prob), levels(data$label))
    expect_identical(names(predict_by(types$pred_int, fit, data)), c(".pred_lower", ".pred_upper"))
    real <- quietly(fit_by(modules$rung_fit_module("regression"), formula = x1 ~ x2, data = data))
    expect_type(predict_by(modules$rung_predict_modules$regression$numeric, real, data), "double")
})

test_that("tidymodels fits and predicts", {
    skip_if_not_installed("parsnip")
    source(system.file("parsnip", "engine.R", package = "rung"), local = TRUE)
    data <- toy(unlabelled = 0.5)
    fit <- getExportedValue("parsnip", "fit")
    model <- quietly(fit(rung_spec(rung_method = "kdlor"), label ~ ., data))
    expect_identical(as.character(predict(model, data)$.pred_class),
                     as.character(predict(quietly(rung(label ~ ., data, method = "kdlor")), data)))
})
