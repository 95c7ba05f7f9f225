// What happens around the backward pass of a step of a rank: the reducer, batch norm's buffers, and once the sum check.
#ifndef LOCKSTEP_LIB_DIST_POINT_HOOK_H_
#define LOCKSTEP_LIB_DIST_POINT_HOOK_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator.h"
#include "lib/dist/counted_broadcast.h"
#include "lib/dist/gradient_reducer.h"
#include "lib/dist/sync_batch_norm.h"
#include "lib/fused/wire.h"
#include "lib/proto/scale.pb.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

struct PointHookOptions {
  std::vector<at::Tensor> buffers;  // broadcast from rank 0 in every step; none: each rank keeps its own
  const SyncBatchNorm* sync =
      nullptr;              // whose sums may have failed within a pass; outlives the hook; null: there is none
  bool check_sum = false;   // prove the sum in the first step: the reducer must keep its local gradients
  Wire wire = Wire::kFp32;  // the reducer's
};

class PointHook : public GradientHook {
 public:
  // `communicator` outlives the hook.
  PointHook(Communicator& communicator, std::unique_ptr<GradientReducer> reducer, PointHookOptions options);

  absl::Status BeforeBackward() override;

  // The reducer's errors; Aborted: the sum check failed.
  absl::Status AfterBackward() override;

  // The sum is checked before a capture, and buffers do not travel in one.
  bool settled() const override { return trained_ && reducer_->settled(); }
  void BeginReplays() override;
  void Replayed() override;

  GradientReducer& reducer() { return *reducer_; }
  CountedBroadcast& buffers() { return buffers_; }

  // Empty until the check was made.
  const proto::SumCheck& sum_check() const { return sum_check_; }

 private:
  absl::Status SyncStatus() const { return options_.sync != nullptr ? options_.sync->status() : absl::OkStatus(); }

  Communicator& communicator_;
  const std::unique_ptr<GradientReducer> reducer_;
  const PointHookOptions options_;
  CountedBroadcast buffers_;
  uint64_t step_ = 0;     // from 1; of the replays alone, once there are some
  bool trained_ = false;  // whether a step was made
  proto::SumCheck sum_check_;
};

// Kills this process (SIGKILL) when LOCKSTEP_TEST_DIE_AT is "RANK:STEP" with these numbers: for tests of faults.
void DieIfAsked(int rank, uint64_t step);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_POINT_HOOK_H_
