// The style sheet of the HTML report on paper: A4, black on white, everything open, no links.
#ifndef LOCKSTEP_LIB_PAGE_HTML_PRINT_STYLE_H_
#define LOCKSTEP_LIB_PAGE_HTML_PRINT_STYLE_H_

namespace lockstep {

inline constexpr char kPrintStyle[] = R"css(
@page { size: A4; margin: 13mm 12mm; }
@media print {
  :root {
    --bg: #fff; --line: #bbb; --soft: #eee; --tag: #eee; --code: #f2f2f2;
    --ok: #000; --warn: #000; --warnbg: #fff; --warnline: #888; --shadow: none;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 9.5pt; line-height: 1.4; }
  .contents, .skip, .hint, .links, .chips, .odd { display: none !important; }
  .in, .layout, footer { max-width: none; padding: 0 1px; }
  .in { padding-bottom: 6pt; }
  h1 { font-size: 18pt; }
  h2 { font-size: 13pt; margin-bottom: 6pt; }
  .detail h2 { font-size: 11pt; }
  section, main > section:first-child, section.detail { margin-top: 12pt; }
  .lead { font-size: 11pt; margin-bottom: 8pt; }
  .badges, .warnings { margin-top: 5pt; }
  .badges li { line-height: 16pt; font-size: 8pt; }
  .warnings { font-size: 8.5pt; }
  .warnings > summary { border: 0; padding: 0; }
  .warning { padding: 2pt 8pt; }
  .card, .figure, tr, .runs li, .terms dd { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
  .layout, .closed { display: block; }
  .duo, .cards { gap: 6pt; }
  .duo, .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tables { grid-template-columns: minmax(0, 1fr); gap: 8pt; }
  .cards { grid-template-columns: repeat(3, minmax(0, 1fr)); margin-top: 6pt; }
  .figures, .stack { gap: 8pt; }
  .card, .box { padding: 7pt 8pt; border-radius: 5pt; }
  .card h3 { font-size: 8.5pt; }
  .verdict { font-size: 10pt; margin-top: 3pt; }
  .headline { margin-top: 4pt; gap: 4pt; }
  .headline b { font-size: 16pt; }
  .headline .unit { font-size: 9pt; }
  .headline .base { font-size: 7.5pt; }
  .spark { width: 84px; height: 28px; }
  .support, .checks, .runs li { font-size: 8pt; margin-top: 4pt; }
  .runs small { font-size: 7.5pt; }
  .command { font-size: 6.6pt; padding: 4pt; }
  .text, .marks, .terms, .figure .take { font-size: 8.5pt; }
  .notes, .figure figcaption { font-size: 7.8pt; margin-top: 3pt; }
  .box h3, details.box > summary { font-size: 9pt; margin-bottom: 3pt; }
  summary { list-style: none; }
  summary::-webkit-details-marker, .warnings > summary b::before { content: none !important; display: none; }
  table { font-size: 8pt; }
  thead .group { font-size: 7.5pt; }
  th, td { padding: 1.6pt 3pt; }
  td.number, .spread { white-space: normal; }
  .spread, .sized .spread { display: block; margin: 0; min-width: 0; text-align: right; }
  .pad { display: none; }
  .sized table { font-size: 7.4pt; }
  .sized th, .sized td, .sized th.has-spread { padding: 1.4pt 1.6pt; }
  .wide table { font-size: 6.8pt; }
  .table th { overflow-wrap: anywhere; }
  .wide th, .wide td { padding: 1.4pt 1.6pt; }
  .unit, .spread, .digest { font-size: 7pt; }
  .long, .prose, .digest { min-width: 0; }
  .scroll { overflow: visible; }
  details.box { margin-top: 5pt; }
  details.box > summary { padding: 4pt 8pt 0; }
  details::details-content { content-visibility: visible; block-size: auto; opacity: 1; }
  .terms { columns: 3; }
  a { color: inherit; text-decoration: none; }
}
)css";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_PRINT_STYLE_H_
