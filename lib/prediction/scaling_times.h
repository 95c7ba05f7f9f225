// The times that predictions are made from, whatever record or table they come from.
#ifndef LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_
#define LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/overlap.h"
#include "lib/prediction/step_curve.h"
#include "lib/proto/published.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// One (devices, batch per device) that was run. Seconds are of an epoch.
struct ScalingTime {
  uint32_t ranks = 0;
  uint32_t batch = 0;
  uint64_t images_per_rank = 0;             // of an epoch, padding counted
  Estimate epoch_seconds;                   // with data loading
  Estimate step_seconds;                    // without waiting for data; the same where a table does not tell them apart
  std::optional<Estimate> reducer_seconds;  // one device: through the reducer minus plain
  std::optional<double> wait_seconds;       // several: busy with a collective minus the least busy rank's
  std::vector<BucketLoad> buckets;          // of one step; empty: not known
};

// An all-reduce timed alone.
struct ProbeTime {
  uint32_t ranks = 0;
  double size_bytes = 0;
  Estimate seconds;
};

struct ScalingTimes {
  std::string source;
  proto::Provenance provenance = proto::MEASURED;  // or PUBLISHED
  uint64_t training_images = 0;
  uint64_t gradient_bytes = 0;  // 0: not known
  bool whole_copies = false;    // each rank sends its gradient to every other one, and not round a ring
  double sent_share = 1;        // of these bytes, what travels: 0.5 where fp32 gradients are sent in bf16
  Tail tail = Tail::kSmallerStep;
  std::vector<ScalingTime> times;  // one device is the plain run; in the source's order
  std::vector<ProbeTime> probes;
  bool ranks_share_a_host_cpu = false;  // processes on one CPU, which take memory bandwidth and caches from each other
  uint32_t cpu_cores = 0;               // of that host; 0: not known
};

// The times of a scale record's completed points and, for more batches of one device, of a sweep record with the same
// settings (null: there is none). Without a completed point there are no times. FailedPrecondition: no spec.
absl::StatusOr<ScalingTimes> TimesOfRecords(const ScaleRecords& scale, const SweepRecords* sweep,
                                            double run_to_run_fraction);

// One ScalingTimes for each table with epoch times of one device and of several. A printed number's variance is that of
// its rounding and of run to run. Batches are per device, or divided by the devices where the document says "total".
// FailedPrecondition: no such table, or the document does not say how many images an epoch has.
absl::StatusOr<std::vector<ScalingTimes>> TimesOfTables(const proto::PublishedTables& tables,
                                                        double run_to_run_fraction);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_
