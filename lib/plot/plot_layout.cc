#include "lib/plot/plot_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plot/end_labels.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr double kAreaHeight = 210;  // height of the area that the axes enclose
constexpr double kLine = 1.4;        // distance between lines of text, in font sizes
constexpr double kTickGap = 17;      // distance from the y axis to its labels in gnuplot's output

constexpr double kColumnGap = 18;  // space between two columns of the legend
constexpr int kMaxColumns = 3;
constexpr double kLetterGap = 4;   // minimum distance between letters; closer ones are combined
constexpr double kNamedEnd = 0.6;  // space outside the first and last name, in distances of two names

// Smallest and largest number that is drawn.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Returns the extent of stacked bars, which is that of the stacks.
Extent StackedExtent(const proto::Plot& plot) {
  std::map<double, double> top;
  Extent extent;
  for (const proto::Series& series : plot.series()) {
    for (int i = 0; i < series.x_size(); ++i) {
      double& height = top[series.x(i)];
      extent.Add(height + (i < series.y_high_size() ? std::max(series.y_high(i), series.y(i)) : series.y(i)));
      height += series.y(i);
    }
  }
  return extent;
}

Extent YExtent(const proto::Plot& plot) {
  if (plot.kind() == proto::STACKED_BARS) {
    return StackedExtent(plot);
  }
  Extent extent;
  for (const proto::Series& series : plot.series()) {
    for (const auto* values : {&series.y(), &series.y_low(), &series.y_high()}) {
      for (const double y : *values) {
        if (!plot.y_log() || y > 0) {
          extent.Add(y);
        }
      }
    }
  }
  return extent;
}

Axis YAxis(const proto::Plot& plot) {
  const Extent extent = YExtent(plot);
  AxisRequest request;
  request.low = extent.low;
  request.high = extent.high;
  request.log = plot.y_log();
  request.from_zero = plot.kind() != proto::DOTS && !plot.y_cropped();
  request.length = kAreaHeight;
  request.font_size = kPlotFont;
  request.horizontal = false;
  return MakeAxis(request);
}

Axis NamedAxis(const proto::Plot& plot) {
  Axis axis;
  axis.low = -kNamedEnd;
  axis.high = std::max(1, plot.tick_size()) - 1 + kNamedEnd;
  for (int i = 0; i < plot.tick_size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i), plot.tick(i)});
  }
  return axis;
}

Axis XAxis(const proto::Plot& plot, double length) {
  std::vector<double> xs;
  for (const proto::Series& series : plot.series()) {
    xs.insert(xs.end(), series.x().begin(), series.x().end());
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  Extent extent;
  for (const double x : xs) {
    extent.Add(x);
  }
  for (const proto::Mark& mark : plot.mark()) {  // marks are visible, but have no tick
    extent.Add(mark.x());
  }
  AxisRequest request;
  request.low = extent.low;
  request.high = extent.high;
  request.log = plot.x_log();
  request.margin = true;
  request.length = length;
  request.font_size = kPlotFont;
  if (plot.kind() == proto::LINES) {
    request.whole = std::all_of(xs.begin(), xs.end(), [](double x) { return x == std::floor(x); });
    const bool inside = !xs.empty() && extent.low == xs.front() && extent.high == xs.back();
    if (inside || plot.x_log()) {
      request.occurring = std::move(xs);
    }
  }
  return MakeAxis(request);
}

// --- The legend ---

struct Entry {
  int series;
  std::string letter;
  std::string text;
};

std::string LetterOf(size_t index) {
  constexpr size_t kLetters = 26;
  return absl::StrCat(index < kLetters ? "" : LetterOf(index / kLetters - 1),
                      std::string(1, static_cast<char>('a' + index % kLetters)));
}

// Returns a letter for each label. Marks with the same label share a letter.
std::map<std::string, std::string> LettersOf(const proto::Plot& plot) {
  std::map<std::string, std::string> letters;
  for (const proto::Mark& mark : plot.mark()) {
    letters.try_emplace(mark.label(), LetterOf(letters.size()));
  }
  return letters;
}

std::vector<Entry> SeriesEntries(const proto::Plot& plot) {
  std::vector<Entry> entries;
  for (int i = 0; i < plot.series_size(); ++i) {
    if (!plot.series(i).label().empty()) {
      entries.push_back({i, "", plot.series(i).label()});
    }
  }
  return entries;
}

std::vector<Entry> MarkEntries(const proto::Plot& plot) {
  std::map<std::string, std::string> letters = LettersOf(plot);
  std::vector<Entry> entries;
  for (const proto::Mark& mark : plot.mark()) {
    if (const auto found = letters.find(mark.label()); found != letters.end()) {
      entries.push_back({-1, found->second, mark.label()});
      letters.erase(found);
    }
  }
  return entries;
}

// Returns the number of columns that the widest entry allows.
int Columns(const std::vector<Entry>& entries) {
  double widest = 0;
  for (const Entry& entry : entries) {
    widest = std::max(widest, TextWidth(entry.text, kPlotFont));
  }
  const double column = kSampleWidth + kSampleGap + widest + kColumnGap;
  const int fit = static_cast<int>((kPlotWidth - 2 * kPlotEdge + kColumnGap) / column);
  return std::max(1, std::min({fit, kMaxColumns, static_cast<int>(entries.size())}));
}

// Places the entries row by row, from `y` (negative: below the axes) downwards. Returns the position of the next row.
double PlaceEntries(const std::vector<Entry>& entries, double y, PlotLayout& layout) {
  if (entries.empty()) {
    return y;
  }
  const int columns = Columns(entries);
  const double column = (kPlotWidth - 2 * kPlotEdge) / columns;
  const double available = kPlotWidth - 2 * kPlotEdge - kSampleWidth - kSampleGap;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto place = static_cast<int>(i) % columns;
    y -= i > 0 && place == 0 ? kLine * kPlotFont : 0;
    LegendLine line = {entries[i].series, entries[i].letter, "", kPlotEdge + place * column, y};
    for (const std::string& text :
         columns > 1 ? std::vector<std::string>{entries[i].text} : WrapText(entries[i].text, kPlotFont, available)) {
      line.text = text;
      line.y = y;
      layout.legend.push_back(line);
      line = {-1, "", "", line.x, y};  // the entry's next lines of text
      y -= columns > 1 ? 0 : kLine * kPlotFont;
    }
    y += columns > 1 ? 0 : kLine * kPlotFont;
  }
  return y - kLine * kPlotFont;
}

// Returns "a, b"; for many letters only the first and the last.
std::string Together(const std::vector<std::string>& letters) {
  constexpr size_t kMaxShown = 3;
  return letters.size() > kMaxShown ? absl::StrCat(letters.front(), "…", letters.back()) : absl::StrJoin(letters, ", ");
}

// Places each letter above its line. Letters that would touch are combined, and none extends beyond the drawing.
void PlaceLetters(const proto::Plot& plot, PlotLayout& layout) {
  const std::map<std::string, std::string> letter_of_label = LettersOf(plot);
  std::vector<std::pair<double, std::string>> letters;
  for (const proto::Mark& mark : plot.mark()) {
    letters.emplace_back(layout.left + PlaceOnAxis(layout.x, mark.x()) * (layout.right - layout.left),
                         letter_of_label.at(mark.label()));
  }
  std::stable_sort(letters.begin(), letters.end());
  std::vector<std::string> together;
  for (const auto& [x, letter] : letters) {
    const double half = TextWidth(letter, kPlotFont) / 2;
    if (!layout.letters.empty() &&
        x - half < layout.letters.back().x + TextWidth(layout.letters.back().text, kPlotFont) / 2 + kLetterGap) {
      together.push_back(letter);
      MarkLetters& last = layout.letters.back();
      last = {Together(together), (last.x + x) / 2};
    } else {
      together = {letter};
      layout.letters.push_back({letter, x});
    }
    MarkLetters& last = layout.letters.back();
    last.x = std::min(last.x, kPlotWidth - kPlotEdge - TextWidth(last.text, kPlotFont) / 2);
  }
}

double WidestLabel(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) {
    widest = std::max(widest, TextWidth(tick.label, kPlotFont));
  }
  return widest;
}

}  // namespace

double PlaceX(const PlotLayout& layout, double x) {
  return layout.left + PlaceOnAxis(layout.x, x) * (layout.right - layout.left);
}

double PlaceY(const PlotLayout& layout, double y) {
  return layout.bottom + PlaceOnAxis(layout.y, y) * (layout.top - layout.bottom);
}

bool HasNamedTicks(const proto::Plot& plot) {
  return plot.kind() == proto::STACKED_BARS || plot.kind() == proto::GROUPED_BARS || plot.kind() == proto::DOTS;
}

// Heights are first relative to the lower end of the axes (0), and at the end shifted so that all are above the
// drawing's lower edge.
PlotLayout LayOutPlot(const proto::Plot& plot) {
  constexpr double kText = kLine * kPlotFont;
  PlotLayout layout;
  layout.y = YAxis(plot);
  layout.left = kPlotEdge + WidestLabel(layout.y) + kTickGap;
  layout.right = kPlotWidth - kPlotEdge - EndLabelWidth(plot);
  layout.x = HasNamedTicks(plot) ? NamedAxis(plot) : XAxis(plot, layout.right - layout.left);
  layout.turned_labels =
      HasNamedTicks(plot) &&
      (WidestLabel(layout.x) + kPlotFont / 2) * (layout.x.high - layout.x.low) > layout.right - layout.left;
  PlaceLetters(plot, layout);

  layout.top = kAreaHeight;
  layout.letters_y = layout.top + kText / 2;
  layout.y_label_y = layout.top + kText + (layout.letters.empty() ? 0 : kText / 2);
  const double labels = layout.turned_labels ? WidestLabel(layout.x) : kPlotFont;
  layout.x_label_y = -kXLabelGap - labels - kText / 2;
  ShiftSeries(plot, layout);
  PlaceEndLabels(plot, layout);
  double y = layout.x_label_y - 1.3 * kText;
  if (layout.end_labels.empty()) {
    y = PlaceEntries(SeriesEntries(plot), y, layout);
  }
  y = PlaceEntries(MarkEntries(plot), y, layout);

  const double lift = kPlotEdge - y - kText / 2;
  for (double* height : {&layout.bottom, &layout.top, &layout.letters_y, &layout.y_label_y, &layout.x_label_y}) {
    *height += lift;
  }
  for (LegendLine& line : layout.legend) {
    line.y += lift;
  }
  for (EndLabel& label : layout.end_labels) {
    label.y += lift;
    label.end_y += lift;
  }
  layout.height = std::ceil(layout.y_label_y + kText / 2 + kPlotEdge / 2);
  return layout;
}

}  // namespace lockstep
