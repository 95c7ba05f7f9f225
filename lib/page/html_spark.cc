#include "lib/page/html_spark.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lib/base/utf8.h"
#include "lib/page/escape.h"

namespace lockstep {
namespace {

constexpr double kWidth = 120;
constexpr double kHeight = 40;
constexpr double kTextHeight = 11;  // size of the font
constexpr double kDot = 4;          // radius
// Smallest extent of the axis of a TREND, as a part of its largest value: a smaller change looks level.
constexpr double kMinExtent = 0.1;
constexpr size_t kMaxLabel = 8;  // characters that fit left of the bars

std::string Rect(absl::string_view style, double left, double top, double width, double height) {
  return absl::StrFormat("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", style, left, top,
                         width, height);
}

std::string Line(absl::string_view style, double x1, double y1, double x2, double y2) {
  return absl::StrFormat("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", style, x1, y1, x2, y2);
}

std::string Text(double x, double y, absl::string_view anchor, absl::string_view text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, EscapeHtml(text));
}

std::string Dot(double x, double y) {
  return absl::StrFormat("<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>", x, y, kDot);
}

std::string LabelOf(const proto::Spark& spark, int i) { return i < spark.label_size() ? spark.label(i) : ""; }

// Returns a group that shows the i-th value on hover.
std::string Titled(const proto::Spark& spark, int i, const std::string& element) {
  return absl::StrFormat("<g><title>%s: %.3g</title>%s</g>", EscapeHtml(LabelOf(spark, i)), spark.value(i), element);
}

// Returns the first kMaxLabel characters, the last one replaced by "…" if there are more.
std::string Shortened(const std::string& label) {
  size_t characters = 0, kept = 0;
  for (size_t i = 0; i < label.size(); ++i) {
    const bool begins = BeginsCharacter(label[i]);
    characters += begins ? 1 : 0;
    kept = begins && characters == kMaxLabel ? i : kept;
  }
  return characters <= kMaxLabel ? label : absl::StrCat(label.substr(0, kept), "…");
}

double Largest(const proto::Spark& spark) {
  const double largest = *std::max_element(spark.value().begin(), spark.value().end());
  return spark.has_base() ? std::max(largest, spark.base()) : largest;
}

double Smallest(const proto::Spark& spark) {
  const double smallest = *std::min_element(spark.value().begin(), spark.value().end());
  return spark.has_base() ? std::min(smallest, spark.base()) : smallest;
}

// Draws values joined by lines, with the first and the last label below. Without a base the axis begins at 0.
std::string Trend(const proto::Spark& spark) {
  const double high = Largest(spark);
  double low = spark.has_base() ? Smallest(spark) : std::min(0.0, Smallest(spark));
  low = std::min(low, high - kMinExtent * std::abs(high));
  const double bottom = kHeight - kTextHeight - 3, top = kDot;
  const double step = spark.value_size() > 1 ? (kWidth - 2 * kDot) / (spark.value_size() - 1) : 0;
  const auto y_of = [&](double value) {
    return high > low ? bottom - (value - low) / (high - low) * (bottom - top) : (bottom + top) / 2;
  };
  std::string svg = spark.has_base() ? Line("base", 0, y_of(spark.base()), kWidth, y_of(spark.base()))
                                     : Line("axis", 0, bottom, kWidth, bottom);
  std::string path, dots;
  for (int i = 0; i < spark.value_size(); ++i) {
    const double x = kDot + i * step, y = y_of(spark.value(i));
    absl::StrAppendFormat(&path, "%s%.1f %.1f", i == 0 ? "M" : "L", x, y);
    dots += Titled(spark, i, Dot(x, y));
  }
  absl::StrAppend(&svg, "<path class=\"line\" d=\"", path, "\"/>", dots);
  const int last = spark.value_size() - 1;
  absl::StrAppend(&svg, Text(0, kHeight - 1, "start", LabelOf(spark, 0)),
                  last > 0 ? Text(kWidth, kHeight - 1, "end", LabelOf(spark, last)) : "");
  return svg;
}

// Draws the first value as a part of 1, at the right end. A small part keeps a width that can be seen.
std::string Share(const proto::Spark& spark) {
  const double part = std::clamp(spark.value(0) * kWidth, 2.0, kWidth);
  return absl::StrCat(Rect("rest", 0, 13, kWidth - part, 14),
                      Titled(spark, 0, Rect("part", kWidth - part, 13, part, 14)));
}

// Draws one horizontal bar per value, from 0.
std::string Bars(const proto::Spark& spark) {
  const double largest = Largest(spark);
  const double slot = kHeight / spark.value_size(), height = std::min(slot - 3, 13.0);
  size_t longest = 0;
  for (const std::string& label : spark.label()) {
    longest = std::max(longest, std::min(label.size(), kMaxLabel));
  }
  const double left = longest == 0 ? 0 : 6.0 * static_cast<double>(longest) + 5;
  const auto width_of = [&](double value) {
    return largest > 0 ? std::max(value, 0.0) / largest * (kWidth - left) : 0;
  };
  std::string svg;
  for (int i = 0; i < spark.value_size(); ++i) {
    const double middle = slot * (i + 0.5);
    absl::StrAppend(&svg,
                    spark.has_base() ? Rect("room", left, middle - height / 2, width_of(spark.base()), height) : "",
                    Titled(spark, i, Rect("bar", left, middle - height / 2, width_of(spark.value(i)), height)),
                    longest == 0 ? "" : Text(left - 5, middle + 4, "end", Shortened(LabelOf(spark, i))));
  }
  const double base = left + width_of(spark.base());
  return absl::StrCat(svg, spark.has_base() ? Line("base", base, 0, base, kHeight) : "");
}

// Draws dots on an axis with the base in its middle, in front of the band that chance alone gives.
std::string Differences(const proto::Spark& spark) {
  double extent = spark.chance();
  for (const double value : spark.value()) {
    extent = std::max(extent, std::abs(value - spark.base()));
  }
  const double middle = kWidth / 2, y = kHeight / 2;
  const double scale = extent > 0 ? (middle - 2 * kDot) / extent : 0;
  std::string svg = absl::StrCat(Rect("room", middle - spark.chance() * scale, y - 10, 2 * spark.chance() * scale, 20),
                                 Line("axis", 0, y, kWidth, y), Line("base", middle, y - 14, middle, y + 14));
  for (int i = 0; i < spark.value_size(); ++i) {
    svg += Titled(spark, i, Dot(middle + (spark.value(i) - spark.base()) * scale, y));
  }
  return svg;
}

std::string Drawn(const proto::Spark& spark) {
  switch (spark.kind()) {
    case proto::TREND:
      return Trend(spark);
    case proto::SHARE:
      return Share(spark);
    case proto::BARS:
      return Bars(spark);
    case proto::DIFFERENCES:
      return Differences(spark);
    default:
      return "";
  }
}

}  // namespace

std::string SparkSvg(const proto::Spark& spark) {
  const bool finite =
      std::isfinite(spark.base()) && std::isfinite(spark.chance()) &&
      std::all_of(spark.value().begin(), spark.value().end(), [](double v) { return std::isfinite(v); });
  const std::string drawn = spark.value().empty() || !finite ? "" : Drawn(spark);
  return drawn.empty() ? ""
                       : absl::StrCat("<svg class=\"spark\" viewBox=\"0 0 120 40\" role=\"img\" aria-label=\"",
                                      EscapeHtml(spark.description()), "\">", drawn, "</svg>");
}

}  // namespace lockstep
