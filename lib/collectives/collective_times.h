// Reads the records that our benchmarks write with --record: times of collectives, and the message sizes at which a sum
// over GPUs changes its way.
#ifndef LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_TIMES_H_
#define LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_TIMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/proto/collective_times.pb.h"
#include "lib/record/record_reader.h"

namespace lockstep {

using CollectiveTimesFile = RecordFile<proto::CollectiveTimesRecord>;

// Returns true if the text begins like a record file of any kind, or is the JSON of one. The rest may be malformed.
bool IsRecordFile(absl::string_view text);

// Errors as ReadRecordFile's. DataLoss also: a number outside its range (lib/record/value_ranges.h).
absl::StatusOr<CollectiveTimesFile> ReadCollectiveTimes(const std::string& path);

// Returns one point per size and way of an all-reduce, in place: "nccl, bf16", "one_shot, float", "auto, bf16", "shared
// memory", "gloo", the names that the same benchmark's JSON yields. DataLoss, naming the record: wrong elements, no
// time or an invalid one, fewer than 2 ranks, more hosts than ranks, a size out of range; no all-reduce.
absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const CollectiveTimesFile& file);

// Returns the last crossovers for `ranks` ranks and `type`, "bf16" or "float". FailedPrecondition: there are none.
// DataLoss: crossovers that are not in order or above kMaxMessageBytes.
absl::StatusOr<proto::AllReduceCrossovers> CrossoversOf(const CollectiveTimesFile& file, uint32_t ranks,
                                                        const std::string& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_TIMES_H_
