// Rows of gpu_all_reduce_benchmark as records (lib/proto/collective_times.proto).
#ifndef LOCKSTEP_BENCHMARKS_COLLECTIVE_RECORDS_H_
#define LOCKSTEP_BENCHMARKS_COLLECTIVE_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchmarks/collective_rows.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/proto/collective_times.pb.h"

namespace lockstep {

// Returns the rows of all ranks as one: the wrong elements of all ranks, and the times of the rank that is timed.
// `texts` must be the texts of TextOf, in rank order. Returns InternalError if a text does not parse.
absl::StatusOr<CollectiveRows> JoinRows(const std::vector<std::string>& texts);

// Returns the crossovers from the medians of our ways, by size. Rows with wrong elements are ignored. Errors are those
// of ChooseCrossovers.
absl::StatusOr<AllReduceCrossovers> CrossoversOfRows(const CollectiveRows& all);

// Appends the records of the rows of one type, "bf16" or "float"; on one host also the crossovers that follow from
// all-reduces. Returns the error of CrossoversOfRows; the rows are appended nevertheless.
absl::Status AddRecords(const CollectiveRows& all, uint32_t ranks, const std::string& type,
                        std::vector<proto::CollectiveTimesRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_COLLECTIVE_RECORDS_H_
