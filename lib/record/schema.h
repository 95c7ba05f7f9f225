// The schemas that this build knows, with their versions.
#ifndef LOCKSTEP_LIB_RECORD_SCHEMA_H_
#define LOCKSTEP_LIB_RECORD_SCHEMA_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace lockstep {

// One schema: the full name of the file message, the version that this build writes, the program that writes it, the oldest
// version that this build reads, and the program's flag that names the file.
struct Schema {
  absl::string_view name;
  uint32_t version;
  absl::string_view tool;
  uint32_t oldest = 1;
  absl::string_view flag = "output";

  constexpr bool Reads(uint32_t other) const { return oldest <= other && other <= version; }
};

// Raise a version when an older reader would misread the file; note it in CHANGELOG.md.
inline constexpr Schema kSchemas[] = {
    {"lockstep.proto.DatasetFile", 1, "cifar_prep"},
    {"lockstep.proto.SweepFile", 1, "train_sweep"},
    {"lockstep.proto.ScaleFile", 1, "scale_run"},
    {"lockstep.proto.CommModelFile", 1, "comm_model"},
    {"lockstep.proto.QuantizedFile", 2, "quantize"},
    {"lockstep.proto.ReportFile", 1, "report"},
    {"lockstep.proto.TrainingStateFile", 1, "train_sweep"},
    {"lockstep.proto.CollectiveTimesFile", 1, "gpu_all_reduce_benchmark", 1, "record"},
};

// Null when this build does not know it.
constexpr const Schema* FindSchema(absl::string_view name) {
  for (const Schema& schema : kSchemas) {
    if (schema.name == name) {
      return &schema;
    }
  }
  return nullptr;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_SCHEMA_H_
