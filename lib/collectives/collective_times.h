// What our benchmarks wrote with --record: times of collectives, and which way a sum over GPUs takes for its size.
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

// Whether a text begins as a record file, of whatever kind; whether it can be read is not said.
bool IsRecordFile(absl::string_view text);

// Errors as ReadRecordFile's. DataLoss also: a number that cannot be (lib/record/value_ranges.h).
absl::StatusOr<CollectiveTimesFile> ReadCollectiveTimes(const std::string& path);

// A point for each size and way of an all-reduce, in place: "nccl, bf16", "one_shot, float", "auto, bf16", "shared memory",
// "gloo", as of the same benchmark's JSON. DataLoss, naming the record: wrong elements, no time or one that is none, fewer
// than 2 ranks, a size that cannot be; no all-reduce.
absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const CollectiveTimesFile& file);

// Those of so many ranks and of "bf16" or "float"; of several the last. FailedPrecondition: none. DataLoss: such as cannot
// be.
absl::StatusOr<proto::AllReduceCrossovers> CrossoversOf(const CollectiveTimesFile& file, uint32_t ranks,
                                                        const std::string& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_TIMES_H_
