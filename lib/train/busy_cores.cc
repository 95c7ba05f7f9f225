#include "lib/train/busy_cores.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/train/neighbour_watch.h"

namespace lockstep {
namespace {

// Length of the measurement. /proc/stat counts in hundredths of a second.
constexpr absl::Duration kMeasuredTime = absl::Milliseconds(330);

// Tolerated load in cores, as of a shell's tools or a browser.
constexpr double kSpareCores = 0.5;

}  // namespace

std::string BusyCoresText(const proto::Neighbours& neighbours, uint32_t threads) {
  if (threads < 2 || neighbours.watched_seconds() <= 0 || !neighbours.cpu_absent_reason().empty()) {
    return "";
  }
  const double busy = neighbours.others_cpu_seconds() / neighbours.watched_seconds();
  const double free = neighbours.cores() - busy;
  if (threads <= free + kSpareCores) {
    return "";
  }
  const auto fewer = static_cast<uint32_t>(std::max(1.0, free + kSpareCores));
  return absl::StrFormat(
      "other processes keep %.1f of %d cores busy, so the %d threads of a step wait for a free core; use --threads=%d "
      "or wait until the machine is quiet",
      busy, neighbours.cores(), threads, fewer);
}

std::string BusyCoresWarning(uint32_t threads) {
  if (threads < 2) {
    return "";
  }
  NeighbourWatch watch;
  watch.Begin();
  absl::SleepFor(kMeasuredTime);
  watch.End();
  return BusyCoresText(watch.Summary(absl::UnknownError("not measured")), threads);
}

}  // namespace lockstep
