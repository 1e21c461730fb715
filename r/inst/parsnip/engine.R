# SPDX-License-Identifier: BSD-3-Clause
# rung as a model of tidymodels. It needs the package parsnip, which rung itself does not need:
#
#   source(system.file("parsnip", "engine.R", package = "rung"))
#   model <- fit(rung_spec(rung_method = "kdlor") |> set_engine("rung", ridge = 0.1), grade ~ ., data)
#   predict(model, new, type = "prob")
#
# Parameters of the method are arguments of set_engine(). Rows whose response is NA are unlabelled rows.

rung_spec <- function(mode = "classification", rung_method = NULL) {
    parsnip::new_model_spec("rung_spec", args = list(rung_method = rlang::enquo(rung_method)), eng_args = NULL,
                            mode = mode, method = NULL, engine = "rung")
}

rung_fit_module <- function(mode) {
    list(interface = "formula", protect = c("formula", "data", "weights"), func = c(pkg = "rung", fun = "rung"),
         defaults = if (mode == "regression") list(real = TRUE) else list())
}

rung_predict_module <- function(type, post = NULL) {
    list(pre = NULL, post = post, func = c(fun = "predict"),
         args = list(object = quote(object$fit), newdata = quote(new_data), type = type))
}

rung_predict_modules <- list(
    classification = list(
        class = rung_predict_module("class"),
        prob = rung_predict_module("prob", function(result, object) as.data.frame(result, optional = TRUE)),
        pred_int = rung_predict_module("interval", function(result, object) {
            stats::setNames(result, c(".pred_lower", ".pred_upper"))
        })
    ),
    regression = list(numeric = rung_predict_module("score"))
)

register_rung <- function() {
    if ("rung_spec" %in% parsnip::get_model_env()$models) return(invisible())
    parsnip::set_new_model("rung_spec")
    for (mode in names(rung_predict_modules)) {
        parsnip::set_model_mode("rung_spec", mode)
        parsnip::set_model_engine("rung_spec", mode, "rung")
        parsnip::set_dependency("rung_spec", "rung", "rung", mode)
        parsnip::set_fit("rung_spec", mode, "rung", rung_fit_module(mode))
        parsnip::set_encoding("rung_spec", mode, "rung",
                              list(predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
                                   allow_sparse_x = FALSE))
        for (type in names(rung_predict_modules[[mode]])) {
            parsnip::set_pred("rung_spec", mode, "rung", type, rung_predict_modules[[mode]][[type]])
        }
    }
    parsnip::set_model_arg("rung_spec", "rung", "rung_method", "method", list(pkg = "rung", fun = "rung_methods"),
                           FALSE)
}

register_rung()
