// The style sheet of drawn plots, for a page and for a separate SVG file.
#ifndef LOCKSTEP_LIB_PAGE_PLOT_STYLE_H_
#define LOCKSTEP_LIB_PAGE_PLOT_STYLE_H_

namespace lockstep {

// Colours of plots for light screens, dark screens and paper. c1 to c4 are series, p1 to p4 parts of a bar. Lines and
// text have a contrast of at least 3 and 4.5 on `card`. c4 is the text colour: a purple fourth colour differs too
// little from blue for readers without red receptors.
inline constexpr char kPlotColors[] = R"css(
:root {
  --card: #fff; --ink: #141920; --ink2: #414b59; --ink3: #5b6675; --grid: #e5e9ef; --axis: #8490a0;
  --c1: #0b5cad; --c2: #b0480a; --c3: #08705f; --c4: #111827;
  --p1: #8fbbe6; --p2: #cfe1f4; --p3: #9a3700; --p4: #b9c1cb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --card: #171c23; --ink: #e9edf2; --ink2: #bcc5d0; --ink3: #9aa6b4; --grid: #262e38; --axis: #6f7b8b;
    --c1: #73b4ff; --c2: #ffa45c; --c3: #4fd1b5; --c4: #f2f5f9;
    --p1: #4f86bf; --p2: #2a4361; --p3: #ffb070; --p4: #56616e;
  }
}
@media print {
  :root {
    --card: #fff; --ink: #000; --ink2: #222; --ink3: #444; --grid: #e4e4e4; --axis: #666;
    --c1: #0b4a8f; --c2: #b0480a; --c3: #1f6f62; --c4: #000; --p1: #b5cde6; --p2: #e4eef8; --p3: #5a1f00; --p4: #999;
  }
}
)css";

// Rules for the classes that lib/plot gives its elements. Every colour has a fallback for a page without kPlotColors.
inline constexpr char kPlotRules[] = R"css(
.plot { display: block; width: 100%; max-width: 600px; height: auto; }
.plot text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink2, #414b59); }
.plot .tick { font-size: 12px; fill: var(--ink3, #5b6675); }
.plot .name { fill: var(--ink, #141920); }
.plot .value { fill: var(--ink, #141920); font-weight: 600; }
.plot .t1 { fill: var(--c1, #0b5cad); font-weight: 600; } .plot .t2 { fill: var(--c2, #b0480a); font-weight: 600; }
.plot .t3 { fill: var(--c3, #08705f); font-weight: 600; } .plot .t4 { fill: var(--c4, #111827); font-weight: 600; }
.plot .on1 { fill: #0d1a28; font-size: 12px; } .plot .on2 { fill: var(--ink, #141920); font-size: 12px; }
.plot .on3 { fill: var(--card, #fff); font-size: 12px; } .plot .on4 { fill: var(--ink, #141920); font-size: 12px; }
.plot .grid { stroke: var(--grid, #e5e9ef); }
.plot .axis { stroke: var(--axis, #8490a0); }
.plot .lead { stroke: var(--axis, #8490a0); stroke-width: .8; }
.plot .base { stroke: var(--ink2, #414b59); stroke-width: 1.2; stroke-dasharray: 4 3; fill: none; }
.plot .mark { stroke: var(--ink3, #5b6675); stroke-width: 1.2; stroke-dasharray: 1.5 3; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.plot .outline { stroke-width: 1.2; }
.plot .d2 { stroke-dasharray: 7 4; } .plot .d3 { stroke-dasharray: 2 3; } .plot .d4 { stroke-dasharray: 9 3 2 3; }
.plot .k1 { stroke: var(--c1, #0b5cad); } .plot .k2 { stroke: var(--c2, #b0480a); }
.plot .k3 { stroke: var(--c3, #08705f); } .plot .k4 { stroke: var(--c4, #111827); }
.plot .ghost { fill: none; stroke: var(--axis, #8490a0); stroke-width: 1; opacity: .45; }
.plot .spread { stroke-width: 2; opacity: .75; }
.plot .ends { stroke: var(--ink2, #414b59); stroke-width: 1.5; }
.plot .m { stroke: var(--card, #fff); stroke-width: 1.2; }
.plot .c1 { fill: var(--c1, #0b5cad); } .plot .c2 { fill: var(--c2, #b0480a); }
.plot .c3 { fill: var(--c3, #08705f); } .plot .c4 { fill: var(--c4, #111827); }
.plot .hollow { fill: var(--card, #fff); stroke-width: 1.8; }
.plot .hollow.c1 { stroke: var(--c1, #0b5cad); } .plot .hollow.c2 { stroke: var(--c2, #b0480a); }
.plot .hollow.c3 { stroke: var(--c3, #08705f); } .plot .hollow.c4 { stroke: var(--c4, #111827); }
.plot .p1 { fill: var(--p1, #8fbbe6); } .plot .p2 { fill: var(--p2, #cfe1f4); }
.plot .p3 { fill: var(--p3, #9a3700); } .plot .p4 { fill: var(--p4, #b9c1cb); }
.plot .part { stroke: var(--card, #fff); stroke-width: 1; }
.plot .area { opacity: .35; stroke: none; }
.plot .hit { fill: transparent; }
.plot g:hover > .m, .plot g:hover > .part { stroke: var(--ink, #141920); stroke-width: 2; }
@media (max-width: 560px) { .plot .tick { font-size: 13px; } }
)css";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_PLOT_STYLE_H_
