#include "lib/base/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/readable_number.h"
#include "lib/base/stall_watch.h"

namespace lockstep {
namespace {

constexpr size_t kBarCells = 20;
constexpr size_t kDefaultColumns = 80;
constexpr absl::string_view kBytes = "bytes";

// Returns true if `stream` is a terminal that can return to the start of a line; TERM=dumb cannot.
bool IsTerminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return stream != nullptr && isatty(fileno(stream)) != 0 && term != nullptr && absl::string_view(term) != "dumb";
}

bool ColourWanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

size_t Columns(std::FILE* stream) {
  winsize size;
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

// Returns "250/1000 images" or "1.50 MB/170 MB".
std::string AmountText(uint64_t done, uint64_t total, absl::string_view unit) {
  return unit == kBytes ? absl::StrCat(BytesText(static_cast<double>(done)), "/", BytesText(static_cast<double>(total)))
                        : absl::StrCat(done, "/", total, " ", unit);
}

}  // namespace

std::string TimeLeftText(double seconds) {
  return seconds < 120     ? absl::StrFormat("%.0f s", seconds)
         : seconds < 7'200 ? absl::StrFormat("%.0f min", seconds / 60)
                           : absl::StrFormat("%.1f h", seconds / 3'600);
}

std::string ProgressLine(absl::string_view label, uint64_t done, uint64_t total, absl::string_view unit, double seconds,
                         uint64_t before, double later_seconds) {
  const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const double rate = seconds > 0 && done > before ? static_cast<double>(done - before) / seconds : 0;
  std::string line = absl::StrFormat("%s  %3.0f%% %s", label, 100 * share, AmountText(done, total, unit));
  if (rate > 0) {
    const double left = done < total ? static_cast<double>(total - done) / rate : 0;
    absl::StrAppendFormat(&line, "  %s/s  %s left%s",
                          unit == kBytes ? BytesText(rate) : absl::StrFormat("%.1f %s", rate, unit),
                          TimeLeftText(left + std::max(0.0, later_seconds)), later_seconds < 0 ? " of this part" : "");
  }
  return line;
}

std::string ProgressBar(const std::string& line, uint64_t done, uint64_t total, size_t columns, BarColour colour) {
  constexpr size_t kFrame = kBarCells + 3;  // "[", "] "
  if (columns < kFrame + line.size() / 2) {
    return line.substr(0, columns);
  }
  const size_t full = total == 0 ? kBarCells : std::min<uint64_t>(kBarCells, done * kBarCells / total);
  const std::string cells(full, '#');
  const bool green = colour == BarColour::kGreen;
  return absl::StrCat("[", green ? "\x1b[32m" : "", cells, green ? "\x1b[0m" : "", std::string(kBarCells - full, '-'),
                      "] ", line.substr(0, columns - kFrame));
}

Progress::Progress(std::string label, uint64_t total, std::string unit, std::FILE* stream)
    : label_(std::move(label)), total_(total), unit_(std::move(unit)), stream_(IsQuiet() ? nullptr : stream),
      terminal_(IsTerminal(stream_)), colour_(ColourWanted() ? BarColour::kGreen : BarColour::kNone) {}

Progress::Progress(const ProgressPart& part, uint64_t total, std::string unit)
    : Progress(part.label, total, std::move(unit)) {
  ExpectLater(part.later_seconds);
}

Progress::~Progress() {
  if (bar_open_) {
    std::fputc('\n', stream_);
  }
}

void Progress::Update(uint64_t done) {
  NoteProgress();
  const double now = watch_.Seconds();
  const bool is_end = done >= total_ && last_shown_ > 0 && !end_shown_;
  if (stream_ == nullptr || (now - last_shown_ < (terminal_ ? 0.1 : 10.0) && !is_end)) {
    return;
  }
  last_shown_ = now;
  end_shown_ = done >= total_;
  const std::string line = ReadableLine(ProgressLine(label_, done, total_, unit_, now, before_, later_seconds_));
  if (terminal_) {
    // \r returns to the start of the line, ESC [K clears its rest. The last column stays free, because some terminals
    // wrap there.
    std::fprintf(stream_, "\r%s\x1b[K", ProgressBar(line, done, total_, Columns(stream_) - 1, colour_).c_str());
  } else {
    std::fprintf(stream_, "%s\n", line.c_str());
  }
  std::fflush(stream_);
  bar_open_ = terminal_;
}

void Progress::PrintLine(absl::string_view line) {
  if (stream_ == nullptr) {
    return;
  }
  std::fprintf(stream_, "%s%s\n", bar_open_ ? "\r\x1b[K" : "", ReadableLine(line).c_str());
  std::fflush(stream_);
  bar_open_ = false;
}

}  // namespace lockstep
