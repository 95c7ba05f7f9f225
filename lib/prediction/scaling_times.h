// Times that predictions are made from, of any record or table.
#ifndef LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_
#define LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/prediction/overlap.h"
#include "lib/prediction/step_curve.h"
#include "lib/proto/published.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// One measured (devices, batch per device). Seconds are per epoch.
struct ScalingTime {
  uint32_t ranks = 0;
  uint32_t batch = 0;
  uint64_t images_per_rank = 0;  // images per epoch, including padding
  Estimate epoch_seconds;        // time of the epoch, including data loading
  Estimate step_seconds;         // excluding waits for data; equal to epoch_seconds if a table has only one time
  std::optional<Estimate> reducer_seconds;  // one device: time with the reducer minus plain time
  std::optional<double> wait_seconds;       // several: time in collectives minus that of the least busy rank
  uint32_t epochs = 0;                      // epochs of a published run whose mean is the time; 0: one number
  std::vector<BucketLoad> buckets;          // buckets of one step; empty: not known
  // Number of hosts, each with the same number of ranks. 0: different numbers, or the hosts are not known, as in tables
  // and in joined records, which have the hosts of one record only.
  uint32_t hosts = 0;
  Exchange exchange = Exchange::kFlat;  // exchange between several hosts; with one rank per host: flat
};

// An all-reduce timed alone.
struct ProbeTime {
  uint32_t ranks = 0;
  double size_bytes = 0;
  Estimate seconds;
};

// Path by which the GPUs of a host exchange gradients.
enum class GpuPath {
  kUnknown,  // the ranks use CPUs, or the source does not contain it
  kNccl,
  kPeerMemory,  // reducers peer, peer_sharded and hierarchical
};

struct ScalingTimes {
  std::string source;
  proto::Provenance provenance = proto::MEASURED;  // or PUBLISHED
  uint64_t training_images = 0;
  uint64_t gradient_bytes = 0;  // 0: not known
  bool whole_copies = false;    // true: each rank sends its gradient to every other rank; false: as in a ring
  double sent_share = 1;        // fraction of gradient_bytes that is sent: 0.5 if fp32 gradients are sent in bf16
  Tail tail = Tail::kSmallerStep;
  std::vector<ScalingTime> times;  // points in the source's order; one device is the plain run
  std::vector<ProbeTime> probes;
  bool ranks_share_a_host_cpu = false;   // processes share one CPU, its memory bandwidth and its caches
  uint32_t cpu_cores = 0;                // cores of that host; 0: not known
  GpuPath gpu_path = GpuPath::kUnknown;  // path of the point with the most ranks
};

// Returns whether ranks of a run were on several hosts.
bool RanOverHosts(const ScalingTimes& times);

// Returns the times of a scale record's completed points and, for more batches of one device, of a sweep record with
// the same settings (null: no sweep). A record without a completed point has no times. FailedPrecondition: no spec.
absl::StatusOr<ScalingTimes> TimesOfRecords(const ScaleRecords& scale, const SweepRecords* sweep,
                                            double run_to_run_fraction);

// Returns one ScalingTimes for each table with epoch times of one device and of several. The variance of a
// printed number is the sum of two: of its rounding, and between runs. If the table has the epochs of a run
// (epochs_of_runs), the run's time is the mean of its epochs after the first one, which warms up, and the variance
// includes that of the epochs. Batches are per device; they
// are divided by the devices if the document gives a total batch. A time of an iteration and a rate are converted to
// the time of an epoch; if the document states no images per epoch, its epoch has the fewest samples that are whole
// steps at every batch. FailedPrecondition: no such table, or the images of an epoch are missing for a time of an
// epoch.
absl::StatusOr<std::vector<ScalingTimes>> TimesOfTables(const proto::PublishedTables& tables,
                                                        double run_to_run_fraction);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_SCALING_TIMES_H_
