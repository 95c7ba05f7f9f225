// What comm_model found, in other programs' formats.
#ifndef LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_
#define LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// One line for each number: record, source, variant, devices, batch_per_device, quantity, value, low, high, provenance,
// method. An absent number has an empty value and its reason for a method. Of an audited number `value` is what was
// printed and `method` what was found. RFC 4180.
std::string ExportCsv(const std::vector<proto::CommModelRecord>& records);

// Extra-P's text format (extra-p/extrap, docs/file-formats.md): parameters devices and batch, the region "epoch",
// metrics epoch_seconds and step_seconds with every repeat; of one device the plain runs. InvalidArgument: nothing was
// completed.
absl::StatusOr<std::string> ExportExtraP(const ScaleRecords& scale);

// The configuration of NCCL's example tuner plugin (NVIDIA/nccl, ext-tuner/example): for each number of ranks and range
// of sizes the algorithm and protocol whose measured times are the least. From all-reduce fits of runs with NCCL_ALGO
// and NCCL_PROTO set; a size at which only one of them was measured gets no line. InvalidArgument: no two such runs of
// as many ranks.
absl::StatusOr<std::string> ExportNcclTuner(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_EXPORT_H_
