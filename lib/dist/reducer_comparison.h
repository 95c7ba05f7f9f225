// LibTorch's reducer and ours, each with a network of its own, step by step. Test-only.
#ifndef LOCKSTEP_LIB_DIST_REDUCER_COMPARISON_H_
#define LOCKSTEP_LIB_DIST_REDUCER_COMPARISON_H_

#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dist/communicator.h"
#include "lib/dist/gradient_reducer.h"
#include "lib/nn/model.h"

namespace lockstep::testing {

// One network and the reducer of its gradients.
struct Trainee {
  std::shared_ptr<Model> model;
  std::vector<NamedParameter> parameters;
  std::unique_ptr<GradientReducer> reducer;

  Trainee(const std::string& network, c10::Device device);

  // A step of SGD on four images, other ones on each rank and in each step.
  absl::Status Step(int rank, int step);
};

// Called by all ranks. "" when gradients and buckets are the same to the bit in four steps, over the one in which buckets
// are made anew, and the same was sent; else what differs.
absl::StatusOr<std::string> CompareReducers(Communicator& communicator, c10::Device device, const std::string& network);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_DIST_REDUCER_COMPARISON_H_
