// Step and epoch of a training run on a cluster on which it was not run.
//
// A step is the one-device step, plus the measured overhead of several devices (predict.h), plus the exposed part of
// the exchange (exchange_cost.h), plus stragglers. All of it is modelled: the links' numbers are used as given. If the
// link between hosts was measured (Link.relative_error), the standard error of the exposed part is half the difference
// between a link that is slower and one that is faster by this factor.
#ifndef LOCKSTEP_LIB_PREDICTION_MODELLED_STEP_H_
#define LOCKSTEP_LIB_PREDICTION_MODELLED_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/prediction/overlap.h"
#include "lib/proto/cluster.pb.h"

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

// Exchange, and one thing that is changed.
struct Variant {
  std::string name = "as given";
  double bucket_bytes = 0;     // cap of all buckets; 0: the workload's own
  double gradient_factor = 1;  // bytes of a gradient element over those of the workload
  double link_factor = 1;      // bandwidth between hosts over the cluster's
  Exchange exchange = Exchange::kFlat;
};

struct ModelledStep {
  Estimate seconds;              // sum of the parts: one-device step, overhead, exposed communication, stragglers
  Estimate overhead_seconds;     // 0 on one device
  Estimate exposed_seconds;      // exposed communication, with the error of a measured link between hosts
  double straggler_seconds = 0;  // wait for the slowest device
  ExchangeCost exchange;
};

// Returns one step. The cluster and `devices` must be valid (what_if.h). InvalidArgument: too small a bucket, or an
// error of CostOfExchange.
absl::StatusOr<ModelledStep> ModelStep(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                       uint32_t devices);

// Returns the steps of an epoch; the last one may be partly filled and takes as long as the others.
double StepsPerEpoch(const Workload& workload, uint32_t devices);

// Returns the seconds of an epoch. Errors as ModelStep.
absl::StatusOr<Estimate> ModelEpoch(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                                    uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_MODELLED_STEP_H_
