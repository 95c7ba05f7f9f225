#include "lib/plot/gnuplot_script.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"
#include "lib/plot/plot_style.h"
#include "lib/plot/row_layout.h"

namespace lockstep {
namespace {

constexpr double kBarHeight = 0.8;  // height of a box in the legend, in font sizes

// Returns a string in single quotes, which gnuplot takes literally. Line ends and tabs become spaces. Other invisible
// characters are escaped, because gnuplot would copy them into the drawing, and most are not allowed in SVG.
std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(ReadableText(text), {{"'", "''"}, {"\r\n", " "}, {"\n", " "}, {"\t", " "}}), "'");
}

std::string Number(double value) { return absl::StrFormat("%.10g", value); }

bool HasBars(const proto::Series& series) {
  return series.y_low_size() == series.x_size() && series.y_high_size() == series.x_size();
}

bool HasErrors(const proto::Series& series) {
  for (int i = 0; HasBars(series) && i < series.x_size(); ++i) {
    if (series.y_low(i) < series.y_high(i)) {
      return true;
    }
  }
  return false;
}

bool IsBars(const proto::Plot& plot) {
  return plot.kind() == proto::STACKED_BARS || plot.kind() == proto::GROUPED_BARS;
}

// Returns a datablock with its name and lines; empty without lines, because gnuplot would print a warning.
std::string DataBlock(const std::string& name, const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) {
    return "";
  }
  return absl::StrCat("$", name, " << EOD\n",
                      absl::StrJoin(rows, "",
                                    [](std::string* out, const auto& row) {
                                      absl::StrAppend(out,
                                                      absl::StrJoin(row, " ",
                                                                    [](std::string* text, double value) {
                                                                      absl::StrAppend(text, Number(value));
                                                                    }),
                                                      "\n");
                                    }),
                      "EOD\n");
}

// Draws error bars as lines with a stroke at both ends. gnuplot's own error bars erase what is under their middle.
std::string ErrorPart(int series, absl::string_view color) {
  return absl::StrCat("$e", series, " using 1:2:(0):($3-$2) with vectors heads size screen 0.007,90 lw 1.5 lc rgb '",
                      color, "' notitle");
}

// --- Lines, points, dots: "sN" holds x, y; "eN" x, low, high of those points that have an error bar ---

// Shifts the series of dots, so that they are side by side above one name.
double Shift(const proto::Plot& plot, int series) {
  return plot.kind() == proto::DOTS ? kBarShare * ((series + 0.5) / plot.series_size() - 0.5) : 0;
}

void AppendPointData(const proto::Plot& plot, std::string& script) {
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    std::vector<std::vector<double>> points, bars;
    for (int j = 0; j < series.x_size(); ++j) {
      const double x = series.x(j) + (series.reference() ? 0 : Shift(plot, i));
      points.push_back({x, series.y(j)});
      if (HasBars(series) && series.y_low(j) < series.y_high(j)) {
        bars.push_back({x, series.y_low(j), series.y_high(j)});
      }
    }
    absl::StrAppend(&script, DataBlock(absl::StrCat("s", i), points), DataBlock(absl::StrCat("e", i), bars));
  }
}

bool IsJoined(const proto::Plot& plot) { return plot.kind() == proto::LINES; }

// Returns true for a line without points.
bool IsLineAlone(const proto::Series& series) { return series.reference() || series.joined(); }

// Returns the extra width of a series compared with those drawn over it, so that both stay visible where they overlap.
double Broader(const proto::Plot& plot, int index) { return std::min(3, std::max(0, plot.series_size() - 1 - index)); }

// Returns "lw 2 dt 2 lc rgb '#2274d5'".
std::string LineStyle(const proto::Plot& plot, int index) {
  const proto::Series& series = plot.series(index);
  const bool dashed = series.reference() || series.provenance() == proto::MODELLED;
  return absl::StrCat("lw ", Number(series.reference() ? 1.5 : 2 + 0.7 * Broader(plot, index)), dashed ? " dt 2" : "",
                      " lc rgb '", series.reference() ? kReferenceColor : ColorOf(index), "'");
}

// Returns "pt 7 ps 0.6".
std::string PointStyle(const proto::Plot& plot, int index) {
  const bool empty = PointOf(index) % 2 == 0;  // empty points are larger, otherwise their line covers them
  return absl::StrCat("pt ", PointOf(index), " ps ", Number((empty ? 0.9 : 0.6) + 0.1 * Broader(plot, index)));
}

std::vector<std::string> PointParts(const proto::Plot& plot) {
  std::vector<std::string> parts;
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    const std::string title = absl::StrCat(" title ", Quoted(series.label()));
    if (series.x().empty()) {
      continue;
    }
    if (IsLineAlone(series)) {
      parts.push_back(absl::StrCat("$s", i, " using 1:2 with lines ", LineStyle(plot, i), title));
      continue;
    }
    if (HasErrors(series)) {
      parts.push_back(ErrorPart(i, ColorOf(i)));
    }
    parts.push_back(absl::StrCat("$s", i, " using 1:2 with ", IsJoined(plot) ? "linespoints " : "points ",
                                 LineStyle(plot, i), " ", PointStyle(plot, i), title));
  }
  return parts;
}

// --- Bars: "sN" holds left, right, lower and upper end; "eN" the same as for points ---

void AppendBarData(const proto::Plot& plot, std::string& script) {
  const bool stacked = plot.kind() == proto::STACKED_BARS;
  const double width = stacked ? kBarShare : kBarShare / std::max(1, plot.series_size());
  std::vector<double> top(static_cast<size_t>(plot.tick_size()), 0);
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    std::vector<std::vector<double>> boxes, bars;
    for (int j = 0; j < series.x_size(); ++j) {
      double& bottom = top[static_cast<size_t>(series.x(j))];
      const double left = series.x(j) - kBarShare / 2 + (stacked ? 0 : i * width);
      boxes.push_back({left, left + width, bottom, bottom + series.y(j)});
      if (HasBars(series) && series.y_low(j) < series.y_high(j)) {
        // On a stack the error bars are side by side, so that none covers another.
        const double x = left + width * (stacked ? (i + 1.0) / (plot.series_size() + 1) : 0.5);
        bars.push_back({x, bottom + series.y_low(j), bottom + series.y_high(j)});
      }
      bottom += stacked ? series.y(j) : 0;
    }
    absl::StrAppend(&script, DataBlock(absl::StrCat("s", i), boxes), DataBlock(absl::StrCat("e", i), bars));
  }
}

// Returns "fc rgb '#2274d5' fs pattern 3 border rgb '#2274d5'".
std::string FillStyle(int series) {
  return absl::StrCat("fc rgb '", ColorOf(series), "' fs pattern ", PatternOf(series), " border rgb '", ColorOf(series),
                      "'");
}

std::vector<std::string> BarParts(const proto::Plot& plot) {
  std::vector<std::string> parts;
  for (int i = 0; i < plot.series_size(); ++i) {
    if (plot.series(i).x().empty()) {
      continue;
    }
    parts.push_back(absl::StrCat("$s", i, " using (($1+$2)/2):(($3+$4)/2):1:2:3:4 with boxxyerror ", FillStyle(i),
                                 " title ", Quoted(plot.series(i).label())));
  }
  for (int i = 0; i < plot.series_size(); ++i) {  // drawn in front of all boxes
    if (HasErrors(plot.series(i))) {
      parts.push_back(ErrorPart(i, "black"));
    }
  }
  return parts;
}

// --- Histograms: "sN" holds the corners of the steps ---

void AppendHistogramData(const proto::Plot& plot, double floor, std::string& script) {
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    std::vector<std::vector<double>> corners;
    double before = floor;
    for (int j = 0; j < series.x_size(); ++j) {
      const double y = std::max(floor, series.y(j));  // a logarithmic axis has no 0
      corners.push_back({series.x(j), before});
      corners.push_back({series.x(j), y});
      before = y;
    }
    absl::StrAppend(&script, DataBlock(absl::StrCat("s", i), corners));
  }
}

// Fills the first histogram and outlines the others, so that all are visible and differ without colour.
std::string HistogramFill(int series) {
  return series == 0 ? absl::StrCat("fc rgb '", ColorOf(series), "' fs solid 0.35") : "fs empty";
}

std::string HistogramLine(int series) {
  return absl::StrCat("lw ", series == 0 ? "1" : "2", " lc rgb '", ColorOf(series), "'");
}

std::vector<std::string> HistogramParts(const proto::Plot& plot, double floor) {
  std::vector<std::string> parts;
  for (int i = 0; i < plot.series_size(); ++i) {
    if (plot.series(i).x().empty()) {
      continue;
    }
    if (i == 0) {
      parts.push_back(
          absl::StrCat("$s", i, " using 1:2 with filledcurves y1=", Number(floor), " ", HistogramFill(i), " notitle"));
    }
    parts.push_back(
        absl::StrCat("$s", i, " using 1:2 with lines ", HistogramLine(i), " title ", Quoted(plot.series(i).label())));
  }
  return parts;
}

// --- Axes, legend, marks ---

std::string Screen(const PlotLayout& layout, double x, double y) {
  return absl::StrCat("screen ", Number(x / layout.width), ", screen ", Number(y / layout.height));
}

std::string AxisCommands(const char* name, const Axis& axis, const std::string& how) {
  return absl::StrCat(axis.log ? absl::StrCat("set logscale ", name, "\n") : "", "set ", name, "range [",
                      Number(axis.low), ":", Number(axis.high), "]\nset ", name, "tics ", how, "(",
                      absl::StrJoin(axis.ticks, ", ",
                                    [](std::string* out, const Tick& tick) {
                                      absl::StrAppend(out, Quoted(tick.label), " ", Number(tick.at));
                                    }),
                      ")\n");
}

// Moves the labels up, because gnuplot leaves more space above them than kXLabelGap.
std::string XLabelStyle(const PlotLayout& layout) {
  constexpr double kTooFar = 10;
  return absl::StrCat(layout.turned_labels ? "rotate by 90 right " : "", "offset screen 0, screen ",
                      Number((layout.turned_labels ? 0 : kTooFar) / layout.height), " ");
}

// Returns the sample in front of a legend entry, in the style of the plot.
std::string Sample(const proto::Plot& plot, const PlotLayout& layout, const LegendLine& line) {
  const proto::Series& series = plot.series(line.series);
  const double right = line.x + kSampleWidth, half = kBarHeight * kPlotFont / 2;
  if (IsBars(plot) || plot.kind() == proto::HISTOGRAM) {
    return absl::StrCat("set object rectangle from ", Screen(layout, line.x, line.y - half), " to ",
                        Screen(layout, right, line.y + half), " ",
                        IsBars(plot) ? FillStyle(line.series)
                                     : absl::StrCat(HistogramFill(line.series), " border rgb '", ColorOf(line.series),
                                                    "'", line.series == 0 ? "" : " lw 2"),
                        "\n");
  }
  std::string sample;
  if (IsJoined(plot) || IsLineAlone(series)) {
    absl::StrAppend(&sample, "set arrow from ", Screen(layout, line.x, line.y), " to ", Screen(layout, right, line.y),
                    " nohead ", LineStyle(plot, line.series), "\n");
  }
  if (!IsLineAlone(series)) {
    absl::StrAppend(&sample, "set label '' at ", Screen(layout, (line.x + right) / 2, line.y), " point ",
                    PointStyle(plot, line.series), " lw 2 lc rgb '", ColorOf(line.series), "'\n");
  }
  return sample;
}

std::string TextAt(const PlotLayout& layout, double x, double y, const std::string& text, const char* how) {
  return absl::StrCat("set label ", Quoted(text), " at ", Screen(layout, x, y), " ", how, "\n");
}

// Writes the label at the end of a line, and a lead line to it.
std::string EndLabelCommands(const PlotLayout& layout, const EndLabel& label) {
  constexpr double kGap = 2, kMarker = 6;
  std::string script =
      absl::StrCat("set arrow from ", Screen(layout, label.end_x + kMarker, label.end_y), " to ",
                   Screen(layout, label.x - kGap, label.y), " nohead lw 0.5 lc rgb '", kReferenceColor, "'\n");
  const double first = label.y + (static_cast<double>(label.lines.size()) - 1) / 2 * kLabelSpacing;
  for (size_t i = 0; i < label.lines.size(); ++i) {
    absl::StrAppend(&script,
                    TextAt(layout, label.x, first - static_cast<double>(i) * kLabelSpacing, label.lines[i], "left"));
  }
  return script;
}

std::string LegendCommands(const proto::Plot& plot, const PlotLayout& layout) {
  std::string script;
  for (const EndLabel& label : layout.end_labels) {
    absl::StrAppend(&script, EndLabelCommands(layout, label));
  }
  for (const LegendLine& line : layout.legend) {
    if (line.series >= 0) {
      absl::StrAppend(&script, Sample(plot, layout, line));
    } else if (!line.letter.empty()) {
      absl::StrAppend(&script, TextAt(layout, line.x + kSampleWidth / 2, line.y, line.letter, "center"));
    }
    absl::StrAppend(&script, TextAt(layout, line.x + kSampleWidth + kSampleGap, line.y, line.text, "left"));
  }
  return script;
}

// Draws a dotted line over the whole height, with its letter above.
std::string MarkCommands(const proto::Plot& plot, const PlotLayout& layout) {
  std::string script;
  for (const proto::Mark& mark : plot.mark()) {
    absl::StrAppend(&script, "set arrow from first ", Number(mark.x()), ", graph 0 to first ", Number(mark.x()),
                    ", graph 1 nohead dt 3 lw 1.5 lc rgb '", kReferenceColor, "'\n");
  }
  for (const MarkLetters& letters : layout.letters) {
    absl::StrAppend(&script, TextAt(layout, letters.x, layout.letters_y, letters.text, "center"));
  }
  return script;
}

// Returns the PDF terminal. A CSS pixel is 1/96 inch, or 0.75 points; fontscale 0.75 makes this terminal draw the font
// size as given.
std::string PdfTerminal(const PlotLayout& layout) {
  return absl::StrCat("set terminal pdfcairo size ", Number(layout.width / 96), "in,", Number(layout.height / 96),
                      "in font 'sans-serif,", Number(kPlotFont * 0.75), "' fontscale 0.75 noenhanced\n");
}

// --- Kinds that gnuplot does not draw ---

void MakeStackedBars(proto::Plot& plot) {
  plot.set_kind(proto::STACKED_BARS);
  plot.set_y_label("%");
  std::vector<double> sums(static_cast<size_t>(plot.tick_size()), 0);
  const auto sum_at = [&](double x) -> double& { return sums[static_cast<size_t>(x)]; };
  for (const proto::Series& series : plot.series()) {
    for (int i = 0; i < series.x_size(); ++i) {
      sum_at(series.x(i)) += series.y(i);
    }
  }
  for (proto::Series& series : *plot.mutable_series()) {
    series.clear_y_low();
    series.clear_y_high();
    for (int i = 0; i < series.x_size(); ++i) {
      const double sum = sum_at(series.x(i));
      series.set_y(i, sum > 0 ? 100 * series.y(i) / sum : 0);
    }
  }
}

void MakeDots(proto::Plot& plot) {
  const std::vector<int> ticks = RankedTicks(plot);
  const proto::Plot before = plot;
  plot.set_kind(proto::DOTS);
  plot.clear_mark();
  std::map<double, int> place;
  for (size_t i = 0; i < ticks.size(); ++i) {
    place[ticks[i]] = static_cast<int>(i);
    plot.set_tick(static_cast<int>(i), before.tick(ticks[i]));
  }
  for (proto::Series& series : *plot.mutable_series()) {
    for (double& x : *series.mutable_x()) {
      x = place[x];
    }
  }
}

}  // namespace

std::string PlotCommands(const proto::Plot& plot, const PlotLayout& layout) {
  std::string script = absl::StrCat(
      "set lmargin at screen ", Number(layout.left / layout.width), "\nset rmargin at screen ",
      Number(layout.right / layout.width), "\nset bmargin at screen ", Number(layout.bottom / layout.height),
      "\nset tmargin at screen ", Number(layout.top / layout.height),
      "\nunset key\nset border 3\nset tics nomirror out scale 0.5\n"
      "set grid ytics dt 3 lw 0.7 lc rgb '",
      kReferenceColor, "'\n", AxisCommands("x", layout.x, XLabelStyle(layout)), AxisCommands("y", layout.y, ""),
      TextAt(layout, kPlotEdge, layout.y_label_y, plot.y_label(), "left"),
      TextAt(layout, (layout.left + layout.right) / 2, layout.x_label_y, plot.x_label(), "center"),
      LegendCommands(plot, layout), MarkCommands(plot, layout));
  std::vector<std::string> parts;
  if (IsBars(plot)) {
    AppendBarData(plot, script);
    absl::StrAppend(&script, layout.y.low < 0 ? "set xzeroaxis lt 1 lc rgb 'black'\n" : "");
    parts = BarParts(plot);
  } else if (plot.kind() == proto::HISTOGRAM) {
    AppendHistogramData(plot, layout.y.low, script);
    parts = HistogramParts(plot, layout.y.low);
  } else {
    AppendPointData(plot, script);
    parts = PointParts(plot);
  }
  if (parts.empty()) {
    parts.push_back("1/0 notitle");  // empty axes
  }
  absl::StrAppend(&script, "plot ", absl::StrJoin(parts, ", \\\n     "), "\n");
  return script;
}

proto::Plot SimplerForm(const proto::Plot& plot) {
  proto::Plot simpler = plot;
  if (plot.kind() == proto::SHARE_BARS) {
    MakeStackedBars(simpler);
  } else if (plot.kind() == proto::RANKED_DOTS) {
    MakeDots(simpler);
  }
  for (proto::Series& series : *simpler.mutable_series()) {
    if (!series.panel().empty()) {
      series.set_label(absl::StrCat(series.panel(), series.label().empty() ? "" : ", ", series.label()));
      series.clear_panel();
    }
  }
  return simpler;
}

std::string GnuplotScript(const proto::Plot& any_plot, const std::string& output) {
  const proto::Plot plot = SimplerForm(any_plot);
  const PlotLayout layout = LayOutPlot(plot);
  return absl::StrCat("reset\nundefine $*\nset encoding utf8\n", PdfTerminal(layout), "set output ", Quoted(output),
                      "\n", PlotCommands(plot, layout), "set output\n");
}

}  // namespace lockstep
