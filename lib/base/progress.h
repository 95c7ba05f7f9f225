// Progress of a long step on stderr: a bar with rate and time left on a terminal, a line every 10 s elsewhere.
//
// The bar is coloured unless NO_COLOR is set and not empty (https://no-color.org). The bar is never wider than the
// terminal, because a wrapped line could not be overwritten.
#ifndef LOCKSTEP_LIB_BASE_PROGRESS_H_
#define LOCKSTEP_LIB_BASE_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/stopwatch.h"

namespace lockstep {

// Returns "36 s", "12 min" or "5.3 h"; more digits would overstate the accuracy of the estimate.
std::string TimeLeftText(double seconds);

// Returns "resnet18 batch 32   42% 21000/50000 images  812.3 images/s  36 s left". `unit` must be a plural noun;
// amounts of "bytes" are shown as "1.50 MB/170 MB".
// `before` is the part of `done` that an earlier, stopped run did before the clock started. `later_seconds` is the time
// of the steps after this one, which the time left includes; negative: unknown, the line then ends with "left of this
// part". Pure function, public for tests.
std::string ProgressLine(absl::string_view label, uint64_t done, uint64_t total, absl::string_view unit, double seconds,
                         uint64_t before = 0, double later_seconds = 0);

// Part of a run whose progress one bar shows.
struct ProgressPart {
  std::string label;
  double later_seconds = 0;  // see ProgressLine
};

enum class BarColour { kNone, kGreen };

// Returns "[########------------] " and `line`, cut to `columns` characters. `colour` is that of the full cells; the
// escape sequences take no column. If less than half of the line fits after the bar, returns the line alone. Pure
// function, public for tests.
std::string ProgressBar(const std::string& line, uint64_t done, uint64_t total, size_t columns, BarColour colour);

// One bar. Not thread-safe.
class Progress {
 public:
  // Shows nothing if `stream` is null or IsQuiet() (log_line.h).
  Progress(std::string label, uint64_t total, std::string unit, std::FILE* stream = stderr);
  Progress(const ProgressPart& part, uint64_t total, std::string unit);
  ~Progress();  // prints a line end after the bar on a terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Prints the line if enough time has passed since the last line: 0.1 s on a terminal, 10 s elsewhere. After a first
  // line, the end is always printed, so that the last line shows 100 %. Counts as progress for a StallWatch
  // (stall_watch.h).
  void Update(uint64_t done);

  // Sets the amount that an earlier, stopped run has done. It counts for the percentage but not for the rate.
  void ResumeFrom(uint64_t before) { before_ = before; }

  // Sets the time of the steps after this one; see ProgressLine.
  void ExpectLater(double seconds) { later_seconds_ = seconds; }

  // Prints `line` in place of the bar; the next Update prints the bar below.
  void PrintLine(absl::string_view line);

 private:
  const std::string label_;
  const uint64_t total_;
  const std::string unit_;
  std::FILE* const stream_;
  const bool terminal_;
  const BarColour colour_;
  uint64_t before_ = 0;
  double later_seconds_ = 0;
  bool end_shown_ = false;
  Stopwatch watch_;
  double last_shown_ = 0;
  bool bar_open_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PROGRESS_H_
