#include "lib/base/point_warnings.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "lib/base/log_line.h"

namespace lockstep {
namespace {

// Returns the text without digits, points and signs, of which a number may consist.
std::string WithoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return absl::ascii_isdigit(c) || c == '.' || c == '-' || c == '+'; });
  return text;
}

// Names at most three points and the number of the others.
std::string NamedPoints(absl::Span<const std::string> points) {
  constexpr size_t kNamed = 3;
  const std::string named = absl::StrJoin(points.first(std::min(points.size(), kNamed)), "; ");
  return points.size() <= kNamed ? named : absl::StrCat(named, "; and ", points.size() - kNamed, " more");
}

}  // namespace

void PointWarnings::Add(const std::string& point, const std::string& warning) {
  const std::string text = WithoutNumbers(warning);
  auto cause = std::find_if(causes_.begin(), causes_.end(),
                            [&text](const Cause& known) { return known.text_without_numbers == text; });
  if (cause == causes_.end()) {
    cause = causes_.insert(cause, {text, warning, {}});
  }
  if (cause->points.empty() || cause->points.back() != point) {  // a point may have the warning of each of its ranks
    cause->points.push_back(point);
  }
}

std::vector<std::string> PointWarnings::Lines(size_t point_count, absl::string_view noun) const {
  std::vector<std::string> lines;
  for (const Cause& cause : causes_) {
    const size_t count = cause.points.size();
    lines.push_back(count == 1 ? absl::StrCat(cause.points[0], ": ", cause.first_text)
                               : absl::StrCat("at ", count, " of ", point_count, " ", noun, " (",
                                              NamedPoints(cause.points), "), at the first: ", cause.first_text));
  }
  return lines;
}

void PointWarnings::Log(absl::string_view tool, size_t point_count, absl::string_view noun) const {
  for (const std::string& line : Lines(point_count, noun)) {
    LogWarning(absl::StrCat(tool, ": warning: ", line));
  }
}

}  // namespace lockstep
