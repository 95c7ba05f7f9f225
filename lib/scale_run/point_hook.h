// Work before and after the backward pass of a rank's step: the reducer, batch norm's buffers, and once the sum check.
#ifndef LOCKSTEP_LIB_SCALE_RUN_POINT_HOOK_H_
#define LOCKSTEP_LIB_SCALE_RUN_POINT_HOOK_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/collectives/communication_dtype.h"
#include "lib/communicator/communicator.h"
#include "lib/proto/scale.pb.h"
#include "lib/reducer/counted_broadcast.h"
#include "lib/reducer/gradient_reducer.h"
#include "lib/reducer/sync_batch_norm.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

struct PointHookOptions {
  std::vector<at::Tensor> buffers;      // broadcast from rank 0 in every step; empty: each rank keeps its own
  const SyncBatchNorm* sync = nullptr;  // source of failures within a pass; must outlive the hook; null: no SyncBN
  bool check_sum = false;               // check the sum in the first step; the reducer must keep its local gradients
  CommunicationDtype communication_dtype = CommunicationDtype::kFp32;  // communication dtype of the reducer
};

class PointHook : public GradientHook {
 public:
  // `communicator` must outlive the hook.
  PointHook(Communicator& communicator, std::unique_ptr<GradientReducer> reducer, PointHookOptions options);

  absl::Status BeforeBackward() override;

  // Aborted: the sum check failed. Other errors are those of the reducer.
  absl::Status AfterBackward() override;

  // Returns true once a step has run, because the sum is checked before a capture, and the reducer is settled. Buffers
  // cannot be broadcast in a captured step.
  bool settled() const override { return trained_ && reducer_->settled(); }
  void BeginReplays() override;
  void Replayed() override;

  GradientReducer& reducer() { return *reducer_; }
  CountedBroadcast& buffers() { return buffers_; }

  // Returns an empty check until the sum was checked.
  const proto::SumCheck& sum_check() const { return sum_check_; }

 private:
  absl::Status SyncStatus() const { return options_.sync != nullptr ? options_.sync->status() : absl::OkStatus(); }

  Communicator& communicator_;
  const std::unique_ptr<GradientReducer> reducer_;
  const PointHookOptions options_;
  CountedBroadcast buffers_;
  uint64_t step_ = 0;     // number of the current step, from 1; restarts with the replays
  bool trained_ = false;  // true once a step has run
  proto::SumCheck sum_check_;
};

// Kills this process (SIGKILL) if LOCKSTEP_TEST_DIE_AT is "RANK:STEP" with these numbers. For fault tests.
void DieIfAsked(int rank, uint64_t step);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_POINT_HOOK_H_
