# SPDX-License-Identifier: BSD-3-Clause
# The figures of `rung plot`, with base graphics.

INK <- "#1a1a1a"
SOFT_INK <- "#595959"
RULE <- "#d9d9d9"
# Colours that people with any colour vision tell apart (M. Okabe, K. Ito, 2008), the pale yellow left out.
THINGS <- c("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")

# Along viridis without its last tenth, which is too pale for paper.
class_colours <- function(k) hcl.colors(101L, "viridis")[if (k < 2L) 31L else round(7 + 86 * seq(0, 1, length.out = k))]

tint <- function(colours, share = 0.72) {
    vapply(colours, function(one) colorRampPalette(c(one, "#ffffff"))(101L)[round(100 * share) + 1L], "")
}

share_colour <- function(share) colorRampPalette(c("#ffffff", "#1f4e79"))(101L)[round(100 * (0.04 + 0.96 * share)) + 1L]

plot.rung <- function(x, type = c("projection", "confusion", "reliability", "effects"), newdata = NULL, y = NULL,
                      column = NULL, main = NULL, ...) {
    type <- match.arg(type)
    if (!length(x$info$classes)) refuse("the figures are of models with classes")
    ground <- ground_truth(x, newdata, y)
    longest <- max(nchar(c(x$info$classes, if (anyNA(ground$ranks)) "unlabelled")))
    old <- par(fg = INK, col.axis = SOFT_INK, col.lab = INK, col.main = INK, las = 1, tcl = -0.25, mgp = c(2, 0.5, 0),
               mar = c(3.5, if (type %in% c("projection", "confusion")) min(3 + 0.5 * longest, 12) else 4, 4, 1))
    on.exit(par(old))
    switch(type,
        projection = draw_projection(x, ground, if (is.null(main)) "Scores by class" else main),
        confusion = draw_confusion(x, ground, if (is.null(main)) "True and predicted classes" else main),
        reliability = draw_reliability(x, ground, if (is.null(main)) "Reliability of the probabilities" else main),
        effects = draw_effects(x, ground, column, main))
    invisible(x)
}

# The rows to show and their ranks: those given, or those of the fit.
ground_truth <- function(object, newdata, y) {
    if (is.null(newdata)) {
        if (is.null(object$sheet)) refuse("a model that was loaded from a file has no training rows: give newdata")
        return(list(answers = function(wanted) answers_of_training(object, wanted), ranks = object$y, sheet = object$sheet))
    }
    if (is.null(y)) {
        name <- object$info$label
        if (!name %in% names(newdata)) refuse("newdata has no column '", name, "' of labels: give y")
        y <- newdata[[name]]
    }
    sheet <- new_sheet(object, newdata)
    ranks <- match(as.character(y), object$info$classes)
    if (all(is.na(ranks))) refuse("none of the labels is a class of the model")
    list(answers = function(wanted) answers(object, sheet, wanted), ranks = ranks, sheet = sheet)
}

# The title at the left, the names of the axes in the middle of theirs.
headings <- function(main, across, up = NULL) {
    title(main = main, adj = 0, line = 2)
    title(xlab = across)
    if (!is.null(up)) title(ylab = up, line = 2.5)
}

draw_projection <- function(object, ground, main) {
    classes <- object$info$classes
    k <- length(classes)
    colours <- class_colours(k)
    said <- ground$answers(c("score", if (object$info$ranks) "rank"))
    score <- said$score[, 1L]
    cuts <- object$info$thresholds
    shown <- if (anyNA(ground$ranks)) c(list(NA), seq_len(k)) else as.list(seq_len(k))
    range <- range(score)
    breaks <- seq(range[1L], range[2L] + (diff(range) == 0), length.out = 41L)
    plot.new()
    plot.window(range(breaks), c(0, length(shown)), yaxs = "i")
    background(cuts, object$info$present, tint(colours))
    for (i in seq_along(shown)) {
        rank <- shown[[i]]
        rows <- if (is.na(rank)) is.na(ground$ranks) else which(ground$ranks == rank)
        height <- hist(score[rows], breaks, plot = FALSE)$counts
        top <- i - 1 + 0.9 * height / max(height, 1)
        rect(breaks[-41L], i - 1, breaks[-1L], top, border = NA, col = if (is.na(rank)) SOFT_INK else colours[rank])
        abline(h = i - 1, col = RULE)
    }
    abline(v = cuts[is.finite(cuts)], lty = 2, col = SOFT_INK)
    axis(1, col = SOFT_INK)
    axis(2, at = seq_along(shown) - 0.5, tick = FALSE,
         labels = vapply(shown, function(rank) if (is.na(rank)) "unlabelled" else classes[rank], ""))
    headings(main, "score")
}

background <- function(cuts, present, colours) {
    if (!length(cuts)) return(invisible())
    box <- par("usr")
    ends <- pmin(pmax(c(box[1L], cuts, box[2L]), box[1L]), box[2L])
    rect(ends[-length(ends)], box[3L], ends[-1L], box[4L], col = colours[present], border = NA)
}

draw_confusion <- function(object, ground, main) {
    classes <- object$info$classes
    k <- length(classes)
    predicted <- ground$answers("rank")$rank
    counts <- table(factor(ground$ranks, seq_len(k)), factor(predicted, seq_len(k)))
    share <- counts / pmax(rowSums(counts), 1)
    plot.new()
    plot.window(c(0.5, k + 0.5), c(k + 0.5, 0.5), xaxs = "i", yaxs = "i")
    for (i in seq_len(k)) {
        for (j in seq_len(k)) {
            rect(j - 0.5, i - 0.5, j + 0.5, i + 0.5, col = share_colour(share[i, j]), border = if (i == j) INK else RULE)
            text(j, i, sprintf("%d\n%.0f %%", counts[i, j], 100 * share[i, j]),
                 col = if (share[i, j] > 0.5) "#ffffff" else INK)
        }
    }
    axis(1, seq_len(k), classes, tick = FALSE)
    axis(2, seq_len(k), classes, tick = FALSE)
    headings(main, "predicted")
    title(ylab = "true", line = par("mar")[2L] - 1)
}

# Of the most probable class, in ten parts, with Wilson intervals of 95 %.
draw_reliability <- function(object, ground, main) {
    check_type(object, "prob")
    known <- !is.na(ground$ranks)
    proba <- ground$answers("proba")$proba[known, , drop = FALSE]
    best <- max.col(proba, ties.method = "first")
    sure <- proba[cbind(seq_along(best), best)]
    right <- best == ground$ranks[known]
    part <- factor(pmin(floor(10 * sure), 9), 0:9)
    n <- as.vector(table(part))
    filled <- n > 0
    confidence <- tapply(sure, part, mean)[filled]
    accuracy <- tapply(right, part, mean)[filled]
    n <- n[filled]
    z <- 1.959964
    centre <- (accuracy + z^2 / (2 * n)) / (1 + z^2 / n)
    half <- z / (1 + z^2 / n) * sqrt(accuracy * (1 - accuracy) / n + z^2 / (4 * n^2))
    plot.default(confidence, accuracy, xlim = c(0, 1), ylim = c(0, 1), type = "n", bty = "l", ann = FALSE)
    abline(h = seq(0, 1, 0.2), v = seq(0, 1, 0.2), col = RULE)
    abline(0, 1, lty = 2, col = SOFT_INK)
    segments(confidence, centre - half, confidence, centre + half, col = THINGS[1L])
    lines(confidence, accuracy, type = "b", pch = 19, col = THINGS[1L])
    ece <- sum(n * abs(confidence - accuracy)) / sum(n)
    headings(main, "probability of the most probable class", "share of right predictions")
    mtext(sprintf("%d rows, expected calibration error %.3f", sum(n), ece), adj = 0, col = SOFT_INK, cex = 0.85)
}

MOST_EFFECT_ROWS <- 200L

# The mean probabilities of the classes where a column takes each of its values in turn in every row (Friedman, 2001).
draw_effects <- function(object, ground, column, main) {
    check_type(object, "prob")
    sheet <- ground$sheet
    names <- if (is.null(sheet$names)) paste0("column ", seq_along(sheet$columns)) else sheet$names
    place <- if (is.null(column)) 1L else if (is.numeric(column)) as.integer(column) else match(column, names)
    if (is.na(place) || place < 1L || place > length(names)) {
        refuse("there is no column '", column, "'; there are ", paste(head(names, 8L), collapse = ", "))
    }
    rows <- unique(round(seq(1, sheet$rows, length.out = min(sheet$rows, MOST_EFFECT_ROWS))))
    values <- sheet$columns[[place]]
    grid <- if (is.factor(values)) levels(values) else
        seq(min(values, na.rm = TRUE), max(values, na.rm = TRUE), length.out = 25L)
    few <- sheet
    few$rows <- length(rows)
    few$columns <- lapply(sheet$columns, function(one) one[rows])
    means <- vapply(grid, function(value) {
        few$columns[[place]] <- if (is.factor(values))
            factor(rep(value, few$rows), levels = levels(values), ordered = is.ordered(values)) else rep(value, few$rows)
        colMeans(answers(object, few, "proba")$proba)
    }, numeric(length(object$info$classes)))
    below <- rbind(0, apply(means, 2L, cumsum))
    at <- if (is.factor(values)) seq_along(grid) else grid
    colours <- class_colours(nrow(means))
    plot.new()
    plot.window(range(at) + if (is.factor(values)) c(-0.5, 0.5) else 0, c(0, 1), xaxs = "i", yaxs = "i")
    for (k in seq_len(nrow(means))) {
        if (is.factor(values)) {
            rect(at - 0.45, below[k, ], at + 0.45, below[k + 1L, ], col = colours[k], border = "#ffffff")
        } else {
            polygon(c(at, rev(at)), c(below[k, ], rev(below[k + 1L, ])), col = colours[k], border = "#ffffff")
        }
    }
    if (is.factor(values)) axis(1, at, grid, tick = FALSE) else axis(1, col = SOFT_INK)
    axis(2, col = SOFT_INK)
    headings(if (is.null(main)) paste("Effect of", names[place]) else main, names[place], "mean probability")
    legend(par("usr")[1L], 1, object$info$classes, fill = colours, border = NA, horiz = TRUE, bty = "n", xpd = NA, xjust = 0,
           yjust = 0, cex = 0.85, text.col = INK, x.intersp = 0.5)
}

plot.rung_curve <- function(x, main = "Error by number of labels", ...) {
    rows <- as.data.frame(x)
    old <- par(fg = INK, col.axis = SOFT_INK, col.lab = INK, col.main = INK, las = 1, tcl = -0.25, mgp = c(2, 0.5, 0))
    on.exit(par(old))
    low <- rows$mean - rows$se
    high <- rows$mean + rows$se
    plot.default(rows$labels, rows$mean, type = "n", bty = "l", log = "x", ylim = range(low, high, na.rm = TRUE),
                 xlab = "labelled rows", ylab = x$metric)
    methods <- unique(rows$method)
    for (line in split(rows, list(rows$method, rows$unlabelled), drop = TRUE)) {
        colour <- THINGS[(match(line$method[1L], methods) - 1L) %% length(THINGS) + 1L]
        polygon(c(line$labels, rev(line$labels)), c(line$mean - line$se, rev(line$mean + line$se)), border = NA,
                col = paste0(colour, "22"))
        lines(line$labels, line$mean, col = colour, type = "b", pch = 19,
              lty = if (line$unlabelled[1L] == "with" || line$method[1L] == "median") 1 else 2)
    }
    legend("topright", methods, col = THINGS[(seq_along(methods) - 1L) %% length(THINGS) + 1L], lty = 1, pch = 19,
           bty = "n")
    title(main = main, adj = 0, line = 2)
    mtext("dashed: fitted without the unlabelled rows", adj = 0, col = SOFT_INK, cex = 0.85)
    invisible(x)
}
