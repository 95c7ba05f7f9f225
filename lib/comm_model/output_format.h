// Formats in which comm_model prints its results in addition to its record.
#ifndef LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_
#define LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/comm_model/comm_model.h"

namespace lockstep {

enum class OutputFormat {
  kRecord,     // prints nothing
  kText,       // summary.h
  kCsv,        // one line per number, RFC 4180, with provenance and interval
  kJson,       // the records as protobuf's JSON, field names as in the schema
  kExtraP,     // Extra-P's text input: epoch seconds over devices, a region per batch
  kNcclTuner,  // CSV of NCCL's example tuner plugin: algorithm and protocol per range of sizes
};

// InvalidArgument, listing the names: record, text, csv, json, extra_p, nccl_tuner.
absl::StatusOr<OutputFormat> ParseOutputFormat(absl::string_view name);

// Returns lines that end in a newline. InvalidArgument, naming flags: the records hold nothing that the format shows.
absl::StatusOr<std::string> FormatRun(OutputFormat format, const CommModelRun& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_
