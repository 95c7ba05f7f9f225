#include "lib/train/kept_flags.h"

namespace lockstep {

absl::Status CheckKeptFlags(bool resume, uint32_t state_every, const std::string& output,
                            const std::string& checkpoint) {
  if (resume && output == "-") {
    return absl::InvalidArgumentError("--resume keeps its state next to the output; give --output the name of a file");
  }
  if (state_every == 0) {
    return absl::InvalidArgumentError(
        "--state_every=0: expected epochs from one training state to the next, at least 1");
  }
  if (checkpoint == "-") {
    return absl::InvalidArgumentError("--checkpoint=-: weights go to a file, not to standard output; give it a name");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
