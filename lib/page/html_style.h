// The style sheet of the HTML report on screens. html_print_style.h has the rules for paper.
#ifndef LOCKSTEP_LIB_PAGE_HTML_STYLE_H_
#define LOCKSTEP_LIB_PAGE_HTML_STYLE_H_

namespace lockstep {

// Colours that plots do not use; kPlotColors (plot_style.h) has the others. Text has a contrast of at least 4.5 on its
// background, on light and dark screens.
inline constexpr char kPageColors[] = R"css(
:root {
  color-scheme: light dark;
  --bg: #f5f7fa; --line: #d8dee6; --soft: #e9f1fa; --tag: #e3ecf7; --code: #eef1f5;
  --ok: #17683a; --warn: #7d4300; --warnbg: #fff4e2; --warnline: #e8b566; --shadow: 0 1px 2px rgba(20, 25, 32, .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0e1217; --line: #2d3641; --soft: #16283c; --tag: #1d3147; --code: #222a34;
    --ok: #7fd79b; --warn: #ffc878; --warnbg: #2a2114; --warnline: #7a5a22; --shadow: none;
  }
}
)css";

// Spacing is 4, 6, 8, 14, 20 or 40 px. Text on screens has 11 px or more.
inline constexpr char kStyleSheet[] = R"css(
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--bg); color: var(--ink); font-variant-numeric: tabular-nums;
  font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 16px; line-height: 1.5;
}
p, ul, ol, dl, dd, figure, pre, h1, h2, h3 { margin: 0; }
ul { padding: 0; list-style: none; }
a { color: var(--c1); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible {
  outline: 2px solid var(--c1); outline-offset: 2px; border-radius: 4px;
}
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875em; overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 14px; top: 8px; z-index: 9; padding: 8px 14px; background: var(--card); }

.top { background: var(--card); border-bottom: 1px solid var(--line); }
.in, .layout, footer { max-width: 1184px; margin: 0 auto; padding: 0 24px; }
.in { padding-top: 20px; padding-bottom: 20px; }
.kick { font-size: 13px; color: var(--ink3); letter-spacing: .02em; }
h1 { font-size: 32px; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere; }
.scope { color: var(--ink2); margin-top: 4px; }
.badges { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 14px; }
.badges li {
  font-size: 13px; line-height: 24px; padding: 0 10px; border: 1px solid var(--line); border-radius: 12px;
  color: var(--ink2);
}
.warnings { margin-top: 8px; font-size: 14px; }
.warnings > summary {
  display: inline-block; cursor: pointer; list-style: none; padding: 2px 14px; border-radius: 14px;
  background: var(--warnbg); border: 1px solid var(--warnline); color: var(--warn);
}
.warnings > summary::-webkit-details-marker { display: none; }
.warnings > summary b::before { content: "\25B8\00a0"; }
.warnings[open] > summary b::before { content: "\25BE\00a0"; }
.warning {
  padding: 8px 14px; background: var(--warnbg); border-left: 3px solid var(--warnline); border-radius: 0 6px 6px 0;
  max-width: 80em;
}
.warnings .warning { margin-top: 6px; }

.contents ul { display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 14px; }
.contents > ul { padding: 14px 0; border-bottom: 1px solid var(--line); }
.contents ul ul { display: none; }
.contents a { text-decoration: none; }
.contents a:hover { text-decoration: underline; }
section { margin-top: 40px; }
main > section:first-child { margin-top: 20px; }
section.detail { margin-top: 20px; }
h2 { font-size: 22px; line-height: 1.3; letter-spacing: -.01em; margin-bottom: 14px; scroll-margin-top: 14px; }
.detail h2 { font-size: 17px; letter-spacing: 0; margin-bottom: 8px; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover::after { content: " #"; color: var(--ink3); }
h3 { font-size: 15px; line-height: 1.35; }
.text { font-size: 14px; color: var(--ink2); max-width: 80em; margin: 0 0 8px; }

.lead { font-size: 19px; line-height: 1.45; max-width: 62em; text-wrap: pretty; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 14px 0; }
.chips a {
  display: block; font-size: 13px; font-weight: 600; line-height: 26px; padding: 0 10px; border-radius: 6px;
  text-decoration: none; border: 1px solid transparent; background: var(--tag); color: var(--c1);
}
.chips a::after { margin-left: 6px; font-weight: 400; }
.chips .answered::after { content: "\2713"; }
.chips .partly::after { content: "\00bd"; }
.chips .none::after { content: "\2013"; }
.chips .partly { background: none; border-color: var(--c1); }
.chips .none { background: none; border: 1px dashed var(--axis); color: var(--ink3); }
.chips .count { align-self: center; }
.duo { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 14px; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); gap: 14px; margin-top: 14px;
}
.card, .box {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow);
  padding: 14px 18px; min-width: 0; scroll-margin-top: 14px;
}
.card { display: flex; flex-direction: column; }
.card:target { border-color: var(--c1); }
.card h3 { display: flex; gap: 8px; align-items: baseline; font-weight: 500; font-size: 14px; color: var(--ink3); }
.question {
  font-size: 12px; font-weight: 700; line-height: 20px; padding: 0 6px; border-radius: 4px; background: var(--tag);
  color: var(--c1); flex: none; display: inline-block;
}
.state {
  margin-left: auto; flex: none; font-size: 12px; line-height: 17px; padding: 0 8px; border: 1px solid var(--axis);
  border-radius: 9px;
}
.verdict { font-size: 17px; line-height: 1.35; font-weight: 600; margin-top: 6px; text-wrap: balance; }
.headline { display: flex; align-items: center; justify-content: space-between; gap: 10px; margin-top: 8px; }
.headline b { font-size: 30px; line-height: 1.1; letter-spacing: -.02em; font-weight: 700; color: var(--c1); }
.headline .unit { font-size: 17px; font-weight: 600; color: var(--c1); margin-left: 6px; }
.headline .base { display: block; font-size: 13px; line-height: 1.35; color: var(--ink2); margin-top: 4px; }
.headline [title] { cursor: help; }
.support { font-size: 14px; line-height: 1.45; color: var(--ink2); margin-top: 8px; }
.links { font-size: 13px; color: var(--ink3); margin-top: auto; padding-top: 8px; }
.checks { margin-top: 8px; font-size: 14px; color: var(--ink2); }
.checks li { position: relative; padding-left: 22px; margin-top: 4px; overflow-wrap: anywhere; }
.checks li::before { position: absolute; left: 2px; font-weight: 700; }
.checks .ok::before { content: "\2713"; color: var(--ok); }
.checks .warn::before { content: "!"; left: 6px; color: var(--warn); }
.checks .missing::before { content: "\2013"; color: var(--ink3); }
.open { background: none; border: 1.5px dashed var(--axis); box-shadow: none; }
.open .verdict { color: var(--ink3); font-weight: 500; }
.open .question { background: none; outline: 1px dashed var(--axis); color: var(--ink3); }
.command {
  background: var(--code); border-radius: 6px; padding: 8px 10px; margin-top: 4px; user-select: all;
  white-space: pre-wrap; overflow-x: auto; font-size: 12.5px; line-height: 1.45;
}
.command code { font-size: inherit; overflow-wrap: normal; }
.command span { white-space: nowrap; }
.spark { width: 120px; height: 40px; flex: none; display: block; overflow: visible; }
.spark text { font-size: 11px; fill: var(--ink3); }
.spark .line { fill: none; stroke: var(--c1); stroke-width: 2; stroke-linejoin: round; }
.spark .axis { stroke: var(--axis); }
.spark .base { stroke: var(--ink2); stroke-dasharray: 4 3; }
.spark .bar { fill: var(--c1); }
.spark .dot { fill: var(--c1); stroke: var(--card); stroke-width: 1.2; }
.spark .rest { fill: var(--p1); }
.spark .part { fill: var(--p3); }
.spark .room { fill: var(--grid); }

.tables { display: grid; gap: 20px; grid-template-columns: minmax(0, 1fr); }
.stack { display: grid; gap: 20px; align-content: start; grid-template-columns: minmax(0, 1fr); }
.box h3 { font-weight: 500; margin-bottom: 8px; }
.runs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 250px), 1fr)); gap: 8px 20px; }
.runs li { display: flex; gap: 8px; font-size: 14px; line-height: 1.35; }
.runs small { display: block; font-size: 13px; color: var(--ink3); overflow-wrap: anywhere; }
.letter {
  font-size: 12px; line-height: 20px; min-width: 20px; padding: 0 4px; height: 20px; text-align: center; flex: none;
  border-radius: 10px; background: var(--ink2); color: var(--card); font-weight: 700; display: inline-block;
}
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 14px; line-height: 1.35; }
.box table { width: 100%; }
th, td { padding: 5px 7px; text-align: left; vertical-align: baseline; }
thead th { font-weight: 600; color: var(--ink2); border-bottom: 1.5px solid var(--axis); vertical-align: bottom; }
thead .group { border-bottom: 1px solid var(--line); text-align: center; font-size: 13px; }
.unit { display: block; font-weight: 400; font-size: 12px; color: var(--ink3); }
.headline .unit { display: inline; }
th.first, td.first { border-left: 1px solid var(--line); }
tbody + tbody { border-top: 1px solid var(--line); }
tbody th { font-weight: 500; }
tbody th[scope=rowgroup] { font-weight: 600; }
tbody tr:hover td { background: var(--soft); }
.number { text-align: right; }
td.number { white-space: nowrap; }
.spread { font-size: 12px; color: var(--ink3); display: inline-block; white-space: nowrap; margin-left: .4em; }
.sized .spread { text-align: left; min-width: calc(var(--n) * 1ch); }
.sized th.has-spread { padding-right: calc(var(--n) * .8ch + 12px); }
.wide table { font-size: 13px; }
.wide th, .wide td { padding: 5px 3px; }
.wide td.number, .wide .spread { white-space: normal; }
.wide .spread { display: block; margin: 0; }
tbody .long, tbody .prose, tbody .digest { overflow-wrap: anywhere; }
.long { min-width: 7rem; max-width: 16rem; }
.prose { min-width: 14rem; max-width: 36rem; }
.digest { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12px; min-width: 12rem; }
td[title] { cursor: help; }
sup { font-size: 11px; line-height: 0; margin-left: 2px; font-weight: 400; color: var(--ink3); }
.modelled, .published { font-style: italic; }
thead .modelled, thead .published { font-style: normal; }
td.absent, p.absent { color: var(--ink3); }
.reading { list-style: disc; padding-left: 1.2em; font-size: 14px; color: var(--ink2); }
.notes { font-size: 13px; line-height: 1.45; color: var(--ink3); margin-top: 8px; max-width: 60rem; }
ol.notes { padding-left: 1.6em; }

.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); gap: 20px; }
.figure .take { font-size: 14px; color: var(--ink2); margin-bottom: 8px; }
.figure h3 { margin-bottom: 4px; font-weight: 600; }
.figure { display: flex; flex-direction: column; }
.figure .plot { margin: 0 auto; }
.figure figcaption { font-size: 13px; line-height: 1.45; color: var(--ink3); margin-top: 8px; }
.hint { font-size: 14px; color: var(--ink3); margin: -8px 0 14px; }
.odd { display: none; }

.closed { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; align-items: start; }
.closed > [open], .closed > div { grid-column: 1 / -1; }
.more, .group { margin-top: 8px; }
details.box { padding: 0; border-radius: 8px; box-shadow: none; }
summary { cursor: pointer; }
details.box > summary { padding: 8px 14px; font-size: 15px; font-weight: 500; }
details.box > :not(summary) { margin-left: 14px; margin-right: 14px; }
details.box > :last-child:not(summary) { margin-bottom: 14px; }
.more > summary { font-size: 14px; color: var(--c1); }
.evidence { max-width: 80ch; scroll-margin-top: 60px; }
.evidence p { margin-top: 6px; overflow-wrap: anywhere; }
.evidence .asked { font-weight: 600; font-size: 14px; }
.evidence .sources { font-size: 13px; color: var(--ink3); }
.answers li { margin: 4px 0; }
.terms { columns: 3 300px; column-gap: 40px; font-size: 14px; }
.terms dt { font-weight: 600; break-after: avoid; }
.terms dd { margin: 0 0 8px; color: var(--ink2); break-inside: avoid; }
.marks { display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 14px; margin-bottom: 8px; }
footer { margin-top: 40px; padding-top: 14px; padding-bottom: 40px; font-size: 13px; color: var(--ink3); }

@media (min-width: 960px) {
  .figures .odd.by2 { display: flex; }
}
@media (min-width: 1160px) { .tables, .closed { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.tables > .whole { grid-column: 1 / -1; }
.whole:not(.wide) table { width: auto; min-width: 50%; }
@media (min-width: 1560px) {
  .in, .layout, footer { max-width: 1680px; }
  .layout { display: grid; grid-template-columns: 180px minmax(0, 1fr); gap: 40px; }
  .contents > ul { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; border: 0; padding: 20px 0; }
  .contents ul { flex-direction: column; flex-wrap: nowrap; gap: 8px; }
  .contents ul ul { display: flex; gap: 4px; margin-top: 6px; padding-left: 14px; font-size: 13px; line-height: 1.35; }
  .in, footer { padding-left: 244px; }
  .figures, .closed { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .figures .odd.by2 { display: none; }
  .figures .odd.by3 { display: flex; }
  .figures .odd.span2 { grid-column: span 2; }
}
@media (max-width: 559px) {
  .in, .layout, footer { padding-left: 14px; padding-right: 14px; }
  h1 { font-size: 26px; }
  .lead { font-size: 17px; }
  .card, .box { padding: 14px; }
  .contents ul { gap: 4px 14px; }
  table { font-size: 12px; }
  .unit, .spread { font-size: 11px; }
  .headline .unit { font-size: 17px; }
  .spread { display: block; margin: 0; min-width: 0; }
  .sized .spread { text-align: right; min-width: 0; }
  .pad { display: none; }
  th, td, .sized th.has-spread { padding: 5px 2px; }
  thead th { font-size: 11px; }
  thead th + th { padding-left: 4px; }
  sup { margin-left: 1px; }
}
)css";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_STYLE_H_
