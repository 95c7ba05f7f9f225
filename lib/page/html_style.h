// The style sheet of the HTML report.
#ifndef LOCKSTEP_LIB_PAGE_HTML_STYLE_H_
#define LOCKSTEP_LIB_PAGE_HTML_STYLE_H_

namespace lockstep {

// Colours are variables, redefined for dark screens. Text has a contrast of at least 4.5 on both backgrounds.
inline constexpr char kStyleSheet[] = R"css(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f7f9; --text: #1b2127; --faint: #5a6672; --line: #d5dbe1; --accent: #1f5fae;
  --measured: #10704f; --derived: #1f5fae; --modelled: #8a4fb0; --published: #9a5200;
  --warning-ground: #fff3e0; --warning-line: #d4690b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181c; --panel: #1d2329; --text: #e4e8ec; --faint: #9aa6b2; --line: #36404a; --accent: #7fb2f0;
    --measured: #5cc9a1; --derived: #7fb2f0; --modelled: #c99be6; --published: #f0ae6a;
    --warning-ground: #33240f; --warning-line: #e08a3c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); }
a { color: var(--accent); }
nav { margin: 1.2rem 0; }
nav a { display: inline-block; margin: 0 1.1rem .2rem 0; }
.legend { background: var(--panel); border-radius: 6px; padding: .7rem 1rem; font-size: .88rem; }
.legend ul { list-style: none; margin: 0 0 .3rem; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; }
.legend p { margin: 0; color: var(--faint); }
.warning {
  background: var(--warning-ground); border-left: 5px solid var(--warning-line); border-radius: 0 6px 6px 0;
  margin: .6rem 0; padding: .55rem .9rem;
}
.answers { margin: 0; }
.answers dt { font-weight: 600; margin-top: 1.4rem; }
.answers dt .question { display: inline-block; min-width: 2.3rem; color: var(--accent); }
.answers dd { margin: .25rem 0 0 2.3rem; }
.answers .absent { color: var(--faint); font-style: italic; }
.sources { font-size: .78rem; color: var(--faint); overflow-wrap: anywhere; margin-top: .2rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .95em; }
h3 { font-size: .95rem; margin: 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.2rem 1.1rem; }
.card h2 { margin: 0 0 .5rem; border: 0; padding: 0; font-size: 1.15rem; }
.verdicts { margin: 0 0 .8rem; padding: 0; list-style: none; }
.verdicts li { margin: .35rem 0; padding-left: 2.3rem; text-indent: -2.3rem; }
.verdicts .question { display: inline-block; width: 2.3rem; text-indent: 0; font-weight: 600; color: var(--accent); }
.card .tables { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; }
.card .table { min-width: 0; max-width: 100%; margin: .6rem 0 0; }
.card > p:not(.warning) { font-size: .82rem; color: var(--faint); margin: .6rem 0 0; }
.card > p.lead:not(.warning) { font-size: 1.1rem; color: inherit; }
.chips { display: flex; flex-wrap: wrap; gap: .3rem .8rem; margin: .6rem 0; padding: 0; list-style: none; }
.card article { border-top: 1px solid var(--line); margin: .8rem 0 0; }
.card article .verdict { font-weight: 600; margin: .2rem 0; }
.card pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.table { margin: 1.4rem 0; }
details.table { margin: .3rem 0; }
summary { cursor: pointer; padding: .2rem 0; }
summary .heading { font-size: .95rem; font-weight: bold; }
details.table[open] { margin-bottom: 1.4rem; }
details.table > .scroll { margin-top: .5rem; }
p.absent { color: var(--faint); }
.glossary { columns: 24rem auto; font-size: .95em; }
.glossary dt { font-weight: 600; break-after: avoid; }
.glossary dd { margin: 0 0 .4rem; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .55rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); vertical-align: bottom; font-weight: 600; }
thead th.group { text-align: center; border-bottom: 1px solid var(--line); }
th.first, td.first { border-left: 1px solid var(--line); }
tbody th { font-weight: 500; }
tbody tr:hover { background: var(--panel); }
.number { text-align: right; }
.spread { display: inline-block; }
.whole { white-space: nowrap; }
thead th.modelled, thead th.published { font-style: normal; }
tbody .long, tbody .prose, tbody .digest { overflow-wrap: anywhere; }
.long { min-width: 7rem; max-width: 16rem; }
.prose { min-width: 14rem; max-width: 36rem; }
.digest { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .78rem; min-width: 12rem; }
td[title] { cursor: help; }
sup { font-size: .72em; line-height: 0; margin-left: .18em; }
.measured sup.mark { color: var(--measured); } .derived sup.mark { color: var(--derived); }
.modelled sup.mark { color: var(--modelled); } .published sup.mark { color: var(--published); }
.modelled, .published { font-style: italic; }
td.absent { color: var(--faint); }
td.absent a { text-decoration: none; }
.notes { font-size: .82rem; color: var(--faint); margin: .5rem 0 0; padding-left: 1.2rem; max-width: 60rem; }
.notes.numbered { padding-left: 1.6rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 0 2rem; }
figure { margin: 1.2rem 0; max-width: 46rem; min-width: 0; color: var(--text); }
.card figure { margin-bottom: 0; max-width: 40rem; }
figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .4rem; }
figure svg { width: 100%; height: auto; display: block; }
figure.absent { background: var(--panel); border-radius: 6px; padding: .8rem 1rem; color: var(--faint); }
footer { margin-top: 3rem; font-size: .82rem; color: var(--faint); }
@media (max-width: 40rem) {
  body { padding: 1rem .7rem 3rem; font-size: 15px; }
  h1 { font-size: 1.4rem; }
  .card { padding: .7rem .7rem .9rem; }
  table { font-size: .8rem; }
  th, td { padding: .25rem .3rem; }
  .card table { font-size: .6rem; }
  .card th, .card td { padding: .2rem .08rem; }
  .answers dd { margin-left: 0; }
}
@media print {
  :root {
    --ground: #fff; --panel: #fff; --text: #000; --faint: #444; --line: #999; --accent: #000; --measured: #000;
    --derived: #000; --modelled: #000; --published: #000; --warning-ground: #fff; --warning-line: #000;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h1 { font-size: 15pt; }
  .glossary { columns: 2; }
  section:not(.card) .plots { grid-template-columns: 1fr 1fr; }
  .answers dt { break-after: avoid; }
  nav { display: none; }
  .warning { border: 1px solid #000; border-left-width: 5px; }
  table { font-size: 8pt; }
  th, td { padding: .15rem .2rem; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .long, .prose, .digest { min-width: 0; }
  .scroll { overflow: visible; }
  tr, figure, .warning { break-inside: avoid; }
  h2 { break-after: avoid; }
}
)css";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_STYLE_H_
