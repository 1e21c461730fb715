# SPDX-License-Identifier: BSD-3-Clause
# The look of the figures: colours, type and headings of `rung plot`, with base graphics.

INK <- "#1a1a1a"
SOFT_INK <- "#595959"
RULE <- "#d9d9d9"
GREY <- "#8c8c8c"
# Colours that people with any colour vision tell apart (M. Okabe, K. Ito, 2008), the pale yellow left out.
THINGS <- c("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")
MARKERS <- c(21L, 22L, 24L, 23L, 25L)
# The viridis map (S. van der Walt, N. Smith, 2015; public domain) at eleven places.
VIRIDIS <- c("#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151",
             "#bddf26", "#fde725")
SMALL <- 0.8

# Along viridis without its last tenth, which is too pale for paper.
class_colours <- function(k) {
    rgb(colorRamp(VIRIDIS)(if (k < 2L) 0.3 else 0.06 + 0.86 * seq(0, 1, length.out = k)), maxColorValue = 255)
}

paler <- function(colours, share) {
    vapply(colours, function(one) rgb(colorRamp(c(one, "#ffffff"))(share), maxColorValue = 255), "", USE.NAMES = FALSE)
}

share_colour <- function(share) rgb(colorRamp(c("#ffffff", "#1f4e79"))(0.04 + 0.96 * share), maxColorValue = 255)

# Opens a figure in the next field of the page, its margins in lines: at the left as wide as the names beside the axis
# and its title. Returns what to give back to par.
open_figure <- function(names, titled = FALSE, top = 4, bottom = 3.5, right = 1) {
    old <- par(fg = INK, col.axis = SOFT_INK, col.lab = INK, las = 1, tcl = -0.25, mgp = c(2.2, 0.5, 0),
               mar = rep(0, 4L))
    plot.new()
    line <- par("csi")
    wide <- max(strwidth(names, "inches")) / line + 1.2 + 1.5 * titled
    par(mar = c(bottom, min(wide, 0.4 * par("fin")[1L] / line), top, right))
    old
}

# The coordinates of the open figure.
open_window <- function(xlim, ylim) {
    par(new = TRUE)
    plot.new()
    plot.window(xlim, ylim, xaxs = "i", yaxs = "i")
}

# The title and a note below it, from the left edge of the figure; of several notes the first that has room.
headings <- function(main, notes = NULL, across = NULL, up = NULL) {
    left <- grconvertX(0.02, "nfc", "user")
    line <- par("mar")[3L] - 1.4
    room <- 0.96 * par("fin")[1L]
    mtext(fitted_names(main, room, 1.1, 2L), 3, line, at = left, adj = 0, font = 2, cex = 1.1 * par("cex"), col = INK)
    if (length(notes)) {
        fits <- strwidth(notes, "inches", cex = SMALL) <= room
        note <- if (any(fits)) notes[fits][1L] else fitted_names(notes[length(notes)], room, SMALL)
        mtext(note, 3, line - 1.2, at = left, adj = 0, cex = SMALL * par("cex"), col = SOFT_INK)
    }
    if (!is.null(across)) title(xlab = across)
    if (!is.null(up)) mtext(up$text, 2, par("mar")[2L] - 1.3, at = up$at, las = 0, cex = par("cex"), col = INK)
}

# Names at the left of an axis.
beside <- function(names, at, ...) {
    room <- par("mai")[2L] - 0.8 * par("csi")
    mtext(fitted_names(names, room), 2, 0.5, at = at, cex = par("cex"), col = INK, ...)
}

# Names that fit into a width in inches: longer ones end in dots.
fitted_names <- function(names, room, cex = 1, font = 1L) {
    wide <- function(text) strwidth(text, "inches", cex = cex, font = font)
    vapply(as.character(names), function(name) {
        if (wide(name) <= room) return(name)
        short <- paste0(substring(name, 1L, rev(seq_len(max(nchar(name) - 1L, 1L)))), "...")
        fits <- vapply(short, wide, 0) <= room
        if (any(fits)) short[fits][1L] else substr(name, 1L, 1L)
    }, "", USE.NAMES = FALSE)
}

grid_lines <- function(x = NULL, y = NULL) {
    box <- par("usr")
    if (!is.null(x)) segments(x, box[3L], x, box[4L], col = RULE)
    if (!is.null(y)) segments(box[1L], y, box[2L], y, col = RULE)
}

# Swatches of the classes above the panel, in as many rows as they need.
class_legend <- function(classes, colours) {
    line <- par("cxy")[2L]
    gap <- strwidth("m", cex = SMALL)
    wide <- strwidth(classes, cex = SMALL) + 3 * gap
    room <- diff(par("usr")[1:2])
    row <- integer(length(classes))
    at <- numeric(length(classes))
    for (k in seq_along(classes)[-1L]) {
        at[k] <- at[k - 1L] + wide[k - 1L]
        row[k] <- row[k - 1L]
        if (at[k] + wide[k] - gap > room) {
            at[k] <- 0
            row[k] <- row[k] + 1L
        }
    }
    x <- par("usr")[1L] + at
    y <- par("usr")[4L] + (0.3 + 0.9 * (max(row) - row)) * line
    rect(x, y, x + gap, y + 0.6 * line, col = colours, border = NA, xpd = NA)
    text(x + 1.4 * gap, y + 0.3 * line, classes, adj = c(0, 0.5), cex = SMALL, col = INK, xpd = NA)
}
