#include "lib/communicator/all_reduce_probe.h"

#include <ATen/ops/zeros.h>

#include <memory>

#include "lib/base/status_macros.h"

namespace lockstep {

absl::StatusOr<std::vector<double>> ProbeAllReduce(Communicator& communicator, c10::Device device,
                                                   const ProbeOptions& options) {
  if (options.size_bytes < sizeof(float) || options.warmup < 1) {
    return absl::InvalidArgumentError("an all-reduce probe needs a size and at least one operation to warm up");
  }
  // The tensor holds zeros: any other sum overflows when it is repeated in place, and the time does not depend on the
  // values.
  const at::Tensor flat = at::zeros({static_cast<int64_t>(options.size_bytes / sizeof(float))},
                                    at::TensorOptions().dtype(at::kFloat).device(device));
  std::vector<Timestamp> ends;
  for (int i = 0; i < options.warmup + options.repeats; ++i) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator.AllReduceSum(flat));
    RETURN_IF_ERROR(collective->Wait());
    ends.push_back(collective->end());
  }
  std::vector<double> seconds;
  for (size_t i = options.warmup; i < ends.size(); ++i) {
    seconds.push_back(ends[i].SecondsSince(ends[i - 1]));
  }
  RETURN_IF_ERROR(communicator.Health());
  return seconds;
}

}  // namespace lockstep
