// Predicts a training run on a cluster on which it was not run: lib/proto/comm_model.proto, WhatIfRow.
//
// A step is the one-device step, plus the measured overhead of several devices (predict.h), plus the part of the
// buckets' all-reduces that backward does not hide (overlap.h) by the cost formulas of
// lib/collectives/all_reduce_cost.h, plus stragglers. All of it is modelled: the links' numbers are used as given.
#ifndef LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_
#define LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/overlap.h"
#include "lib/proto/cluster.pb.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Training job, as measured on one device.
struct Workload {
  uint64_t training_images = 0;
  uint32_t batch_per_device = 0;
  Estimate step_seconds;               // one whole step on one device, without a reducer
  Estimate overhead_seconds;           // additional time of a step of several devices, without communication
  double straggler_sigma_seconds = 0;  // standard deviation of a step's time over the devices
  std::vector<BucketLoad> buckets;     // buckets of one step
};

// Variant in which one thing is changed.
struct Variant {
  std::string name = "as given";
  double bucket_bytes = 0;     // cap of all buckets; 0: the workload's own
  double gradient_factor = 1;  // bytes of a gradient element over those of the workload
  double link_factor = 1;      // bandwidth between hosts over the cluster's
};

// InvalidArgument, naming flags and fields: no devices per host, a link between hosts that is needed and not given, an
// invalid latency or bandwidth, an unknown algorithm.
absl::Status CheckCluster(const proto::Cluster& cluster, uint32_t max_devices);

// Predicts one variant. `devices` must be at least 1 and, above devices_per_host, a multiple of it; InvalidArgument
// otherwise and as above.
absl::StatusOr<proto::WhatIfRow> AskWhatIf(const Workload& workload, const proto::Cluster& cluster,
                                           const proto::ModelSpec& spec, const Variant& variant, uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_WHAT_IF_H_
