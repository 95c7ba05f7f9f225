// PointGroup: this rank's view of the other ranks of its point. Implements RankGroup (lib/train/rank_group.h) over the
// store and a communicator.
#ifndef LOCKSTEP_LIB_SCALE_RUN_POINT_GROUP_H_
#define LOCKSTEP_LIB_SCALE_RUN_POINT_GROUP_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/launch/launch.h"
#include "lib/proto/scale.pb.h"
#include "lib/reducer/bucket_plan.h"
#include "lib/reducer/communicator_exchange.h"
#include "lib/reducer/gradient_reducer.h"
#include "lib/reducer/sync_batch_norm.h"
#include "lib/scale_run/point_hook.h"
#include "lib/scale_run/traffic_count.h"
#include "lib/train/rank_group.h"

namespace lockstep {

// Origin of a point's reducer: its name in --reducer, or the choice by --reducer=auto (reducer_choice.h).
enum class ReducerSource { kNamed, kAuto };

class PointGroup : public RankGroup {
 public:
  // Joins the ranks of the point. A PLAIN point has no communicator, and its group changes nothing. `context`, `spec`
  // and `point` must outlive the group. Aborted: the communicator's sums are wrong. Other errors are those of the
  // communicator.
  static absl::StatusOr<std::unique_ptr<PointGroup>> Join(RankContext& context, const proto::ScaleSpec& spec,
                                                          const proto::ScalePoint& point, c10::Device device,
                                                          ReducerSource source);

  uint32_t rank() const override { return static_cast<uint32_t>(context_.rank); }
  uint32_t size() const override { return static_cast<uint32_t>(context_.size); }
  absl::Status ShareModel(Model& model) override;
  absl::Status ShareBuffers(Model& model) override;
  absl::StatusOr<GradientHook*> MakeHook(Model& model) override;
  GradientExchange* exchange() override { return exchange_.exchange.get(); }
  // Returns the counts of that exchange, or null without one.
  const ExchangeCounter* exchange_counter() const { return exchange_.counter; }
  // Returns the reason why the reducer is "own" instead of the one that was chosen for the point; empty: the chosen one
  // is used.
  const std::string& why_own() const { return why_own_; }
  // Returns ScalePoint.communicator_reason.
  const std::string& why_gloo() const { return why_gloo_; }
  absl::Status BeginEpoch(uint32_t epoch) override;
  absl::Status EndEpoch(uint32_t epoch) override;
  absl::StatusOr<std::vector<double>> Sum(const std::vector<RankNumber>& numbers) override;
  absl::StatusOr<std::vector<std::string>> GatherState(absl::string_view bytes) override;
  absl::Status ShareState(std::string& bytes) override;

  // Returns the measurements so far, for a resumed run; and restores them in that run, before its first epoch.
  proto::RankProgress Progress() const;
  void Resume(const proto::RankProgress& progress);

  // Returns all ranks' bytes, in rank order.
  absl::StatusOr<std::vector<std::string>> AllGather(absl::string_view bytes);

  // Returns the amounts that this rank has sent so far, by kind. `steps` must be the number of trained steps.
  std::vector<proto::Traffic> TrafficRecords(uint64_t steps) const;

  bool reduces() const { return point_.reduction() == proto::ALL_REDUCE || point_.reduction() == proto::ABLATED; }
  bool sends() const { return point_.reduction() == proto::ALL_REDUCE && context_.size > 1; }

  // Returns null for a PLAIN point.
  Communicator* communicator() const { return communicator_.get(); }
  // Returns null if there is no reducer, or if the step is not autograd's.
  PointHook* hook() const { return hook_.get(); }
  // Returns true if autograd's steps are replays of a CUDA graph.
  bool replays() const { return hook_ != nullptr && spec_.training().cuda_graph(); }
  // Returns the times of the reducer in each timed epoch; empty if the steps are replays of a CUDA graph. An epoch from
  // before a resume has no buckets.
  const std::vector<ReducerTimes>& epochs() const { return epochs_; }

 private:
  PointGroup(RankContext& context, const proto::ScaleSpec& spec, const proto::ScalePoint& point, c10::Device device)
      : context_(context), spec_(spec), point_(point), device_(device) {}
  absl::StatusOr<MadeCommunicator> Connect() const;
  absl::StatusOr<MadeExchange> MakeExchange(ReducerSource source);
  absl::StatusOr<ReducerOptions> OptionsOfReducer(bool check_sum);
  absl::StatusOr<BucketPlan> KeptPlan(size_t parameters);
  void CountApart(const char* kind, const Traffic& traffic);
  absl::Status Share(const std::vector<at::Tensor>& tensors, const char* kind);

  RankContext& context_;
  const proto::ScaleSpec& spec_;
  const proto::ScalePoint& point_;
  const c10::Device device_;
  std::unique_ptr<Communicator> communicator_;
  TrafficCount traffic_;
  std::unique_ptr<SyncBatchNorm> sync_;  // null: batch norm uses this rank's images only
  std::unique_ptr<PointHook> hook_;
  MadeExchange exchange_;
  std::string why_own_;
  std::string why_gloo_;
  std::vector<ReducerTimes> epochs_;
  absl::optional<std::string> kept_plan_;  // this rank's bucket plan in a resumed run; may be empty
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_POINT_GROUP_H_
