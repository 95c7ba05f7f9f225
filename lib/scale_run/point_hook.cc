#include "lib/scale_run/point_hook.h"

#include <csignal>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/reducer/sum_check.h"

namespace lockstep {

PointHook::PointHook(Communicator& communicator, std::unique_ptr<GradientReducer> reducer, PointHookOptions options)
    : communicator_(communicator), reducer_(std::move(reducer)), options_(std::move(options)),
      buffers_(communicator, options_.buffers) {}

absl::Status PointHook::BeforeBackward() {
  DieIfAsked(communicator_.rank(), ++step_);
  RETURN_IF_ERROR(SyncStatus());
  return reducer_->BeforeBackward();
}

// Buffers are broadcast after backward, which may still read them; the next forward uses those of rank 0.
absl::Status PointHook::AfterBackward() {
  RETURN_IF_ERROR(reducer_->AfterBackward());
  RETURN_IF_ERROR(SyncStatus());
  RETURN_IF_ERROR(buffers_.Send());
  const bool first = !std::exchange(trained_, true);
  if (!options_.check_sum || !first) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(sum_check_, CheckAverage(communicator_, reducer_->TakeLocalGradients(), reducer_->Gradients(),
                                            options_.communication_dtype));
  return SumCheckStatus(sum_check_);
}

void PointHook::BeginReplays() {
  step_ = 0;
  reducer_->BeginReplays();
}

void PointHook::Replayed() {
  DieIfAsked(communicator_.rank(), ++step_);
  reducer_->Replayed();
}

void DieIfAsked(int rank, uint64_t step) {
  const char* asked = std::getenv("LOCKSTEP_TEST_DIE_AT");
  if (asked != nullptr && asked == absl::StrCat(rank, ":", step)) {
    raise(SIGKILL);
  }
}

}  // namespace lockstep
