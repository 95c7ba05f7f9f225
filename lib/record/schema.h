// Schemas that this build knows, with their versions.
#ifndef LOCKSTEP_LIB_RECORD_SCHEMA_H_
#define LOCKSTEP_LIB_RECORD_SCHEMA_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace lockstep {

// One schema.
struct Schema {
  absl::string_view name;             // full name of the file message
  uint32_t version;                   // version that this build writes
  absl::string_view tool;             // program that writes the file
  uint32_t oldest = 1;                // oldest version that this build reads
  absl::string_view flag = "output";  // flag of the program that names the file

  constexpr bool Reads(uint32_t other) const { return oldest <= other && other <= version; }
};

// All schemas. A version must be raised if an older reader would misread the file, with a note in CHANGELOG.md.
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

// Returns the schema, or null if this build does not know it.
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
