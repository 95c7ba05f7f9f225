// Bandwidth between hosts at which a run loses a tenth of its efficiency to communication.
#ifndef LOCKSTEP_LIB_PREDICTION_LOSS_BANDWIDTH_H_
#define LOCKSTEP_LIB_PREDICTION_LOSS_BANDWIDTH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/prediction/modelled_step.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// Share of a step that exposed communication takes at the bandwidth that is looked for. The efficiency is then 90 % of
// that of a step without exposed communication. The share is a choice of this project.
inline constexpr double kLostShare = 0.1;

// Range that is searched: from 1 MB/s, slower than any network of a cluster, to the largest bandwidth of the flags.
inline constexpr double kMinSearchedBytesPerSecond = 1e6;
inline constexpr double kMaxSearchedBytesPerSecond = 1e15;

struct LossBandwidth {
  std::optional<double> bytes_per_second;
  std::string why_none;  // "one host", "never: REASON" or "always: REASON"; empty if there is a bandwidth
};

// Returns the bandwidth, per device, found by bisection on the model: exposed communication never becomes shorter at a
// lower bandwidth. The bandwidths of `cluster` and `variant` between hosts are not used. Errors as ModelStep.
absl::StatusOr<LossBandwidth> FindLossBandwidth(const Workload& workload, const proto::Cluster& cluster,
                                                const Variant& variant, uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_LOSS_BANDWIDTH_H_
