// The comm_model stage: records, published tables and micro-benchmarks in, explanation and predictions out.
#ifndef LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_
#define LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/comm_model/options.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// What a run has at its end: the records that it wrote, and the scale record that it read, if any.
struct CommModelRun {
  std::vector<proto::CommModelRecord> records;
  std::optional<ScaleRecords> scale;
};

// Writes what lib/proto/comm_model.proto lists, in its order. An output that holds this very
// result already is read instead of made again, unless `force`. InvalidArgument: nothing to do, or an option without
// what it belongs to. Errors of the readers and the writer as theirs. Says on stderr what it wrote and the verdict
// (verdict.h); of a dry run, which writes nothing, what it would write and what that took.
absl::StatusOr<CommModelRun> RunCommModel(const CommModelOptions& options);

// The computation by itself: what RunCommModel writes for options that passed CheckCommModelOptions.
absl::StatusOr<std::vector<proto::CommModelRecord>> MakeCommModelRecords(const CommModelOptions& options,
                                                                         const CommModelInputs& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_
