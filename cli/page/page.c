// SPDX-License-Identifier: BSD-3-Clause
#include "page/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "core/repeat.h"

/* Figures stay on white paper in the dark, too: their colours are chosen for it. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1a1a1a;--soft:#595959;--paper:#fff;--rule:#e3e3e3;--edge:#d9d9d9;"
    "--link:#0b5394;--hover:#f4f7fa;--code:#f6f6f6}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#b0b0b0;--paper:#16181a;--rule:#34383c;"
    "--edge:#44484c;--link:#8ab8e6;--hover:#22262a;--code:#202326}}"
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:76rem;margin:0 auto;padding:1.5rem}"
    "h1{font-size:1.7rem;line-height:1.25;margin:.2rem 0;overflow-wrap:anywhere}"
    "h2{font-size:1.3rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--edge)}"
    ".answer{font-size:1.25rem;margin:.6rem 0;max-width:none}"
    ".lead{color:var(--soft);margin:.2rem 0 1rem}p{max-width:46rem}a{color:var(--link)}"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}"
    "main{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);column-gap:2rem}"
    "section{grid-column:1/-1;min-width:0}"
    "@media(min-width:60rem){.half{grid-column:span 1}}"
    ".wide{overflow-x:auto;margin:1rem 0}"
    "table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-weight:600;padding:.3rem 0;caption-side:top}"
    "th,td{padding:.28rem .7rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}"
    "th[scope=row],thead th:first-child,.text{text-align:left;font-weight:400;white-space:normal}"
    "tbody th{min-width:8rem;max-width:20rem}td.text{min-width:20rem}"
    "@media(max-width:40rem){body{padding:1rem}tbody th{min-width:0}th,td{padding:.28rem .45rem}}"
    "thead th{white-space:normal;border-bottom:2px solid var(--soft);font-weight:600;vertical-align:bottom}"
    "tfoot tr:first-child>*{border-top:2px solid var(--soft)}tfoot th{font-weight:600}"
    "tbody tr:hover{background:var(--hover)}strong{font-weight:700}"
    "thead button{font:inherit;font-weight:600;background:none;border:0;padding:.1rem .2rem;margin:0;cursor:pointer;"
    "color:inherit;text-align:inherit}"
    "thead button::after{content:'\\2195';color:var(--soft);padding-left:.35em}"
    "th[aria-sort=ascending] button::after{content:'\\2191';color:var(--ink)}"
    "th[aria-sort=descending] button::after{content:'\\2193';color:var(--ink)}"
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}"
    "figure{margin:1rem 0;display:inline-block;vertical-align:top;box-sizing:border-box;max-width:100%;"
    "border:1px solid var(--rule);padding:.5rem;border-radius:4px}"
    "figure svg{max-width:100%;height:auto;display:block;background:#fff}"
    "figcaption{font-size:.88rem;color:var(--soft);max-width:40rem;padding:.4rem .3rem 0}"
    "details{margin:.7rem 0}summary{cursor:pointer;font-weight:600;padding:.2rem 0}"
    "pre{background:var(--code);border:1px solid var(--rule);border-radius:4px;padding:.7rem;overflow-x:auto;"
    "font-size:.88rem}"
    ".skip{position:absolute;left:-999rem}.skip:focus{position:static}"
    ".quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    "@media print{:root{color-scheme:light;--ink:#1a1a1a;--soft:#595959;--paper:#fff;--rule:#e3e3e3;--edge:#d9d9d9}"
    "body{max-width:none;padding:0;font-size:11pt}nav,.skip{display:none}figure,tr{break-inside:avoid}"
    "h2{break-after:avoid}.wide{overflow:visible}thead "
    "button::after{content:''}pre{white-space:pre-wrap}a{color:inherit}}";

/* The headers become buttons only where this runs: without it there is nothing to press. Before printing, everything
 * folded away is opened. */
static const char script[] =
    "'use strict';(()=>{"
    "const say=document.getElementById('said');"
    "const key=(row,i)=>{const c=row.cells[i],v=c.dataset.value;return "
    "v===undefined?c.textContent.trim():v===''?NaN:+v};"
    "for(const table of document.querySelectorAll('table.sortable')){"
    "const heads=[...table.tHead.rows[0].cells];"
    "heads.forEach((head,i)=>{const b=document.createElement('button');b.type='button';"
    "b.append(...head.childNodes);head.append(b);"
    "b.addEventListener('click',()=>{"
    "const up=head.getAttribute('aria-sort')!=='ascending',body=table.tBodies[0];"
    "for(const other of heads)other.removeAttribute('aria-sort');"
    "head.setAttribute('aria-sort',up?'ascending':'descending');"
    "const rows=[...body.rows].map((row,at)=>({row,at,key:key(row,i)}));"
    "rows.sort((p,q)=>{const a=p.key,b=q.key,an=Number.isNaN(a),bn=Number.isNaN(b);"
    "if(an||bn)return an-bn||p.at-q.at;"
    "const d=typeof a==='number'&&typeof b==='number'?a-b:String(a).localeCompare(String(b),undefined,{numeric:true});"
    "return(up?d:-d)||p.at-q.at});"
    "for(const r of rows)body.append(r.row);"
    "say.textContent='Sorted by '+b.textContent+', '+(up?'ascending':'descending')+'.'})})}"
    "addEventListener('beforeprint',()=>{for(const d of document.querySelectorAll('details'))d.open=true});"
    "})();";

void page_begin(FILE *file, const char *title, const char *answer, const char *lead, const page_section *sections)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<meta name=\"generator\" "
          "content=\"rung ",
          file);
    xml_text(file, rung_version());
    fputs("\">\n<title>", file);
    xml_text(file, title);
    fprintf(
        file,
        "</title>\n<style>%s</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n",
        style);
    fputs("<header>\n<h1>", file);
    xml_text(file, title);
    fputs("</h1>\n", file);
    if (answer) {
        fputs("<p class=\"answer\">", file);
        xml_text(file, answer);
        fputs("</p>\n", file);
    }
    fputs("<p class=\"lead\">", file);
    xml_text(file, lead);
    fputs("</p>\n</header>\n<nav aria-label=\"Contents\"><ul>\n", file);
    for (; sections->id; sections++) {
        fprintf(file, "<li><a href=\"#%s\">", sections->id);
        xml_text(file, sections->heading);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n<main id=\"content\">\n<section>\n", file);
}

static void begin_section(FILE *file, const page_section *section, const char *class)
{
    fprintf(file, "</section>\n<section%s aria-labelledby=\"%s\">\n<h2 id=\"%s\">", class, section->id, section->id);
    xml_text(file, section->heading);
    fputs("</h2>\n", file);
}

void page_heading(FILE *file, const page_section *section) { begin_section(file, section, ""); }

void page_half(FILE *file, const page_section *section) { begin_section(file, section, " class=\"half\""); }

void page_end(FILE *file)
{
    fputs("</section>\n</main>\n<p id=\"said\" class=\"quiet\" role=\"status\"></p>\n", file);
    fprintf(file, "<script>%s</script>\n</body>\n</html>\n", script);
}

static void escaped(FILE *file, const char *format, va_list args)
{
    char *text = text_of_list(format, args);
    xml_text(file, text);
    free(text);
}

void page_paragraph(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<p>", file);
    escaped(file, format, args);
    fputs("</p>\n", file);
    va_end(args);
}

void page_figure(FILE *file, const figure *f, const char *caption)
{
    fputs("<figure>\n", file);
    figure_to_page(file, f);
    fputs("<figcaption>", file);
    xml_text(file, caption);
    fputs("</figcaption>\n</figure>\n", file);
}

void page_code(FILE *file, const char *text)
{
    fputs("<pre tabindex=\"0\"><code>", file);
    xml_text(file, text);
    fputs("</code></pre>\n", file);
}

void page_command_line(FILE *file, const char *command, const arguments *args)
{
    char *line = command_line(command, args);
    page_code(file, line);
    free(line);
}

void page_fold_begin(FILE *file, bool open, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(file, "<details%s><summary>", open ? " open" : "");
    escaped(file, format, args);
    fputs("</summary>\n", file);
    va_end(args);
}

void page_fold_end(FILE *file) { fputs("</details>\n", file); }

/* ---- tables ---- */

void page_table_begin(FILE *file, const page_table *t)
{
    fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"", file);
    xml_text(file, t->caption);
    fprintf(file, "\">\n<table%s>\n<caption>", t->sortable ? " class=\"sortable\"" : "");
    xml_text(file, t->caption);
    fputs("</caption>\n<thead><tr>", file);
    for (int i = 0; i < t->columns; i++) {
        fprintf(file, "<th scope=\"col\"%s>", i >= t->columns - t->words ? " class=\"text\"" : "");
        xml_text(file, t->head[i]);
        fputs("</th>", file);
    }
    fputs("</tr></thead>\n<tbody>", file);
}

void page_row(FILE *file, const char *header)
{
    fputs("\n<tr><th scope=\"row\">", file); /* HTML ends a row where the next one begins */
    xml_text(file, header);
    fputs("</th>", file);
}

void page_table_foot(FILE *file) { fputs("\n</tbody>\n<tfoot>", file); }

void page_table_end(FILE *file) { fputs("\n</table>\n</div>\n", file); }

void page_cell(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<td class=\"text\">", file);
    escaped(file, format, args);
    fputs("</td>", file);
    va_end(args);
}

void page_number(FILE *file, double x, int decimals, const char *text, bool strong)
{
    fprintf(file, "<td data-value=\"%s\">%s", isnan(x) ? "" : number_of(x).text, strong ? "<strong>" : "");
    if (text)
        xml_text(file, text);
    else if (isnan(x))
        fputs("–", file);
    else
        fprintf(file, "%.*f", decimals, without_sign(x, decimals));
    fprintf(file, "%s</td>", strong ? "</strong>" : "");
}
