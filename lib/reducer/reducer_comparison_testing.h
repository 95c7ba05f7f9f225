// Step-by-step comparison of LibTorch's reducer and ours, each with a network of its own. Test-only.
#ifndef LOCKSTEP_LIB_REDUCER_REDUCER_COMPARISON_TESTING_H_
#define LOCKSTEP_LIB_REDUCER_REDUCER_COMPARISON_TESTING_H_

#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/communicator/communicator.h"
#include "lib/nn/model.h"
#include "lib/reducer/gradient_reducer.h"

namespace lockstep::testing {

// One network and the reducer of its gradients.
struct Trainee {
  std::shared_ptr<Model> model;
  std::vector<NamedParameter> parameters;
  std::unique_ptr<GradientReducer> reducer;

  Trainee(const std::string& network, c10::Device device);

  // Runs one step of SGD on four images, which differ by rank and step.
  absl::Status Step(int rank, int step);
};

// Returns "" if gradients and buckets are equal bit for bit in four steps, including the step in which buckets are
// rebuilt, and the same amount was sent; else returns the differences. All ranks must call it.
absl::StatusOr<std::string> CompareReducers(Communicator& communicator, c10::Device device, const std::string& network);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REDUCER_REDUCER_COMPARISON_TESTING_H_
