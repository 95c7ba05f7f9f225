#include "lib/base/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

// TERM=dumb cannot move back to the start of a line. NO_COLOR needs nothing: the bar has no colour.
bool IsTerminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && term != nullptr && absl::string_view(term) != "dumb";
}

}  // namespace

std::string ProgressLine(absl::string_view label, uint64_t done, uint64_t total, absl::string_view unit, double seconds) {
  const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line = absl::StrFormat("%s  %3.0f%% %d/%d %s", label, 100 * share, done, total, unit);
  if (rate > 0) {
    absl::StrAppendFormat(&line, "  %.1f %s/s  %.0f s left", rate, unit, static_cast<double>(total - done) / rate);
  }
  return line;
}

Progress::Progress(std::string label, uint64_t total, std::string unit, std::FILE* stream)
    : label_(std::move(label)), total_(total), unit_(std::move(unit)), stream_(stream), terminal_(IsTerminal(stream)) {}

Progress::~Progress() {
  if (bar_open_) {
    std::fputc('\n', stream_);
  }
}

void Progress::Update(uint64_t done) {
  const double now = watch_.Seconds();
  if (now - last_shown_ < (terminal_ ? 0.1 : 10.0)) {
    return;
  }
  last_shown_ = now;
  const std::string line = ProgressLine(label_, done, total_, unit_, now);
  // \r returns to the line's start and ESC [K clears the rest of it.
  std::fprintf(stream_, terminal_ ? "\r%s\x1b[K" : "%s\n", line.c_str());
  std::fflush(stream_);
  bar_open_ = terminal_;
}

}  // namespace lockstep
