#include "lib/base/stall_watch.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr int kPollsPerLimit = 8;

std::atomic<uint64_t> progress{0};

}  // namespace

void NoteProgress() { progress.fetch_add(1, std::memory_order_relaxed); }

StallWatch::StallWatch(absl::Duration limit, Stalled stalled)
    : limit_(limit), poll_interval_(limit / kPollsPerLimit), stalled_(std::move(stalled)) {}

absl::Status StallWatch::Start() {
  return limit_ < absl::InfiniteDuration() ? thread_.Start([this] { Watch(); }) : absl::OkStatus();
}

StallWatch::~StallWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  stopping_changed_.notify_one();
  thread_.Join();
}

void StallWatch::Enter(std::string phase) {
  NoteProgress();
  const std::lock_guard<std::mutex> lock(mutex_);
  phase_ = std::move(phase);
}

// Counts checks without progress instead of measuring time, because the process may have been stopped between two
// checks.
void StallWatch::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  uint64_t seen = progress;
  int unchanged = 0;
  while (unchanged < kPollsPerLimit) {
    if (stopping_changed_.wait_for(lock, absl::ToChronoNanoseconds(poll_interval_), [this] { return stopping_; })) {
      return;
    }
    const uint64_t now = progress;
    unchanged = now == seen ? unchanged + 1 : 0;
    seen = now;
  }
  const absl::Status status = absl::DeadlineExceededError(
      absl::StrCat(phase_, phase_.empty() ? "" : ": ", "no progress for ", absl::FormatDuration(limit_)));
  lock.unlock();
  stalled_(status);
}

}  // namespace lockstep
