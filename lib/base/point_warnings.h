// Warnings of all points of a run, one line per cause. They are printed after the results, because the same cause
// usually affects many points.
#ifndef LOCKSTEP_LIB_BASE_POINT_WARNINGS_H_
#define LOCKSTEP_LIB_BASE_POINT_WARNINGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

class PointWarnings {
 public:
  // Adds a warning of a point. Warnings that differ only in their numbers have the same cause. Warnings of one
  // point must be added in a row.
  void Add(const std::string& point, const std::string& warning);

  // Returns one line per cause, in the order in which the causes were added: "batch 32: TEXT" of a single point,
  // "at 2 of 8 points (batch 32; batch 64), at the first: TEXT" of several. At most three points are named.
  // `point_count`: points of the run; `noun`: word for them.
  std::vector<std::string> Lines(size_t point_count, absl::string_view noun = "points") const;

  // Logs the lines as warnings of `tool`.
  void Log(absl::string_view tool, size_t point_count, absl::string_view noun = "points") const;

 private:
  struct Cause {
    std::string text_without_numbers;
    std::string first_text;
    std::vector<std::string> points;
  };
  std::vector<Cause> causes_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_POINT_WARNINGS_H_
