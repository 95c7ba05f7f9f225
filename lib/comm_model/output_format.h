// What comm_model prints besides its record.
#ifndef LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_
#define LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/comm_model/comm_model.h"

namespace lockstep {

enum class OutputFormat {
  kRecord,     // nothing
  kText,       // summary.h
  kCsv,        // one line for each number, RFC 4180, with provenance and interval
  kJson,       // the records as protobuf's JSON, field names as in the schema
  kExtraP,     // Extra-P's text input: epoch seconds over devices, a region for each batch
  kNcclTuner,  // the CSV of NCCL's example tuner plugin: which algorithm and protocol for which sizes
};

// InvalidArgument, listing the names: record, text, csv, json, extra_p, nccl_tuner.
absl::StatusOr<OutputFormat> ParseOutputFormat(absl::string_view name);

// Lines end in a newline. InvalidArgument: the records hold nothing of what the format shows, in words of flags.
absl::StatusOr<std::string> FormatRun(OutputFormat format, const CommModelRun& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_OUTPUT_FORMAT_H_
