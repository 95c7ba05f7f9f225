#include "lib/report/findings.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

enum class Extreme { kHighest, kLowest, kFarthestFromZero };

// Finding of one kind of plot.
struct Rule {
  const char* kind;  // id of its first plot
  Extreme extreme;
  bool last_point_only;  // true: only the last point of each series counts
  const char* name;      // "Highest rate"
  const char* unit;      // unit of y, with a space before it
  const char* before_x;  // words around x: " at batch "; empty: x is not named
  const char* after_x;
};

constexpr Rule kRules[] = {
    {"epoch_time", Extreme::kLowest, false, "Shortest epoch", " s", " at batch ", ""},
    {"batch_sweep_time", Extreme::kLowest, false, "Shortest epoch", " s", " at batch ", ""},
    {"batch_sweep_rate", Extreme::kHighest, false, "Highest rate", " images/s", " at batch ", ""},
    {"batch_sweep_share", Extreme::kHighest, false, "Largest share", " %", " at batch ", ""},
    {"batch_sweep_memory", Extreme::kHighest, false, "Largest peak", " GB", " at batch ", ""},
    {"speedup", Extreme::kLowest, false, "Lowest efficiency of an epoch", " %", " on ", " devices"},
    {"all_reduce", Extreme::kHighest, false, "Highest bus bandwidth", " GB/s", " for ", " MB"},
    {"loss", Extreme::kLowest, true, "Lowest at the end", "", "", ""},
    {"accuracy", Extreme::kHighest, true, "Highest at the end", " %", "", ""},
    {"large_batch", Extreme::kHighest, false, "Highest", " %", "", ""},
    {"predicted", Extreme::kFarthestFromZero, false, "Largest difference", " %", "", ""},
    {"runs", Extreme::kLowest, false, "Shortest", " s", "", ""},
};

const Rule* RuleOf(const proto::Plot& plot) {
  for (const Rule& rule : kRules) {
    absl::string_view number = plot.id();  // "_2" of "split_2"
    if (absl::ConsumePrefix(&number, rule.kind) && number.find_first_not_of("_0123456789") == number.npos) {
      return &rule;
    }
  }
  return nullptr;
}

// Point that is the extreme.
struct Found {
  const proto::Series* series = nullptr;  // null: no point yet
  double x = 0, y = 0;
};

bool IsBetter(Extreme extreme, double y, double than) {
  return extreme == Extreme::kHighest  ? y > than
         : extreme == Extreme::kLowest ? y < than
                                       : std::abs(y) > std::abs(than);
}

// Returns true for a result: a reference line and a model are none, unless the whole plot is about a model.
bool IsResult(const proto::Series& series, absl::string_view kind) {
  return !series.reference() && (series.provenance() != proto::MODELLED || kind == "predicted");
}

// Returns the number of an axis: three digits, or the count itself.
std::string AxisNumber(double value) {
  return value == std::floor(value) && value >= 1 ? FormatCount(static_cast<uint64_t>(value)) : ThreeDigits(value);
}

// Returns the largest share that the last part has of its bar: "Exposed all-reduces: at most 3.9 %, 4 x 32."
std::string LargestShare(const proto::Plot& plot) {
  const proto::Series& last = *plot.series().rbegin();
  int largest = -1;
  double share = 0;
  for (int tick = 0; tick < std::min(plot.tick_size(), last.y_size()); ++tick) {
    double sum = 0;
    for (const proto::Series& series : plot.series()) {
      sum += tick < series.y_size() ? series.y(tick) : 0;
    }
    if (sum > 0 && (largest < 0 || last.y(tick) / sum > share)) {
      largest = tick;
      share = last.y(tick) / sum;
    }
  }
  return largest < 0
             ? ""
             : absl::StrCat("Exposed all-reduces: at most ", ShortPercent(share), ", ", plot.tick(largest), ".");
}

}  // namespace

std::string FindingOf(const proto::Plot& plot) {
  if (plot.kind() == proto::SHARE_BARS && !plot.series().empty()) {
    return LargestShare(plot);
  }
  const Rule* const rule = RuleOf(plot);
  if (rule == nullptr) {
    return "";
  }
  Found found;
  int results = 0;
  for (const proto::Series& series : plot.series()) {
    if (!IsResult(series, rule->kind)) {
      continue;
    }
    ++results;
    for (int i = rule->last_point_only ? std::max(0, series.y_size() - 1) : 0; i < series.y_size(); ++i) {
      if (std::isfinite(series.y(i)) && (found.series == nullptr || IsBetter(rule->extreme, series.y(i), found.y))) {
        found = {&series, series.x(i), series.y(i)};
      }
    }
  }
  if (found.series == nullptr) {
    return "";
  }
  const auto tick = static_cast<int>(found.x);
  const bool has_tick = plot.tick_size() > 0 && tick >= 0 && tick < plot.tick_size();
  const std::string sign = found.y < 0 ? "\u2212" : rule->extreme == Extreme::kFarthestFromZero ? "+" : "";
  return absl::StrCat(rule->name, ": ", sign, ThreeDigits(std::abs(found.y)), rule->unit,
                      has_tick                  ? absl::StrCat(", ", plot.tick(tick))
                      : *rule->before_x == '\0' ? ""
                                                : absl::StrCat(rule->before_x, AxisNumber(found.x), rule->after_x),
                      found.series->panel().empty() ? "" : absl::StrCat(", ", found.series->panel()),
                      results > 1 && !found.series->label().empty() ? absl::StrCat(", ", found.series->label()) : "",
                      ".");
}

void AddFindings(const proto::Summary& summary, std::vector<proto::Section>& page) {
  std::set<std::string> linked;
  for (const proto::SummaryCard& card : summary.card()) {
    for (const proto::CardLink& link : card.link()) {
      linked.insert(link.target());
    }
  }
  for (proto::Section& section : page) {
    for (proto::Plot& plot : *section.mutable_plot()) {
      if (linked.count(absl::StrCat("plot-", plot.id())) == 0) {
        plot.set_finding(FindingOf(plot));
      }
    }
  }
}

}  // namespace lockstep
