// The comm_model stage: reads records, published tables and micro-benchmarks; writes explanations and predictions.
#ifndef LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_
#define LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/comm_model/options.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// Result of a run: the records that it wrote, the scale record that it read, if any, and the text of --explain.
struct CommModelRun {
  std::vector<proto::CommModelRecord> records;
  std::optional<ScaleRecords> scale;
  std::string derivation = {};  // derivation of the number that the option `explain` describes; empty: not asked for
};

// Writes the records that lib/proto/comm_model.proto lists, in its order. If the output already holds this result, it
// is read instead, unless `force` is set. Prints on stderr the path of the output and the verdict (verdict.h). A dry
// run writes nothing, and prints the verdict, time and memory of the computation.
// InvalidArgument: nothing to do, an option without the option that it needs, or no single number that `explain`
// describes. Other errors as those of the readers
// and the writer.
absl::StatusOr<CommModelRun> RunCommModel(const CommModelOptions& options);

// Returns the records that RunCommModel writes. `options` must have passed CheckCommModelOptions.
absl::StatusOr<std::vector<proto::CommModelRecord>> MakeCommModelRecords(const CommModelOptions& options,
                                                                         const CommModelInputs& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_
