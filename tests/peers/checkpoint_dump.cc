// Reads weights like quantize and saves them again, for tests/peers/checkpoint_test.py. Prints the network, the remark
// and the warnings, one per line.
#include <cstdio>
#include <string>

#include "absl/strings/str_join.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/load_checkpoint.h"

namespace lockstep {
namespace {

absl::Status Dump(const std::string& weights, const std::string& output) {
  ASSIGN_OR_RETURN(const InputText file, ReadCheckpointBytes(weights));
  ASSIGN_OR_RETURN(const LoadedModel loaded, LoadFittingModel({"lenet5", "lenet5_bias", "resnet18"}, file));
  std::printf("%s\n%s\n%s\n", loaded.name.c_str(), loaded.weights.remark.c_str(),
              absl::StrJoin(loaded.weights.warnings, "\n").c_str());
  return SaveCheckpoint(*loaded.model, {}, output, ReplaceAnything()).status();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: checkpoint_dump WEIGHTS OUTPUT\n");
    return 2;
  }
  return lockstep::ExitStatus("checkpoint_dump", lockstep::Dump(argv[1], argv[2]));
}
