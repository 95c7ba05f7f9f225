#include "lib/report/gnuplot.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/memory_file.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/report/escape.h"

namespace lockstep {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);
constexpr char kResultPath[] = "/dev/fd/3";  // kResultFd, by name
constexpr double kLogMargin = 1.3;           // room left and right of the outermost points, as a factor
constexpr size_t kMaxLogTicks = 60;          // 20 powers of ten
constexpr double kBarWidth = 0.6;            // of the distance between two ticks

// Readable on white and on near black (contrast above 3 on both), and told apart by point types too.
constexpr const char* kColors[] = {"#2a7de1", "#d4690b", "#12946b", "#a259c4", "#c2453d"};
constexpr int kPointTypes[] = {7, 5, 9, 13, 11};  // filled circle, square, triangles, diamond
constexpr char kReferenceColor[] = "#888888";
constexpr double kMarkTop = 0.95;   // of the plot's height: the first mark's label
constexpr double kMarkStep = 0.06;  // from one label down to the next

const char* ColorOf(int series) { return kColors[series % std::size(kColors)]; }

// A string between single quotes, which gnuplot takes literally; line ends become spaces.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}, {"\n", " "}, {"\r", " "}}), "'");
}

std::string Number(double value) { return absl::StrFormat("%.10g", value); }

void AppendLineData(const proto::Plot& plot, std::string& script) {
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    absl::StrAppend(&script, "$s", i, " << EOD\n");
    for (int j = 0; j < series.x_size(); ++j) {
      const bool bars = series.y_low_size() == series.x_size() && series.y_high_size() == series.x_size();
      absl::StrAppend(&script, Number(series.x(j)), " ", Number(series.y(j)), " ",
                      Number(bars ? series.y_low(j) : series.y(j)), " ", Number(bars ? series.y_high(j) : series.y(j)),
                      "\n");
    }
    absl::StrAppend(&script, "EOD\n");
  }
}

// A dotted line over the whole height and its label beside it, on the side with more room, each label below the one
// before.
std::string MarkCommands(const proto::Plot& plot, double low, double high) {
  std::string script;
  const auto place = [&](double x) {
    return plot.x_log() ? std::log(std::max(x, low) / low) / std::log(high / low) : (x - low) / (high - low);
  };
  for (int i = 0; i < plot.mark_size(); ++i) {
    const double x = plot.mark(i).x();
    const bool left = place(x) > 0.5;
    absl::StrAppend(&script, "set arrow from first ", Number(x), ", graph 0 to first ", Number(x),
                    ", graph 1 nohead dt 3 lw 1.5 lc rgb '", kReferenceColor, "'\nset label ",
                    Quoted(plot.mark(i).label()), " at first ", Number(x), ", graph ", Number(kMarkTop - kMarkStep * i),
                    left ? " right offset -0.5,0" : " left offset 0.5,0", " font ',11'\n");
  }
  return script;
}

// 1, 2 and 5 of each power of ten that is in sight: a logarithm's own ticks may be a decade apart, with none in
// between.
std::string LogTicks(double low, double high) {
  std::vector<std::string> ticks;
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); exponent <= last && ticks.size() < kMaxLogTicks;
       ++exponent) {
    for (const double factor : {1, 2, 5}) {
      const double tick = factor * std::pow(10, exponent);
      if (tick >= low && tick <= high) {
        ticks.push_back(Number(tick));
      }
    }
  }
  return absl::StrCat("(", absl::StrJoin(ticks, ", "), ")\n");
}

// The marks' labels stand above all points.
std::string YAxis(const proto::Plot& plot) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const proto::Series& series : plot.series()) {
    for (const auto& values : {series.y(), series.y_low(), series.y_high()}) {
      for (const double y : values) {
        low = y > 0 ? std::min(low, y) : low;
        high = std::max(high, y);
      }
    }
  }
  const double share = std::min(0.5, plot.mark_size() == 0 ? 0.0 : 1 - kMarkTop + kMarkStep * plot.mark_size());
  if (plot.y_log() && std::isfinite(low) && std::isfinite(high)) {
    low /= kLogMargin;
    high = low * std::pow(high * kLogMargin / low, 1 / (1 - share));
    return absl::StrCat("set logscale y\nset yrange [", Number(low), ":", Number(high), "]\nset ytics ",
                        LogTicks(low, high));
  }
  const bool room = share > 0 && high > 0 && std::isfinite(high);
  return absl::StrCat("set yrange [0:", room ? Number(high / (1 - share)) : "*", "]\n");
}

// Where there are points; of points alone, which may lie anywhere, at round numbers.
std::string XTicks(const proto::Plot& plot, const std::vector<double>& xs, double low, double high) {
  if (plot.kind() == proto::POINTS) {
    return plot.x_log() ? absl::StrCat("set xtics ", LogTicks(low, high)) : "";
  }
  return absl::StrCat("set xtics (",
                      absl::StrJoin(xs, ", ", [](std::string* out, double x) { absl::StrAppend(out, Number(x)); }),
                      ")\n");
}

// Room beside the outermost points.
std::string LineAxes(const proto::Plot& plot) {
  std::vector<double> xs;
  for (const proto::Series& series : plot.series()) {
    xs.insert(xs.end(), series.x().begin(), series.x().end());
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  if (xs.empty()) {
    return "";
  }
  double first = xs.front(), last = xs.back();
  for (const proto::Mark& mark : plot.mark()) {  // in sight, without a tick
    first = std::min(first, mark.x());
    last = std::max(last, mark.x());
  }
  const double margin = (last - first) * 0.05 + 0.05;
  const double low = plot.x_log() ? first / kLogMargin : first - margin;
  const double high = plot.x_log() ? last * kLogMargin : last + margin;
  return absl::StrCat(plot.x_log() ? "set logscale x\n" : "", YAxis(plot), XTicks(plot, xs, low, high), "set xrange [",
                      Number(low), ":", Number(high), "]\n", MarkCommands(plot, low, high));
}

std::string LinesCommand(const proto::Plot& plot) {
  std::vector<std::string> parts;
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    if (series.reference()) {
      parts.push_back(absl::StrCat("$s", i, " using 1:2 with lines lw 1.5 dt 2 lc rgb '", kReferenceColor, "' title ",
                                   Quoted(series.label())));
    } else {
      const bool joined = plot.kind() == proto::LINES;
      parts.push_back(absl::StrCat("$s", i, " using 1:2:3:4 with ", joined ? "yerrorlines" : "yerrorbars",
                                   " lw 2 ps 0.7 pt ", kPointTypes[i % std::size(kPointTypes)],
                                   joined && series.provenance() == proto::MODELLED ? " dt 2" : "", " lc rgb '",
                                   ColorOf(i), "' title ", Quoted(series.label())));
    }
  }
  return absl::StrCat("plot ", absl::StrJoin(parts, ", \\\n     "), "\n");
}

// Rectangles: x_low x_high y_low y_high, stacked on those before or side by side from 0.
void AppendBarData(const proto::Plot& plot, std::string& script) {
  const bool stacked = plot.kind() == proto::STACKED_BARS;
  const double width = stacked ? kBarWidth : kBarWidth / std::max(1, plot.series_size());
  std::vector<double> top(static_cast<size_t>(plot.tick_size()), 0);
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    absl::StrAppend(&script, "$s", i, " << EOD\n");
    for (int j = 0; j < series.x_size(); ++j) {
      double& bottom = top[static_cast<size_t>(series.x(j))];
      const double left = series.x(j) - kBarWidth / 2 + (stacked ? 0 : i * width);
      absl::StrAppend(&script, Number(left), " ", Number(left + width), " ", Number(bottom), " ",
                      Number(bottom + series.y(j)), "\n");
      bottom += stacked ? series.y(j) : 0;
    }
    absl::StrAppend(&script, "EOD\n");
  }
}

std::string BarsCommand(const proto::Plot& plot) {
  std::vector<std::string> ticks, parts;
  for (int i = 0; i < plot.tick_size(); ++i) {
    ticks.push_back(absl::StrCat(Quoted(plot.tick(i)), " ", i));
  }
  for (int i = 0; i < plot.series_size(); ++i) {
    parts.push_back(absl::StrCat("$s", i,
                                 " using (($1+$2)/2):(($3+$4)/2):1:2:3:4 with boxxyerror fs solid noborder lc rgb '",
                                 ColorOf(i), "' title ", Quoted(plot.series(i).label())));
  }
  return absl::StrCat("set xtics (", absl::StrJoin(ticks, ", "), ")\nset xrange [-0.6:", Number(plot.tick_size() - 0.4),
                      "]\n",
                      plot.kind() == proto::STACKED_BARS ? "set yrange [0:*]\n" : "set xzeroaxis lt 1 lc rgb 'black'\n",
                      "plot ", absl::StrJoin(parts, ", \\\n     "), "\n");
}

absl::StatusOr<std::string> FindGnuplot() {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string program = absl::StrCat(folder, "/gnuplot");
    if (access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return absl::NotFoundError("gnuplot is not installed (apt-get install gnuplot-nox), so there is no plot");
}

std::string DescribeFailure(const ChildExit& exit) {
  return exit.timed_out   ? absl::StrCat("did not end within ", absl::FormatDuration(kTimeout))
         : exit.signalled ? absl::StrCat("was ended by signal ", exit.code)
                          : absl::StrCat("failed with exit code ", exit.code);
}

// What the script wrote to kResultPath.
absl::StatusOr<std::string> RunGnuplot(const std::string& script) {
  ASSIGN_OR_RETURN(const std::string program, FindGnuplot());
  ASSIGN_OR_RETURN(const std::unique_ptr<MemoryFile> file, MemoryFile::Create("lockstep_plot"));
  RETURN_IF_ERROR(file->Append(script));
  ChildOptions child;
  child.argv = {program, file->path()};
  child.environment = {{"LC_ALL", "C.UTF-8"}};  // the caller's locale would change the decimal sign
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren({child}, kTimeout));
  RETURN_IF_ERROR(CheckNotStopped());
  if (exits[0].signalled && exits[0].code == SIGKILL && !exits[0].timed_out) {  // never gnuplot's own doing
    return absl::UnavailableError(absl::StrCat(program, " was killed by signal 9 while it drew a plot; run it again"));
  }
  if (exits[0].signalled || exits[0].code != 0) {
    return absl::InternalError(absl::StrCat(program, " ", DescribeFailure(exits[0]),
                                            ", so there is no plot; its message is on standard error"));
  }
  return exits[0].result;
}

}  // namespace

std::string GnuplotScript(const proto::Plot& plot, const std::string& output) {
  std::string script = absl::StrCat(
      "set encoding utf8\nset terminal svg size 760,430 dynamic font 'sans-serif,14' noenhanced\nset output ",
      Quoted(output), "\nset xlabel ", Quoted(plot.x_label()), "\nset ylabel ", Quoted(plot.y_label()),
      "\nset grid y\nset border 3\nset tics nomirror\nset key tmargin center horizontal\n");
  if (plot.kind() == proto::LINES || plot.kind() == proto::POINTS) {
    AppendLineData(plot, script);
    absl::StrAppend(&script, LineAxes(plot), LinesCommand(plot));
  } else {
    AppendBarData(plot, script);
    absl::StrAppend(&script, BarsCommand(plot));
  }
  return script;
}

absl::StatusOr<std::string> GnuplotVersion() {
  return RunGnuplot(
      absl::StrCat("set print '", kResultPath, "'\nprint sprintf('%.1f.%s', GPVAL_VERSION, GPVAL_PATCHLEVEL)\n"));
}

absl::StatusOr<std::string> DrawPlot(const proto::Plot& plot) {
  ASSIGN_OR_RETURN(const std::string svg, RunGnuplot(GnuplotScript(plot, kResultPath)));
  const size_t begin = svg.find("<svg");
  const size_t desc_end = svg.find("</desc>");
  if (begin == std::string::npos || desc_end == std::string::npos) {
    return absl::InternalError("gnuplot wrote no SVG with a description, so there is no plot");
  }
  std::string body = svg.substr(desc_end + std::strlen("</desc>"));
  body = absl::StrReplaceAll(body, {{" color=\"black\"", ""},
                                    {"stroke=\"black\"", "stroke=\"currentColor\""},
                                    {"stroke='black'", "stroke='currentColor'"},
                                    {"fill=\"black\"", "fill=\"currentColor\""},
                                    {"fill = 'black'", "fill='currentColor'"},
                                    {" id='", absl::StrCat(" id='", plot.id(), "-")},
                                    {" id=\"", absl::StrCat(" id=\"", plot.id(), "-")},
                                    {"href='#", absl::StrCat("href='#", plot.id(), "-")},
                                    {"url(#", absl::StrCat("url(#", plot.id(), "-")}});
  const std::string opening = svg.substr(begin, svg.find('>', begin) - begin);
  return absl::StrCat(opening, " role=\"img\" aria-labelledby=\"", plot.id(), "-title ", plot.id(),
                      "-desc\">\n<title id=\"", plot.id(), "-title\">", EscapeHtml(plot.title()),
                      "</title>\n<desc id=\"", plot.id(), "-desc\">", EscapeHtml(plot.description()), "</desc>", body);
}

std::string StandaloneSvg(const std::string& svg) {
  const size_t end = svg.find("</desc>");
  const size_t after = end == std::string::npos ? svg.find('>') + 1 : end + std::strlen("</desc>");
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", svg.substr(0, after),
                      "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>", svg.substr(after));
}

}  // namespace lockstep
