// Predicts a training run on a cluster on which it was not run: lib/proto/comm_model.proto, WhatIfRow.
//
// modelled_step.h is the model of a step, exchange_cost.h that of its exchange.
#ifndef LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_
#define LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/prediction/modelled_step.h"
#include "lib/proto/cluster.pb.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// InvalidArgument, naming flags and fields: no devices per host, a link between hosts that is needed and not given, an
// invalid latency or bandwidth, an unknown algorithm.
absl::Status CheckCluster(const proto::Cluster& cluster, uint32_t max_devices);

// Predicts one variant. `devices` must be at least 1 and, above devices_per_host, a multiple of it; InvalidArgument
// otherwise and as above.
absl::StatusOr<proto::WhatIfRow> AskWhatIf(const Workload& workload, const proto::Cluster& cluster,
                                           const proto::ModelSpec& spec, const Variant& variant, uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_
