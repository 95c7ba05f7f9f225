// The comm_model stage: records and published tables in, explanation out.
#ifndef LOCKSTEP_LIB_COMM_COMM_MODEL_H_
#define LOCKSTEP_LIB_COMM_COMM_MODEL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

struct CommModelOptions {
  std::string scale_path;                // scale record, "-": standard input; empty: none
  std::string sweep_path;                // sweep record with more base cases; empty: none. Needs a scale record
  std::vector<std::string> audit_paths;  // published tables (textproto or CSV)
  double link_gigabytes_per_second = 0;  // nominal, one direction of one device's link, GB = 1e9; 0: not given
  std::string output_path = "comm_model.rec";
  bool force = false;
};

// Writes CommModelSpec and ScalingRows of the scale record (if given), then the AuditTables of the published tables,
// and returns what it wrote. An output that holds this very result already is read instead of made again, unless
// `force`. InvalidArgument: nothing to do, or an option without what it belongs to. Errors of the readers and the
// writer as theirs.
absl::StatusOr<std::vector<proto::CommModelRecord>> RunCommModel(const CommModelOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_COMM_MODEL_H_
