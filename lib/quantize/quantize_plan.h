// Plan of a run and an estimate of its time, for --dry_run.
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_PLAN_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_PLAN_H_

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct PlannedNetwork {
  FloatNetwork network;
  proto::Normalization normalization;  // complete
};

// Returns the plan in one line. `make` runs the int8 networks, as in the run. The time is estimated by quantizing each
// network on a few images for some seconds, which also finds any fault that every image shows. Errors as
// QuantizeNetwork.
absl::StatusOr<std::string> DescribePlan(const std::vector<PlannedNetwork>& networks, const Dataset& dataset,
                                         const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                         c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_PLAN_H_
