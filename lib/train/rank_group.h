// Interface of one rank to the other ranks that train the same model. lib/scale_run implements it.
//
// Every rank must make the same calls in the same order. Every call returns UnavailableError if a rank is lost.
#ifndef LOCKSTEP_LIB_TRAIN_RANK_GROUP_H_
#define LOCKSTEP_LIB_TRAIN_RANK_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/model.h"
#include "lib/train/gradient_hook.h"
#include "lib/train/rank_number.h"

namespace lockstep {

class GradientExchange;  // lib/fused/gradient_exchange.h

class RankGroup {
 public:
  virtual ~RankGroup() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  // Copies the parameters and buffers of rank 0's model to all ranks. The model must be on the CPU or on this rank's
  // device.
  virtual absl::Status ShareModel(Model& model) = 0;
  virtual absl::Status ShareBuffers(Model& model) = 0;  // copies the buffers only

  // Returns the hook for each step of LibTorch's autograd, or null if there is nothing to do. Must be called once, with
  // the model that is trained, on the device where it is trained. The hook lives as long as the group; the model must
  // outlive both.
  virtual absl::StatusOr<GradientHook*> MakeHook(Model& model) = 0;

  // Returns the exchange of gradients for the fused step, or null if there is none. Lives as long as the group.
  virtual GradientExchange* exchange() = 0;

  // Called before and after each epoch, outside its timed part. BeginEpoch() returns once all ranks have called it.
  virtual absl::Status BeginEpoch(uint32_t epoch) = 0;
  virtual absl::Status EndEpoch(uint32_t epoch) = 0;

  // Returns the sum of each number over the ranks, added in rank order, so that all ranks get the same bits. Intended
  // for a few numbers. Returns InternalError naming the rank if a number is outside its range.
  virtual absl::StatusOr<std::vector<double>> Sum(const std::vector<RankNumber>& numbers) = 0;

  // Collectives for the training state (group_state.h). GatherState() returns the bytes of all ranks in rank order;
  // they may be a few MB at most. ShareState() replaces each other rank's bytes by rank 0's, of any size.
  virtual absl::StatusOr<std::vector<std::string>> GatherState(absl::string_view bytes) = 0;
  virtual absl::Status ShareState(std::string& bytes) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RANK_GROUP_H_
