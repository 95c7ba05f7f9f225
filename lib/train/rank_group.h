// One trainer among several that train one model together: what it wants of the others. lib/dist says over what.
//
// Every rank makes the same calls in the same order. Errors are Unavailable when a rank is lost.
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

  // The parameters and buffers of rank 0's model for all; the model is on the CPU or on this rank's device.
  virtual absl::Status ShareModel(Model& model) = 0;
  virtual absl::Status ShareBuffers(Model& model) = 0;  // its buffers alone

  // What takes part in each step of LibTorch's autograd: called once, with the model that is trained, where it is trained.
  // Null: nothing does. The hook lives as long as the group; the model outlives both.
  virtual absl::StatusOr<GradientHook*> MakeHook(Model& model) = 0;

  // What the hand-written step sends its gradients through; null: nothing. Lives as long as the group.
  virtual GradientExchange* exchange() = 0;

  // Around each epoch, outside of its clock. BeginEpoch returns when all ranks are there.
  virtual absl::Status BeginEpoch(uint32_t epoch) = 0;
  virtual absl::Status EndEpoch(uint32_t epoch) = 0;

  // Returns each number's sum over the ranks, in rank order, so that all get the same bits. For a few numbers. InternalError
  // names a rank whose number cannot be.
  virtual absl::StatusOr<std::vector<double>> Sum(const std::vector<RankNumber>& numbers) = 0;

  // For the state of training (group_state.h): the bytes of all ranks, a few MB at most, in rank order; and rank 0's bytes,
  // of any number, in the place of each other rank's.
  virtual absl::StatusOr<std::vector<std::string>> GatherState(absl::string_view bytes) = 0;
  virtual absl::Status ShareState(std::string& bytes) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RANK_GROUP_H_
