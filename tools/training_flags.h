// Flags of a training run that mean the same in every tool that trains: one name, one default, one help text.
//
// A tool that links this must define the following flags itself, because its help texts differ: --output --device
// --drop_last --loader_workers --threads --checkpoint. It must also put these flags, --input, --force and --dry_run
// into groups of its own.
#ifndef LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
#define LOCKSTEP_TOOLS_TRAINING_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "lib/base/help_text.h"
#include "lib/proto/sweep.pb.h"

ABSL_DECLARE_FLAG(std::string, input);
ABSL_DECLARE_FLAG(std::string, output);
ABSL_DECLARE_FLAG(bool, force);
ABSL_DECLARE_FLAG(bool, dry_run);
ABSL_DECLARE_FLAG(std::string, device);
ABSL_DECLARE_FLAG(std::string, checkpoint);
ABSL_DECLARE_FLAG(bool, evaluate);
ABSL_DECLARE_FLAG(uint32_t, epochs);
ABSL_DECLARE_FLAG(uint32_t, repeats);
ABSL_DECLARE_FLAG(bool, resume);
ABSL_DECLARE_FLAG(uint32_t, state_every);
ABSL_DECLARE_FLAG(uint32_t, checkpoint_batch);
ABSL_DECLARE_FLAG(std::optional<uint32_t>, validation_images);

namespace lockstep {

// Returns `first`, followed by the groups of --help of the flags that are declared here, expert switches last.
std::vector<FlagGroup> WithTrainingGroups(std::vector<FlagGroup> first);

// Upper ends of ranges: far above any use, and small enough that the product of any two fits in 32 bits.
inline constexpr uint32_t kMaxBatchSize = 1'000'000;
inline constexpr uint32_t kMaxThreads = 1024;  // CPU threads: above this number OpenMP may find no memory for their
                                               // stacks
inline constexpr uint32_t kMaxRanks = 1024;

// Sets the flags of --recipe, except those in `left_out` (lib/train/recipes.h). Must be called before a flag is read.
absl::Status ApplyRecipeFlag(const std::vector<std::string>& left_out = {});

// Sets each field of `training` that has a flag of its own name (--device is read by the stage), and the fields of
// --epochs and --repeats. InvalidArgument, naming the flag.
absl::Status ReadTrainingFlags(proto::TrainingSpec& training);

// Sets input, output, force, dry_run and device of a stage's options, and the fields of files next to the output:
// resume, state_every, checkpoint and checkpoint_batch.
template <typename Options>
void ReadRunFlags(Options& options) {
  options.input = absl::GetFlag(FLAGS_input);
  options.output = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  options.device = absl::GetFlag(FLAGS_device);
  options.resume = absl::GetFlag(FLAGS_resume);
  options.state_every = absl::GetFlag(FLAGS_state_every);
  options.checkpoint = absl::GetFlag(FLAGS_checkpoint);
  options.checkpoint_batch = absl::GetFlag(FLAGS_checkpoint_batch);
}

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
