// How far a long step is, on stderr: a bar with rate and time left on a terminal, a line every 10 s elsewhere.
//
// The bar is coloured unless NO_COLOR is set and not empty (https://no-color.org), and never longer than the terminal is
// wide, since a wrapped line could not be drawn over.
#ifndef LOCKSTEP_LIB_BASE_PROGRESS_H_
#define LOCKSTEP_LIB_BASE_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/stopwatch.h"

namespace lockstep {

// "resnet18 batch 32   42% 21000/50000 images  812.3 images/s  36 s left". `unit` is a plural noun. Pure, for tests.
// `before` of `done` were done before the clock started, by a run that was stopped.
std::string ProgressLine(absl::string_view label, uint64_t done, uint64_t total, absl::string_view unit, double seconds,
                         uint64_t before = 0);

// "[########------------] " before the line, cut to `columns` characters; the full cells in green with `colour`, which
// adds characters that take no column. Without room for half the line beside it, the line alone. Pure, for tests.
std::string ProgressBar(const std::string& line, uint64_t done, uint64_t total, size_t columns, bool colour);

// One bar. Not thread-safe.
class Progress {
 public:
  // Shows nothing if `stream` is null or IsQuiet() (log_line.h).
  Progress(std::string label, uint64_t total, std::string unit, std::FILE* stream = stderr);
  ~Progress();  // ends the bar's line on a terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line when enough time has passed since the last one: 0.1 s on a terminal, 10 s elsewhere. It is progress for
  // a StallWatch.
  void Update(uint64_t done);

  // So much was done already when this began, by a run that was stopped: it counts for the share, not for the rate.
  void GoOnFrom(uint64_t before) { before_ = before; }

  // Prints a line of talk where the bar stands; the bar comes back below it with the next Update.
  void Tell(absl::string_view line);

 private:
  const std::string label_;
  const uint64_t total_;
  const std::string unit_;
  std::FILE* const stream_;
  const bool terminal_;
  const bool colour_;
  uint64_t before_ = 0;
  Stopwatch watch_;
  double last_shown_ = 0;
  bool bar_open_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PROGRESS_H_
