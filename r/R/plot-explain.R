# SPDX-License-Identifier: BSD-3-Clause
# The figures of explanations.

# ---- importance ----

plot.rung_importance <- function(x, main = "Importance of the columns", ...) {
    together <- attr(x, "together")
    bars <- rbind(x[c("column", "mae", "low", "high")], together[c("column", "mae", "low", "high")])
    joint <- c(rep(FALSE, nrow(x)), rep(TRUE, nrow(together)))
    n <- nrow(bars)
    restore <- open_figure(bars$column)
    on.exit(par(restore))
    ends <- range(0, bars$low, bars$high, bars$mae, na.rm = TRUE)
    open_window(ends + c(if (ends[1L] < 0) -0.02 else 0, 0.02) * max(diff(ends), 1e-9), c(n, 0))
    ticks <- pretty(ends)
    grid_lines(x = ticks[ticks > par("usr")[1L] & ticks < par("usr")[2L]])
    at <- seq_len(n) - 0.5
    rect(0, at - 0.3, bars$mae, at + 0.3, border = NA, col = paler(THINGS[1L + joint], 0.35))
    known <- !is.na(bars$low) & bars$high > bars$low
    if (any(known)) arrows(bars$low[known], at[known], bars$high[known], at[known], 0.03, 90, 3, INK, lwd = 1.2)
    segments(0, 0, 0, n, col = SOFT_INK)
    beside(bars$column, at)
    axis(1, col = NA, col.ticks = SOFT_INK)
    headings(main, c(paste0(attr(x, "rows"), " rows", if (attr(x, "seen")) ", which the model was fitted to",
                            "; whiskers: 95 % ranges", if (any(joint)) "; orange: related columns together"),
                     "whiskers: 95 % ranges"),
             "rise of the mean absolute error when the column is permuted")
    invisible(x)
}

# ---- effects ----

MOST_PANELS <- 6L

# A panel per column: where the page has a single field, it is divided.
plot.rung_effects <- function(x, main = NULL, ...) {
    shown <- head(names(x), MOST_PANELS)
    if (length(shown) > 1L && prod(par("mfrow")) == 1L) {
        old <- par(mfrow = c((length(shown) + 1L) %/% 2L, 2L))
        on.exit(par(old))
    }
    curves <- unlist(lapply(x[shown], function(one) c(one$dependence, attr(x, "average") + one$local)))
    ylim <- range(pretty(range(curves, na.rm = TRUE)))
    for (name in shown) draw_effect(x, name, ylim, if (is.null(main)) paste("Effect of", name) else main)
    invisible(x)
}

# The answer above, the probabilities of the classes below: both in one window, the answers moved to SPLIT..1.
SPLIT <- 0.4

draw_effect <- function(effects, name, ylim, main) {
    one <- effects[[name]]
    classes <- attr(effects, "classes")
    shares <- as.matrix(one[grepl("^p\\(", names(one)) & seq_along(one) > 4L])
    category <- is.character(one$value)
    at <- if (category) seq_along(one$value) else one$value
    split <- if (ncol(shares)) SPLIT else 0
    up <- function(v) split + (1 - split) * (v - ylim[1L]) / diff(ylim)
    restore <- open_figure(format(pretty(ylim, 4L)), titled = TRUE, top = if (ncol(shares)) 5.4 else 4)
    on.exit(par(restore))
    open_window(range(at) + if (category || diff(range(at)) == 0) c(-0.5, 0.5) else 0, c(0, 1))
    ticks <- pretty(ylim, 4L)
    ticks <- ticks[ticks >= ylim[1L] & ticks <= ylim[2L]]
    grid_lines(y = up(ticks))
    if (ncol(shares)) draw_shares(shares, at, category, 0.3)
    if (category) {
        points(at, up(one$dependence), pch = 21, bg = THINGS[1L], col = "#ffffff", cex = 1.5)
        axis(1, at, fitted_names(one$value, 0.95 * par("pin")[1L] / length(at)), tick = FALSE, gap.axis = 0)
    } else {
        lines(at, up(one$dependence), col = THINGS[2L], lty = 2, lwd = 2)
        lines(at, up(attr(effects, "average") + one$local), col = THINGS[1L], lwd = 2)
        segments(attr(one, "rug"), split, attr(one, "rug"), split + 0.02, col = SOFT_INK, lwd = 0.7)
        axis(1, col = NA, col.ticks = SOFT_INK)
    }
    axis(2, up(ticks), ticks, col = NA, col.ticks = SOFT_INK, gap.axis = 0)
    if (ncol(shares)) axis(2, c(0.02, 0.28), 0:1, tick = FALSE)
    notes <- c("solid: accumulated local effects; dashed: partial dependence",
               "solid: local; dashed: partial dependence")
    headings(main, if (category) "partial dependence" else notes, name,
             list(text = attr(effects, "answer"), at = up(mean(ylim))))
    if (ncol(shares)) class_legend(classes, class_colours(length(classes)))
}

# Shares of the classes, the lowest at the bottom.
draw_shares <- function(shares, at, category, height) {
    colours <- class_colours(ncol(shares))
    below <- cbind(0, t(apply(shares, 1L, cumsum))) * height
    for (k in seq_len(ncol(shares))) {
        if (category) {
            rect(at - 0.4, below[, k], at + 0.4, below[, k + 1L], col = colours[k], border = NA)
        } else {
            polygon(c(at, rev(at)), c(below[, k], rev(below[, k + 1L])), col = colours[k], border = NA)
        }
    }
}

plot.rung_pair <- function(x, main = "Joint effect", ...) {
    names <- names(dimnames(x))
    restore <- open_figure(colnames(x), titled = TRUE, right = 5)
    on.exit(par(restore))
    open_window(c(0.5, nrow(x) + 0.5), c(0.5, ncol(x) + 0.5))
    low <- min(x)
    share <- if (max(x) > low) (x - low) / (max(x) - low) else 0 * x
    rect(row(x) - 0.5, col(x) - 0.5, row(x) + 0.5, col(x) + 0.5, col = share_colour(as.vector(share)), border = NA)
    axis(1, seq_len(nrow(x)), rownames(x), tick = FALSE, cex.axis = SMALL)
    axis(2, seq_len(ncol(x)), fitted_names(colnames(x), par("mai")[2L] - 2.5 * par("csi")), tick = FALSE,
         cex.axis = SMALL)
    box <- par("usr")
    left <- box[2L] + 1.2 * par("cxy")[1L]
    steps <- box[3L] + diff(box[3:4]) * (0:20) / 20
    rect(left, steps[-21L], left + 1.2 * par("cxy")[1L], steps[-1L], col = share_colour((1:20 - 0.5) / 20), border = NA,
         xpd = NA)
    text(left + 1.6 * par("cxy")[1L], box[3:4], format(c(low, max(x)), digits = 3L), adj = c(0, 0.5), cex = SMALL,
         col = SOFT_INK, xpd = NA)
    headings(main, sprintf("%s, averaged over the other columns; %.0f %% of it is interaction", attr(x, "answer"),
                           100 * attr(x, "interaction")), names[1L],
             list(text = names[2L], at = (ncol(x) + 1) / 2))
    invisible(x)
}

# ---- one row ----

MOST_STEPS <- 14L

# From the average row to this one, a step per column.
plot.rung_row <- function(x, main = NULL, ...) {
    steps <- x$columns
    names <- paste(steps$column, "=", steps$value)
    if (nrow(steps) > MOST_STEPS) {
        rest <- MOST_STEPS:nrow(steps)
        names <- c(names[-rest], paste(length(rest), "other columns"))
        steps <- rbind(steps[-rest, ], list("", "", sum(steps$contribution[rest]), 0))
    }
    n <- nrow(steps)
    from <- x$average + cumsum(c(0, steps$contribution))
    wide <- 1.96 * steps$error
    restore <- open_figure(c(names, "average row"), right = 4)
    on.exit(par(restore))
    ends <- range(from, from[-1L] - wide, from[-1L] + wide)
    open_window(ends + c(-0.04, 0.04) * max(diff(ends), 1e-9), c(n + 2, 0))
    ticks <- pretty(ends)
    grid_lines(x = ticks[ticks > par("usr")[1L] & ticks < par("usr")[2L]])
    at <- seq_len(n) + 0.5
    segments(from[-(n + 1L)], at - 0.7, from[-(n + 1L)], at - 0.3, col = SOFT_INK, lwd = 0.8)
    rect(from[-(n + 1L)], at - 0.3, from[-1L], at + 0.3, border = NA,
         col = paler(THINGS[ifelse(steps$contribution < 0, 1L, 2L)], 0.3))
    segments(from[-1L] - wide, at, from[-1L] + wide, at, col = ifelse(wide > 0, INK, NA), lwd = 1.1)
    segments(from[c(1L, n + 1L)], c(0.2, n + 1.2), from[c(1L, n + 1L)], c(0.8, n + 1.8), lwd = 2.5)
    beside(c("average row", "this row"), c(0.5, n + 1.5), font = 2)
    beside(names, at)
    mtext(c(sprintf("%+.3f", steps$contribution), sprintf("%.3f", x$answer)), 4, 0.3, at = c(at, n + 1.5),
          cex = SMALL * par("cex"), col = SOFT_INK)
    axis(1, col = NA, col.ticks = SOFT_INK)
    headings(if (is.null(main)) paste0("Row ", x$row, if (!is.null(x$class)) paste0(": ", x$class)) else main,
             "contributions of the columns", x$name)
    invisible(x)
}
