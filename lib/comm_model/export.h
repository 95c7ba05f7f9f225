// Exports of comm_model's results in other programs' formats.
#ifndef LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_
#define LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// Returns one line per number: record, source, variant, devices, batch_per_device, quantity, value, low, high,
// provenance, method. An absent number has an empty value, and its reason in `method`. For an audited number, `value`
// is the printed number and `method` the finding. RFC 4180.
std::string ExportCsv(const std::vector<proto::CommModelRecord>& records);

// Returns Extra-P's text format (extra-p/extrap, docs/file-formats.md): parameters devices and batch, the region
// "epoch", metrics epoch_seconds and step_seconds with every repeat. For one device only the plain runs are exported.
// InvalidArgument: no point was completed.
absl::StatusOr<std::string> ExportExtraP(const ScaleRecords& scale);

// Returns the configuration of NCCL's example tuner plugin (NVIDIA/nccl, ext-tuner/example): for each number of ranks
// and range of sizes, the algorithm and protocol with the shortest measured time. The input is all-reduce fits of runs
// with NCCL_ALGO and NCCL_PROTO set. A size at which only one choice was measured gets no line. InvalidArgument: no two
// such runs of the same number of ranks.
absl::StatusOr<std::string> ExportNcclTuner(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_
