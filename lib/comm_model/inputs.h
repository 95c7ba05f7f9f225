// Reads all inputs of comm_model.
#ifndef LOCKSTEP_LIB_COMM_MODEL_INPUTS_H_
#define LOCKSTEP_LIB_COMM_MODEL_INPUTS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/comm_model/options.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/published/published_tables.h"
#include "lib/record/record_reader.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// All-reduce times of one file.
struct AllReduceFile {
  std::string source;
  std::vector<AllReducePoint> points;
};

struct CommModelInputs {
  std::optional<ScaleRecords> scale;
  std::optional<SweepRecords> sweep;
  std::optional<RecordFile<proto::CommModelRecord>> scored;
  std::vector<PublishedFile> times;
  std::vector<PublishedFile> audited;
  std::vector<AllReduceFile> all_reduces;
  proto::ModelSpec model_spec;      // spec with the defaults filled in
  proto::Cluster cluster;           // cluster of --what_if: the flags override the file; the link between hosts may
                                    // be that of --inter_host_all_reduce
  std::vector<proto::Input> files;  // all files that were read, for the header
};

// Errors as the readers'. DataLoss: a record with a value out of range (value_ranges.h), a file that is not a ModelSpec
// or Cluster, or a ModelSpec with invalid numbers. Those of InterHostLink (lib/prediction/inter_host_link.h).
// InvalidArgument: the link between hosts is given twice.
absl::StatusOr<CommModelInputs> ReadCommModelInputs(const CommModelOptions& options);

// Returns `spec` with the default for each unset field (lib/proto/comm_model.proto). DataLoss, without a path: an
// invalid number.
absl::StatusOr<proto::ModelSpec> WithDefaults(proto::ModelSpec spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_INPUTS_H_
