// The comm_model stage: reads records, published tables and micro-benchmarks; writes explanations and predictions.
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

// Result of a run: the records that it wrote, and the scale record that it read, if any.
struct CommModelRun {
  std::vector<proto::CommModelRecord> records;
  std::optional<ScaleRecords> scale;
};

// Writes the records that lib/proto/comm_model.proto lists, in its order. If the output already holds this result, it
// is read instead, unless `force` is set. Prints on stderr the path of the output and the verdict (verdict.h). A dry
// run writes nothing, and prints the verdict, time and memory of the computation.
// InvalidArgument: nothing to do, or an option without the option that it needs. Other errors as those of the readers
// and the writer.
absl::StatusOr<CommModelRun> RunCommModel(const CommModelOptions& options);

// Returns the records that RunCommModel writes. `options` must have passed CheckCommModelOptions.
absl::StatusOr<std::vector<proto::CommModelRecord>> MakeCommModelRecords(const CommModelOptions& options,
                                                                         const CommModelInputs& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_COMM_MODEL_H_
