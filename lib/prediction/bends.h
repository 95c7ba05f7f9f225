// Reasons why the efficiency differs from that of other numbers of devices.
#ifndef LOCKSTEP_LIB_PREDICTION_BENDS_H_
#define LOCKSTEP_LIB_PREDICTION_BENDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/modelled_step.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// Returns a sentence for each of these causes that changes the step or the epoch by one per cent or more:
//   latency            the time by which a step would be shorter without a latency between hosts
//   overhead below 0   the time by which the record's step of several devices is shorter than its parts
//   last partial step  the share of an epoch's device time for which the last step has no images
// Errors as ModelStep.
absl::StatusOr<std::vector<std::string>> ExplainBends(const Workload& workload, const proto::Cluster& cluster,
                                                      const Variant& variant, uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_BENDS_H_
